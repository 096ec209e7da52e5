// labels: egl llvmpipe
// Large buffers filled through mapped memory.
#include <cstdint>
#include <random>
#include <vector>

#include "egl/host_copy.h"
#include "tests/testing/device_test.h"
#include "tests/testing/gl.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Buffer;
using ::gles_delegate::egl::StagedUpload;

constexpr size_t kMib = 1 << 20;

class StagedUploadTest : public DeviceTest {};

std::vector<uint8_t> RandomBytes(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& b : bytes) b = static_cast<uint8_t>(random());
  return bytes;
}

// Pieces are of 4 MiB, and the third one takes the memory of the first.
TEST_F(StagedUploadTest, EveryByteArrivesInEachBuffer) {
  InContext([] {
    StagedUpload staging;
    std::vector<Buffer> buffers;
    std::vector<std::vector<uint8_t>> contents;
    for (size_t bytes :
         {size_t{1}, 4 * kMib, 4 * kMib + 1, 13 * kMib + 7, 3 * kMib}) {
      contents.push_back(RandomBytes(bytes, buffers.size()));
      buffers.push_back(Must(Buffer::Create(bytes, nullptr, GL_STATIC_DRAW)));
      EXPECT_TRUE(staging.Fill(buffers.back(), contents.back()).ok());
    }
    for (size_t i = 0; i < buffers.size(); ++i) {
      EXPECT_EQ(ReadAll<uint8_t>(buffers[i]), contents[i]) << i;
    }
  });
}

TEST_F(StagedUploadTest, BytesPastTheDataStay) {
  InContext([] {
    const std::vector<uint8_t> before = RandomBytes(64, 1);
    const std::vector<uint8_t> data = RandomBytes(48, 2);
    const Buffer buffer =
        Must(Buffer::Create(64, before.data(), GL_STATIC_DRAW));
    StagedUpload staging;
    EXPECT_TRUE(staging.Fill(buffer, data).ok());
    std::vector<uint8_t> want = before;
    std::copy(data.begin(), data.end(), want.begin());
    EXPECT_EQ(ReadAll<uint8_t>(buffer), want);
  });
}

// The GPU copies after the staging memory has been deleted.
TEST_F(StagedUploadTest, StagingMayGoFirst) {
  InContext([] {
    const std::vector<uint8_t> data = RandomBytes(9 * kMib, 3);
    const Buffer buffer =
        Must(Buffer::Create(data.size(), nullptr, GL_STATIC_DRAW));
    EXPECT_TRUE(StagedUpload().Fill(buffer, data).ok());
    EXPECT_EQ(ReadAll<uint8_t>(buffer), data);
  });
}

}  // namespace
}  // namespace gles_delegate::testing
