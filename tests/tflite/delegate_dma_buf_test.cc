// labels: op egl delegate llvmpipe
// Dma-bufs as inputs and outputs, by EGLImages (EGL_EXT_image_dma_buf_import):
// pictures that the delegate reads and writes where they lie.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "egl/context.h"
#include "egl/objects.h"
#include "gmock/gmock.h"
#include "tests/testing/app_context.h"
#include "tests/testing/app_objects.h"
#include "tests/testing/counted_calls.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/dma_buf.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::egl;
using ::gles_delegate::egl::gl;
using ::gles_delegate::egl::HasEglExtension;

// A picture's rows are as far apart as GPUs want them.
constexpr int kWidth = 64, kHeight = 6, kPitch = kWidth * 4;

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

  EGLImageKHR Import(std::vector<EGLint> attributes) {
    attributes.push_back(EGL_NONE);
    const EGLImageKHR image =
        egl().CreateImageKHR(app_->get().display(), EGL_NO_CONTEXT,
                             EGL_LINUX_DMA_BUF_EXT, nullptr, attributes.data());
    if (image != EGL_NO_IMAGE_KHR) images_.push_back(image);
    return image;
  }

  // The attributes of the first plane's layout in the file.
  static std::vector<EGLint> FirstPlane(const DmaBuf& from, EGLint format,
                                        int pitch) {
    return {EGL_WIDTH,
            kWidth,
            EGL_HEIGHT,
            kHeight,
            EGL_LINUX_DRM_FOURCC_EXT,
            format,
            EGL_DMA_BUF_PLANE0_FD_EXT,
            from.file(),
            EGL_DMA_BUF_PLANE0_OFFSET_EXT,
            0,
            EGL_DMA_BUF_PLANE0_PITCH_EXT,
            pitch};
  }
  EGLImageKHR ImportRgba(const DmaBuf& from) {
    return Import(FirstPlane(from, FourCc("AB24"), kPitch));
  }
  // Luma, then as many bytes again by two for pairs of both chromas.
  EGLImageKHR ImportNv12(const DmaBuf& from) {
    std::vector<EGLint> attributes = FirstPlane(from, FourCc("NV12"), kWidth);
    attributes.insert(
        attributes.end(),
        {EGL_DMA_BUF_PLANE1_FD_EXT, from.file(), EGL_DMA_BUF_PLANE1_OFFSET_EXT,
         kWidth * kHeight, EGL_DMA_BUF_PLANE1_PITCH_EXT, kWidth,
         EGL_YUV_COLOR_SPACE_HINT_EXT, EGL_ITU_REC601_EXT,
         EGL_SAMPLE_RANGE_HINT_EXT, EGL_YUV_NARROW_RANGE_EXT});
    return Import(std::move(attributes));
  }
  // Of one chroma, so that it does not matter where its samples lie, and of a
  // luma from `colour.y` up, pixel by pixel.
  struct Yuv {
    int y, u, v;
  };
  static void PaintNv12(const DmaBuf& picture, const Yuv& colour) {
    for (int i = 0; i < kWidth * kHeight; ++i) {
      picture.data()[i] = static_cast<uint8_t>(16 + (colour.y + i * 3) % 220);
    }
    uint8_t* chroma = picture.data() + kWidth * kHeight;
    for (int i = 0; i < kWidth * kHeight / 2; ++i) {
      chroma[i] = static_cast<uint8_t>(i % 2 == 0 ? colour.u : colour.v);
    }
  }
  // ITU-R BT.601, narrow range; 0 to 1.
  static std::array<float, 3> RgbOf(int luma, const Yuv& colour) {
    const float y = (luma - 16) / 219.0f;
    const float u = (colour.u - 128) / 224.0f, v = (colour.v - 128) / 224.0f;
    std::array<float, 3> rgb = {
        y + 1.402f * v, y - 0.344136f * u - 0.714136f * v, y + 1.772f * u};
    for (float& c : rgb) c = std::min(std::max(c, 0.0f), 1.0f);
    return rgb;
  }
  // Only a driver that needs a real dma-buf may refuse, if there is none.
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
    run_->BindInput(TextureOf(image,
                              type == kTfLiteGlesObjectTexture2d
                                  ? GL_TEXTURE_2D
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

// From one dma-buf to another, without a byte by way of the CPU. A texture to
// which shaders can store (is_stored_to), or one that gets a copy.
class DmaBufOutputTest : public DelegateDmaBufTest,
                         public ::testing::WithParamInterface<bool> {};

TEST_P(DmaBufOutputTest, IsWritten) {
  const bool is_stored_to = GetParam();
  if (is_stored_to && !app_->get().device().Has("GL_EXT_EGL_image_storage")) {
    GTEST_SKIP() << "NO GL_EXT_EGL_image_storage HERE, NOTHING TESTED";
  }
  const DmaBuf picture(kPitch * kHeight), result(kPitch * kHeight);
  const EGLImageKHR from = ImportRgba(picture), to = ImportRgba(result);
  if (IsRefusedWithReason(from, picture)) {
    GTEST_SKIP() << "NO /dev/udmabuf HERE, NOTHING TESTED";
  }
  Load("nn", 4);
  run_->BindInput(TextureOf(from, GL_TEXTURE_2D, kTfLiteGlesObjectTexture2d));
  const TfLiteGlesObject output =
      TextureOf(to, GL_TEXTURE_2D, kTfLiteGlesObjectTexture2d, is_stored_to);
  if (is_stored_to && !StoresReach(result, output.name)) {
    GTEST_SKIP() << "THIS DRIVER LOSES IMAGE STORES TO A DMA-BUF "
                    "(llvmpipe of Mesa 26.2.6 does), NOTHING TESTED";
  }
  run_->BindOutput(output);
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

INSTANTIATE_TEST_SUITE_P(Ways, DmaBufOutputTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Stored" : "Copied";
                         });

// A decoder's picture, in two planes, of which the driver makes colours; or the
// bind's reason where its compute shaders do not.
TEST_F(DelegateDmaBufTest, Nv12IsReadRightOrRefused) {
  GLES_SKIP_WITHOUT("GL_OES_EGL_image_external_essl3");
  const DmaBuf picture(kWidth * kHeight * 3 / 2);
  const EGLImageKHR image = ImportNv12(picture);
  if (IsRefusedWithReason(image, picture)) {
    GTEST_SKIP() << "NO /dev/udmabuf HERE, NOTHING TESTED";
  }
  Load("n", 3);
  run_->BindInput(TextureOf(image, GL_TEXTURE_EXTERNAL_OES,
                            kTfLiteGlesObjectTextureExternal));
  if (app_->get().device().software) {  // a Mesa, which has no unit for YUV
    EXPECT_EQ(TfLiteInterpreterInvoke(run_->interpreter->get()), kTfLiteError);
    EXPECT_THAT(run_->interpreter->log(),
                ::testing::Contains(::testing::HasSubstr("has 2 planes")));
    return;
  }
  for (const Yuv& colour : {Yuv{0, 90, 240}, Yuv{60, 128, 128}}) {
    PaintNv12(picture, colour);
    run_->PoisonInput();
    run_->Invoke();
    const std::vector<float> seen = run_->interpreter->output(0).AsFloats();
    ASSERT_EQ(seen.size(), size_t{kWidth} * kHeight * 3);
    for (int i = 0; i < kWidth * kHeight; ++i) {
      const std::array<float, 3> right = RgbOf(picture.data()[i], colour);
      for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR(-seen[i * 3 + c], right[c], 3.0f / 255) << i << ":" << c;
      }
    }
  }
}

// EGLImages as inputs, of a texture of another context, bound as a
// GL_TEXTURE_2D and as an external one; as an output, as a GL_TEXTURE_2D.

constexpr char kExternal[] = "GL_OES_EGL_image_external_essl3";

class DelegateEglImageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    app_ = std::make_unique<AppContext>();
    const char* extensions =
        egl().QueryString(app_->get().display(), EGL_EXTENSIONS);
    if (!HasEglExtension(extensions, "EGL_KHR_gl_texture_2D_image") ||
        !app_->get().device().Has("GL_OES_EGL_image")) {
      GTEST_SKIP() << "NO EGLImage OF TEXTURES HERE, NOTHING TESTED";
    }
    elements_ = SomeElements(picture_, PictureShape());
    source_ = std::make_unique<AppObject>(picture_, PictureShape(), elements_);
    const EGLint attributes[] = {EGL_GL_TEXTURE_LEVEL_KHR, 0, EGL_NONE};
    image_ = egl().CreateImageKHR(
        app_->get().display(), app_->get().handle(), EGL_GL_TEXTURE_2D_KHR,
        reinterpret_cast<EGLClientBuffer>(uintptr_t{source_->name()}),
        attributes);
    ASSERT_NE(image_, EGL_NO_IMAGE_KHR);
    gl().GenTextures(1, &texture_);
  }
  void TearDown() override {
    if (image_ == EGL_NO_IMAGE_KHR) return;
    run_.reset();
    gl().DeleteTextures(1, &texture_);
    egl().DestroyImageKHR(app_->get().display(), image_);
    source_.reset();
  }

  void Load(const Shape& shape) {
    run_ = std::make_unique<BoundRun>(ChainModel("n", shape));
  }
  // The app's use of an image that it is handed.
  void Attach(GLenum target) {
    gl().BindTexture(target, texture_);
    gl().EGLImageTargetTexture2DOES(target, image_);
    ASSERT_EQ(gl().GetError(), GLenum{GL_NO_ERROR});
    gl().BindTexture(target, 0);
  }
  TfLiteGlesObject ObjectOf(int type) {
    TfLiteGlesObject object = TfLiteGlesDelegateObjectDefault();
    object.type = type;
    object.name = texture_;
    return object;
  }
  std::vector<float> Run() {
    run_->PoisonInput();
    run_->Invoke();
    return run_->interpreter->output(0).AsFloats();
  }

  const Holding picture_ = TextureHolding("picture", GL_RGBA8);
  std::unique_ptr<AppContext> app_;
  std::vector<float> elements_;
  std::unique_ptr<AppObject> source_;
  EGLImageKHR image_ = EGL_NO_IMAGE_KHR;
  GLuint texture_ = 0;
  std::unique_ptr<BoundRun> run_;
};

