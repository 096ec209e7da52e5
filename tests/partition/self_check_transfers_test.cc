// labels: op delegate egl llvmpipe
// Drivers that miscompute the programs that move inputs and outputs, played by
// the real one: these shaders are altered on their way to it.
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "delegate/partition/self_check.h"
#include "egl/testing.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/scratch_directory.h"
#include "tools/common/model_builder.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::GlApi;

struct TransferEdit {
  std::string shader;  // "upload"
  std::string from, to;
};
TransferEdit& TheTransferEdit() {
  static TransferEdit& edit = *new TransferEdit;
  return edit;
}
int g_edited = 0;

void EditedTransferSource(GLuint shader, GLsizei count,
                          const GLchar* const* texts, const GLint* lengths) {
  ASSERT_EQ(count, 1);
  std::string text(texts[0], lengths == nullptr
                                 ? std::strlen(texts[0])
                                 : static_cast<size_t>(lengths[0]));
  const TransferEdit& edit = TheTransferEdit();
  if (!edit.shader.empty() &&
      absl::StrContains(text, absl::StrCat("// ", edit.shader, ".comp"))) {
    const std::string edited =
        absl::StrReplaceAll(text, {{edit.from, edit.to}});
    if (edited != text) ++g_edited;
    text = edited;
  }
  const GLchar* const pointer = text.c_str();
  egl::driver_gl().ShaderSource(shader, 1, &pointer, nullptr);
}

class SelfCheckTransfersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    g_edited = 0;
    TheTransferEdit() = {};
    ForgetSelfChecks();
    source_.emplace(&GlApi::ShaderSource, EditedTransferSource);
  }
  void TearDown() override {
    TheTransferEdit() = {};
    ForgetSelfChecks();
  }

  struct Start {
    bool applied = false;
    std::vector<float> outputs;
    nlohmann::json check;  // of the only partition
    std::vector<std::string> log;
    std::string verdict() const { return check["verdict"]; }
  };
  // In its own context, so that no program is there before.
  Start Run(const Model& model, const char* cache = nullptr) {
    const DelegatePtr delegate = MakeDelegate([&](auto& options) {
      options.thread_mode = kTfLiteGlesThreadCallerOwnContext;
      options.storage = storage_;
      options.serialization_dir = cache;
      options.model_token = cache == nullptr ? nullptr : "token";
    });
    const auto interpreter = InterpreterOrDie(model);
    Start start;
    start.applied = interpreter->ApplyDelegate(delegate.get()).ok();
    EXPECT_TRUE(interpreter->AllocateTensors().ok());
    const auto outputs = RunOnce(interpreter.get());
    EXPECT_TRUE(outputs.ok()) << outputs.status();
    if (outputs.ok()) start.outputs = *outputs;
    const auto report = ReportOf(delegate);
    if (start.applied) start.check = report["partition"][0]["self_check"];
    start.log = interpreter->log();
    return start;
  }

  // As a device across a bus has it: shaders pack and unpack.
  const ScopedEnvironment tuning_{"GLES_DELEGATE_TUNING",
                                  "host_transfers=0,across_bus=1"};
  int storage_ = 3;  // buffers
  std::optional<egl::ScopedGlOverride<
      GlApi, decltype(static_cast<GlApi*>(nullptr)->ShaderSource)>>
      source_;
};

// Images of three channels, whole texels, and neither.
const std::vector<std::vector<int>>& InputDims() {
  static const auto& dims = *new std::vector<std::vector<int>>{
      {1, 24, 20, 3}, {1, 24, 20, 8}, {1, 24, 20, 6}};
  return dims;
}

TEST_F(SelfCheckTransfersTest, RightOnesAreCounted) {
  for (const auto& dims : InputDims()) {
    ForgetSelfChecks();
    const auto model = LoadOrDie(ChainModel("n", dims));
    const Start start = Run(*model);
    ASSERT_TRUE(start.applied);
    EXPECT_EQ(start.verdict(), "right") << start.check;
    // The node's, the upload and the readback.
    EXPECT_EQ(start.check["programs"], 3) << start.check;
    const Start again = Run(*model);
    EXPECT_EQ(again.check["checked"], 3) << again.check;
  }
}

