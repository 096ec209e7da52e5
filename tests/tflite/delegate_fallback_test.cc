// labels: op delegate llvmpipe oldest_tflite
// Falling back to the CPU is total: whatever step of applying the delegate
// fails, with fallback_to_cpu there is an interpreter that gives the CPU's own
// answers, and without it there is a clear error, and such an interpreter after
// it.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "delegate/partition/self_check.h"
#include "gmock/gmock.h"
#include "tests/testing/child.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/edited_shaders.h"
#include "tests/testing/live_objects.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::After;
using ::gles_delegate::egl::EglApi;
using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::Instead;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Configure = std::function<void(TfLiteGlesDelegateOptions&)>;
// Something that is broken while it lives.
using Fault = std::shared_ptr<void>;

// --- The runtime's faults ---------------------------------------------------

// Changes what the runtime offers a delegate.
using ContextFault = void (*)(TfLiteContext* context);

// A delegate between the runtime and ours, as TFLite's stock loader has one:
// ours sees a context with the fault.
struct Between {
  TfLiteDelegate abi = {};
  TfLiteDelegate* inner = nullptr;
  ContextFault fault = nullptr;

  Between(TfLiteDelegate* delegate, ContextFault broken)
      : inner(delegate), fault(broken) {
    abi = *delegate;
    abi.data_ = this;
    abi.Prepare = [](TfLiteContext* context, TfLiteDelegate* delegate) {
      const auto& self = *static_cast<Between*>(delegate->data_);
      const TfLiteContext before = *context;
      if (self.fault != nullptr) self.fault(context);
      const TfLiteStatus status = self.inner->Prepare(context, self.inner);
      context->GetExecutionPlan = before.GetExecutionPlan;
      context->GetNodeAndRegistration = before.GetNodeAndRegistration;
      context->PreviewDelegatePartitioning = before.PreviewDelegatePartitioning;
      context->ReplaceNodeSubsetsWithDelegateKernels =
          before.ReplaceNodeSubsetsWithDelegateKernels;
      return status;
    };
  }
};

// --- The list of the steps --------------------------------------------------

struct Step {
  const char* name;
  const char* message;  // a part of what is said
  Configure configure;
  std::function<Fault()> breaks;
  ContextFault context = nullptr;
};

// Shaders whose text has `where` do not compile.
Fault Garbage(const std::string& where = "") {
  return std::make_shared<EditedShaders>([where](std::string* text) {
    if (!absl::StrContains(*text, where)) return;
    *text = "#version 310 es\nvoid main() { garbage(); }\n";
  });
}

// The next glGetError() after one of these calls.
bool g_out_of_memory = false;
Fault OutOfMemoryError() {
  g_out_of_memory = false;
  return std::make_shared<Instead<&GlApi::GetError>>([](auto...) -> GLenum {
    if (std::exchange(g_out_of_memory, false)) return GL_OUT_OF_MEMORY;
    return egl::driver_gl().GetError();
  });
}

Fault Both(Fault first, Fault second) {
  return std::make_shared<std::pair<Fault, Fault>>(std::move(first),
                                                   std::move(second));
}

