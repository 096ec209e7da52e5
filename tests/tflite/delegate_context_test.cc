// labels: op egl delegate llvmpipe softpipe
// Which EGL context the delegate uses, and what it leaves behind in the app's.
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "egl/context.h"
#include "egl/objects.h"
#include "tests/testing/app_context.h"
#include "tests/testing/child.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/device_test.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/gl.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/watched_contexts.h"
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Context;
using ::gles_delegate::egl::egl;
using ::gles_delegate::egl::gl;

class DelegateContextTest : public ChainTest {
 protected:
  void Apply(
      const std::function<void(TfLiteGlesDelegateOptions&)>& configure = {}) {
    delegate_ = MakeDelegate([&](TfLiteGlesDelegateOptions& options) {
      options.keep_context_current = keep_;
      if (configure) configure(options);
    });
    const absl::Status applied = interpreter_->ApplyDelegate(delegate_.get());
    ASSERT_TRUE(applied.ok()) << applied;
    ASSERT_EQ(ReportOf(delegate_)["nodes_delegated"], 3);
  }

  const ScopedEnvironment no_x_{"DISPLAY", ""};
  TfLiteGlesToggle keep_ = kTfLiteGlesAuto;
  DelegatePtr delegate_;  // before the interpreter: deleted after it
  std::unique_ptr<Interpreter> interpreter_ = InterpreterOrDie(*model_);
};

TEST_F(DelegateContextTest, WithoutACurrentContextItMakesOne) {
  keep_ = kTfLiteGlesOff;
  ASSERT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
  Apply();
  EXPECT_EQ(ReportOf(delegate_)["context"], "own");
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
}

TEST_F(DelegateContextTest, TheCurrentContextIsBorrowed) {
  AppContext app;
  Apply();
  EXPECT_EQ(ReportOf(delegate_)["context"], "borrowed");
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  EXPECT_EQ(egl().GetCurrentContext(), app.get().handle());
  interpreter_.reset();
  delegate_.reset();
  EXPECT_EQ(egl().GetCurrentContext(), app.get().handle());
  EXPECT_NE(gl().GetString(GL_VERSION), nullptr) << "the app's context is gone";
}

// The state that a delegate's work changes most; egl_borrowed_state_test has
// the rest.
std::vector<GLint> State() {
  std::vector<GLint> values;
  for (GLenum query :
       {GL_CURRENT_PROGRAM, GL_ACTIVE_TEXTURE, GL_TEXTURE_BINDING_2D,
        GL_TEXTURE_BINDING_2D_ARRAY, GL_UNIFORM_BUFFER_BINDING,
        GL_SHADER_STORAGE_BUFFER_BINDING, GL_PIXEL_UNPACK_BUFFER_BINDING,
        GL_UNPACK_ALIGNMENT, GL_UNPACK_ROW_LENGTH, GL_PACK_ALIGNMENT,
        GL_COPY_READ_BUFFER_BINDING, GL_COPY_WRITE_BUFFER_BINDING}) {
    GLint value = -1;
    gl().GetIntegerv(query, &value);
    values.push_back(value);
  }
  for (GLuint unit = 0; unit < 4; ++unit) {
    GLint value = -1;
    gl().GetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, unit, &value);
    values.push_back(value);
    gl().GetIntegeri_v(GL_UNIFORM_BUFFER_BINDING, unit, &value);
    values.push_back(value);
    gl().GetIntegeri_v(GL_IMAGE_BINDING_NAME, unit, &value);
    values.push_back(value);
  }
  return values;
}

