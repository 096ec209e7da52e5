// labels: op egl delegate llvmpipe
// Dma-bufs as inputs and outputs, by EGLImages (EGL_EXT_image_dma_buf_import):
// pictures that the delegate reads and writes where they lie. The dma-buf is
// made of memory by /dev/udmabuf; where the kernel has none, the memory's own
// file stands in for it, which llvmpipe maps as it maps a dma-buf.
#include <fcntl.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "egl/context.h"
#include "egl/displays.h"
#include "egl/objects.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/app_context.h"
#include "tests/testing/counted_calls.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::egl;
using ::gles_delegate::egl::gl;
using ::gles_delegate::egl::HasEglExtension;

constexpr EGLint FourCc(const char (&name)[5]) {
  return name[0] | name[1] << 8 | name[2] << 16 | name[3] << 24;
}

// A picture's rows are as far apart as GPUs want them.
constexpr int kWidth = 64, kHeight = 6, kPitch = kWidth * 4;

// Memory of whole pages with a file for it, of which a dma-buf is made.
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

class DelegateDmaBufTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    app_ = std::make_unique<AppContext>();
    if (!HasEglExtension(
            egl().QueryString(app_->get().display(), EGL_EXTENSIONS),
            "EGL_EXT_image_dma_buf_import") ||
        !app_->get().device().Has("GL_OES_EGL_image")) {
      GTEST_SKIP() << "NO EGL_EXT_image_dma_buf_import HERE, NOTHING TESTED";
    }
  }
  void TearDown() override {
    run_.reset();
    for (GLuint texture : textures_) gl().DeleteTextures(1, &texture);
    for (EGLImageKHR image : images_) {
      egl().DestroyImageKHR(app_->get().display(), image);
    }
  }

  EGLImageKHR ImportRgba(const DmaBuf& from) {
    const EGLint attributes[] = {EGL_WIDTH,
                                 kWidth,
                                 EGL_HEIGHT,
                                 kHeight,
                                 EGL_LINUX_DRM_FOURCC_EXT,
                                 FourCc("AB24"),
                                 EGL_DMA_BUF_PLANE0_FD_EXT,
                                 from.file(),
                                 EGL_DMA_BUF_PLANE0_OFFSET_EXT,
                                 0,
                                 EGL_DMA_BUF_PLANE0_PITCH_EXT,
                                 kPitch,
                                 EGL_NONE};
    const EGLImageKHR image =
        egl().CreateImageKHR(app_->get().display(), EGL_NO_CONTEXT,
                             EGL_LINUX_DMA_BUF_EXT, nullptr, attributes);
    if (image != EGL_NO_IMAGE_KHR) images_.push_back(image);
    return image;
  }
  // Only a driver that wants a real dma-buf, where there is none, may refuse.
  bool IsRefusedWithReason(EGLImageKHR image, const DmaBuf& from) const {
    if (image != EGL_NO_IMAGE_KHR) return false;
    EXPECT_FALSE(from.is_real() || app_->get().device().renderer.find(
                                       "llvmpipe") != std::string::npos)
        << "eglCreateImageKHR: " << egl().GetError();
    return true;
  }
  // Whether a shader of the app's own gets a value into the picture, which is
  // all zero, by an image store.
  static bool StoresReach(const DmaBuf& picture, GLuint texture) {
    constexpr char kStore[] = R"(#version 310 es
layout(local_size_x = 1) in;
layout(rgba8, binding = 0) writeonly uniform highp image2D picture;
void main() { imageStore(picture, ivec2(0), vec4(1.0)); }
)";
    const auto store = ::gles_delegate::egl::Program::Compile(kStore, "store");
    EXPECT_TRUE(store.ok()) << store.status();
    gl().UseProgram(store->id());
    gl().BindImageTexture(0, texture, 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA8);
    gl().DispatchCompute(1, 1, 1);
    gl().MemoryBarrier(GL_ALL_BARRIER_BITS);
    gl().Finish();
    return picture.data()[0] == 255;
  }
  TfLiteGlesObject TextureOf(EGLImageKHR image, GLenum target, int type,
                             bool is_output = false) {
    GLuint name = 0;
    gl().GenTextures(1, &name);
    textures_.push_back(name);
    gl().BindTexture(target, name);
    if (is_output) {
      const auto storage =
          reinterpret_cast<PFNGLEGLIMAGETARGETTEXSTORAGEEXTPROC>(
              egl().GetProcAddress("glEGLImageTargetTexStorageEXT"));
      storage(target, image, nullptr);
    } else {
      gl().EGLImageTargetTexture2DOES(target, image);
    }
    EXPECT_EQ(gl().GetError(), GLenum{GL_NO_ERROR});
    gl().BindTexture(target, 0);
    TfLiteGlesObject object = TfLiteGlesDelegateObjectDefault();
    object.type = type;
    object.name = name;
    return object;
  }
  void Load(const std::string& letters, int channels) {
    run_ = std::make_unique<BoundRun>(
        ChainModel(letters, {1, kHeight, kWidth, channels}));
  }
  void Bind(int tensor, const TfLiteGlesObject& object) {
    ASSERT_EQ(
        TfLiteGlesDelegateBindObject(run_->delegate.get(), tensor, &object), 0)
        << TfLiteGlesDelegateLastError();
  }
  static void Paint(const DmaBuf& picture, int seed) {
    for (int i = 0; i < kPitch * kHeight; ++i) {
      picture.data()[i] = static_cast<uint8_t>(i * 7 + seed);
    }
  }

  std::unique_ptr<AppContext> app_;
  std::vector<EGLImageKHR> images_;
  std::vector<GLuint> textures_;
  std::unique_ptr<BoundRun> run_;
};

