// labels: op llvmpipe softpipe
// The members of a Params block, as the host lays them out and as a program
// has them.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/program_cache.h"
#include "egl/objects.h"
#include "egl/testing.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/scoped_environment.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::GlApi;

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
      ASSIGN_OR_RETURN(auto program,
                       egl::Program::Compile(text, "check_params_test"));
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

Replacements& Edits() {
  static Replacements& edits = *new Replacements;
  return edits;
}

// A driver that is given another text of resize_bilinear.comp.
void EditedShaderSource(GLuint shader, GLsizei /*count*/,
                        const GLchar* const* texts, const GLint* lengths) {
  std::string text(texts[0], lengths[0]);
  if (text.find("// resize_bilinear.comp") != std::string::npos) {
    text = absl::StrReplaceAll(text, Edits());
  }
  const GLchar* pointer = text.c_str();
  egl::driver_gl().ShaderSource(shader, 1, &pointer, nullptr);
}

// An executor of one dispatch whose shader is edited on its way to the driver.
absl::Status MakeEdited(const Replacements& edits) {
  Edits() = edits;
  const egl::ScopedGlOverride source(&GlApi::ShaderSource, EditedShaderSource);
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