TEST_F(DelegateContextTest, ABorrowedContextsStateIsRestored) {
  AppContext app;
  const auto texture =
      egl::Texture::Create({GL_TEXTURE_2D, GL_RGBA32F, 4, 4, 1});
  const auto buffer = egl::Buffer::Create(1024, nullptr, GL_DYNAMIC_COPY);
  ASSERT_TRUE(texture.ok() && buffer.ok());
  gl().ActiveTexture(GL_TEXTURE3);
  gl().BindTexture(GL_TEXTURE_2D, texture->id());
  gl().BindImageTexture(1, texture->id(), 0, GL_FALSE, 0, GL_WRITE_ONLY,
                        GL_RGBA32F);
  gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer->id());
  gl().BindBufferBase(GL_UNIFORM_BUFFER, 0, buffer->id());
  gl().BindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer->id());
  gl().PixelStorei(GL_UNPACK_ALIGNMENT, 8);
  gl().PixelStorei(GL_UNPACK_ROW_LENGTH, 3);
  const std::vector<GLint> before = State();
  Apply();
  EXPECT_EQ(ReportOf(delegate_)["context"], "borrowed");
  EXPECT_EQ(State(), before);
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  EXPECT_EQ(State(), before);
  interpreter_.reset();
  delegate_.reset();
  EXPECT_EQ(State(), before);
  EXPECT_EQ(gl().GetError(), GLenum{GL_NO_ERROR});
}

TEST_F(DelegateContextTest, AnOwnContextLeavesTheAppsAlone) {
  AppContext app;
  Apply([](auto& options) {
    options.thread_mode = kTfLiteGlesThreadCallerOwnContext;
  });
  EXPECT_EQ(ReportOf(delegate_)["context"], "own");
  EXPECT_EQ(egl().GetCurrentContext(), app.get().handle());
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  EXPECT_EQ(egl().GetCurrentContext(), app.get().handle());
}

TEST_F(DelegateContextTest, AnotherContextMayBeCurrentAtInvoke) {
  for (bool borrowed : {true, false}) {
    interpreter_ = InterpreterOrDie(*model_);
    AppContext app;
    if (!borrowed) app.Leave();
    Apply();
    EXPECT_EQ(ReportOf(delegate_)["context"], borrowed ? "borrowed" : "own");
    {
      AppContext other;
      ExpectClose(RunOnce(interpreter_.get()), expected_);
      EXPECT_EQ(egl().GetCurrentContext(), other.get().handle());
    }
    // And none at all: a context of the delegate's own stays current.
    EXPECT_EQ(egl().GetCurrentContext(), EGL_NO_CONTEXT);
    ExpectClose(RunOnce(interpreter_.get()), expected_);
    EXPECT_EQ(egl().GetCurrentContext() == EGL_NO_CONTEXT, borrowed);
    interpreter_.reset();
    delegate_.reset();
  }
}

// An app of OpenGL ES 3.0: the delegate says so and makes its own context.
TEST_F(DelegateContextTest, ACurrentContextThatIsTooOldIsNotUsed) {
  AppContext app;
  const egl::Instead<&egl::GlApi::GetString> pretend(
      [&](GLenum name) -> const GLubyte* {
        return name == GL_VERSION &&
                       egl().GetCurrentContext() == app.get().handle()
                   ? reinterpret_cast<const GLubyte*>("OpenGL ES 3.0 Pretended")
                   : egl::driver_gl().GetString(name);
      });
  Apply();
  EXPECT_EQ(ReportOf(delegate_)["context"], "own");
  EXPECT_THAT(interpreter_->log(),
              Contains(AllOf(HasSubstr("the current EGL context is not used"),
                             HasSubstr("3.1"))));
  EXPECT_EQ(egl().GetCurrentContext(), app.get().handle());
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  EXPECT_EQ(egl().GetCurrentContext(), app.get().handle());
}

int CountOf(const std::vector<std::string>& log, const char* text) {
  int count = 0;
  for (const std::string& line : log) {
    count += line.find(text) != std::string::npos;
  }
  return count;
}

constexpr char kSoftwareLine[] = "software rendering: ";

