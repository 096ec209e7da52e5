// labels: op egl delegate llvmpipe softpipe
// zero_copy: the model's inputs and outputs lie in memory that the GPU reads
// and writes.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/app_context.h"
#include "tests/testing/app_objects.h"
#include "tests/testing/counted_calls.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/live_objects.h"
#include "tests/testing/matchers.h"
#include "tests/testing/pretended_resets.h"
#include "tests/testing/quantized_model.h"
#include "tools/common/tflite_abi.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// TFLite has it from the delegate.
bool LiesOnGpu(const TensorView& tensor) {
  return tensor.get()->allocation_type == kTfLiteCustom;
}

class DelegateZeroCopyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    GLES_SKIP_WITHOUT("GL_EXT_buffer_storage");
  }

  // In textures, which no host packs.
  static DelegatePtr Make(
      const std::function<void(TfLiteGlesDelegateOptions&)>& change = {}) {
    return MakeDelegate([&](TfLiteGlesDelegateOptions& o) {
      o.zero_copy = kTfLiteGlesOn;
      o.storage = kTfLiteGlesStorageTexture2d;
      o.max_delegated_partitions = 0;
      if (change != nullptr) change(o);
    });
  }

  // Three rounds with the CPU's results; then whether input and output lie on
  // the GPU.
  static std::pair<bool, bool> WhereTheyLie(const Model& model,
                                            const DelegatePtr& delegate) {
    auto interpreter = Applied(model, delegate);
    for (int round : {0, 1, 2}) {
      ExpectClose(RunOnce(interpreter.get(), round), CpuResult(model, round));
    }
    return {LiesOnGpu(interpreter->input(0)),
            LiesOnGpu(interpreter->output(0))};
  }
};

using Lie = std::pair<bool, bool>;

TEST_F(DelegateZeroCopyTest, InputAndOutputLieOnTheGpu) {
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate = Make();
  auto interpreter = Applied(*model, delegate);
  EXPECT_TRUE(LiesOnGpu(interpreter->input(0)));
  EXPECT_TRUE(LiesOnGpu(interpreter->output(0)));
  EXPECT_EQ(ReportOf(delegate)["partition"][0]["zero_copy_tensors"].size(), 2);
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
  // Both can be read and written, whenever.
  const std::vector<float> input = interpreter->input(0).AsFloats();
  const absl::Span<float> output = interpreter->output(0).data<float>();
  std::fill(output.begin(), output.end(), 7.0f);
  ASSERT_TRUE(interpreter->Invoke().ok());
  ExpectClose(interpreter->output(0).AsFloats(), CpuResult(*model));
  EXPECT_EQ(interpreter->input(0).AsFloats(), input);
}

TEST_F(DelegateZeroCopyTest, NothingDoesWhereItIsOff) {
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate =
      Make([](auto& o) { o.zero_copy = kTfLiteGlesOff; });
  EXPECT_EQ(WhereTheyLie(*model, delegate), Lie(false, false));
}

TEST_F(DelegateZeroCopyTest, WhatTheCpuReadsOrWritesDoesNot) {
  EXPECT_EQ(WhereTheyLie(*LoadOrDie(ChainModel("rcan")), Make()),
            Lie(false, true));
  EXPECT_EQ(WhereTheyLie(*LoadOrDie(ChainModel("canr")), Make()),
            Lie(true, false));
  // Two partitions with the CPU between them.
  EXPECT_EQ(WhereTheyLie(*LoadOrDie(ChainModel("carnm")), Make()),
            Lie(true, true));
}

TEST_F(DelegateZeroCopyTest, ResizedInputsDoAgain) {
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate = Make();
  auto interpreter = Applied(*model, delegate);
  for (const Shape& shape :
       {Shape{1, 17, 33, 5}, Shape{3, 6, 1, 5}, Shape{1, 6, 5, 5}}) {
    SCOPED_TRACE(ShapeString(shape));
    Resize(interpreter.get(), shape);
    EXPECT_TRUE(LiesOnGpu(interpreter->input(0)));
    EXPECT_TRUE(LiesOnGpu(interpreter->output(0)));
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model, 0, shape));
  }
}

