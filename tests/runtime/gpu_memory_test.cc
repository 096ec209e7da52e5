// labels: op llvmpipe softpipe
// The sizes of textures and buffers where the device wants none that is a power
// of two, and that what they are filled with arrives.
#include "delegate/runtime/gpu_memory.h"

#include <numeric>
#include <vector>

#include "delegate/device/device_profile.h"
#include "egl/testing.h"
#include "tests/testing/device.h"
#include "tests/testing/gl.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::ScopedGlOverride;
using ::gles_delegate::gl_shaders::Format;
using ::gles_delegate::gl_shaders::Storage;

Slot TextureOf(int width, int height) {
  return {Storage::kTexture2d, width, height, 1, Format::kRgba32f};
}

Slot TexelBufferOf(int texels) {
  return {Storage::kTexelBuffer, texels, 1, 1, Format::kRgba32f};
}

// Notes what sizes the driver is asked for, and asks it.
class GpuMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    profile_ = ProfileFor(TestContext()->device(), {});
    profile_.faults.compiles_by_sizes = true;
    g_sizes.clear();
  }

  bool HasTexelBuffers() const {
    return TestContext()->device().max_texel_buffer_texels > 0;
  }

  // The sizes that a slot takes, filled with 0, 1, 2, ... where `fills`.
  std::vector<int> SizesOf(const Slot& slot, bool fills) {
    std::vector<float> texels(slot.texels() * 4);
    std::iota(texels.begin(), texels.end(), 0.0f);
    InContext([&] {
      const ScopedGlOverride texture(
          &GlApi::TexStorage2D,
          +[](GLenum target, GLsizei levels, GLenum format, GLsizei width,
              GLsizei height) {
            g_sizes = {width, height};
            egl::driver_gl().TexStorage2D(target, levels, format, width,
                                          height);
          });
      const ScopedGlOverride buffer(
          &GlApi::BufferData,
          +[](GLenum target, GLsizeiptr size, const void* data, GLenum usage) {
            g_sizes = {static_cast<int>(size)};
            egl::driver_gl().BufferData(target, size, data, usage);
          });
      GpuMemory memory(profile_);
      Must(memory.Make(slot, fills ? BytesOf(texels).data() : nullptr, "test"));
      for (const egl::Buffer& made : memory.TakeBuffers()) {
        if (!fills) continue;
        std::vector<float> read = ReadAll<float>(made);
        ASSERT_GE(read.size(), texels.size());
        read.resize(texels.size());
        EXPECT_EQ(read, texels);
      }
    });
    return g_sizes;
  }

  static inline std::vector<int> g_sizes;
  DeviceProfile profile_;
};

TEST_F(GpuMemoryTest, MakesNoSideOfATextureAPowerOfTwo) {
  EXPECT_THAT(SizesOf(TextureOf(8, 1), true), ElementsAre(9, 3));
  EXPECT_THAT(SizesOf(TextureOf(7, 6), true), ElementsAre(7, 6));
}

TEST_F(GpuMemoryTest, KeepsToTheLargestTexture) {
  profile_.limits.max_texture_size = 16;
  EXPECT_THAT(SizesOf(TextureOf(16, 8), true), ElementsAre(16, 9));
}

TEST_F(GpuMemoryTest, MakesNoTexelBufferAPowerOfTwo) {
  if (!HasTexelBuffers()) GTEST_SKIP() << "the device has no texel buffers";
  for (const bool fills : {false, true}) {
    EXPECT_THAT(SizesOf(TexelBufferOf(1), fills), ElementsAre(48));
    EXPECT_THAT(SizesOf(TexelBufferOf(3), fills), ElementsAre(48));
    EXPECT_THAT(SizesOf(TexelBufferOf(4), fills), ElementsAre(80));
  }
}

TEST_F(GpuMemoryTest, MakesNoMappedTexelBufferAPowerOfTwo) {
  InContext([&] {
    if (!HasTexelBuffers() || !egl::Buffer::CanBeMapped()) {
      GTEST_SKIP() << "the device maps no texel buffers";
    }
    GpuMemory memory(profile_);
    Must(memory.MakeMapped(TexelBufferOf(4), GL_MAP_READ_BIT, "test"));
    EXPECT_EQ(memory.TakeBuffers().front().bytes(), 80);
  });
}

// At a minimum of 64 bytes, a buffer of four texels is staged and one of three
// is not.
TEST_F(GpuMemoryTest, FillsLargeBuffersThroughMappedMemory) {
  bool maps = false;
  InContext([&] { maps = egl::Buffer::CanBeMapped(); });
  if (!maps) {
    GTEST_SKIP() << "the driver maps no buffers for good";
  }
  profile_.bus.staged_upload_bytes = 64;
  for (int texels : {3, 4}) {
    std::vector<float> values(texels * 4);
    std::iota(values.begin(), values.end(), 1.0f);
    InContext([&] {
      static int copies;
      copies = 0;
      const ScopedGlOverride copy(
          &GlApi::CopyBufferSubData, +[](GLenum from, GLenum to, GLintptr begin,
                                         GLintptr at, GLsizeiptr size) {
            ++copies;
            egl::driver_gl().CopyBufferSubData(from, to, begin, at, size);
          });
      egl::StagedUpload staging;
      GpuMemory memory(profile_, &staging);
      const Slot slot = {Storage::kBuffer, texels, 1, 1, Format::kRgba32f};
      Must(memory.Make(slot, BytesOf(values).data(), "test"));
      EXPECT_EQ(copies, texels == 4 ? 1 : 0);
      std::vector<float> read = ReadAll<float>(memory.TakeBuffers().at(0));
      read.resize(values.size());
      EXPECT_EQ(read, values);
    });
  }
}

TEST_F(GpuMemoryTest, MakesAllAsPlannedElsewhere) {
  profile_.faults.compiles_by_sizes = false;
  EXPECT_THAT(SizesOf(TextureOf(8, 1), true), ElementsAre(8, 1));
  if (!HasTexelBuffers()) return;
  EXPECT_THAT(SizesOf(TexelBufferOf(4), true), ElementsAre(64));
}

}  // namespace
}  // namespace gles_delegate::testing
