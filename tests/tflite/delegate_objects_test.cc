// labels: op egl delegate llvmpipe softpipe
// Textures and buffers of the app's in every form that
// TfLiteGlesDelegateBindObject takes (the life of a binding:
// delegate_buffers_test.cc).
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "egl/objects.h"
#include "tests/testing/app_context.h"
#include "tests/testing/app_objects.h"
#include "tests/testing/counted_calls.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/matchers.h"
#include "tests/testing/quantized_model.h"
#include "tests/testing/scoped_environment.h"
#include "tools/cases/model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::gl;

std::vector<Holding> FloatHoldings(const Shape& shape) {
  constexpr int kBhwc = kTfLiteGlesObjectBhwc, kPhwc4 = kTfLiteGlesObjectPhwc4;
  constexpr int kFloat = kTfLiteGlesElementFloat32;
  constexpr int kByte = kTfLiteGlesElementUint8;
  std::vector<Holding> all = {
      BufferHolding("floats", kBhwc, kFloat),
      BufferHolding("scaled floats", kBhwc, kFloat, 0, 0.5f, -0.25f),
      BufferHolding("PHWC4", kPhwc4, kFloat),
      BufferHolding("scaled PHWC4", kPhwc4, kFloat, 0, 4, 1),
      BufferHolding("bytes", kBhwc, kByte, 0, 1 / 64.0f, -1),
      BufferHolding("PHWC4 of bytes", kPhwc4, kByte, 0, 1 / 64.0f, -2),
  };
  if (shape[3] > 4) return all;
  for (int channels : {1, 3, 4}) {
    const std::string name = std::to_string(channels) + " channels";
    all.push_back(BufferHolding(name, kBhwc, kFloat, channels));
    all.push_back(
        BufferHolding(name + ", bytes", kBhwc, kByte, channels, 1 / 64.0f, -1));
  }
  if (shape[0] > 1) return all;
  all.push_back(TextureHolding("RGBA8", GL_RGBA8));
  all.push_back(TextureHolding("RGBA8 from -1 to 1", GL_RGBA8, 2, -1));
  all.push_back(TextureHolding("RGBA16F", GL_RGBA16F, 0.5f, 0.25f));
  all.push_back(TextureHolding("RGBA32F", GL_RGBA32F));
  return all;
}

class DelegateObjectsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    app_ = std::make_unique<AppContext>();
  }

  void Load(std::vector<uint8_t> bytes,
            const std::string& quantized_compute = "") {
    run_.reset();
    run_ = std::make_unique<BoundRun>(std::move(bytes), quantized_compute);
  }
  int Bind(int tensor, const TfLiteGlesObject& object) {
    return TfLiteGlesDelegateBindObject(run_->delegate.get(), tensor, &object);
  }

  // The elements are held by the object and read by the delegate: its answer is
  // the CPU's, for the values that they stand for.
  void ExpectRead(const Holding& holding, const Shape& shape, float scale,
                  float bias) {
    const std::vector<float> elements = SomeElements(holding, shape);
    const AppObject object(holding, shape, elements);
    auto cpu = InterpreterOrDie(*run_->model);
    ASSERT_TRUE(
        cpu->input(0)
            .WriteFloats(ValuesOf(holding, shape, elements, scale, bias))
            .ok());
    ASSERT_TRUE(cpu->Invoke().ok());
    run_->BindInput(object.object());
    run_->PoisonInput();
    run_->Invoke();
    TfLiteGlesDelegateUnbindObject(run_->delegate.get(), run_->input);
    const std::vector<float> answer = run_->interpreter->output(0).AsFloats();
    if (holding.format == GL_RGBA8) {  // GL's division by 255
      ExpectClose(answer, cpu->output(0).AsFloats());
    } else {
      EXPECT_EQ(answer, cpu->output(0).AsFloats());
    }
  }
  // The same for what is written.
  void ExpectWritten(const Holding& holding, const Shape& shape, float scale,
                     float bias) {
    const AppObject object(holding, shape,
                           std::vector<float>(holding.elements(shape), 1));
    auto cpu = InterpreterOrDie(*run_->model);
    const std::vector<float> values = *RunOnce(cpu.get());
    run_->BindOutput(object.object());
    ASSERT_TRUE(RunOnce(run_->interpreter.get()).ok());
    TfLiteGlesDelegateUnbindObject(run_->delegate.get(), run_->output);
    const std::vector<float> right =
        ElementsOf(holding, shape, values, scale, bias);
    const std::vector<float> written = object.Read();
    if (holding.format == GL_RGBA16F || holding.format == GL_RGBA8) {
      ExpectNeighbours(written, right, holding.format);
    } else if (holding.is_of_bytes()) {
      EXPECT_EQ(written, right);
    } else {
      ExpectClose(written, right);
    }
  }
  // GL chooses which of a format's two nearest numbers it writes.
  static void ExpectNeighbours(const std::vector<float>& written,
                               const std::vector<float>& right, GLenum format) {
    ASSERT_EQ(written.size(), right.size());
    for (size_t i = 0; i < right.size(); ++i) {
      const float step = format == GL_RGBA8
                             ? 1.0f / 255
                             : std::abs(right[i]) / 1024 + 1.0f / (1 << 24);
      EXPECT_NEAR(written[i], right[i], step) << i;
    }
  }

  std::unique_ptr<AppContext> app_;
  std::unique_ptr<BoundRun> run_;
};

