// labels: unit shader llvmpipe softpipe
// Assembled shaders: every storage, format and post-op compiles on the device,
// and, with glslangValidator, by the standard's own rules.
#include "gl_shaders/shader.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "egl/objects.h"
#include "tests/testing/command.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/scratch_directory.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

namespace fs = std::filesystem;
using ::gles_delegate::gl_shaders::AssembleShader;
using ::gles_delegate::gl_shaders::Format;
using ::gles_delegate::gl_shaders::OperandAs;
using ::gles_delegate::gl_shaders::ReadBy;
using ::gles_delegate::gl_shaders::ShaderSpec;
using ::gles_delegate::gl_shaders::Storage;

constexpr Storage kStorages[] = {Storage::kTextureArray, Storage::kTexture2d,
                                 Storage::kBuffer, Storage::kTexelBuffer};
constexpr Format kFormats[] = {Format::kRgba32f, Format::kRgba16f};
constexpr ReadBy kReads[] = {ReadBy::kFetch, ReadBy::kImage};

// copy.comp with a clamp and an operand, as a fused chain has them.
ShaderSpec CopySpec(Storage storage, Format format, ReadBy read_by,
                    bool mask_tail, bool splat) {
  ShaderSpec spec;
  spec.shader = "copy";
  spec.read_by = read_by;
  spec.work_group = {8, 4, 1};
  spec.tensors = {{"src", storage, format, false, false},
                  {"post1", storage, format, false, false},
                  {"dst", storage, format, true, mask_tail}};
  spec.post_ops.resize(2);
  spec.post_ops[0].function = "clamp";
  spec.post_ops[1].function = "add";
  spec.post_ops[1].operand = 1;
  if (splat) spec.post_ops[1].operand_as = OperandAs::kSplat;
  return spec;
}

std::vector<ShaderSpec> EveryCopy(bool texel_buffers) {
  std::vector<ShaderSpec> specs;
  for (Storage storage : kStorages) {
    if (storage == Storage::kTexelBuffer && !texel_buffers) continue;
    for (Format format : kFormats) {
      for (ReadBy read_by : kReads) {
        for (bool mask_tail : {false, true}) {
          for (bool splat : {false, true}) {
            specs.push_back(
                CopySpec(storage, format, read_by, mask_tail, splat));
          }
        }
      }
    }
  }
  return specs;
}

bool HasTexelBuffers() {
  return TestContext()->device().Has("GL_EXT_texture_buffer");
}

bool HaveValidator() {
  return std::system("glslangValidator --version >/dev/null 2>&1") == 0;
}

// Runs glslangValidator over every .comp of the folder; "" where all are valid.
std::string Validate(const std::string& folder) {
  const CommandResult run =
      RunCommand(absl::StrCat("cd '", folder, "' && glslangValidator *.comp"));
  if (run.exit_status == 0) return "";
  return absl::StrCat("exit status ", run.exit_status, ": ", run.output);
}

TEST(ShaderTest, AnUnknownShaderIsNotFound) {
  ShaderSpec spec;
  spec.shader = "no_such_shader";
  const auto text = AssembleShader(spec);
  EXPECT_EQ(text.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(text.status().message()),
              HasSubstr("no_such_shader.comp"));
}

// A stage is a function of its name, with its own params and operands.
TEST(ShaderTest, AStageIsAFunction) {
  ShaderSpec spec = CopySpec(Storage::kTextureArray, Format::kRgba32f,
                             ReadBy::kFetch, false, false);
  spec.tensors[1].name = "inner_stage1";
  spec.post_ops.clear();
  gl_shaders::PostOp clamp, mul;
  clamp.function = "clamp";
  mul.function = "mul";
  mul.operand = 1;
  mul.operand_as = OperandAs::kChannel;
  spec.stages = {{"inner_stage", {clamp, mul}}, {"next_stage", {}}};
  const auto text = AssembleShader(spec);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, HasSubstr("vec4 inner_stage0_params; vec4 "
                               "inner_stage1_params;"));
  EXPECT_THAT(*text, HasSubstr("  v = op_clamp(v, inner_stage0_params);\n"
                               "  v = op_mul(v, read_inner_stage1(0, 0, slice, "
                               "0), inner_stage1_params);\n  return v;\n"));
  const std::string identity =
      "vec4 next_stage(int x, int y, int slice, int batch, vec4 v)";
  EXPECT_THAT(*text, HasSubstr(identity + ";\n"));
  EXPECT_THAT(*text, HasSubstr(identity + " {\n  return v;\n}\n"));
}

TEST(ShaderTest, FixedParamsReplaceTheBlockWhoeverDeclaresIt) {
  ShaderSpec spec = CopySpec(Storage::kBuffer, Format::kRgba32f, ReadBy::kFetch,
                             false, false);
  spec.fixed_params = "const ivec4 grid = ivec4(1);\n";
  // The first declares none.
  for (const char* shader : {"copy", "depth_to_space"}) {
    SCOPED_TRACE(shader);
    spec.shader = shader;
    const auto text = AssembleShader(spec);
    ASSERT_TRUE(text.ok()) << text.status();
    EXPECT_THAT(*text, HasSubstr("const ivec4 grid = ivec4(1);"));
    EXPECT_THAT(*text, ::testing::Not(HasSubstr("uniform Params")));
  }
}

