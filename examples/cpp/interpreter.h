// TensorFlow Lite's C objects with the delegate, as C++ objects that delete
// them in the right order.
#ifndef GLES_DELEGATE_EXAMPLES_CPP_INTERPRETER_H_
#define GLES_DELEGATE_EXAMPLES_CPP_INTERPRETER_H_

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gles_delegate/gles_delegate.h"
#include "tensorflow/lite/c/c_api.h"

template <auto kDelete>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    kDelete(object);
  }
};
using Model = std::unique_ptr<TfLiteModel, Deleter<TfLiteModelDelete>>;

// Each model can serve many interpreters, also on other threads.
inline Model LoadModel(const std::string& path) {
  Model model(TfLiteModelCreateFromFile(path.c_str()));
  if (!model) throw std::runtime_error(path + " cannot be read");
  return model;
}

// Use it on the thread that made it.
class Interpreter {
 public:
  explicit Interpreter(const TfLiteModel* model,
                       const TfLiteGlesDelegateOptions& delegate_options =
                           TfLiteGlesDelegateOptionsDefault())
      : delegate_(TfLiteGlesDelegateCreate(&delegate_options)) {
    if (!delegate_) Throw();
    std::unique_ptr<TfLiteInterpreterOptions,
                    Deleter<TfLiteInterpreterOptionsDelete>>
        options(TfLiteInterpreterOptionsCreate());
    TfLiteInterpreterOptionsAddDelegate(options.get(), delegate_.get());
    interpreter_.reset(TfLiteInterpreterCreate(model, options.get()));
    if (!interpreter_ ||
        TfLiteInterpreterAllocateTensors(interpreter_.get()) != kTfLiteOk)
      Throw();
  }

  TfLiteTensor* input(int index) {
    return TfLiteInterpreterGetInputTensor(interpreter_.get(), index);
  }
  const TfLiteTensor* output(int index) const {
    return TfLiteInterpreterGetOutputTensor(interpreter_.get(), index);
  }
  int outputs() const {
    return TfLiteInterpreterGetOutputTensorCount(interpreter_.get());
  }
  void Invoke() {
    if (TfLiteInterpreterInvoke(interpreter_.get()) != kTfLiteOk) Throw();
  }

 private:
  [[noreturn]] static void Throw() {
    throw std::runtime_error(TfLiteGlesDelegateLastError());
  }

  // Members are deleted from the last to the first: the delegate outlives the
  // interpreter.
  std::unique_ptr<TfLiteDelegate, Deleter<TfLiteGlesDelegateDelete>> delegate_;
  std::unique_ptr<TfLiteInterpreter, Deleter<TfLiteInterpreterDelete>>
      interpreter_;
};

// The tensor's values, of float32 or uint8, as floats.
inline std::vector<float> Floats(const TfLiteTensor* tensor) {
  const void* data = TfLiteTensorData(tensor);
  const size_t bytes = TfLiteTensorByteSize(tensor);
  if (TfLiteTensorType(tensor) == kTfLiteFloat32) {
    const float* values = static_cast<const float*>(data);
    return std::vector<float>(values, values + bytes / sizeof(float));
  }
  if (TfLiteTensorType(tensor) != kTfLiteUInt8) {
    throw std::runtime_error(std::string(TfLiteTensorName(tensor)) +
                             " is neither float32 nor uint8");
  }
  const TfLiteQuantizationParams params =
      TfLiteTensorQuantizationParams(tensor);
  std::vector<float> result;
  for (size_t i = 0; i < bytes; ++i) {
    const int code = static_cast<const unsigned char*>(data)[i];
    result.push_back(params.scale *
                     static_cast<float>(code - params.zero_point));
  }
  return result;
}

#endif
