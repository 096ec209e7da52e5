// labels: op egl delegate llvmpipe
// EGLImages as inputs, of a texture of another context, bound as a
// GL_TEXTURE_2D and as an external one; as an output, as a GL_TEXTURE_2D.
#include <memory>
#include <vector>

#include "egl/context.h"
#include "tests/testing/app_context.h"
#include "tests/testing/app_objects.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::egl;
using ::gles_delegate::egl::gl;

constexpr char kExternal[] = "GL_OES_EGL_image_external_essl3";

class DelegateEglImageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    app_ = std::make_unique<AppContext>();
    const char* extensions =
        egl().QueryString(app_->get().display(), EGL_EXTENSIONS);
    if (!HasWord(extensions, "EGL_KHR_gl_texture_2D_image") ||
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

  static bool HasWord(const char* words, const std::string& word) {
    return (" " + std::string(words) + " ").find(" " + word + " ") !=
           std::string::npos;
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
  std::vector<float> Right() const {
    std::vector<float> right = elements_;
    for (float& v : right) v = -v;
    return right;
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
  ExpectClose(Run(), Right());
}

TEST_F(DelegateEglImageTest, IsReadAsAnExternalTexture) {
  if (!app_->get().device().Has(kExternal)) {
    GTEST_SKIP() << "NO " << kExternal << " HERE, NOTHING TESTED";
  }
  Load(PictureShape());
  Attach(GL_TEXTURE_EXTERNAL_OES);
  run_->BindInput(ObjectOf(kTfLiteGlesObjectTextureExternal));
  // The app's own, which stays bound.
  GLuint bystander = 0;
  gl().GenTextures(1, &bystander);
  gl().BindTexture(GL_TEXTURE_EXTERNAL_OES, bystander);
  ExpectClose(Run(), Right());
  GLint bound = 0;
  gl().GetIntegerv(GL_TEXTURE_BINDING_EXTERNAL_OES, &bound);
  EXPECT_EQ(static_cast<GLuint>(bound), bystander);
  gl().DeleteTextures(1, &bystander);
}

TEST_F(DelegateEglImageTest, AnExternalTextureIsResized) {
  if (!app_->get().device().Has(kExternal)) {
    GTEST_SKIP() << "NO " << kExternal << " HERE, NOTHING TESTED";
  }
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
  if (!app_->get().device().Has(kExternal)) {
    GTEST_SKIP() << "NO " << kExternal << " HERE, NOTHING TESTED";
  }
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