TEST_F(DelegateEglImageTest, IsReadAsATexture2d) {
  Load(PictureShape());
  Attach(GL_TEXTURE_2D);
  run_->BindInput(ObjectOf(kTfLiteGlesObjectTexture2d));
  ExpectClose(Run(), Negated(elements_));
}

TEST_F(DelegateEglImageTest, IsReadAsAnExternalTexture) {
  GLES_SKIP_WITHOUT(kExternal);
  Load(PictureShape());
  Attach(GL_TEXTURE_EXTERNAL_OES);
  run_->BindInput(ObjectOf(kTfLiteGlesObjectTextureExternal));
  // The app's own, which stays bound.
  GLuint bystander = 0;
  gl().GenTextures(1, &bystander);
  gl().BindTexture(GL_TEXTURE_EXTERNAL_OES, bystander);
  ExpectClose(Run(), Negated(elements_));
  GLint bound = 0;
  gl().GetIntegerv(GL_TEXTURE_BINDING_EXTERNAL_OES, &bound);
  EXPECT_EQ(static_cast<GLuint>(bound), bystander);
  gl().DeleteTextures(1, &bystander);
}

TEST_F(DelegateEglImageTest, AnExternalTextureIsResized) {
  GLES_SKIP_WITHOUT(kExternal);
  const Shape twice = {1, 12, 10, 4};
  Load(twice);
  std::vector<float> seen[2];
  for (const bool external : {false, true}) {
    gl().DeleteTextures(1, &texture_);
    gl().GenTextures(1, &texture_);
    Attach(external ? GL_TEXTURE_EXTERNAL_OES : GL_TEXTURE_2D);
    TfLiteGlesObject object =
        ObjectOf(external ? kTfLiteGlesObjectTextureExternal
                          : kTfLiteGlesObjectTexture2d);
    object.resize = 1;
    object.crop_x = 1;
    object.crop_width = 4;
    object.crop_height = 6;
    run_->BindInput(object);
    seen[external] = Run();
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_NE(seen[0][0], seen[0][4]);
}

// Into the texture of which the image was made.
TEST_F(DelegateEglImageTest, IsWrittenAsATexture2d) {
  Load(PictureShape());
  Attach(GL_TEXTURE_2D);
  TfLiteGlesObject object = ObjectOf(kTfLiteGlesObjectTexture2d);
  object.scale = -1;  // y = -x is then what is read
  run_->BindOutput(object);
  for (int round = 0; round < 2; ++round) {
    const std::vector<float> values =
        SomeElements(picture_, PictureShape(), round + 1);
    ASSERT_TRUE(run_->interpreter->input(0).WriteFloats(values).ok());
    run_->Invoke();
    ExpectClose(source_->Read(), values);
  }
}

TEST_F(DelegateEglImageTest, WithoutACropItsSizeIsUnknown) {
  GLES_SKIP_WITHOUT(kExternal);
  Load(PictureShape());
  Attach(GL_TEXTURE_EXTERNAL_OES);
  TfLiteGlesObject object = ObjectOf(kTfLiteGlesObjectTextureExternal);
  object.resize = 1;
  run_->BindInput(object);
  EXPECT_EQ(TfLiteInterpreterInvoke(run_->interpreter->get()), kTfLiteError);
  EXPECT_THAT(run_->interpreter->log(),
              Contains(HasSubstr("does not tell the size")));
}

TEST_F(DelegateEglImageTest, WhatIsNotExternalIsRefused) {
  Load(PictureShape());
  Attach(GL_TEXTURE_2D);
  run_->BindInput(ObjectOf(kTfLiteGlesObjectTextureExternal));
  EXPECT_EQ(TfLiteInterpreterInvoke(run_->interpreter->get()), kTfLiteError);
  EXPECT_THAT(run_->interpreter->log(),
              Contains(HasSubstr(app_->get().device().Has(kExternal)
                                     ? "is no GL_TEXTURE_EXTERNAL_OES"
                                     : kExternal)));
}

}  // namespace

}  // namespace gles_delegate::testing