// Of an input that the GPU cannot have, TFLite says so, and goes on.
TEST_F(DelegateZeroCopyTest, AfterARefusedSizeTheyDoAgain) {
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate = Make();
  auto interpreter = Applied(*model, delegate);
  ASSERT_TRUE(interpreter->ResizeInput(0, {1, 6, 5, 4}).ok());
  EXPECT_FALSE(interpreter->AllocateTensors().ok());
  Resize(interpreter.get(), {1, 6, 5, 5});
  EXPECT_TRUE(LiesOnGpu(interpreter->input(0)));
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

TEST_F(DelegateZeroCopyTest, QuantizedValuesDoAndAFloatViewOfThemDoesNot) {
  for (const TensorType type : {TensorType::INT8, TensorType::UINT8}) {
    const auto model = LoadOrDie(SumOfQuantized({1, 5, 7, 3}, type));
    EXPECT_EQ(WhereTheyLie(*model, Make()), Lie(true, true));
    const DelegatePtr as_floats =
        Make([](auto& o) { o.quantized_compute = kTfLiteGlesQuantizedFloat; });
    EXPECT_EQ(WhereTheyLie(*model, as_floats), Lie(false, false));
  }
}

TEST_F(DelegateZeroCopyTest, FloatsDoWhereTensorsAreStoredIn16Bits) {
  const auto model = LoadOrDie(ChainModel("nn"));
  const DelegatePtr delegate =
      Make([](auto& o) { o.is_precision_loss_allowed = 1; });
  auto interpreter = Applied(*model, delegate);
  EXPECT_TRUE(LiesOnGpu(interpreter->input(0)));
  const absl::Span<float> input = interpreter->input(0).data<float>();
  std::fill(input.begin(), input.end(), 0.375f);
  ASSERT_TRUE(interpreter->Invoke().ok());
  EXPECT_THAT(interpreter->output(0).AsFloats(), Each(0.375f));
}

TEST_F(DelegateZeroCopyTest, AWorkersDo) {
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate =
      Make([](auto& o) { o.thread_mode = kTfLiteGlesThreadWorker; });
  EXPECT_EQ(WhereTheyLie(*model, delegate), Lie(true, true));
}

// As Interpreter::SetCustomAllocationForTensor of TFLite's C++ API does.
TEST_F(DelegateZeroCopyTest, TheAppsOwnMemoryIsUsedAndLeftAlone) {
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate = Make();
  auto interpreter = Applied(*model, delegate);
  std::vector<void*> own;
  for (const TensorView& view :
       {interpreter->input(0), interpreter->output(0)}) {
    auto& tensor = const_cast<TfLiteTensor&>(*view.get());
    own.push_back(std::aligned_alloc(64, (tensor.bytes + 63) / 64 * 64));
    tensor.data.raw = static_cast<char*>(own.back());
  }
  for (int round : {0, 1}) {
    ExpectClose(RunOnce(interpreter.get(), round), CpuResult(*model, round));
  }
  EXPECT_EQ(interpreter->input(0).get()->data.raw, own[0]);
  EXPECT_EQ(interpreter->output(0).get()->data.raw, own[1]);
  interpreter.reset();
  for (void* memory : own) std::free(memory);
}

// The executor is built again, and the app may have kept the addresses.
TEST_F(DelegateZeroCopyTest, TheyStayWhereTheyAreWhenAnObjectIsBound) {
  AppContext app;
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate = Make();
  auto interpreter = Applied(*model, delegate);
  const auto* const input = interpreter->input(0).get();
  const char* const address = input->data.raw;
  const auto expected = CpuResult(*model);
  ExpectClose(RunOnce(interpreter.get()), expected);
  const auto buffer = egl::Buffer::Create(interpreter->output(0).bytes().size(),
                                          nullptr, GL_DYNAMIC_DRAW);
  ASSERT_TRUE(buffer.ok());
  TfLiteGlesObject object = TfLiteGlesDelegateObjectDefault();
  object.name = buffer->id();
  const int output =
      ReportOf(delegate)["partition"][0]["zero_copy_tensors"][1].get<int>();
  ASSERT_EQ(TfLiteGlesDelegateBindObject(delegate.get(), output, &object), 0)
      << TfLiteGlesDelegateLastError();
  ASSERT_TRUE(RunOnce(interpreter.get(), 1).ok());
  EXPECT_EQ(input->data.raw, address);
  std::vector<float> bound(expected.size());
  ASSERT_TRUE(buffer
                  ->Read(0, {reinterpret_cast<uint8_t*>(bound.data()),
                             bound.size() * sizeof(float)})
                  .ok());
  ExpectClose(bound, CpuResult(*model, 1));
  ASSERT_EQ(TfLiteGlesDelegateUnbindObject(delegate.get(), output), 0);
  ExpectClose(RunOnce(interpreter.get(), 2), CpuResult(*model, 2));
  EXPECT_EQ(input->data.raw, address);
}

TEST_F(DelegateZeroCopyTest, TheyStayWhereTheyAreWhenTheContextIsLost) {
  GLES_SKIP_WITHOUT("GL_KHR_robustness");
  PretendedResets resets;
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate = Make();
  auto interpreter = Applied(*model, delegate);
  const auto expected = CpuResult(*model);
  ExpectClose(RunOnce(interpreter.get()), expected);
  const char* const input = interpreter->input(0).get()->data.raw;
  resets.Tell();
  EXPECT_FALSE(interpreter->Invoke().ok());
  // The app's earlier data is still there.
  ASSERT_TRUE(interpreter->Invoke().ok());
  EXPECT_EQ(ReportOf(delegate)["contexts_lost"], 1);
  ExpectClose(interpreter->output(0).AsFloats(), expected);
  EXPECT_EQ(interpreter->input(0).get()->data.raw, input);
  ExpectClose(RunOnce(interpreter.get(), 1), CpuResult(*model, 1));
  // In the new context from the next AllocateTensors on.
  Resize(interpreter.get(), {1, 7, 5, 5});
  EXPECT_TRUE(LiesOnGpu(interpreter->input(0)));
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model, 0, {1, 7, 5, 5}));
}