// An edit for each way in which a shader has it.
std::vector<TransferEdit> WrongTransfers() {
  return {{"upload", "vec_of(group, 1)", "vec_of(group, 2)"},
          {"upload", "batch, four_at(at));", "batch, four_at(at).yxzw);"},
          {"upload", "v.y = element_at(at + 1)", "v.y = element_at(at)"},
          {"readback", "put_four(at, read_src(gid.y, y, gid.x, batch));",
           "put_four(at, read_src(gid.y, y, 0, batch));"},
          {"readback", "put_four(at, v);", "put_four(at, v.wzyx);"}};
}

TEST_F(SelfCheckTransfersTest, TheHostReplacesAWrongOne) {
  for (const TransferEdit& edit : WrongTransfers()) {
    int found = 0;
    for (const auto& dims : InputDims()) {
      SCOPED_TRACE(absl::StrCat(edit.to, " of ", dims.back(), " channels"));
      ForgetSelfChecks();
      const auto model = LoadOrDie(ChainModel("n", dims));
      const std::vector<float> expected = CpuResult(*model);
      g_edited = 0;
      TheTransferEdit() = edit;
      const Start start = Run(*model);
      ASSERT_TRUE(start.applied);
      ExpectClose(start.outputs, expected);
      if (start.verdict() == "right") continue;  // by another part of the text
      ++found;
      EXPECT_GT(g_edited, 0);
      EXPECT_EQ(start.verdict(), "host packs") << start.check;
      EXPECT_THAT(
          start.log,
          Contains(AllOf(HasSubstr("answers wrongly"),
                         HasSubstr(absl::StrCat(" (", edit.shader, ".comp): ")),
                         HasSubstr("the host packs inputs and unpacks"))));
    }
    EXPECT_GT(found, 0) << edit.to;
  }
}

// No element of the input is wrong, but sums over channels would be.
TEST_F(SelfCheckTransfersTest, PaddingMustBeZero) {
  const auto model = LoadOrDie(ChainModel("c", {1, 24, 20, 6}));
  TheTransferEdit() = {"upload", "vec4(0), greaterThanEqual",
                       "vec4(1), greaterThanEqual"};
  const Start start = Run(*model);
  EXPECT_GT(g_edited, 0);
  EXPECT_EQ(start.verdict(), "host packs") << start.check;
  EXPECT_THAT(start.log, Contains(HasSubstr("channels past the last of")));
  ExpectClose(start.outputs, CpuResult(*model));
}

// The host does not reach textures: no program is left.
TEST_F(SelfCheckTransfersTest, TexturesAreCheckedToo) {
  storage_ = 1;
  const auto model = LoadOrDie(ChainModel("n", {1, 24, 20, 3}));
  EXPECT_EQ(Run(*model).verdict(), "right");
  ForgetSelfChecks();
  TheTransferEdit() = {"upload", "vec_of(group, 1)", "vec_of(group, 2)"};
  const Start start = Run(*model);
  EXPECT_GT(g_edited, 0);
  EXPECT_FALSE(start.applied);
  EXPECT_THAT(start.log, Contains(HasSubstr("(upload.comp, readback.comp): ")));
  ExpectClose(start.outputs, CpuResult(*model));
}

TEST_F(SelfCheckTransfersTest, TheStartUpCacheKnowsTheVerdict) {
  const ScratchDirectory scratch;
  const auto model = LoadOrDie(ChainModel("n", {1, 24, 20, 8}));
  TheTransferEdit() = WrongTransfers()[1];
  EXPECT_EQ(Run(*model, scratch.path().c_str()).verdict(), "host packs");
  // The driver is right now, but no one tries again.
  ForgetSelfChecks();
  TheTransferEdit() = {};
  const Start second = Run(*model, scratch.path().c_str());
  EXPECT_EQ(second.verdict(), "host packs");
  EXPECT_THAT(second.log, Contains(HasSubstr("found by an earlier start")));
  ExpectClose(second.outputs, CpuResult(*model));
}

}  // namespace
}  // namespace gles_delegate::testing
