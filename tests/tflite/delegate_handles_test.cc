// labels: op egl delegate llvmpipe softpipe oldest_tflite
// TFLite's own buffer handles. TFLite 2.9 has no C function that gives a tensor
// one, so that SetHandle() does what TfLiteInterpreterSetBufferHandle of later
// versions does.
#include <algorithm>
#include <cstdarg>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "egl/objects.h"
#include "tests/testing/app_context.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/gl.h"
#include "tests/testing/matchers.h"
#include "tests/testing/quantized_model.h"
#include "tools/common/tflite_abi.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Buffer;

constexpr float kUntouched = 12345;

class DelegateHandlesTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    context_.impl_ = this;
    context_.ReportError = Report;
    if (!IsSkipped()) app_ = std::make_unique<AppContext>();
  }
  void TearDown() override {
    run_.reset();
    buffers_.clear();
    app_.reset();
  }

  void Load(std::vector<uint8_t> bytes, int mode = kTfLiteGlesThreadCaller) {
    run_ = std::make_unique<BoundRun>(std::move(bytes), "", false);
    run_->delegate = MakeDelegate([&](TfLiteGlesDelegateOptions& options) {
      options.self_check = 0;  // it reads its own buffers
      options.thread_mode = mode;
    });
    run_->Apply();
    auto cpu = InterpreterOrDie(*run_->model);
    expected_ = *RunOnce(cpu.get());
    input_ = cpu->input(0).AsFloats();
  }
  TfLiteTensor& Input() {
    return *TfLiteInterpreterGetInputTensor(run_->interpreter->get(), 0);
  }
  TfLiteTensor& Output() {
    return *const_cast<TfLiteTensor*>(
        TfLiteInterpreterGetOutputTensor(run_->interpreter->get(), 0));
  }
  void SetHandle(TfLiteTensor& tensor, TfLiteBufferHandle handle) {
    ASSERT_TRUE(tensor.delegate == nullptr ||
                tensor.delegate == run_->delegate.get());
    tensor.delegate = run_->delegate.get();
    if (tensor.buffer_handle != kTfLiteNullBufferHandle) {
      tensor.delegate->FreeBufferHandle(nullptr, tensor.delegate,
                                        &tensor.buffer_handle);
      EXPECT_EQ(tensor.buffer_handle, kTfLiteNullBufferHandle);
    }
    tensor.buffer_handle = handle;
  }
  // TFLite's EnsureTensorDataIsReadable, which 2.9's C library does not export.
  void MakeReadable(TfLiteTensor& tensor) {
    ASSERT_TRUE(tensor.data_is_stale);
    ASSERT_EQ(tensor.delegate->CopyFromBufferHandle(
                  &context_, tensor.delegate, tensor.buffer_handle, &tensor),
              kTfLiteOk)
        << errors_;
    tensor.data_is_stale = false;
  }
  static void Report(TfLiteContext* context, const char* format, ...) {
    va_list words;
    va_start(words, format);
    char text[512];
    vsnprintf(text, sizeof(text), format, words);
    va_end(words);
    static_cast<DelegateHandlesTest*>(context->impl_)->errors_ += text;
  }
  void ExpectCopiedUnlessAllowed(int mode);
  GLuint BufferOf(const std::vector<float>& values) {
    buffers_.push_back(Must(Buffer::Create(values.size() * sizeof(float),
                                           values.data(), GL_DYNAMIC_COPY)));
    return buffers_.back().id();
  }
  // A buffer for the output, which nothing has written.
  int UntouchedBuffer() {
    return static_cast<int>(
        BufferOf(std::vector<float>(expected_.size(), kUntouched)));
  }
  // The quantized values of the input's memory go to its buffer.
  void CopyInputToBuffer() {
    ASSERT_EQ(Input().delegate->CopyToBufferHandle(
                  &context_, Input().delegate, Input().buffer_handle, &Input()),
              kTfLiteOk)
        << errors_;
  }
  // The output's memory, of float32.
  absl::Span<float> Memory() {
    return run_->interpreter->output(0).data<float>();
  }

  TfLiteContext context_ = {};  // of no more than the reporter of errors
  std::string errors_;
  std::unique_ptr<AppContext> app_;
  std::vector<Buffer> buffers_;
  std::unique_ptr<BoundRun> run_;
  std::vector<float> input_, expected_;
};

// By default TFLite has the output copied at the end of Invoke.
void DelegateHandlesTest::ExpectCopiedUnlessAllowed(int mode) {
  Load(ChainModel("can"), mode);
  SetHandle(Input(), static_cast<int>(BufferOf(input_)));
  SetHandle(Output(), UntouchedBuffer());
  run_->PoisonInput();
  for (const bool allowed : {false, true}) {
    TfLiteSetAllowBufferHandleOutput(run_->interpreter->get(), allowed);
    std::fill(Memory().begin(), Memory().end(), kUntouched);
    run_->Invoke();
    EXPECT_EQ(Output().data_is_stale, allowed);
    ExpectClose(ReadAll<float>(buffers_[1]), expected_);
    if (allowed) {
      EXPECT_THAT(Memory(), Each(kUntouched));
      MakeReadable(Output());
    }
    ExpectClose(run_->interpreter->output(0).AsFloats(), expected_);
  }
}

TEST_F(DelegateHandlesTest, TheOutputIsCopiedUnlessHandlesAreAllowed) {
  ExpectCopiedUnlessAllowed(kTfLiteGlesThreadCaller);
}

