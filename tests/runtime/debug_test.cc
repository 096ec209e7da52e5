// labels: op llvmpipe softpipe
// GLES_DELEGATE_DEBUG: the driver's messages in the log, groups around
// dispatches, labels of objects.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/program_cache.h"
#include "egl/objects.h"
#include "tests/testing/device.h"
#include "tests/testing/device_test.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/edited_shaders.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/scoped_environment.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Before;
using ::gles_delegate::egl::GlApi;

// The attributes that the driver was asked for.
struct Calls {
  std::vector<std::string> groups;  // as they were pushed
  int depth = 0;
  int max_depth = 0;
  std::vector<std::string> labels;
};
Calls& Seen() {
  static Calls& calls = *new Calls;
  return calls;
}

void Push(GLenum, GLuint, GLsizei length, const GLchar* message) {
  Seen().groups.emplace_back(message, length);
  ++Seen().depth;
  Seen().max_depth = std::max(Seen().max_depth, Seen().depth);
}

void Label(GLenum, GLuint, GLsizei length, const GLchar* label) {
  Seen().labels.emplace_back(label, length);
}

class DebugTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    GLES_SKIP_WITHOUT("GL_KHR_debug");
    Seen() = Calls();
  }

  // Two Invokes of two convolutions; returns their labels.
  static std::vector<std::string> InvokeTwice() {
    const Before<&GlApi::PushDebugGroupKHR> push(Push);
    const Before<&GlApi::PopDebugGroupKHR> pop([](auto...) { --Seen().depth; });
    const Before<&GlApi::ObjectLabelKHR> label(Label);
    std::vector<std::string> labels;
    const absl::Status status = TestContext()->Run([&]() -> absl::Status {
      const DeviceProfile profile = ProfileFor(TestContext()->device(), {});
      GraphBuilder b;
      b.graph.outputs = {b.Conv(b.Conv(b.Input({1, 8, 8, 4})))};
      ASSIGN_OR_RETURN(auto planned,
                       PlanPartition(std::move(b.graph), profile, nullptr));
      for (const Dispatch& d : planned.dispatches) labels.push_back(d.label);
      ProgramCache programs;
      ASSIGN_OR_RETURN(
          auto executor,
          Executor::Create(*TestContext(), &programs, planned.graph,
                           planned.dispatches, profile));
      std::vector<float> in(8 * 8 * 4, 1.0f), out(8 * 8 * 4);
      const absl::Span<const uint8_t> input(
          reinterpret_cast<const uint8_t*>(in.data()), in.size() * 4);
      const absl::Span<uint8_t> output(reinterpret_cast<uint8_t*>(out.data()),
                                       out.size() * 4);
      for (int i = 0; i < 2; ++i) {
        RETURN_IF_ERROR(executor->Invoke({&input, 1}, {&output, 1}));
      }
      return egl::CheckGl("labelling");
    });
    EXPECT_TRUE(status.ok()) << status;
    return labels;
  }
};

TEST_F(DebugTest, EachDispatchIsAGroupOfItsLabel) {
  const ScopedDebug debug("context");
  const std::vector<std::string> labels = InvokeTwice();
  ASSERT_GE(labels.size(), 2u);
  EXPECT_EQ(Seen().depth, 0);
  EXPECT_EQ(Seen().max_depth, 1);
  for (const std::string& label : labels) {
    EXPECT_EQ(std::count(Seen().groups.begin(), Seen().groups.end(), label),
              2 * std::count(labels.begin(), labels.end(), label))
        << label;
  }
}

TEST_F(DebugTest, ObjectsHaveLabels) {
  const ScopedDebug debug("context");
  const std::vector<std::string> labels = InvokeTwice();
  ASSERT_FALSE(labels.empty());
  EXPECT_THAT(Seen().labels, Contains(HasSubstr(labels[0])));  // a program
  EXPECT_THAT(Seen().labels, Contains(HasSubstr("slot 0")));
  EXPECT_THAT(Seen().labels, Contains(HasSubstr("weights")));
  EXPECT_THAT(Seen().labels, Contains(std::string("parameters")));
}

TEST_F(DebugTest, WithoutTheVariableNothingOfItHappens) {
  const ScopedNoDebug debug;
  InvokeTwice();
  EXPECT_THAT(Seen().groups, IsEmpty());
  EXPECT_THAT(Seen().labels, IsEmpty());
}

// The text on stderr after two messages of `text` and an error were raised in a
// separate context.
std::string LogOf(const std::string& text, absl::Status* error) {
  ::testing::internal::CaptureStderr();
  auto context = egl::Context::Create({});
  EXPECT_TRUE(context.ok()) << context.status();
  *error = (*context)->Run([&] {
    for (int i = 0; i < 2; ++i) {
      egl::gl().DebugMessageInsertKHR(
          GL_DEBUG_SOURCE_APPLICATION_KHR, GL_DEBUG_TYPE_OTHER_KHR, /*id=*/1,
          GL_DEBUG_SEVERITY_HIGH_KHR, static_cast<GLsizei>(text.size()),
          text.c_str());
    }
    egl::gl().Enable(0xFFFF);
    return egl::CheckGl("enabling");
  });
  return ::testing::internal::GetCapturedStderr();
}

