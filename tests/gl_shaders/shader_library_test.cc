// labels: unit sanitize
// FunctionLibrary: what is named, what that calls, nothing else.
#include <string>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gl_shaders/shader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gles_delegate::gl_shaders {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kLibrary[] = R"(// A comment.
#define ONE 1.0
float one() { return ONE; }  // one line
float two(float x,
          float y) {
  if (x > y) { return one(); }
  return x;
}
float three() {
  return 3.0;
}
float two(float x) { return two(x, three()); }
)";

TEST(FunctionLibraryTest, CalleesAndOverloads) {
  const std::string text = FunctionLibrary(kLibrary).Select({"two"});
  EXPECT_EQ(text,
            "#define ONE 1.0\n"
            "float one() { return ONE; }\n"
            "float two(float x,\n          float y) {\n"
            "  if (x > y) { return one(); }\n  return x;\n}\n"
            "float three() {\n  return 3.0;\n}\n"
            "float two(float x) { return two(x, three()); }\n");
}

TEST(FunctionLibraryTest, NothingElse) {
  EXPECT_EQ(FunctionLibrary(kLibrary).Select({"three"}),
            "#define ONE 1.0\nfloat three() {\n  return 3.0;\n}\n");
  EXPECT_EQ(FunctionLibrary(kLibrary).Select({"four"}), "#define ONE 1.0\n");
}

TEST(FunctionLibraryTest, TheLibraryOfTheShaders) {
  const std::string clamp = Library().Select({"op_clamp"});
  EXPECT_THAT(clamp, HasSubstr("is_nan"));
  EXPECT_THAT(clamp, Not(HasSubstr("exp_of")));
  const std::string pow = Library().Select({"op_pow"});
  EXPECT_THAT(pow, HasSubstr("positive_pow"));
  EXPECT_THAT(pow, HasSubstr("first_of"));  // of the scalar form
  EXPECT_THAT(pow, Not(HasSubstr("tanh_of")));
}

// op_component and op_with_component do: NVIDIA's compiler takes a vector whose
// index it does not know through memory.
TEST(ShaderTextsTest, NoneIndexesAVectorByWhatIsNotConstant) {
  const auto has_index = ContainsRegex("\\[[^]]*[&%] ?[134]\\]");
  ASSERT_THAT("texel(i)[c & 3]", has_index);
  for (const EmbeddedFile& file :
       absl::MakeConstSpan(kEmbeddedFiles, kEmbeddedFileCount)) {
    for (absl::string_view line : absl::StrSplit(file.text, '\n')) {
      const std::string code(line.substr(0, line.find("//")));
      EXPECT_THAT(code, Not(has_index)) << file.name;
    }
  }
}

TEST(ShaderTextsTest, OrderedSumsArePreciseWhereTheDriverHasIt) {
  ShaderSpec spec;
  spec.shader = "softmax_quantized";
  spec.tensors = {{"src", Storage::kBuffer, Format::kRgba32f, false, false},
                  {"dst", Storage::kBuffer, Format::kRgba32f, true, false}};
  spec.defines = {{"THREADS", "1"}};
  const auto plain = AssembleShader(spec);
  spec.defines.push_back({"ORDERED_SUMS", "1"});
  const auto ordered = AssembleShader(spec);
  ASSERT_TRUE(plain.ok() && ordered.ok());
  EXPECT_THAT(*plain, Not(HasSubstr("#extension")));
  EXPECT_THAT(*ordered, HasSubstr("#ifdef GL_EXT_gpu_shader5\n"
                                  "#extension GL_EXT_gpu_shader5 : require\n"
                                  "#define PRECISE precise\n#endif\n"));
}

}  // namespace
}  // namespace gles_delegate::gl_shaders