// In the order in which they come; the libraries are opened once per process,
// and have their own test.
std::vector<Step> Steps() {
  return {
      {"display",
       "no such renderer",
       [](auto& options) { options.device = "no such renderer"; },
       {}},
      {"context",
       "eglCreateContext",
       {},
       [] {
         return std::make_shared<Instead<&EglApi::CreateContext>>(
             [](auto...) { return EGL_NO_CONTEXT; });
       }},
      {"current",
       "eglMakeCurrent",
       {},
       [] {
         return std::make_shared<Instead<&EglApi::MakeCurrent>>(
             [](EGLDisplay display, EGLSurface draw, EGLSurface read,
                EGLContext context) -> EGLBoolean {
               if (context != EGL_NO_CONTEXT) return EGL_FALSE;
               return egl::driver_egl().MakeCurrent(display, draw, read,
                                                    context);
             });
       }},
      {"plan of the model",
       "no execution plan",
       {},
       {},
       [](TfLiteContext* context) {
         context->GetExecutionPlan = [](TfLiteContext*, TfLiteIntArray**) {
           return kTfLiteError;
         };
       }},
      {"nodes",
       "the runtime has no node",
       {},
       {},
       [](TfLiteContext* context) {
         context->GetNodeAndRegistration = [](TfLiteContext*, int, TfLiteNode**,
                                              TfLiteRegistration**) {
           return kTfLiteError;
         };
       }},
      {"partitions",
       "could not partition",
       {},
       {},
       [](TfLiteContext* context) {
         context->PreviewDelegatePartitioning =
             [](TfLiteContext*, const TfLiteIntArray*, TfLiteDelegateParams**,
                int*) { return kTfLiteError; };
       }},
      {"memory_limit_bytes",
       "memory_limit_bytes=1000",
       [](auto& options) { options.memory_limit_bytes = 1000; },
       {}},
      {"outputs that Invoke may not wait for",
       "do_not_wait wants all outputs",
       [](auto& options) { options.wait_type = kTfLiteGlesWaitDoNotWait; },
       {}},
      {"limits of the device",
       "between host and GPU",
       {},
       [] {
         return std::make_shared<After<&GlApi::GetInteger64v>>(
             [](GLenum name, GLint64* value) {
               if (name == GL_MAX_SHADER_STORAGE_BLOCK_SIZE) *value = 500;
             });
       }},
      {"compile", "does not compile", {}, [] { return Garbage(); }},
      {"link",
       ".comp) does not link",
       {},
       [] {
         return std::make_shared<After<&GlApi::GetProgramiv>>(
             [](GLuint, GLenum name, GLint* value) {
               if (name == GL_LINK_STATUS) *value = GL_FALSE;
             });
       }},
      {"parameters",
       "Params block",
       {},
       [] {
         return std::make_shared<After<&GlApi::GetActiveUniformBlockiv>>(
             [](GLuint, GLuint, GLenum name, GLint* value) {
               if (name == GL_UNIFORM_BLOCK_DATA_SIZE) *value += 16;
             });
       }},
      {"allocate", "GL_OUT_OF_MEMORY",
       [](auto& options) { options.storage = kTfLiteGlesStorageBuffer; },
       [] {
         return Both(OutOfMemoryError(),
                     std::make_shared<Instead<&GlApi::BufferData>>(
                         [](auto...) { g_out_of_memory = true; }));
       }},
      {"upload",
       "mapped a buffer",
       {},
       [] {
         return std::make_shared<Instead<&GlApi::MapBufferRange>>(
             [](auto...) { return nullptr; });
       }},
      {"self-check", "answers wrongly", [](auto&) { ForgetSelfChecks(); },
       [] {
         return std::make_shared<Instead<&GlApi::DispatchCompute>>(
             [](auto...) {});
       }},
  };
}

// --- What must hold ---------------------------------------------------------

// The delegate's report on the model.
std::vector<std::string> OurLines(const std::vector<std::string>& log) {
  std::vector<std::string> ours;
  for (const std::string& line : log) {
    if (absl::StrContains(line, "software rendering: ")) continue;
    if (absl::StrContains(line, "TfLiteGlesDelegate: ") ||
        absl::StrContains(line, "on the CPU")) {
      ours.push_back(line);
    }
  }
  return ours;
}

constexpr auto kByModify = InterpreterOptions::Apply::kModifyGraph;
constexpr auto kByOptions = InterpreterOptions::Apply::kOptions;

class DelegateFallbackTest : public ChainTest {
 protected:
  void TearDown() override { ForgetSelfChecks(); }

  static DelegatePtr Make(const Configure& configure, bool falls_back) {
    return MakeDelegate([&](auto& options) {
      options.thread_mode = kTfLiteGlesThreadCallerOwnContext;
      options.fallback_to_cpu = falls_back ? 1 : 0;
      if (configure) configure(options);
    });
  }
};