TEST_F(DebugTest, TheDriversMessagesAreLoggedOnceEach) {
  const ScopedDebug debug("context");
  absl::Status error;
  const std::string log = LogOf("debug_test was here", &error);
  const std::string line =
      "TfLiteGlesDelegate: driver: high: debug_test was here\n";
  EXPECT_THAT(log, HasSubstr(line));
  EXPECT_EQ(log.find(line), log.rfind(line));
  // The errors' own messages are still part of the errors.
  EXPECT_THAT(error.message(), AllOf(HasSubstr("enabling: GL_INVALID_ENUM"),
                                     HasSubstr("\n  driver: ")));
}

TEST_F(DebugTest, OfProgramsTheMessagesAreLoggedEachTime) {
  const ScopedDebug debug("programs");
  absl::Status error;
  const std::string log = LogOf("debug_test was here, too", &error);
  const std::string line =
      "TfLiteGlesDelegate: driver: high: debug_test was here, too\n";
  EXPECT_THAT(log, HasSubstr(line));
  EXPECT_NE(log.find(line), log.rfind(line));
}

// The lines of `log` that begin with `lead`, without it.
std::vector<std::string> LinesOf(const std::string& log, const char* lead) {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(log, '\n')) {
    if (absl::StartsWith(line, lead)) {
      lines.emplace_back(line.substr(std::strlen(lead)));
    }
  }
  return lines;
}

TEST_F(DebugTest, EachProgramIsCompiledBetweenItsLines) {
  std::vector<std::string> labels, begun, ended;
  {
    const ScopedDebug debug("programs");
    ::testing::internal::CaptureStderr();
    labels = InvokeTwice();
    const std::string log = ::testing::internal::GetCapturedStderr();
    begun = LinesOf(log, "TfLiteGlesDelegate: program begins: ");
    ended = LinesOf(log, "TfLiteGlesDelegate: program ends: ");
  }
  ASSERT_FALSE(labels.empty());
  // Both convolutions have one program.
  EXPECT_THAT(begun, Contains(StartsWith(labels[0] + " (")).Times(1));
  EXPECT_EQ(begun, ended);
  // And nothing of it without the variable.
  const ScopedDebug debug("context");
  ::testing::internal::CaptureStderr();
  InvokeTwice();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              Not(HasSubstr("program begins")));
}

TEST_F(DebugTest, WithoutTheVariableTheLogHasNoMessages) {
  const ScopedNoDebug debug;
  absl::Status error;
  EXPECT_THAT(LogOf("debug_test is silent", &error),
              Not(HasSubstr("TfLiteGlesDelegate: driver:")));
  EXPECT_THAT(error.message(), HasSubstr("enabling: GL_INVALID_ENUM"));
}

// The members of a Params block, as the host lays them out and as a program
// has them.

using Replacements = std::vector<std::pair<std::string, std::string>>;

UniformBlock Layout() {
  UniformBlock block;
  block.Int4("grid", 0, 0, 0, 0);
  block.Int("first", 0);
  block.Int("second", 0);
  block.Int2("pair", 0, 0);
  block.Float("alpha", 0);
  block.Float4("scales", {});
  return block;
}

class CheckParamsTest : public DeviceTest {
 protected:
  // The check's findings in a shader that declares `members` beside Layout().
  // Of them all the shader reads one.
  static absl::Status Check(const std::string& members) {
    const std::string text = absl::StrCat(
        "#version 310 es\nlayout(local_size_x = 1) in;\n"
        "layout(std140, binding = 0) uniform Params {",
        members,
        "};\nlayout(std430, binding = 0) writeonly buffer Out { int o[]; };\n"
        "void main() { o[0] = grid.x; }\n");
    return TestContext()->Run([&]() -> absl::Status {
      ASSIGN_OR_RETURN(auto program, egl::Program::Compile(text, "debug_test"));
      RETURN_IF_ERROR(CheckParamsSize(program.id(), Layout()));
      return CheckParamsMembers(program.id(), Layout());
    });
  }
  static std::string Said(const std::string& members) {
    return std::string(Check(members).message());
  }
};

TEST_F(CheckParamsTest, EqualMembersAgree) {
  EXPECT_TRUE(Check("ivec4 grid; int first; int second; ivec2 pair;"
                    "float alpha; vec4 scales;")
                  .ok());
}

