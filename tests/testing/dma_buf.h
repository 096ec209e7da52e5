// A dma-buf that the CPU reads and writes, too.
#ifndef GLES_DELEGATE_TESTS_TESTING_DMA_BUF_H_
#define GLES_DELEGATE_TESTS_TESTING_DMA_BUF_H_

#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "egl/gl_api.h"
#include "gtest/gtest.h"

namespace gles_delegate::testing {

// The number of a DRM format: FourCc("NV12").
constexpr EGLint FourCc(const char (&name)[5]) {
  return name[0] | name[1] << 8 | name[2] << 16 | name[3] << 24;
}

// Memory of whole pages, mapped, with a file for it. The dma-buf is made of it
// by /dev/udmabuf; if the kernel has none, the memory's own file replaces
// it, which llvmpipe maps like a dma-buf.
class DmaBuf {
 public:
  explicit DmaBuf(size_t bytes)
      : bytes_((bytes + 4095) / 4096 * 4096),
        memory_(memfd_create("picture", MFD_ALLOW_SEALING)) {
    EXPECT_EQ(ftruncate(memory_, static_cast<off_t>(bytes_)), 0);
    void* mapped =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, memory_, 0);
    EXPECT_NE(mapped, MAP_FAILED);
    data_ = static_cast<uint8_t*>(mapped);
    const int device = open("/dev/udmabuf", O_RDWR);
    if (device < 0) return;
    EXPECT_EQ(fcntl(memory_, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    udmabuf_create create = {};
    create.memfd = static_cast<uint32_t>(memory_);
    create.size = bytes_;
    dma_buf_ = ioctl(device, UDMABUF_CREATE, &create);
    close(device);
  }
  ~DmaBuf() {
    munmap(data_, bytes_);
    close(memory_);
    if (dma_buf_ >= 0) close(dma_buf_);
  }
  DmaBuf(const DmaBuf&) = delete;
  DmaBuf& operator=(const DmaBuf&) = delete;

  int file() const { return dma_buf_ >= 0 ? dma_buf_ : memory_; }
  bool is_real() const { return dma_buf_ >= 0; }
  uint8_t* data() const { return data_; }

 private:
  const size_t bytes_;
  const int memory_;
  int dma_buf_ = -1;
  uint8_t* data_ = nullptr;
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_DMA_BUF_H_