const std::vector<Shape>& Shapes() {
  static const auto& shapes = *new std::vector<Shape>{
      {1, 6, 5, 3}, {1, 4, 3, 4}, {1, 3, 7, 1}, {2, 3, 5, 3}, {2, 3, 5, 9}};
  return shapes;
}

TEST_F(DelegateObjectsTest, InputsOfEveryForm) {
  for (const Shape& shape : Shapes()) {
    Load(ChainModel("n", shape));
    for (const Holding& holding : FloatHoldings(shape)) {
      SCOPED_TRACE(ShapeString(shape) + ", " + holding.description);
      ExpectRead(holding, shape, holding.object.scale, holding.object.bias);
    }
  }
}

TEST_F(DelegateObjectsTest, OutputsOfEveryForm) {
  for (const Shape& shape : Shapes()) {
    Load(ChainModel("n", shape));
    for (const Holding& holding : FloatHoldings(shape)) {
      SCOPED_TRACE(ShapeString(shape) + ", " + holding.description);
      ExpectWritten(holding, shape, holding.object.scale, holding.object.bias);
    }
  }
}

TEST_F(DelegateObjectsTest, QuantizedTensorsAsFloatsAndAsQuantizedValues) {
  for (const char* compute : {"integer", "float"}) {
    for (TensorType type : {TensorType::UINT8, TensorType::INT8}) {
      const bool has_sign = type == TensorType::INT8;
      for (const Shape& shape : {Shape{1, 6, 5, 3}, Shape{2, 3, 5, 9}}) {
        SCOPED_TRACE(std::string(compute) + " " + ShapeString(shape) +
                     (has_sign ? " int8" : " uint8"));
        Load(SumOfQuantized(shape, type), compute);
        const auto in = run_->interpreter->input(0).quantization();
        const auto out = run_->interpreter->output(0).quantization();
        const auto bias = [](const auto& q) { return -q.scale * q.zero_point; };
        for (int layout : {kTfLiteGlesObjectBhwc, kTfLiteGlesObjectPhwc4}) {
          Holding quantized =
              BufferHolding("quantized", layout, kTfLiteGlesElementQuantized);
          quantized.has_sign = has_sign;
          ExpectRead(quantized, shape, in.scale, bias(in));
          ExpectWritten(quantized, shape, out.scale, bias(out));
          const Holding floats =
              BufferHolding("floats", layout, kTfLiteGlesElementFloat32);
          ExpectRead(floats, shape, 1, 0);
          ExpectWritten(floats, shape, 1, 0);
        }
        if (shape[0] > 1 || has_sign) continue;
        Holding picture = TextureHolding("quantized values in RGBA8", GL_RGBA8);
        picture.object.element = kTfLiteGlesElementQuantized;
        ExpectRead(picture, shape, in.scale * 255, bias(in));
      }
    }
  }
}