TEST_F(CheckParamsTest, SwappedMembersAreNamed) {
  EXPECT_THAT(Said("ivec4 grid; int second; int first; ivec2 pair;"
                   "float alpha; vec4 scales;"),
              HasSubstr("the op laid out `int first` at byte 16, the shader "
                        "declares `int second` at byte 16"));
}

TEST_F(CheckParamsTest, ARenamedMemberIsNamed) {
  EXPECT_THAT(Said("ivec4 grid; int first; int second; ivec2 pair;"
                   "float beta; vec4 scales;"),
              HasSubstr("the op laid out `float alpha` at byte 32, the shader "
                        "declares `float beta` at byte 32"));
}

TEST_F(CheckParamsTest, AnotherTypeIsNamed) {
  EXPECT_THAT(Said("ivec4 grid; int first; int second; ivec2 pair;"
                   "float alpha; ivec4 scales;"),
              HasSubstr("the op laid out `vec4 scales` at byte 48, the shader "
                        "declares `ivec4 scales` at byte 48"));
}

// The padding before a vec4 hides a missing member from the size.
TEST_F(CheckParamsTest, AMissingMemberIsNamed) {
  EXPECT_THAT(Said("ivec4 grid; int first; int second; float alpha;"
                   "vec4 scales; ivec4 more;"),
              HasSubstr("the op laid out `ivec2 pair` at byte 24, the shader "
                        "declares `float alpha` at byte 24"));
  EXPECT_THAT(Said("ivec4 grid; int first; int second; ivec2 pair;"
                   "float alpha; float beta; vec4 scales;"),
              HasSubstr("the op laid out `vec4 scales` at byte 48, the shader "
                        "declares `float beta` at byte 36"));
}

TEST_F(CheckParamsTest, TheSizeIsComparedFirst) {
  EXPECT_THAT(Said("ivec4 grid; int first;"),
              HasSubstr("the shader's Params block takes 32 bytes, the op laid "
                        "out 64"));
}

// An executor of one dispatch whose shader is edited on its way to the driver.
absl::Status MakeEdited(const Replacements& edits) {
  const EditedShaders shaders([&](std::string* text) {
    if (!absl::StrContains(*text, "// resize_bilinear.comp")) return;
    absl::StrReplaceAll(edits, text);
  });
  const DeviceProfile profile = ProfileFor(TestContext()->device(), {});
  Graph graph;
  graph.inputs = {AddTensor(&graph, {1, 4, 4, 4})};
  graph.outputs = {AddTensor(&graph, {1, 8, 8, 4})};
  Dispatch d("resize_bilinear");
  d.Read("src", graph.inputs[0]).Write("dst", graph.outputs[0]).Grid(8, 8, 1);
  d.WorkGroup(1, 1, 1);
  d.uniforms.Float("scale_x", 0.5f);
  d.uniforms.Float("scale_y", 0.5f);
  d.uniforms.Float("shift", 0.0f);
  d.label = "RESIZE_BILINEAR 7";
  return TestContext()->Run([&]() -> absl::Status {
    ProgramCache programs;
    return Executor::Create(*TestContext(), &programs, graph, {d}, profile)
        .status();
  });
}

const Replacements& SwappedScales() {
  static const Replacements& edits =
      *new Replacements{{"float scale_x;", "float scale_y;"},
                        {"float scale_y;", "float scale_x;"}};
  return edits;
}

TEST(ExecutorParamsTest, ValidationFindsWhatTheCompAndItsOpDisagreeOn) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ScopedDebug on("validate");
  EXPECT_TRUE(MakeEdited({}).ok());
  EXPECT_THAT(std::string(MakeEdited(SwappedScales()).message()),
              AllOf(HasSubstr("RESIZE_BILINEAR 7 (resize_bilinear.comp)"),
                    HasSubstr("float scale_x"), HasSubstr("float scale_y")));
  EXPECT_THAT(std::string(MakeEdited({{"scale_x", "step_x"}}).message()),
              AllOf(HasSubstr("float scale_x"), HasSubstr("float step_x")));
  // The members that the prelude declares.
  EXPECT_THAT(std::string(MakeEdited({{"ivec4 src_size; ivec4 src_aux;",
                                       "ivec4 src_aux; ivec4 src_size;"}})
                              .message()),
              AllOf(HasSubstr("ivec4 src_size"), HasSubstr("ivec4 src_aux")));
}

// A swap changes no size, so that without validation nothing is asked.
TEST(ExecutorParamsTest, WithoutValidationTheSizeAloneIsCompared) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ScopedNoDebug off;
  EXPECT_TRUE(MakeEdited(SwappedScales()).ok());
  EXPECT_THAT(std::string(MakeEdited({{"float shift;",
                                       "float shift; float a; float b;"}})
                              .message()),
              HasSubstr("list different members"));
}

}  // namespace

}  // namespace gles_delegate::testing