// TFLite takes the delegate away after an Invoke that failed, and the tensors
// are its own again.
TEST_F(DelegateZeroCopyTest, TflitesOwnFallbackHasThemBack) {
  PretendedResets resets;
  GLES_SKIP_WITHOUT("GL_KHR_robustness");
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate = Make();
  TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreterOptionsSetEnableDelegateFallback(options, true);
  TfLiteInterpreterOptionsAddDelegate(options, delegate.get());
  TfLiteInterpreter* interpreter =
      TfLiteInterpreterCreate(model->get(), options);
  ASSERT_NE(interpreter, nullptr);
  ASSERT_EQ(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
  const auto input = [&] {
    return TensorView(TfLiteInterpreterGetInputTensor(interpreter, 0));
  };
  const auto output = [&] {
    return TensorView(TfLiteInterpreterGetOutputTensor(interpreter, 0));
  };
  EXPECT_TRUE(LiesOnGpu(input()));
  const auto values = InterpreterOrDie(*model);
  const auto expected = RunOnce(values.get());
  ASSERT_TRUE(input().WriteFloats(values->input(0).AsFloats()).ok());
  resets.Tell();
  EXPECT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteDelegateError);
  EXPECT_EQ(output().AsFloats(), *expected) << "not by the CPU";
  EXPECT_FALSE(LiesOnGpu(input()));
  EXPECT_FALSE(LiesOnGpu(output()));
  TfLiteInterpreterDelete(interpreter);
  TfLiteInterpreterOptionsDelete(options);
}

// Outputs to textures to which shaders cannot store: those that glTexImage2D
// made, and GL_RGB8. GL copies to them (delegate/runtime/host_transfer.h).

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