TEST_F(DelegateDmaBufTest, IsAnInput) {
  const DmaBuf picture(kPitch * kHeight);
  const EGLImageKHR image = ImportRgba(picture);
  if (IsRefusedWithReason(image, picture)) {
    GTEST_SKIP() << "NO /dev/udmabuf HERE, NOTHING TESTED";
  }
  for (const int type :
       {kTfLiteGlesObjectTexture2d, kTfLiteGlesObjectTextureExternal}) {
    Load("n", 4);
    Bind(run_->input,
         TextureOf(image,
                   type == kTfLiteGlesObjectTexture2d ? GL_TEXTURE_2D
                                                      : GL_TEXTURE_EXTERNAL_OES,
                   type));
    for (int round = 0; round < 3; ++round) {
      Paint(picture, round);
      run_->PoisonInput();
      run_->Invoke();
      std::vector<float> right;
      for (int i = 0; i < kPitch * kHeight; ++i) {
        right.push_back(-static_cast<float>(picture.data()[i]) / 255);
      }
      ExpectClose(run_->interpreter->output(0).AsFloats(), right);
    }
  }
}

// From one dma-buf to another, without a byte by way of the CPU.
TEST_F(DelegateDmaBufTest, IsAnOutput) {
  if (!app_->get().device().Has("GL_EXT_EGL_image_storage")) {
    GTEST_SKIP() << "NO GL_EXT_EGL_image_storage HERE, NOTHING TESTED";
  }
  const DmaBuf picture(kPitch * kHeight), result(kPitch * kHeight);
  const EGLImageKHR from = ImportRgba(picture), to = ImportRgba(result);
  if (IsRefusedWithReason(from, picture)) {
    GTEST_SKIP() << "NO /dev/udmabuf HERE, NOTHING TESTED";
  }
  Load("nn", 4);
  Bind(run_->input, TextureOf(from, GL_TEXTURE_2D, kTfLiteGlesObjectTexture2d));
  TfLiteGlesObject output =
      TextureOf(to, GL_TEXTURE_2D, kTfLiteGlesObjectTexture2d, true);
  if (!StoresReach(result, output.name)) {
    GTEST_SKIP() << "THIS DRIVER LOSES IMAGE STORES TO A DMA-BUF "
                    "(llvmpipe of Mesa 26.2.6 does), NOTHING TESTED";
  }
  Bind(run_->output, output);
  run_->Invoke();  // builds
  const CountedCalls counted;
  for (int round = 0; round < 3; ++round) {
    Paint(picture, round * 50);
    run_->Invoke();
    gl().Finish();
    EXPECT_EQ(
        std::vector<uint8_t>(result.data(), result.data() + kPitch * kHeight),
        std::vector<uint8_t>(picture.data(),
                             picture.data() + kPitch * kHeight));
  }
  EXPECT_EQ(counted.host_calls() + counted.texture_calls(), 0);
}

}  // namespace
}  // namespace gles_delegate::testing