TEST_F(DelegateFallbackTest, EachStepLeavesTheCpu) {
  for (const Step& step : Steps()) {
    for (const auto how : {kByModify, kByOptions}) {
      SCOPED_TRACE(
          absl::StrCat(step.name, how == kByModify ? "" : ", options"));
      const LiveObjects objects;
      {
        Fault fault = step.breaks ? step.breaks() : nullptr;
        const DelegatePtr delegate = Make(step.configure, true);
        Between between(delegate.get(), step.context);
        InterpreterOptions options;
        options.apply = how;
        options.delegate = &between.abi;
        auto interpreter = Interpreter::Create(*model_, options);
        ASSERT_TRUE(interpreter.ok()) << interpreter.status();
        fault.reset();
        const auto answers = RunOnce(interpreter->get());
        ASSERT_TRUE(answers.ok()) << answers.status();
        EXPECT_EQ(*answers, expected_);
        const auto lines = OurLines((*interpreter)->log());
        ASSERT_THAT(lines, SizeIs(1));
        EXPECT_THAT(lines[0], HasSubstr(step.message));
        const nlohmann::json report = ReportOf(delegate);
        EXPECT_EQ(report["nodes_delegated"], 0);
        EXPECT_EQ(report["partitions"], 0);
        EXPECT_THAT(report.dump(), HasSubstr(step.message));
      }
      EXPECT_EQ(objects.left(), 0);
    }
  }
}

TEST_F(DelegateFallbackTest, WithoutTheOptionEachStepIsAClearError) {
  for (const Step& step : Steps()) {
    SCOPED_TRACE(step.name);
    const LiveObjects objects;
    {
      Fault fault = step.breaks ? step.breaks() : nullptr;
      const DelegatePtr delegate = Make(step.configure, false);
      Between between(delegate.get(), step.context);
      auto interpreter = InterpreterOrDie(*model_);
      const absl::Status applied = interpreter->ApplyDelegate(&between.abi);
      // By the interpreter's options a failure makes no interpreter at all.
      InterpreterOptions options;
      options.apply = kByOptions;
      options.delegate = &between.abi;
      EXPECT_EQ(Interpreter::Create(*model_, options).ok(), applied.ok());
      fault.reset();
      // A limit is not a failure: nodes past it stay on the CPU.
      EXPECT_EQ(applied.ok(), step.name == std::string("memory_limit_bytes") ||
                                  step.name == std::string("limits of the "
                                                           "device"));
      if (!applied.ok()) {
        EXPECT_THAT(std::string(applied.message()), HasSubstr(step.message));
      }
      EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 0);
      EXPECT_TRUE(interpreter->AllocateTensors().ok());
      const auto answers = RunOnce(interpreter.get());
      ASSERT_TRUE(answers.ok()) << answers.status();
      EXPECT_EQ(*answers, expected_);
    }
    EXPECT_EQ(objects.left(), 0);
  }
}

// Nothing can be put back once the runtime has begun to replace nodes: it does
// that itself, with an error.
TEST_F(DelegateFallbackTest, TheRuntimesOwnFailureToReplaceIsAnError) {
  const DelegatePtr delegate = Make({}, true);
  Between between(delegate.get(), [](TfLiteContext* context) {
    context->ReplaceNodeSubsetsWithDelegateKernels =
        [](TfLiteContext*, TfLiteRegistration, const TfLiteIntArray*,
           TfLiteDelegate*) { return kTfLiteError; };
  });
  auto interpreter = InterpreterOrDie(*model_);
  const absl::Status applied = interpreter->ApplyDelegate(&between.abi);
  EXPECT_THAT(std::string(applied.message()), HasSubstr("did not take"));
  EXPECT_EQ(*RunOnce(interpreter.get()), expected_);
}

// --- One partition of several -----------------------------------------------