TEST_F(DelegateHandlesTest, AWorkerThatSharesTheAppsObjectsTakesThem) {
  ExpectCopiedUnlessAllowed(kTfLiteGlesThreadWorkerSharing);
}

TEST_F(DelegateHandlesTest, AContextOfTheDelegatesOwnHasNoneOfTheAppsBuffers) {
  Load(ChainModel("can"), kTfLiteGlesThreadWorker);
  SetHandle(Output(), static_cast<int>(BufferOf(expected_)));
  EXPECT_EQ(TfLiteInterpreterInvoke(run_->interpreter->get()), kTfLiteError);
  EXPECT_THAT(run_->interpreter->log(),
              Contains(HasSubstr("an EGLContext of its own")));
  SetHandle(Output(), kTfLiteNullBufferHandle);
}

TEST_F(DelegateHandlesTest, AnotherHandleIsTakenAndNoneEndsIt) {
  Load(ChainModel("can"));
  TfLiteSetAllowBufferHandleOutput(run_->interpreter->get(), true);
  SetHandle(Input(), static_cast<int>(BufferOf(input_)));
  for (int i = 0; i < 2; ++i) {
    SetHandle(Output(), UntouchedBuffer());
    run_->Invoke();
    ExpectClose(ReadAll<float>(buffers_.back()), expected_);
  }
  Output().data_is_stale = false;
  SetHandle(Output(), kTfLiteNullBufferHandle);
  std::fill(Memory().begin(), Memory().end(), kUntouched);
  run_->Invoke();
  EXPECT_FALSE(Output().data_is_stale);
  ExpectClose(run_->interpreter->output(0).AsFloats(), expected_);
}

// The buffers hold float32, and the tensors' memory the CPU's codes.
TEST_F(DelegateHandlesTest, QuantizedTensorsAreFloatsInTheirBuffers) {
  for (const auto type : {TensorType::INT8, TensorType::UINT8}) {
    Load(SumOfQuantized({2, 3, 5, 9}, type));
    TfLiteSetAllowBufferHandleOutput(run_->interpreter->get(), true);
    SetHandle(Input(), static_cast<int>(BufferOf(input_)));
    SetHandle(Output(), UntouchedBuffer());
    run_->PoisonInput();
    run_->Invoke();
    ExpectClose(ReadAll<float>(buffers_.back()), expected_);
    MakeReadable(Output());
    EXPECT_EQ(run_->interpreter->output(0).AsFloats(), expected_);
    // And back: the quantized values' values, to the input's buffer.
    run_->interpreter->input(0).WriteFloats(input_).IgnoreError();
    CopyInputToBuffer();
    ExpectClose(ReadAll<float>(buffers_[buffers_.size() - 2]), input_);
  }
}

// NaN has no code, and becomes the zero point as at each inference.
TEST_F(DelegateHandlesTest, NotANumberBecomesTheZeroPoint) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const auto type : {TensorType::INT8, TensorType::UINT8}) {
    Load(SumOfQuantized({2, 3, 5, 9}, type));
    std::vector<float> values(expected_.size(), std::nanf(""));
    values[1] = kInfinity;
    values[2] = -kInfinity;
    SetHandle(Output(), static_cast<int>(BufferOf(values)));
    Output().data_is_stale = true;
    MakeReadable(Output());
    std::vector<float> wanted(values.size(), 0);
    const TfLiteQuantizationParams q = Output().params;
    const int highest = type == TensorType::INT8 ? 127 : 255;
    wanted[1] = q.scale * static_cast<float>(highest - q.zero_point);
    wanted[2] = q.scale * static_cast<float>(highest - 255 - q.zero_point);
    EXPECT_EQ(run_->interpreter->output(0).AsFloats(), wanted);
    SetHandle(Output(), kTfLiteNullBufferHandle);
  }
}

TEST_F(DelegateHandlesTest, ATensorWithoutFloatsIsNamed) {
  Load(ChainModel("can"));
  TfLiteTensor tensor = Input();
  tensor.type = kTfLiteInt32;
  tensor.buffer_handle = static_cast<int>(BufferOf(input_));
  TfLiteDelegate* delegate = run_->delegate.get();
  EXPECT_EQ(delegate->CopyFromBufferHandle(&context_, delegate,
                                           tensor.buffer_handle, &tensor),
            kTfLiteError);
  EXPECT_THAT(errors_, HasSubstr("'x' int32[1,6,5,5]"));
}

TEST_F(DelegateHandlesTest, TheCpusValuesGoToABuffer) {
  Load(ChainModel("can"));
  const GLuint buffer = BufferOf(std::vector<float>(input_.size(), kUntouched));
  const auto memory = run_->interpreter->input(0).data<float>();
  std::copy(input_.begin(), input_.end(), memory.begin());
  SetHandle(Input(), static_cast<int>(buffer));
  CopyInputToBuffer();
  EXPECT_EQ(ReadAll<float>(buffers_[0]), input_);
}

TEST_F(DelegateHandlesTest, AHandleThatIsNoBufferFailsTheInvoke) {
  Load(ChainModel("can"));
  SetHandle(Output(), 4711);
  EXPECT_EQ(TfLiteInterpreterInvoke(run_->interpreter->get()), kTfLiteError);
  EXPECT_THAT(run_->interpreter->log(), Contains(HasSubstr("4711")));
  EXPECT_FALSE(Output().data_is_stale);
  SetHandle(Output(), kTfLiteNullBufferHandle);
}

}  // namespace
}  // namespace gles_delegate::testing