TEST_F(DelegateContextTest, SoftwareRenderingIsSaidOnce) {
  if (!TestContext()->device().software) GTEST_SKIP() << "hardware";
  Apply();
  EXPECT_EQ(CountOf(interpreter_->log(), kSoftwareLine), 1);
  EXPECT_THAT(interpreter_->log(),
              Contains(AllOf(HasSubstr(TestContext()->device().renderer),
                             HasSubstr("computes on the CPU"),
                             HasSubstr("device: hardware"))));
  ExpectClose(RunOnce(interpreter_.get()), expected_);
  EXPECT_EQ(CountOf(interpreter_->log(), kSoftwareLine), 1);
  EXPECT_EQ(ReportOf(delegate_)["software"], true);

  auto quiet = InterpreterOrDie(*model_);
  const DelegatePtr delegate =
      MakeDelegate([](auto& options) { options.verbosity = 0; });
  ASSERT_TRUE(quiet->ApplyDelegate(delegate.get()).ok());
  EXPECT_EQ(CountOf(quiet->log(), kSoftwareLine), 0);
}

TEST_F(DelegateContextTest, SoftwareRenderingCanBeDeclined) {
  if (!TestContext()->device().software) GTEST_SKIP() << "hardware";
  const DelegatePtr delegate =
      MakeDelegate([](auto& options) { options.device = "hardware"; });
  const absl::Status applied = interpreter_->ApplyDelegate(delegate.get());
  EXPECT_FALSE(applied.ok());
  EXPECT_THAT(std::string(applied.message()),
              AllOf(HasSubstr("software rendering alone"),
                    HasSubstr("device: hardware"),
                    HasSubstr(TestContext()->device().renderer)));
  ASSERT_TRUE(interpreter_->AllocateTensors().ok());
  EXPECT_EQ(RunOnce(interpreter_.get()).value(), expected_);
}

TEST_F(DelegateContextTest, AnAppsSoftwareContextCanBeDeclined) {
  if (!TestContext()->device().software) GTEST_SKIP() << "hardware";
  AppContext app;
  const DelegatePtr delegate =
      MakeDelegate([](auto& options) { options.device = "hardware"; });
  EXPECT_FALSE(interpreter_->ApplyDelegate(delegate.get()).ok());
  EXPECT_EQ(CountOf(interpreter_->log(), "it is of software rendering"), 1);
}

// Run by the tests below, in processes where there is no usable driver: what
// the delegate said goes to stdout, and the CPU must run on.
TEST(DelegateContextChild, DISABLED_FailsToApplyAndRunsOnTheCpu) {
  const auto model = LoadOrDie(ChainModel("can"));
  const std::vector<float> expected = CpuResult(*model);
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = InterpreterOrDie(*model);
  const absl::Status applied = interpreter->ApplyDelegate(delegate.get());
  ASSERT_FALSE(applied.ok());
  std::printf("%s\n", std::string(applied.message()).c_str());
  ASSERT_TRUE(interpreter->AllocateTensors().ok());
  const auto actual = RunOnce(interpreter.get());
  ASSERT_TRUE(actual.ok()) << actual.status();
  EXPECT_EQ(*actual, expected);
  EXPECT_EQ(ReportOf(delegate)["partitions"], 0);
}

constexpr char kChild[] =
    "DelegateContextChild.DISABLED_FailsToApplyAndRunsOnTheCpu";

TEST(DelegateNoContextTest, WithoutEglTheCpuRunsOn) {
  const ChildResult child =
      RunChild(kChild, {{"GLES_DELEGATE_EGL_LIBRARY", "no-such-libEGL.so"}});
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_THAT(child.output, HasSubstr("no-such-libEGL.so"));
  EXPECT_THAT(child.output, HasSubstr("kTfLiteDelegateError"));
}

TEST(DelegateNoContextTest, WithOpenGlEs30OnlyTheCpuRunsOn) {
  GLES_SKIP_WITHOUT_DEVICE();
  if (TestContext()->device().version.find("Mesa") == std::string::npos) {
    GTEST_SKIP() << "only Mesa can be told to be older";
  }
  const ChildResult child =
      RunChild(kChild, {{"MESA_GLES_VERSION_OVERRIDE", "3.0"}});
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_THAT(child.output, HasSubstr("3.1"));
}