// The functions of a .comp that have a name which the prelude gives to
// something of tensor T, in few programs for some: T_at if it lies in another
// tensor.
std::vector<std::string> NamedAsThePreludes(const std::string& text) {
  std::set<std::string> tensors = {"dst"};
  const std::regex accessor(R"(\b(?:read|write)_(\w+)\()");
  for (std::sregex_iterator it(text.begin(), text.end(), accessor), end;
       it != end; ++it) {
    tensors.insert((*it)[1]);
  }
  std::vector<std::string> named;
  const std::regex function(
      R"(\w+ ((\w+)_(?:at|of|size|aux)|(?:value|store|packed)_(\w+))\([^)]*\) \{)");
  for (std::sregex_iterator it(text.begin(), text.end(), function), end;
       it != end; ++it) {
    if (tensors.count((*it)[2]) + tensors.count((*it)[3]) > 0) {
      named.push_back((*it)[1]);
    }
  }
  return named;
}

TEST(ShaderTest, NoFunctionIsNamedAsThePreludes) {
  EXPECT_THAT(NamedAsThePreludes("vec4 dst_at(ivec4 p) {\n}\n"),
              ::testing::ElementsAre("dst_at"));
  EXPECT_THAT(NamedAsThePreludes(
                  "int src_of(int i) { return int(read_src(i, 0).x); }\n"),
              ::testing::ElementsAre("src_of"));
  for (size_t i = 0; i < gl_shaders::kEmbeddedFileCount; ++i) {
    const gl_shaders::EmbeddedFile& file = gl_shaders::kEmbeddedFiles[i];
    EXPECT_THAT(NamedAsThePreludes(file.text), ::testing::IsEmpty())
        << file.name;
  }
}

TEST(ShaderTest, EachStorageIsReadAndWrittenItsOwnWay) {
  struct Expectation {
    Storage storage;
    ReadBy read_by;
    const char* texts[3];
  };
  const Expectation expectations[] = {
      {Storage::kTextureArray,
       ReadBy::kFetch,
       {"highp sampler2DArray src_tex", "texelFetch(src_tex, ivec3(",
        "imageStore(dst_img, ivec3("}},
      {Storage::kTextureArray,
       ReadBy::kImage,
       {"readonly highp image2DArray src_img", "imageLoad(src_img, ivec3(",
        "writeonly highp image2DArray dst_img"}},
      {Storage::kTexture2d,
       ReadBy::kFetch,
       {"highp sampler2D src_tex", "texelFetch(src_tex, ivec2(",
        "imageStore(dst_img, ivec2("}},
      {Storage::kTexelBuffer,
       ReadBy::kFetch,
       {"GL_EXT_texture_buffer : require", "imageLoad(src_img, (",
        "writeonly buffer dst_buffer { vec4"}},
      {Storage::kBuffer,
       ReadBy::kImage,
       {"readonly buffer src_buffer { vec4", "src_data[",
        "writeonly buffer dst_buffer { vec4"}},
  };
  for (const Expectation& e : expectations) {
    const auto text = AssembleShader(
        CopySpec(e.storage, Format::kRgba32f, e.read_by, false, false));
    ASSERT_TRUE(text.ok()) << text.status();
    for (const char* part : e.texts) EXPECT_THAT(*text, HasSubstr(part));
  }
  const auto halves = AssembleShader(CopySpec(
      Storage::kBuffer, Format::kRgba16f, ReadBy::kFetch, false, false));
  ASSERT_TRUE(halves.ok());
  EXPECT_THAT(*halves, HasSubstr("uvec2 src_data[]"));
  EXPECT_THAT(*halves, HasSubstr("= pack_texel(v)"));
  const auto half_images = AssembleShader(CopySpec(
      Storage::kTexture2d, Format::kRgba16f, ReadBy::kImage, false, false));
  EXPECT_THAT(*half_images, HasSubstr("layout(rgba16f"));
}

TEST(ShaderTest, TheTailIsMaskedOnlyWhereAsked) {
  for (bool mask : {false, true}) {
    const auto text = AssembleShader(
        CopySpec(Storage::kBuffer, Format::kRgba32f, ReadBy::kFetch, mask,
                 /*splat=*/false));
    ASSERT_TRUE(text.ok());
    EXPECT_EQ(absl::StrContains(*text, "ivec4(dst_aux.x)"), mask);
  }
}

TEST(ShaderTest, AnOperandOfOneChannelIsSplat) {
  for (bool splat : {false, true}) {
    const auto text = AssembleShader(CopySpec(
        Storage::kBuffer, Format::kRgba32f, ReadBy::kFetch, false, splat));
    ASSERT_TRUE(text.ok());
    // Beside the .comp's own .xxxx, in its #ifdef SPLAT.
    EXPECT_EQ(absl::StrContains(*text, ").xxxx"), splat) << *text;
  }
}

