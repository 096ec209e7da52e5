// labels: egl llvmpipe softpipe
// Textures, read back through framebuffers, apart from the code under test.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "egl/objects.h"
#include "tests/testing/device_test.h"
#include "tests/testing/gl.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::gl;
using ::gles_delegate::egl::Program;
using ::gles_delegate::egl::Texture;

// Reads a texture of RGBA floats or integers through a framebuffer, layer by
// layer, as `type`.
template <typename T>
std::vector<T> ReadTexture(const Texture& texture, GLenum format, GLenum type) {
  const Texture::Desc& desc = texture.desc();
  const size_t layer_size = size_t{4} * desc.width * desc.height;
  std::vector<T> all(layer_size * desc.layers);
  GLuint framebuffer = 0;
  gl().GenFramebuffers(1, &framebuffer);
  gl().BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  for (int layer = 0; layer < desc.layers; ++layer) {
    if (desc.target == GL_TEXTURE_2D) {
      gl().FramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                GL_TEXTURE_2D, texture.id(), 0);
    } else {
      gl().FramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                                   texture.id(), 0, layer);
    }
    EXPECT_EQ(gl().CheckFramebufferStatus(GL_FRAMEBUFFER),
              static_cast<GLenum>(GL_FRAMEBUFFER_COMPLETE));
    gl().ReadPixels(0, 0, desc.width, desc.height, format, type,
                    all.data() + layer * layer_size);
  }
  gl().BindFramebuffer(GL_FRAMEBUFFER, 0);
  gl().DeleteFramebuffers(1, &framebuffer);
  return all;
}

template <typename T>
std::vector<T> Count(size_t size) {
  std::vector<T> values(size);
  std::iota(values.begin(), values.end(), T{1});
  return values;
}

class TextureTest : public DeviceTest {};

TEST_F(TextureTest, FloatArrayRoundTrips) {
  InContext([] {
    Texture texture =
        Must(Texture::Create({GL_TEXTURE_2D_ARRAY, GL_RGBA32F, 3, 2, 5}));
    EXPECT_EQ(texture.bytes(), 3u * 2 * 5 * 16);
    const std::vector<float> sent = Count<float>(4 * 3 * 2 * 5);
    EXPECT_TRUE(texture.Upload(0, 0, 0, 3, 2, 5, sent.data()).ok());
    EXPECT_EQ(ReadTexture<float>(texture, GL_RGBA, GL_FLOAT), sent);
  });
}

TEST_F(TextureTest, ABoxOfTexels) {
  InContext([] {
    Texture texture =
        Must(Texture::Create({GL_TEXTURE_2D_ARRAY, GL_RGBA32F, 2, 2, 2}));
    std::vector<float> all(4 * 8, -1.0f);
    EXPECT_TRUE(texture.Upload(0, 0, 0, 2, 2, 2, all.data()).ok());
    const std::vector<float> box = {1, 2, 3, 4};
    EXPECT_TRUE(texture.Upload(1, 0, 1, 1, 1, 1, box.data()).ok());
    // Texel (1, 0) of layer 1.
    std::copy(box.begin(), box.end(), all.begin() + 4 * (4 + 1));
    EXPECT_EQ(ReadTexture<float>(texture, GL_RGBA, GL_FLOAT), all);
  });
}

TEST_F(TextureTest, HalfFloats) {
  InContext([] {
    Texture texture =
        Must(Texture::Create({GL_TEXTURE_2D, GL_RGBA16F, 1, 1, 1}));
    const uint16_t sent[4] = {0x3C00, 0xC000, 0x0001, 0x7BFF};
    EXPECT_TRUE(texture.Upload(0, 0, 0, 1, 1, 1, sent).ok());
    EXPECT_THAT(ReadTexture<float>(texture, GL_RGBA, GL_FLOAT),
                ElementsAre(1.0f, -2.0f, 5.9604645e-8f, 65504.0f));
  });
}

