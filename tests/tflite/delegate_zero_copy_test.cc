// labels: op egl delegate llvmpipe softpipe
// zero_copy: the model's inputs and outputs lie in memory that the GPU reads
// and writes.
#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "egl/testing.h"
#include "tests/testing/app_context.h"
#include "tests/testing/app_objects.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/quantized_model.h"
#include "tools/common/tflite_abi.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::ScopedGlOverride;

// TFLite has it from the delegate.
bool LiesOnGpu(const TensorView& tensor) {
  return tensor.get()->allocation_type == kTfLiteCustom;
}

GLenum g_reset = GL_NO_ERROR;
GLenum ResetStatus() { return std::exchange(g_reset, GLenum{GL_NO_ERROR}); }

class DelegateZeroCopyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    if (!TestContext()->device().Has("GL_EXT_buffer_storage")) {
      GTEST_SKIP() << "this driver has no GL_EXT_buffer_storage";
    }
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
    ASSERT_TRUE(interpreter->ResizeInput(0, shape).ok());
    ASSERT_TRUE(interpreter->AllocateTensors().ok());
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
  ASSERT_TRUE(interpreter->ResizeInput(0, {1, 6, 5, 5}).ok());
  ASSERT_TRUE(interpreter->AllocateTensors().ok());
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
  if (!TestContext()->device().Has("GL_KHR_robustness")) {
    GTEST_SKIP() << "this driver does not tell of resets (GL_KHR_robustness)";
  }
  const ScopedGlOverride resets(&GlApi::GetGraphicsResetStatusKHR, ResetStatus);
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate = Make();
  auto interpreter = Applied(*model, delegate);
  const auto expected = CpuResult(*model);
  ExpectClose(RunOnce(interpreter.get()), expected);
  const char* const input = interpreter->input(0).get()->data.raw;
  g_reset = GL_INNOCENT_CONTEXT_RESET_KHR;
  EXPECT_FALSE(interpreter->Invoke().ok());
  // The app's earlier data is still there.
  ASSERT_TRUE(interpreter->Invoke().ok());
  EXPECT_EQ(ReportOf(delegate)["contexts_lost"], 1);
  ExpectClose(interpreter->output(0).AsFloats(), expected);
  EXPECT_EQ(interpreter->input(0).get()->data.raw, input);
  ExpectClose(RunOnce(interpreter.get(), 1), CpuResult(*model, 1));
  // In the new context from the next AllocateTensors on.
  ASSERT_TRUE(interpreter->ResizeInput(0, {1, 7, 5, 5}).ok());
  ASSERT_TRUE(interpreter->AllocateTensors().ok());
  EXPECT_TRUE(LiesOnGpu(interpreter->input(0)));
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model, 0, {1, 7, 5, 5}));
}

// TFLite takes the delegate away after an Invoke that failed, and the tensors
// are its own again.
TEST_F(DelegateZeroCopyTest, TflitesOwnFallbackHasThemBack) {
  const ScopedGlOverride resets(&GlApi::GetGraphicsResetStatusKHR, ResetStatus);
  if (!TestContext()->device().Has("GL_KHR_robustness")) {
    GTEST_SKIP() << "this driver does not tell of resets (GL_KHR_robustness)";
  }
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
  g_reset = GL_INNOCENT_CONTEXT_RESET_KHR;
  EXPECT_EQ(TfLiteInterpreterInvoke(interpreter), kTfLiteDelegateError);
  EXPECT_EQ(output().AsFloats(), *expected) << "not by the CPU";
  EXPECT_FALSE(LiesOnGpu(input()));
  EXPECT_FALSE(LiesOnGpu(output()));
  TfLiteInterpreterDelete(interpreter);
  TfLiteInterpreterOptionsDelete(options);
}

}  // namespace
}  // namespace gles_delegate::testing