// The texture is four times as large as the input, or a part of it is wanted.
TEST_F(DelegateObjectsTest, TexturesAreCroppedAndResized) {
  const Shape picture = {1, 20, 24, 4};
  const Holding holding = TextureHolding("picture", GL_RGBA32F);
  const std::vector<float> elements = SomeElements(holding, picture);
  const AppObject object(holding, picture, elements);
  struct Part {
    int x, y, width, height;
  };
  for (const Shape& shape : {Shape{1, 5, 6, 4}, Shape{1, 33, 40, 4}}) {
    Load(ChainModel("n", shape));
    for (const Part& part :
         {Part{0, 0, 24, 20}, Part{3, 5, 12, 10}, Part{23, 19, 1, 1}}) {
      SCOPED_TRACE(ShapeString(shape) + " from " + std::to_string(part.x));
      const auto resize = LoadCase(absl::StrCat(
          "RESIZE_BILINEAR@3 x=[1,", part.height, ",", part.width, ",4] size=(",
          shape[1], ",", shape[2], ") half_pixel_centers=true"));
      auto cpu = InterpreterOrDie(*resize);
      std::vector<float> cut;
      for (int y = part.y; y < part.y + part.height; ++y) {
        const auto row = elements.begin() + (y * 24 + part.x) * 4;
        cut.insert(cut.end(), row, row + part.width * 4);
      }
      ASSERT_TRUE(cpu->input(0).WriteFloats(cut).ok());
      ASSERT_TRUE(cpu->Invoke().ok());
      const std::vector<float> right = Negated(cpu->output(0).AsFloats());
      TfLiteGlesObject bound = object.object();
      bound.resize = 1;
      if (part.width < 24) {
        bound.crop_x = static_cast<float>(part.x);
        bound.crop_y = static_cast<float>(part.y);
        bound.crop_width = static_cast<float>(part.width);
        bound.crop_height = static_cast<float>(part.height);
      }
      run_->BindInput(bound);
      run_->PoisonInput();
      run_->Invoke();
      ExpectClose(run_->interpreter->output(0).AsFloats(), right);
    }
  }
}

TEST_F(DelegateObjectsTest, NoByteOfATextureCrossesToTheCpu) {
  const Shape shape = {1, 6, 5, 4};
  Load(ChainModel("can", shape));
  const Holding from = TextureHolding("picture", GL_RGBA8, 2, -1);
  const Holding to = TextureHolding("mask", GL_RGBA32F);
  const std::vector<float> elements = SomeElements(from, shape);
  const AppObject input(from, shape, elements), second(from, shape, elements);
  const AppObject output(to, shape, std::vector<float>(elements.size()));
  auto cpu = InterpreterOrDie(*run_->model);
  ASSERT_TRUE(
      cpu->input(0).WriteFloats(ValuesOf(from, shape, elements, 2, -1)).ok());
  ASSERT_TRUE(cpu->Invoke().ok());
  run_->BindInput(input.object());
  run_->BindOutput(output.object());
  run_->PoisonInput();
  run_->Invoke();  // builds
  CountedCalls counted;
  run_->Invoke();
  run_->BindInput(second.object());
  run_->Invoke();
  EXPECT_EQ(counted.host_calls() + counted.texture_calls(), 0);
  EXPECT_EQ(ReportOf(run_->delegate)["gpu_bytes"]["transfers"], 0);
  // Another scale is an upload of parameters, and nothing else.
  TfLiteGlesObject dark = second.object();
  dark.scale = 1;
  run_->BindInput(dark);
  run_->Invoke();
  EXPECT_EQ(counted.host_calls(), 1);
  EXPECT_EQ(counted.programs() + counted.objects(), 0);
  run_->BindInput(second.object());
  run_->Invoke();
  ExpectClose(output.Read(), cpu->output(0).AsFloats());
}

// Long: each way to be wrong, on one model.
TEST_F(DelegateObjectsTest, WhatCannotBeBoundFailsTheNextInvoke) {
  const Shape shape = {1, 6, 5, 3};
  Load(ChainModel("n", shape));
  const auto fails = [&](int tensor, const TfLiteGlesObject& object,
                         const std::string& why) {
    ASSERT_EQ(Bind(tensor, object), 0) << TfLiteGlesDelegateLastError();
    run_->interpreter->TakeLog();
    EXPECT_EQ(TfLiteInterpreterInvoke(run_->interpreter->get()), kTfLiteError);
    EXPECT_THAT(run_->interpreter->log(), Contains(HasSubstr(why)));
    TfLiteGlesDelegateUnbindObject(run_->delegate.get(), tensor);
  };
  const auto texture = [](GLenum format, int width, int height) {
    return egl::Texture::Create({GL_TEXTURE_2D, format, width, height, 1})
        .value();
  };
  TfLiteGlesObject object = TfLiteGlesDelegateObjectDefault();
  object.type = kTfLiteGlesObjectTexture2d;
  const egl::Texture small = texture(GL_RGBA8, 4, 6);
  object.name = small.id();
  fails(run_->input, object, "4 wide and 6 high, the tensor 5 and 6");
  object.resize = 1;
  fails(run_->output, object, "only the texture of an input is resized");
  object.resize = 0;
  const egl::Texture integers = texture(GL_RGBA8UI, 5, 6);
  object.name = integers.id();
  fails(run_->input, object, "is of integers");
  const egl::Texture narrow = texture(GL_R32F, 5, 6);
  object.name = narrow.id();
  fails(run_->output, object,
        "is not GL_RGBA8, GL_RGB8, GL_RGBA16F or GL_RGBA32F");
  const egl::Texture layers =
      egl::Texture::Create({GL_TEXTURE_2D_ARRAY, GL_RGBA8, 5, 6, 2}).value();
  object.name = layers.id();
  fails(run_->input, object, "is no GL_TEXTURE_2D");
  object.name = 54321;
  fails(run_->input, object, "no texture 54321");
  object.name = small.id();
  object.element = kTfLiteGlesElementUint8;
  fails(run_->input, object, "an element of uint8 is one of a buffer");
  object.element = kTfLiteGlesElementQuantized;
  fails(run_->input, object, "it has no 8-bit codes");
  object.element = kTfLiteGlesElementFloat32;
  object.layout = kTfLiteGlesObjectPhwc4;
  fails(run_->input, object, "a texture has no layout");
  object = TfLiteGlesDelegateObjectDefault();
  const AppObject floats(BufferHolding("", 0, 0), shape,
                         std::vector<float>(90));
  object.name = floats.name();
  object.channels = 5;
  fails(run_->input, object, "the object has 5 channels");
  object.channels = 0;
  object.layout = kTfLiteGlesObjectPhwc4;
  fails(run_->input, object, "has 360 bytes, and 480 are needed");
  Load(ChainModel("n", {2, 3, 5, 3}));
  object.type = kTfLiteGlesObjectTexture2d;
  object.name = small.id();
  fails(run_->input, object, "one picture of at most 4 channels");
  Load(SumOfQuantized(shape, TensorType::INT8));
  object.layout = kTfLiteGlesObjectBhwc;
  object.element = kTfLiteGlesElementQuantized;
  fails(run_->input, object,
        "of textures only GL_RGBA8 holds quantized values");
  run_->Invoke();
}