TEST(DelegateNoContextTest, WithoutSuchADeviceTheCpuRunsOn) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ChildResult child =
      RunChild(kChild, {{"GLES_DELEGATE_DEVICE", "no such device"}});
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_THAT(child.output, HasSubstr("no such device"));
}

DelegatePtr WithoutADevice(bool falls_back) {
  return MakeDelegate([falls_back](auto& options) {
    options.device = "no such device";
    options.thread_mode = kTfLiteGlesThreadCallerOwnContext;
    options.fallback_to_cpu = falls_back ? 1 : 0;
  });
}

TEST(FallbackToCpuTest, AFailureIsReportedAndTheCpuRuns) {
  const auto model = LoadOrDie(ChainModel("cn"));
  const DelegatePtr delegate = WithoutADevice(/*falls_back=*/true);
  auto interpreter = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 0);
  EXPECT_THAT(interpreter->log(), Contains(HasSubstr("no such device")));
  auto by_options = CreatedWith(*model, delegate);
  ASSERT_TRUE(by_options.ok()) << by_options.status();
  for (Interpreter* one : {interpreter.get(), by_options->get()}) {
    const auto result = RunOnce(one);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(*result, CpuResult(*model));
  }
}

TEST(FallbackToCpuTest, WithoutItTheInterpretersOptionsGiveNoInterpreter) {
  const auto model = LoadOrDie(ChainModel("cn"));
  EXPECT_FALSE(CreatedWith(*model, WithoutADevice(false)).ok());
}

// TfLiteGlesDelegateCreateOnDisplay: a context of the delegate's own on the
// app's EGLDisplay.

class DelegateDisplayTest : public ChainTest {
 protected:
  void SetUp() override {
    ChainTest::SetUp();
    if (!IsSkipped()) display_ = AnotherThanByDefault();
  }

  // A display that the delegate would not take by itself, if there is one.
  static EGLDisplay AnotherThanByDefault() {
    const auto by_default = Context::Create({});
    EXPECT_TRUE(by_default.ok()) << by_default.status();
    EGLDisplay found = (*by_default)->display();
    const ScopedEnvironment any("GLES_DELEGATE_DEVICE", "");
    for (const auto& report : egl::ListDisplays()) {
      const auto context = Context::Create({std::to_string(report.index)});
      if (!context.ok() ||
          (*context)->device().renderer != (*by_default)->device().renderer) {
        continue;
      }
      if ((*context)->display() != found) return (*context)->display();
    }
    return found;
  }

  // Where the contexts were made that a life of a delegate on `display` takes.
  std::set<EGLDisplay> DisplaysOf(
      void* display, int mode,
      const std::function<void(TfLiteGlesDelegateOptions&)>& configure = {}) {
    const WatchedContexts contexts;
    TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
    options.thread_mode = mode;
    if (configure) configure(options);
    const DelegatePtr delegate(
        TfLiteGlesDelegateCreateOnDisplay(&options, display),
        TfLiteGlesDelegateDelete);
    auto interpreter = Applied(*model_, delegate);
    EXPECT_EQ(ReportOf(delegate)["context"], "own");
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model_));
    log_ = interpreter->log();
    const std::vector<EGLDisplay> displays = contexts.displays();
    return {displays.begin(), displays.end()};
  }

  EGLDisplay display_ = EGL_NO_DISPLAY;
  std::vector<std::string> log_;  // of the interpreter
};

TEST_F(DelegateDisplayTest, TheContextIsMadeThere) {
  for (const int mode : {kTfLiteGlesThreadCaller, kTfLiteGlesThreadWorker}) {
    EXPECT_THAT(DisplaysOf(display_, mode), ElementsAre(display_));
    EXPECT_THAT(log_, Not(Contains(HasSubstr("EGLDisplay is not used"))));
  }
  EXPECT_THAT(DisplaysOf(display_, kTfLiteGlesThreadWorker,
                         [](TfLiteGlesDelegateOptions& options) {
                           options.share_key = "of the display's test";
                         }),
              ElementsAre(display_));
}