TEST_F(DelegateFallbackTest, APartitionThatCannotBeBuiltIsGivenBackAlone) {
  for (const char* letters : {"canrnmn", "nmnrcan"}) {
    SCOPED_TRACE(letters);
    const auto model = LoadOrDie(ChainModel(letters));
    const DelegatePtr delegate =
        Make([](auto& options) { options.max_delegated_partitions = 0; }, true);
    Fault fault = Garbage("// conv");
    auto interpreter = Applied(*model, delegate);
    fault.reset();
    const nlohmann::json report = ReportOf(delegate);
    EXPECT_EQ(report["nodes_delegated"], 3);
    EXPECT_EQ(report["partitions"], 1);
    const auto lines = OurLines(interpreter->log());
    EXPECT_THAT(lines, ::testing::Contains(HasSubstr("does not compile")));
    EXPECT_THAT(lines, SizeIs(2));  // and the "r"
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
  }
}

// --- After it was applied ---------------------------------------------------

TEST_F(DelegateFallbackTest, WhatFailsAfterAResizeRunsOnTheCpuUntilTheNext) {
  const DelegatePtr delegate = Make({}, true);
  auto interpreter = Applied(*model_, delegate);
  ASSERT_EQ(ReportOf(delegate)["nodes_delegated"], 3);
  {
    const Fault fault = Garbage();
    interpreter->TakeLog();
    Resize(interpreter.get(), {1, 9, 4, 5});
    EXPECT_EQ(*RunOnce(interpreter.get()), CpuResult(*model_, 0, {1, 9, 4, 5}));
    EXPECT_THAT(OurLines(interpreter->log()), SizeIs(1));
    const nlohmann::json report = ReportOf(delegate);
    EXPECT_EQ(report["nodes_delegated"], 0) << report;
    EXPECT_THAT(report["cpu"].dump(), HasSubstr("does not compile"));
  }
  Resize(interpreter.get(), {1, 3, 8, 5});
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model_, 0, {1, 3, 8, 5}));
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 3);
  EXPECT_THAT(ReportOf(delegate)["cpu"], IsEmpty());
}

// Newer runtimes free the dynamic temporaries of replaced nodes, in which
// TRANSPOSE_CONV had transposed its weights.
TEST(DelegateFallbackModelTest, KernelsPrepareAgainWhatTheRuntimeFreed) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto model = Model::FromFile(
      GLES_DELEGATE_SOURCE_DIR "/tests/corpus/conv_transpose.float32.tflite");
  ASSERT_TRUE(model.ok()) << model.status();
  const DelegatePtr delegate =
      MakeDelegate([](auto& options) { options.fallback_to_cpu = 1; });
  auto interpreter = Applied(**model, delegate);
  ASSERT_GT(ReportOf(delegate)["nodes_delegated"], 0);
  const Fault fault = std::make_shared<Instead<&GlApi::MapBufferRange>>(
      [](auto...) { return nullptr; });
  const std::vector<int> shape = {3, 4, 4, 8};
  Resize(interpreter.get(), shape);
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(*RunOnce(interpreter.get()), CpuResult(**model, 0, shape));
  }
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 0);
}

// --- Every call that may fail -----------------------------------------------

// The calls of one of the driver's functions, of which one fails.
struct Calls {
  int made = 0;
  int failing = 0;  // counted from 1; 0: none
  bool Fails() { return ++made == failing; }
};
Calls g_calls;

struct Call {
  const char* name;
  std::function<Fault()> counts;
};

// The failing one of these calls has this result, and no effect.
template <auto kMember, typename Result>
std::function<Fault()> Giving(Result failure) {
  return [failure] {
    return std::make_shared<Instead<kMember>>([failure](auto... of) {
      return g_calls.Fails() ? failure : Instead<kMember>::Driver(of...);
    });
  };
}

// The failing one of these calls says 0.
template <auto kMember>
Fault SayingNo() {
  return std::make_shared<After<kMember>>([](GLuint, GLenum, GLint* value) {
    if (g_calls.Fails()) *value = 0;
  });
}