TEST_F(TextureTest, Integers) {
  InContext([] {
    Texture bytes = Must(Texture::Create({GL_TEXTURE_2D, GL_RGBA8I, 3, 1, 1}));
    const int8_t small[12] = {-128, 127, 0, -1, 1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_TRUE(bytes.Upload(0, 0, 0, 3, 1, 1, small).ok());
    EXPECT_THAT(ReadTexture<int32_t>(bytes, GL_RGBA_INTEGER, GL_INT),
                ElementsAreArray(std::vector<int32_t>(small, small + 12)));

    Texture unsigned_bytes =
        Must(Texture::Create({GL_TEXTURE_2D, GL_RGBA8UI, 1, 1, 1}));
    const uint8_t positive[4] = {0, 1, 200, 255};
    EXPECT_TRUE(unsigned_bytes.Upload(0, 0, 0, 1, 1, 1, positive).ok());
    EXPECT_THAT(
        ReadTexture<uint32_t>(unsigned_bytes, GL_RGBA_INTEGER, GL_UNSIGNED_INT),
        ElementsAre(0, 1, 200, 255));

    Texture words = Must(Texture::Create({GL_TEXTURE_2D, GL_RGBA32I, 1, 1, 1}));
    const int32_t large[4] = {INT32_MIN, INT32_MAX, 16777217, -16777217};
    EXPECT_TRUE(words.Upload(0, 0, 0, 1, 1, 1, large).ok());
    EXPECT_THAT(ReadTexture<int32_t>(words, GL_RGBA_INTEGER, GL_INT),
                ElementsAreArray(large));

    Texture more = Must(Texture::Create({GL_TEXTURE_2D, GL_RGBA32UI, 1, 1, 1}));
    const uint32_t huge[4] = {UINT32_MAX, 1u << 31, 16777217, 0};
    EXPECT_TRUE(more.Upload(0, 0, 0, 1, 1, 1, huge).ok());
    EXPECT_THAT(ReadTexture<uint32_t>(more, GL_RGBA_INTEGER, GL_UNSIGNED_INT),
                ElementsAreArray(huge));
  });
}

TEST_F(TextureTest, RowsOfBytesThatAlignmentWouldPad) {
  InContext([] {
    gl().PixelStorei(GL_UNPACK_ALIGNMENT, 8);
    Texture texture = Must(Texture::Create({GL_TEXTURE_2D, GL_R8UI, 3, 2, 1}));
    const uint8_t sent[6] = {1, 2, 3, 4, 5, 6};
    EXPECT_TRUE(texture.Upload(0, 0, 0, 3, 2, 1, sent).ok());
    const std::vector<uint32_t> got =
        ReadTexture<uint32_t>(texture, GL_RGBA_INTEGER, GL_UNSIGNED_INT);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(got[4 * i], sent[i]);
  });
}

constexpr char kPlusOne[] = R"(#version 310 es
precision highp float;
precision highp image2DArray;
precision highp sampler2DArray;
layout(local_size_x = 2, local_size_y = 2) in;
layout(binding = 0) uniform sampler2DArray src;
layout(binding = 0, rgba32f) uniform writeonly image2DArray dst;
void main() {
  ivec3 p = ivec3(gl_GlobalInvocationID);
  imageStore(dst, p, texelFetch(src, p, 0) + 1.0);
}
)";

TEST_F(TextureTest, ShadersReadAndWriteThem) {
  InContext([] {
    const Texture::Desc desc = {GL_TEXTURE_2D_ARRAY, GL_RGBA32F, 4, 2, 3};
    Texture src = Must(Texture::Create(desc));
    Texture dst = Must(Texture::Create(desc));
    std::vector<float> values = Count<float>(4 * 4 * 2 * 3);
    EXPECT_TRUE(src.Upload(0, 0, 0, 4, 2, 3, values.data()).ok());
    const Program program = Must(Program::Compile(kPlusOne, "plus one"));
    gl().UseProgram(program.id());
    gl().BindTexture(GL_TEXTURE_2D_ARRAY, src.id());
    gl().BindImageTexture(0, dst.id(), 0, GL_TRUE, 0, GL_WRITE_ONLY,
                          GL_RGBA32F);
    gl().DispatchCompute(2, 1, 3);
    gl().MemoryBarrier(GL_FRAMEBUFFER_BARRIER_BIT);
    for (float& value : values) value += 1.0f;
    EXPECT_EQ(ReadTexture<float>(dst, GL_RGBA, GL_FLOAT), values);
  });
}