// Of 8 rows of 5 positions, one of which is written.
std::vector<uint8_t> Cache(int channels) {
  return cases::ModelOf(absl::StrCat("DYNAMIC_UPDATE_SLICE cache=[1,8,5,",
                                     channels, "] row=[1,1,5,", channels,
                                     "] at=i32[4]"))
      .bytes;
}

// The object is the memory that the update is written to (BoundCache).
void ExpectUpdatedInTheirBuffers(bool halves,
                                 std::unique_ptr<BoundRun>* owner) {
  const Shape shape = {1, 8, 5, 8};
  const ScopedEnvironment tuning("GLES_DELEGATE_TUNING", "storage=3");
  owner->reset();
  *owner = std::make_unique<BoundRun>(Cache(8), "", /*is_applied=*/true,
                                      /*waits=*/true, halves);
  BoundRun* const run = owner->get();
  const std::vector<float> row(40, -3);
  const auto fill = [&](Interpreter* interpreter) {
    ASSERT_TRUE(interpreter->input(1).WriteFloats(row).ok());
    const std::vector<int32_t> at = {0, 6, 0, 0};
    std::copy(at.begin(), at.end(),
              interpreter->input(2).data<int32_t>().begin());
  };
  const Holding holding = BufferHolding("texels", kTfLiteGlesObjectPhwc4,
                                        kTfLiteGlesElementFloat32);
  const std::vector<float> elements = SomeElements(holding, shape);
  auto cpu = InterpreterOrDie(*run->model);
  fill(cpu.get());
  ASSERT_TRUE(
      cpu->input(0).WriteFloats(ValuesOf(holding, shape, elements, 1, 0)).ok());
  ASSERT_TRUE(cpu->Invoke().ok());
  const std::vector<float> right =
      ElementsOf(holding, shape, cpu->output(0).AsFloats(), 1, 0);
  fill(run->interpreter.get());
  for (bool is_one : {false, true, false}) {
    const AppObject from(holding, shape, elements);
    const AppObject to(holding, shape, std::vector<float>(elements.size(), 7));
    run->BindInput(from.object());
    run->BindOutput(is_one ? from.object() : to.object());
    run->Invoke();
    EXPECT_EQ((is_one ? from : to).Read(), right);
    if (!is_one) {
      EXPECT_EQ(from.Read(), elements);
    }
    const int other = run->input + 1;  // the row
    const TfLiteGlesObject object = (is_one ? from : to).object();
    ASSERT_EQ(TfLiteGlesDelegateBindObject(run->delegate.get(), other, &object),
              0);
    run->interpreter->TakeLog();
    EXPECT_FALSE(run->interpreter->Invoke().ok());
    EXPECT_THAT(run->interpreter->log(),
                Contains(HasSubstr("its buffer is that of another tensor")));
    TfLiteGlesDelegateUnbindObject(run->delegate.get(), other);
  }
}

