// labels: op egl delegate llvmpipe softpipe
// Outputs to textures to which shaders cannot store: those that glTexImage2D
// made, and GL_RGB8. GL copies to them (delegate/runtime/host_transfer.h).
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/app_context.h"
#include "tests/testing/app_objects.h"
#include "tests/testing/counted_calls.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/live_objects.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::egl;
using ::gles_delegate::egl::gl;

// A texture's format and what glTexImage2D takes for it.
struct Format {
  std::string name;
  GLenum internal;
  GLenum format;
  GLenum type;

  bool has_alpha() const { return format == GL_RGBA; }
  // As TextureHolding() knows it.
  GLenum held() const { return type == GL_UNSIGNED_BYTE ? GL_RGBA8 : internal; }
  // GL chooses which of the format's two nearest numbers it writes.
  float StepAt(float value) const {
    if (held() == GL_RGBA8) return 1.0f / 255;
    return held() == GL_RGBA16F ? std::abs(value) / 1024 : 0;
  }
};

const std::vector<Format>& Formats() {
  static const auto& formats = *new std::vector<Format>{
      {"GL_RGBA8", GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE},
      {"GL_RGBA", GL_RGBA, GL_RGBA, GL_UNSIGNED_BYTE},
      {"GL_RGB8", GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE},
      {"GL_RGB", GL_RGB, GL_RGB, GL_UNSIGNED_BYTE},
      {"GL_RGBA16F", GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT},
      {"GL_RGBA32F", GL_RGBA32F, GL_RGBA, GL_FLOAT},
  };
  return formats;
}

// A texture of one level, as glTexImage2D makes it; the caller deletes it.
GLuint MutableTexture(const Format& format, const Shape& shape) {
  const auto tex_image = reinterpret_cast<PFNGLTEXIMAGE2DPROC>(
      egl().GetProcAddress("glTexImage2D"));
  GLuint name = 0;
  gl().GenTextures(1, &name);
  gl().BindTexture(GL_TEXTURE_2D, name);
  tex_image(GL_TEXTURE_2D, 0, static_cast<GLint>(format.internal), shape[2],
            shape[1], 0, format.format, format.type, nullptr);
  gl().TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  gl().TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  gl().BindTexture(GL_TEXTURE_2D, 0);
  EXPECT_EQ(gl().GetError(), GLenum{GL_NO_ERROR});
  return name;
}

class DelegateCopiedOutputsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    app_ = std::make_unique<AppContext>();
  }
  void TearDown() override {
    run_.reset();
    for (GLuint texture : textures_) gl().DeleteTextures(1, &texture);
  }

  GLuint Make(const Format& format, const Shape& shape) {
    textures_.push_back(MutableTexture(format, shape));
    return textures_.back();
  }
  void Load(const std::string& letters, const Shape& shape) {
    run_.reset();
    run_ = std::make_unique<BoundRun>(ChainModel(letters, shape));
  }
  void BindOutput(GLuint texture, const Format& format) {
    TfLiteGlesObject object = TextureHolding("", format.held(), 2, -1).object;
    object.name = texture;
    run_->BindOutput(object);
  }
  // The texture holds the CPU's values for the round.
  void ExpectWritten(GLuint texture, const Format& format, const Shape& shape,
                     int round) {
    const Holding holding = TextureHolding("", format.held(), 2, -1);
    auto cpu = InterpreterOrDie(*run_->model);
    std::vector<float> right =
        ElementsOf(holding, shape, *RunOnce(cpu.get(), round), 2, -1);
    const std::vector<float> written = ReadTexture(texture, shape[2], shape[1]);
    ASSERT_EQ(written.size(), right.size());
    for (size_t i = 0; i < right.size(); ++i) {
      if (i % 4 == 3 && !format.has_alpha()) right[i] = 1;
      EXPECT_NEAR(written[i], right[i], format.StepAt(right[i]) + 1e-5) << i;
    }
  }

  std::unique_ptr<AppContext> app_;
  std::vector<GLuint> textures_;
  std::unique_ptr<BoundRun> run_;
};