TEST_F(DelegateDisplayTest, WithoutOneADisplayIsLookedFor) {
  EXPECT_THAT(DisplaysOf(nullptr, kTfLiteGlesThreadCaller), Not(IsEmpty()));
  EXPECT_THAT(log_, Not(Contains(HasSubstr("EGLDisplay is not used"))));
}

TEST_F(DelegateDisplayTest, OneThatEglDoesNotKnowIsNotUsed) {
  int no_display = 0;
  EXPECT_THAT(DisplaysOf(&no_display, kTfLiteGlesThreadCaller),
              Not(Contains(static_cast<EGLDisplay>(&no_display))));
  EXPECT_THAT(log_,
              Contains(AllOf(HasSubstr("the app's EGLDisplay is not used"),
                             HasSubstr("EGL_BAD_DISPLAY"))));
}

// `device` is the user's word, too.
TEST_F(DelegateDisplayTest, ADeviceByItsIndexGoesFirst) {
  const ScopedEnvironment first("GLES_DELEGATE_DEVICE", "0");
  if (!Context::Create({}).ok()) GTEST_SKIP() << "display 0 is none";
  DisplaysOf(display_, kTfLiteGlesThreadCaller);
  EXPECT_THAT(log_,
              Contains(HasSubstr("GLES_DELEGATE_DEVICE names display 0")));
}

TEST_F(DelegateDisplayTest, ADeviceByNameMustBeTheDisplays) {
  const auto context = Context::Create({});
  ASSERT_TRUE(context.ok());
  const ScopedEnvironment any("GLES_DELEGATE_DEVICE", "");
  const auto named = [&](const char* device) {
    return [device](TfLiteGlesDelegateOptions& options) {
      options.device = device;
    };
  };
  EXPECT_THAT(DisplaysOf(display_, kTfLiteGlesThreadCaller,
                         named((*context)->device().renderer.c_str())),
              ElementsAre(display_));
}

// One delegate on several interpreters: what it reports of each, and what may
// be bound to each.

class DelegateInterpretersTest : public DeviceTest {};

// The keys of the report that are of one interpreter.
const std::vector<std::string>& KeysOfAnInterpreter() {
  static const auto* keys = new std::vector<std::string>{
      "nodes_total", "nodes_delegated", "partitions", "subgraphs", "partition",
      "cache",       "profile",         "cpu",        "stages_ms"};
  return *keys;
}

TEST_F(DelegateInterpretersTest, TheReportHasEachThatLives) {
  for (const int mode : {kTfLiteGlesThreadCaller, kTfLiteGlesThreadWorker}) {
    const auto first_model = LoadOrDie(ChainModel("cran"));
    const auto second_model = LoadOrDie(ChainModel("nm", {2, 3, 5, 9}));
    const DelegatePtr delegate = MakeDelegate([&](auto& options) {
      options.thread_mode = mode;
      options.max_delegated_partitions = 0;
    });
    auto first = Applied(*first_model, delegate);
    const auto alone = ReportOf(delegate);
    EXPECT_FALSE(alone.contains("interpreters"));
    ASSERT_EQ(alone["partitions"], 2);
    auto second = Applied(*second_model, delegate);

    const auto both = ReportOf(delegate);
    ASSERT_EQ(both["interpreters"].size(), 2u) << both;
    const auto& of_first = both["interpreters"][0];
    const auto& of_second = both["interpreters"][1];
    EXPECT_EQ(of_first["nodes_total"], 4);
    EXPECT_EQ(of_first["nodes_delegated"], 3);
    for (const std::string& key : KeysOfAnInterpreter()) {
      EXPECT_EQ(of_first[key], alone[key]) << key;
      EXPECT_EQ(of_second[key], both[key]) << key;  // the one applied last
    }
    EXPECT_EQ(of_second["nodes_total"], 2);
    EXPECT_EQ(of_first["gpu_bytes"], alone["gpu_bytes"]);
    EXPECT_EQ(both["gpu_bytes"]["total"],
              of_first["gpu_bytes"]["total"].get<int64_t>() +
                  of_second["gpu_bytes"]["total"].get<int64_t>());

    first.reset();
    const auto left = ReportOf(delegate);
    EXPECT_FALSE(left.contains("interpreters")) << left;
    EXPECT_EQ(left["gpu_bytes"], of_second["gpu_bytes"]);
    EXPECT_EQ(left["nodes_total"], 2);
  }
}

