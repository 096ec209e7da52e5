// TensorFlow Lite's C API from C++: models, interpreters, tensors, delegates,
// with errors as Status that carry TFLite's own words.
//
//   ASSIGN_OR_RETURN(auto model, Model::FromFile("net.tflite"));
//   DelegatePtr delegate = ...;             // outlives the interpreter
//   InterpreterOptions options;
//   options.delegate = delegate.get();
//   ASSIGN_OR_RETURN(auto interpreter, Interpreter::Create(*model, options));
//   interpreter->input(0).Write<float>(pixels);
//   RETURN_IF_ERROR(interpreter->Invoke());
//   std::vector<float> scores = interpreter->output(0).AsFloats();
//
// Threads: each object on one thread at a time; a delegate may ask for more
// (ours wants Invoke on the thread that applied it).
#ifndef GLES_DELEGATE_TOOLS_COMMON_TFLITE_HOST_H_
#define GLES_DELEGATE_TOOLS_COMMON_TFLITE_HOST_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// A model file in memory. Immutable; must outlive its interpreters.
class Model {
 public:
  // kNotFound: the file does not exist. kInvalidArgument: it holds no model;
  // the message says why.
  static absl::StatusOr<std::unique_ptr<Model>> FromFile(
      const std::string& path);
  // Takes the bytes without a copy. `name` stands in messages.
  static absl::StatusOr<std::unique_ptr<Model>> FromBuffer(
      std::vector<uint8_t> bytes, const std::string& name = "model in memory");

  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const TfLiteModel* get() const { return model_; }
  absl::Span<const uint8_t> bytes() const { return bytes_; }

 private:
  Model() = default;

  std::vector<uint8_t> bytes_;
  TfLiteModel* model_ = nullptr;
};

// A delegate with the function that deletes it. Delete it after its
// interpreters.
using DelegatePtr =
    std::unique_ptr<TfLiteDelegate, std::function<void(TfLiteDelegate*)>>;

using DelegateOptions = std::vector<std::pair<std::string, std::string>>;

// Which quantized nodes XNNPACK takes beside the float ones, as its flags say
// it. TFLite 2.9 leaves those of a type without its flag to the built-in
// kernels.
enum XnnpackQuantized : uint32_t {
  kXnnpackFloats = 0,
  kXnnpackInt8 = 1,
  kXnnpackInt8AndUint8 = 3
};

// TFLite's optimised CPU kernels (in the same library).
absl::StatusOr<DelegatePtr> CreateXnnpackDelegate(
    int num_threads, XnnpackQuantized quantized = kXnnpackFloats);

// The delegate that a plugin's two functions make and destroy.
// kInvalidArgument: it refused; `failure` and its words.
absl::StatusOr<DelegatePtr> MakePluginDelegate(
    TfLiteDelegate* create(char** keys, char** values, size_t count,
                           void (*report_error)(const char*)),
    void destroy(TfLiteDelegate*), const DelegateOptions& options,
    const std::string& failure);

// Any external delegate: opens `library_path`, calls its
// tflite_plugin_create_delegate. The library is never unloaded (delegates leave
// threads and driver state behind). kNotFound: no such library or symbol, with
// the loader's words. kInvalidArgument: the plugin refused, with its words.
absl::StatusOr<DelegatePtr> LoadExternalDelegate(
    const std::string& library_path, const DelegateOptions& options);

// A view of an interpreter's tensor: valid until its next AllocateTensors,
// Resize or deletion.
class TensorView {
 public:
  explicit TensorView(const TfLiteTensor* tensor) : tensor_(tensor) {}

  std::string name() const;
  TfLiteType type() const { return tensor_->type; }
  std::vector<int> dims() const;
  size_t elements() const;
  // One scale for the whole tensor; 0 where the tensor is not quantized.
  TfLiteQuantizationParams quantization() const { return tensor_->params; }

  // The data; an empty span where the tensor has none yet.
  absl::Span<uint8_t> bytes() const;
  template <typename T>
  absl::Span<T> data() const {
    const absl::Span<uint8_t> raw = bytes();
    return {reinterpret_cast<T*>(raw.data()), raw.size() / sizeof(T)};
  }

  // Copies `values` in. kInvalidArgument where the byte sizes differ.
  absl::Status WriteBytes(absl::Span<const uint8_t> values) const;
  template <typename T>
  absl::Status Write(absl::Span<const T> values) const {
    return WriteBytes({reinterpret_cast<const uint8_t*>(values.data()),
                       values.size() * sizeof(T)});
  }
  template <typename T>
  absl::Status Write(const std::vector<T>& values) const {
    return Write(absl::MakeConstSpan(values));
  }

  // Real values of any numeric type: quantized ones through their scale and
  // zero point, half, integers and bools converted. Empty for other types.
  std::vector<float> AsFloats() const;
  // The inverse, for inputs: quantizes (rounds to nearest, clamps) or converts.
  absl::Status WriteFloats(absl::Span<const float> values) const;

  const TfLiteTensor* get() const { return tensor_; }

 private:
  const TfLiteTensor* tensor_;
};

struct InterpreterOptions {
  int num_threads = 1;

  // Not owned; outlives the interpreter. NULL: none.
  TfLiteDelegate* delegate = nullptr;

  // How the delegate is applied: by the interpreter's options, at creation, or
  // by ModifyGraphWithDelegate after it.
  enum class Apply { kModifyGraph, kOptions };
  Apply apply = Apply::kModifyGraph;

  // Registers the reference kernels of delegate/cpu_ops/custom_ops.h.
  bool add_custom_ops = true;
};

class Interpreter {
 public:
  // Makes an interpreter, applies the delegate, allocates the tensors. Errors
  // hold what TFLite logged. `model` and the delegate must outlive the result.
  static absl::StatusOr<std::unique_ptr<Interpreter>> Create(
      const Model& model, const InterpreterOptions& options = {});

  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // ModifyGraphWithDelegate, then AllocateTensors.
  absl::Status ApplyDelegate(TfLiteDelegate* delegate);

  absl::Status AllocateTensors();
  // Takes effect at the next AllocateTensors.
  absl::Status ResizeInput(int index, absl::Span<const int> dims);
  absl::Status Invoke();
  absl::Status ResetVariables();

  int inputs() const;
  int outputs() const;
  TensorView input(int index) const;
  TensorView output(int index) const;

  // Messages of TFLite and its delegates, in order, since the last TakeLog.
  const std::vector<std::string>& log() const { return log_; }
  std::vector<std::string> TakeLog() { return std::exchange(log_, {}); }

  TfLiteInterpreter* get() const { return interpreter_; }

 private:
  Interpreter() = default;

  static void Report(void* self, const char* format, va_list args);
  // Ok, or an error made of `what` and the messages logged since `log_start`.
  absl::Status Check(TfLiteStatus status, const std::string& what,
                     size_t log_start) const;

  TfLiteInterpreter* interpreter_ = nullptr;
  std::vector<std::string> log_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_COMMON_TFLITE_HOST_H_