TEST_F(TextureTest, BadDescriptionsAreRefusedInWords) {
  InContext([] {
    const int limit = TestContext()->device().max_texture_size;
    const absl::Status wide =
        Texture::Create({GL_TEXTURE_2D, GL_RGBA32F, limit + 1, 1, 1}).status();
    EXPECT_EQ(wide.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(wide.message(),
                AllOf(HasSubstr("width"), HasSubstr(absl::StrCat(limit))));
    const int layers = TestContext()->device().max_array_texture_layers;
    EXPECT_EQ(
        Texture::Create({GL_TEXTURE_2D_ARRAY, GL_RGBA32F, 1, 1, layers + 1})
            .status()
            .code(),
        absl::StatusCode::kResourceExhausted);
    for (const Texture::Desc& desc :
         {Texture::Desc{GL_TEXTURE_2D, GL_RGBA32F, 0, 1, 1},
          Texture::Desc{GL_TEXTURE_2D, GL_RGBA32F, 1, 1, 2},
          Texture::Desc{GL_TEXTURE_3D, GL_RGBA32F, 1, 1, 1},
          Texture::Desc{GL_TEXTURE_2D, GL_RGB, 1, 1, 1}}) {
      EXPECT_EQ(Texture::Create(desc).status().code(),
                absl::StatusCode::kInvalidArgument);
    }
  });
}

TEST_F(TextureTest, UploadPastTheEdgeIsOutOfRange) {
  InContext([] {
    Texture texture =
        Must(Texture::Create({GL_TEXTURE_2D_ARRAY, GL_RGBA32F, 2, 2, 2}));
    const std::vector<float> data(64);
    auto code = [&](int x, int y, int layer, int w, int h, int layers) {
      return texture.Upload(x, y, layer, w, h, layers, data.data()).code();
    };
    EXPECT_EQ(code(1, 0, 0, 2, 1, 1), absl::StatusCode::kOutOfRange);
    EXPECT_EQ(code(0, 1, 0, 1, 2, 1), absl::StatusCode::kOutOfRange);
    EXPECT_EQ(code(0, 0, 1, 1, 1, 2), absl::StatusCode::kOutOfRange);
    EXPECT_EQ(code(-1, 0, 0, 1, 1, 1), absl::StatusCode::kOutOfRange);
    EXPECT_EQ(Texture().Upload(0, 0, 0, 1, 1, 1, data.data()).code(),
              absl::StatusCode::kOutOfRange);
  });
}

TEST_F(TextureTest, CreatingAndUploadingLeaveTheBindingAlone) {
  InContext([] {
    Texture bound =
        Must(Texture::Create({GL_TEXTURE_2D_ARRAY, GL_RGBA32F, 1, 1, 1}));
    gl().BindTexture(GL_TEXTURE_2D_ARRAY, bound.id());
    Texture other =
        Must(Texture::Create({GL_TEXTURE_2D_ARRAY, GL_RGBA32F, 1, 1, 1}));
    const float texel[4] = {};
    EXPECT_TRUE(other.Upload(0, 0, 0, 1, 1, 1, texel).ok());
    GLint binding = 0;
    gl().GetIntegerv(GL_TEXTURE_BINDING_2D_ARRAY, &binding);
    EXPECT_EQ(static_cast<GLuint>(binding), bound.id());
  });
}

}  // namespace
}  // namespace gles_delegate::testing