TEST_F(DelegateInterpretersTest, OneThatIsAppliedAgainIsTheLast) {
  const auto first_model = LoadOrDie(ChainModel("can"));
  const auto second_model = LoadOrDie(ChainModel("nm"));
  const DelegatePtr delegate = MakeDelegate();
  auto first = Applied(*first_model, delegate);
  auto second = Applied(*second_model, delegate);
  ASSERT_TRUE(first->ApplyDelegate(delegate.get()).ok());
  const auto report = ReportOf(delegate);
  EXPECT_EQ(report["nodes_total"], 3) << report;
  ASSERT_EQ(report["interpreters"].size(), 2u) << report;
  EXPECT_EQ(report["interpreters"][0]["nodes_total"], 2);
  EXPECT_EQ(report["interpreters"][1]["partition"].size(), 1u);
}

TEST_F(DelegateInterpretersTest, ThoseThatAreGoneAreForgotten) {
  const auto model = LoadOrDie(ChainModel("can"));
  const auto refused_model = LoadOrDie(ChainModel("r"));
  const DelegatePtr delegate = MakeDelegate();
  auto stays = Applied(*model, delegate);
  for (int i = 0; i < 3; ++i) {
    auto refused = Applied(*refused_model, delegate);
    auto comes_and_goes = Applied(*model, delegate);
    EXPECT_EQ(ReportOf(delegate)["interpreters"].size(), 2u);
  }
  // The last one stays until another takes its place.
  EXPECT_EQ(ReportOf(delegate)["interpreters"].size(), 2u);
  auto last = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["interpreters"].size(), 2u);
}

// The first model's output has an index that the second has no tensor for.
TEST_F(DelegateInterpretersTest, TensorsOfEachMayBeBound) {
  AppContext app;
  const auto first_model = LoadOrDie(ChainModel("cannmm"));
  const auto second_model = LoadOrDie(ChainModel("n", {1, 2, 3, 3}));
  const int output = schema::GetModel(first_model->bytes().data())
                         ->subgraphs()
                         ->Get(0)
                         ->outputs()
                         ->Get(0);
  const DelegatePtr delegate = MakeDelegate();
  auto first = Applied(*first_model, delegate);
  auto second = Applied(*second_model, delegate);
  const std::vector<float> right = CpuResult(*first_model);
  auto buffer = egl::Buffer::Create(right.size() * sizeof(float), nullptr,
                                    GL_DYNAMIC_COPY);
  ASSERT_TRUE(buffer.ok()) << buffer.status();
  ASSERT_EQ(BindBuffer(delegate.get(), output, buffer->id()), 0)
      << TfLiteGlesDelegateLastError();
  ASSERT_TRUE(RunOnce(first.get()).ok());
  ExpectClose(ReadAll<float>(*buffer), right);
  ExpectClose(RunOnce(second.get()), CpuResult(*second_model));
  ASSERT_EQ(TfLiteGlesDelegateUnbindObject(delegate.get(), output), 0);

  // Once the first is gone, nothing has such a tensor.
  first.reset();
  EXPECT_EQ(BindBuffer(delegate.get(), output, buffer->id()), 1);
  EXPECT_THAT(TfLiteGlesDelegateLastError(),
              HasSubstr("is no input or output"));
}

}  // namespace

}  // namespace gles_delegate::testing