TEST_F(DelegateCopiedOutputsTest, EachFormatIsWritten) {
  for (const Shape& shape :
       {Shape{1, 6, 5, 3}, Shape{1, 4, 3, 4}, Shape{1, 3, 7, 1}}) {
    Load("can", shape);
    for (const Format& format : Formats()) {
      SCOPED_TRACE(ShapeString(shape) + ", " + format.name);
      const GLuint texture = Make(format, shape);
      BindOutput(texture, format);
      for (int round = 0; round < 2; ++round) {
        ASSERT_TRUE(RunOnce(run_->interpreter.get(), round).ok())
            << ::testing::PrintToString(run_->interpreter->log());
        ExpectWritten(texture, format, shape, round);
      }
    }
  }
}

TEST_F(DelegateCopiedOutputsTest, NoByteCrossesAndAnotherTextureMakesNothing) {
  const Shape shape = {1, 6, 5, 4};
  const Format& format = Formats()[0];
  const Holding picture = TextureHolding("picture", GL_RGBA8);
  const AppObject input(picture, shape, SomeElements(picture, shape));
  const GLuint first = Make(format, shape), second = Make(format, shape);
  Load("n", shape);
  run_->BindInput(input.object());
  BindOutput(first, format);
  run_->Invoke();  // builds
  const CountedCalls counted;
  run_->Invoke();
  BindOutput(second, format);
  run_->Invoke();
  EXPECT_EQ(counted.host_calls() + counted.texture_calls(), 0);
  EXPECT_EQ(counted.programs() + counted.objects(), 0);
  EXPECT_EQ(ReadTexture(first, 5, 6), ReadTexture(second, 5, 6));
  EXPECT_THAT(ReadTexture(second, 5, 6), ::testing::Contains(::testing::Gt(0)));
}

TEST_F(DelegateCopiedOutputsTest, WhatItTakesIsReportedAndGoes) {
  const Shape shape = {1, 6, 5, 4};
  const Format& format = Formats()[0];
  const Holding floats = BufferHolding("floats", 0, 0);
  const AppObject input(floats, shape, SomeElements(floats, shape));
  const GLuint texture = Make(format, shape);
  const LiveObjects objects;
  Load("can", shape);
  run_->BindInput(input.object());
  BindOutput(texture, format);
  run_->Invoke();
  EXPECT_EQ(ReportOf(run_->delegate)["gpu_bytes"]["transfers"], 6 * 5 * 4);
  run_.reset();
  EXPECT_EQ(objects.left(), 0);
}

TEST_F(DelegateCopiedOutputsTest, TheAppsStateStays) {
  const Shape shape = {1, 6, 5, 4};
  const Format& format = Formats()[0];
  const GLuint texture = Make(format, shape), bystander = Make(format, shape);
  Load("can", shape);
  BindOutput(texture, format);
  GLuint framebuffers[2] = {};
  gl().GenFramebuffers(2, framebuffers);
  gl().BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffers[0]);
  gl().BindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffers[1]);
  gl().BindTexture(GL_TEXTURE_2D, bystander);
  gl().ActiveTexture(GL_TEXTURE3);
  // It bounds what is drawn and blitted, and must not bound the copy.
  gl().Enable(GL_SCISSOR_TEST);
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(RunOnce(run_->interpreter.get(), round).ok());
    const auto bound = [](GLenum what) {
      GLint name = 0;
      gl().GetIntegerv(what, &name);
      return static_cast<GLuint>(name);
    };
    EXPECT_EQ(bound(GL_READ_FRAMEBUFFER_BINDING), framebuffers[0]);
    EXPECT_EQ(bound(GL_DRAW_FRAMEBUFFER_BINDING), framebuffers[1]);
    EXPECT_EQ(bound(GL_ACTIVE_TEXTURE), GLuint{GL_TEXTURE3});
    gl().ActiveTexture(GL_TEXTURE0);
    EXPECT_EQ(bound(GL_TEXTURE_BINDING_2D), bystander);
    ExpectWritten(texture, format, shape, round);
    gl().BindTexture(GL_TEXTURE_2D, bystander);
    gl().ActiveTexture(GL_TEXTURE3);
  }
  gl().Disable(GL_SCISSOR_TEST);
  gl().DeleteFramebuffers(2, framebuffers);
}

}  // namespace
}  // namespace gles_delegate::testing