// Post-ops apply in their order, to the first write alone.
TEST(ShaderTest, PostOpsAreAppliedInOrder) {
  const auto text = AssembleShader(CopySpec(
      Storage::kTexture2d, Format::kRgba32f, ReadBy::kFetch, true, false));
  ASSERT_TRUE(text.ok());
  const size_t clamp = text->find("v = op_clamp(v");
  const size_t add = text->find("v = op_add(v");
  const size_t mask = text->find("greaterThanEqual(ivec4(slice * 4)");
  const size_t store = text->find("imageStore(dst_img");
  ASSERT_NE(store, std::string::npos);
  EXPECT_LT(clamp, add);
  EXPECT_LT(add, mask);  // what a post-op makes of the padding is cut off
  EXPECT_LT(mask, store);
}

TEST(ShaderTest, EveryVariantCompilesOnTheDevice) {
  GLES_SKIP_WITHOUT_DEVICE();
  const absl::Status status = TestContext()->Run([] {
    for (const ShaderSpec& spec :
         EveryCopy(/*texel_buffers=*/HasTexelBuffers())) {
      ASSIGN_OR_RETURN(auto text, AssembleShader(spec));
      const auto program = egl::Program::Compile(text, "copy");
      if (!program.ok()) {
        return absl::InternalError(
            absl::StrCat(program.status().message(), "\n", text));
      }
    }
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST(ShaderTest, EveryVariantIsValidGlsl) {
  if (!HaveValidator()) {
    GTEST_SKIP()
        << "NO glslangValidator, NOTHING TESTED: install glslang-tools";
  }
  const ScratchDirectory folder;
  int index = 0;
  for (const ShaderSpec& spec : EveryCopy(/*texel_buffers=*/true)) {
    const auto text = AssembleShader(spec);
    ASSERT_TRUE(text.ok()) << text.status();
    std::ofstream(absl::StrCat(folder.path(), "/", index++, ".comp")) << *text;
  }
  EXPECT_EQ(Validate(folder.path()), "");
  // The validator does look at them.
  std::ofstream(folder.path() + "/wrong.comp")
      << "#version 310 es\nvoid main() { garbage(); }\n";
  EXPECT_THAT(Validate(folder.path()), HasSubstr("garbage"));
}

// One of each kind of op, for the shaders that are in use.
std::vector<SingleOpModel> OneOfEach() {
  return {cases::ModelOf("CONV_2D x=[1,8,8,3] w=const:[4,3,3,3] b=const:[4]"),
          cases::ModelOf("CONV_2D x=[1,8,8,3] w=const:[4,1,1,3] b=const:[4] "
                         "fused_activation_function=RELU6"),
          cases::ModelOf("DEPTHWISE_CONV_2D x=[1,8,8,3] w=const:[1,3,3,3] "
                         "b=const:[3] depth_multiplier=1"),
          cases::ModelOf("TRANSPOSE_CONV shape=(1,9,9,4) w=const:[4,3,3,3] "
                         "x=[1,5,5,3] stride=2"),
          cases::ModelOf("SOFTMAX x=[1,1,1,17] beta=1"),
          cases::ModelOf("SOFTMAX x=[1,8,8,3] beta=1"),
          cases::ModelOf("DEPTH_TO_SPACE x=[1,2,3,20] block_size=2"),
          cases::ModelOf("SPACE_TO_DEPTH x=[1,4,6,5] block_size=2"),
          cases::ModelOf("HARD_SWISH x=[1,4,4,5]"),
          cases::ModelOf("PRELU x=[1,4,4,5] alpha=const:[5]")};
}

TEST(ShaderDumpTest, ShadersInUseAreDumpedAndValid) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ScratchDirectory folder;
  const std::vector<SingleOpModel> models = OneOfEach();
  for (const SingleOpModel& model : models) {
    const ScopedDebug dump("shaders=" + folder.path());
    for (Precision precision : kPrecisions) {
      for (TfLiteGlesStorage storage : kEveryStorage) {
        RunOptions options;
        options.precision = precision;
        options.storage = storage;
        options.invokes = 1;
        EXPECT_TRUE(RunOnDelegate(model, options).status.ok());
      }
    }
  }
  // Uploads, readbacks and the ops' own, each of them in six forms.
  const std::vector<std::string> files = folder.Files();
  EXPECT_GT(files.size(), 6 * models.size());
  for (const std::string& file : files) {
    std::ifstream stream(folder.path() + "/" + file);
    std::string first;
    std::getline(stream, first);
    EXPECT_EQ(first, "#version 310 es") << file;
    EXPECT_EQ(fs::path(file).extension(), ".comp");
  }
  if (!HaveValidator()) {
    GTEST_SKIP()
        << "NO glslangValidator, DUMPED SHADERS NOT VALIDATED: install "
           "glslang-tools";
  }
  EXPECT_EQ(Validate(folder.path()), "");
}

TEST(ShaderDumpTest, AFolderThatIsNotThereCostsNothing) {
  const ScopedDebug dump("shaders=/no/such/folder");
  EXPECT_TRUE(AssembleShader(EveryCopy(/*texel_buffers=*/false)[0]).ok());
}

}  // namespace
}  // namespace gles_delegate::testing