TEST_F(DelegateObjectsTest, CachesAreUpdatedInTheirBuffers) {
  ExpectUpdatedInTheirBuffers(/*halves=*/false, &run_);
}

// They hold 32-bit floats, and so do the tensors.
TEST_F(DelegateObjectsTest, CachesStayIn32Bits) {
  ExpectUpdatedInTheirBuffers(/*halves=*/true, &run_);
}

// GL numbers textures and buffers by themselves.
TEST_F(DelegateObjectsTest, ATextureMayHaveTheNameOfACachesBuffer) {
  const ScopedEnvironment tuning("GLES_DELEGATE_TUNING", "storage=3");
  Load(Cache(4));
  const Holding texels = BufferHolding("texels", kTfLiteGlesObjectPhwc4,
                                       kTfLiteGlesElementFloat32);
  const Holding picture = TextureHolding("row", GL_RGBA32F);
  const Shape shape = {1, 8, 5, 4}, row = {1, 1, 5, 4};
  std::vector<std::unique_ptr<AppObject>> buffers, textures;
  const auto add = [](const Holding& holding, const Shape& of, auto* to) {
    to->push_back(
        std::make_unique<AppObject>(holding, of, SomeElements(holding, of)));
    return to->back()->name();
  };
  GLuint buffer = add(texels, shape, &buffers);
  GLuint texture = add(picture, row, &textures);
  while (buffer != texture) {
    if (buffer < texture) {
      buffer = add(texels, shape, &buffers);
    } else {
      texture = add(picture, row, &textures);
    }
  }
  run_->BindInput(buffers.back()->object());
  run_->BindOutput(buffers.back()->object());
  ASSERT_EQ(Bind(run_->input + 1, textures.back()->object()), 0);
  run_->Invoke();
}

// An app's use of a texture of level 0 alone whose filter needs mipmaps,
// GL's default.
TEST_F(DelegateObjectsTest, AnInputsOwnFiltersDoNotMatter) {
  const Shape shape = {1, 6, 5, 4};
  Load(ChainModel("n", shape));
  const Holding holding = TextureHolding("picture", GL_RGBA32F);
  const std::vector<float> elements = SomeElements(holding, shape);
  const AppObject object(holding, shape, elements);
  gl().BindTexture(GL_TEXTURE_2D, object.name());
  gl().TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                     GL_LINEAR_MIPMAP_LINEAR);
  gl().TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1000);
  gl().BindTexture(GL_TEXTURE_2D, 0);
  run_->BindInput(object.object());
  run_->Invoke();
  EXPECT_EQ(run_->interpreter->output(0).AsFloats(), Negated(elements));
}

// The app's bindings on the units of the delegate's textures.
TEST_F(DelegateObjectsTest, TheAppsStateStays) {
  const Shape shape = {1, 6, 5, 4};
  Load(ChainModel("can", shape));
  const Holding holding = TextureHolding("picture", GL_RGBA32F);
  const std::vector<float> elements = SomeElements(holding, shape);
  const AppObject input(holding, shape, elements);
  const AppObject output(holding, shape, elements);
  const AppObject bystander(holding, shape, elements);
  const egl::Sampler sampler = egl::NearestSampler().value();
  run_->BindInput(input.object());
  run_->BindOutput(output.object());
  for (GLuint unit = 0; unit < 4; ++unit) {
    gl().ActiveTexture(GL_TEXTURE0 + unit);
    gl().BindTexture(GL_TEXTURE_2D, bystander.name());
    gl().BindSampler(unit, sampler.id());
    gl().BindImageTexture(unit, bystander.name(), 0, GL_FALSE, 0, GL_READ_ONLY,
                          GL_RGBA32F);
  }
  run_->Invoke();
  run_->Invoke();
  for (GLuint unit = 0; unit < 4; ++unit) {
    GLint texture = 0, bound = 0, image = 0;
    gl().ActiveTexture(GL_TEXTURE0 + unit);
    gl().GetIntegerv(GL_TEXTURE_BINDING_2D, &texture);
    gl().GetIntegerv(GL_SAMPLER_BINDING, &bound);
    gl().GetIntegeri_v(GL_IMAGE_BINDING_NAME, unit, &image);
    EXPECT_EQ(static_cast<GLuint>(texture), bystander.name());
    EXPECT_EQ(static_cast<GLuint>(bound), sampler.id());
    EXPECT_EQ(static_cast<GLuint>(image), bystander.name());
    gl().BindSampler(unit, 0);
  }
  EXPECT_EQ(bystander.Read(), elements);
}

}  // namespace
}  // namespace gles_delegate::testing