std::vector<Call> CallsThatMayFail() {
  return {
      {"glGetError", Giving<&GlApi::GetError>(GLenum{GL_OUT_OF_MEMORY})},
      {"glGetShaderiv", SayingNo<&GlApi::GetShaderiv>},
      {"glGetProgramiv", SayingNo<&GlApi::GetProgramiv>},
      {"glMapBufferRange",
       Giving<&GlApi::MapBufferRange>(static_cast<void*>(nullptr))},
      {"glUnmapBuffer",
       [] {
         return std::make_shared<Instead<&GlApi::UnmapBuffer>>(
             [](GLenum target) {
               const GLboolean is_kept = egl::driver_gl().UnmapBuffer(target);
               return g_calls.Fails() ? GL_FALSE : is_kept;
             });
       }},
      {"glFenceSync", Giving<&GlApi::FenceSync>(GLsync{nullptr})},
      {"glClientWaitSync",
       Giving<&GlApi::ClientWaitSync>(GLenum{GL_WAIT_FAILED})},
      {"eglMakeCurrent", Giving<&EglApi::MakeCurrent>(EGLBoolean{EGL_FALSE})},
  };
}

// Applies a delegate while call number `failing` fails; how many were made.
int ApplyWithFault(const Model& model, const std::vector<float>& expected,
                   const Call& call, int failing) {
  SCOPED_TRACE(absl::StrCat(call.name, " number ", failing));
  ForgetSelfChecks();
  g_calls = {0, failing};
  Fault fault = call.counts();
  const DelegatePtr delegate = MakeDelegate([](auto& options) {
    options.thread_mode = kTfLiteGlesThreadCallerOwnContext;
    options.fallback_to_cpu = 1;
  });
  auto interpreter = CreatedWith(model, delegate);
  const int made = g_calls.made;
  fault.reset();
  EXPECT_TRUE(interpreter.ok()) << interpreter.status();
  if (!interpreter.ok()) return made;
  const auto answers = RunOnce(interpreter->get());
  ExpectClose(answers, expected);
  // One message where the CPU runs; a driver's error need not matter.
  const nlohmann::json report = ReportOf(delegate);
  if (answers.ok() && report["nodes_delegated"] == 0) {
    EXPECT_EQ(*answers, expected);
    EXPECT_THAT(OurLines((*interpreter)->log()), Not(IsEmpty()));
  }
  return made;
}

TEST_F(DelegateFallbackTest, AnyCallThatFailsLeavesAWorkingInterpreter) {
  for (const Call& call : CallsThatMayFail()) {
    const int made = ApplyWithFault(*model_, expected_, call, 0);
    for (int failing = 1; failing <= made; ++failing) {
      ApplyWithFault(*model_, expected_, call, failing);
    }
  }
}

// --- The libraries ----------------------------------------------------------

// Run by RunChild() below.
TEST(DelegateFallbackLibrariesTest, DISABLED_Run) {
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate =
      MakeDelegate([](auto& options) { options.fallback_to_cpu = 1; });
  auto interpreter = CreatedWith(*model, delegate);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  EXPECT_EQ(*RunOnce(interpreter->get()), CpuResult(*model));
  EXPECT_THAT(OurLines((*interpreter)->log()), SizeIs(1));
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 0);
}

TEST(DelegateFallbackLibrariesTest, LibrariesThatAreNotThereLeaveTheCpu) {
  // None at all, and one without EGL's functions.
  for (const char* library : {"libno_such_egl.so.7", "libm.so.6"}) {
    const ChildResult child =
        RunChild("DelegateFallbackLibrariesTest.DISABLED_Run",
                 {{"GLES_DELEGATE_EGL_LIBRARY", library}});
    EXPECT_EQ(child.exit_code, 0) << child.output;
  }
}

}  // namespace
}  // namespace gles_delegate::testing
