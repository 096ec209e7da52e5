#include "tools/common/tflite_host.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/cpu_ops/custom_ops.h"
#include "third_party/tflite_schema/schema_generated.h"
#include "tools/common/model_builder.h"
#include "tools/common/text_file.h"
#include "tools/common/tflite_abi.h"

namespace gles_delegate {
namespace {

// Says what is wrong with the file before TfLiteModelCreate() is asked, which
// in TFLite 2.9 takes no error reporter and prints one sentence to stderr.
absl::Status CheckModelBytes(absl::Span<const uint8_t> bytes,
                             const std::string& name) {
  // An offset to the root table, then the identifier.
  constexpr size_t kHeaderBytes = 8;
  if (bytes.size() < kHeaderBytes ||
      !schema::ModelBufferHasIdentifier(bytes.data())) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " is no .tflite model: ", bytes.size(),
        " bytes, without the identifier TFL3 at byte 4. Give a file that "
        "TensorFlow Lite's converter wrote."));
  }
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), /*max_depth=*/64,
                                 std::numeric_limits<uint32_t>::max());
  if (!schema::VerifyModelBuffer(verifier)) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, " is a damaged .tflite model: its ", bytes.size(),
        " bytes do not hold what its offsets point to. Is it truncated?"));
  }
  return absl::OkStatus();
}

// "kTfLiteDelegateError" and so on, for messages.
std::string StatusName(TfLiteStatus status) {
  constexpr std::pair<TfLiteStatus, const char*> kNames[] = {
      {kTfLiteError, "kTfLiteError"},
      {kTfLiteDelegateError, "kTfLiteDelegateError"},
      {kTfLiteApplicationError, "kTfLiteApplicationError"},
      {kTfLiteUnresolvedOps, "kTfLiteUnresolvedOps"}};
  for (const auto& [known, name] : kNames) {
    if (known == status) return name;
  }
  return absl::StrCat("TfLiteStatus ", static_cast<int>(status));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Model>> Model::FromFile(
    const std::string& path) {
  ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, ReadFile(path));
  return FromBuffer(std::move(bytes), path);
}

absl::StatusOr<std::unique_ptr<Model>> Model::FromBuffer(
    std::vector<uint8_t> bytes, const std::string& name) {
  RETURN_IF_ERROR(CheckModelBytes(bytes, name));
  std::unique_ptr<Model> model(new Model);
  model->bytes_ = std::move(bytes);
  model->model_ = TfLiteModelCreate(model->bytes_.data(), model->bytes_.size());
  if (model->model_ == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("TensorFlow Lite ", TfLiteVersion(), " refuses ", name,
                     "; its reason is on stderr"));
  }
  return model;
}

Model::~Model() { TfLiteModelDelete(model_); }

void Interpreter::Report(void* self, const char* format, va_list args) {
  va_list again;
  va_copy(again, args);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  std::string message(length > 0 ? length : 0, '\0');
  // A string's data() has room for the closing zero.
  std::vsnprintf(message.data(), message.size() + 1, format, args);
  while (!message.empty() && message.back() == '\n') message.pop_back();
  static_cast<Interpreter*>(self)->log_.push_back(std::move(message));
}

absl::Status Interpreter::Check(TfLiteStatus status, const std::string& what,
                                size_t log_start) const {
  if (status == kTfLiteOk) return absl::OkStatus();
  const size_t start = std::min(log_start, log_.size());
  return absl::InternalError(
      absl::StrCat(what, " returned ", StatusName(status), ": ",
                   absl::StrJoin(log_.begin() + start, log_.end(), "\n")));
}

absl::StatusOr<std::unique_ptr<Interpreter>> Interpreter::Create(
    const Model& model, const InterpreterOptions& options) {
  std::unique_ptr<Interpreter> result(new Interpreter);
  std::unique_ptr<TfLiteInterpreterOptions,
                  decltype(&TfLiteInterpreterOptionsDelete)>
      tflite_options(TfLiteInterpreterOptionsCreate(),
                     TfLiteInterpreterOptionsDelete);
  TfLiteInterpreterOptionsSetNumThreads(tflite_options.get(),
                                        options.num_threads);
  TfLiteInterpreterOptionsSetErrorReporter(tflite_options.get(),
                                           &Interpreter::Report, result.get());
  if (options.add_custom_ops) {
    for (const TfLiteGlesCustomOp& op : CustomOps()) {
      TfLiteInterpreterOptionsAddCustomOp(tflite_options.get(), op.name,
                                          op.registration, op.version,
                                          op.version);
    }
  }
  const bool by_options = options.apply == InterpreterOptions::Apply::kOptions;
  if (options.delegate != nullptr && by_options) {
    TfLiteInterpreterOptionsAddDelegate(tflite_options.get(), options.delegate);
  }
  result->interpreter_ =
      TfLiteInterpreterCreate(model.get(), tflite_options.get());
  if (result->interpreter_ == nullptr) {
    return absl::InternalError(absl::StrCat("TfLiteInterpreterCreate failed: ",
                                            absl::StrJoin(result->log_, "\n")));
  }
  if (options.delegate != nullptr && !by_options) {
    RETURN_IF_ERROR(result->ApplyDelegate(options.delegate));
  }
  RETURN_IF_ERROR(result->AllocateTensors());
  return result;
}

Interpreter::~Interpreter() {
  if (interpreter_ != nullptr) TfLiteInterpreterDelete(interpreter_);
}

absl::Status Interpreter::ApplyDelegate(TfLiteDelegate* delegate) {
  const size_t start = log_.size();
  RETURN_IF_ERROR(
      Check(TfLiteInterpreterModifyGraphWithDelegate(interpreter_, delegate),
            "ModifyGraphWithDelegate", start));
  return AllocateTensors();
}

absl::Status Interpreter::AllocateTensors() {
  const size_t start = log_.size();
  return Check(TfLiteInterpreterAllocateTensors(interpreter_),
               "AllocateTensors", start);
}

absl::Status Interpreter::ResizeInput(int index, absl::Span<const int> dims) {
  const size_t start = log_.size();
  return Check(
      TfLiteInterpreterResizeInputTensor(interpreter_, index, dims.data(),
                                         static_cast<int32_t>(dims.size())),
      "ResizeInputTensor", start);
}

absl::Status Interpreter::Invoke() {
  const size_t start = log_.size();
  return Check(TfLiteInterpreterInvoke(interpreter_), "Invoke", start);
}

absl::Status Interpreter::ResetVariables() {
  const size_t start = log_.size();
  return Check(TfLiteInterpreterResetVariableTensors(interpreter_),
               "ResetVariableTensors", start);
}

int Interpreter::inputs() const {
  return TfLiteInterpreterGetInputTensorCount(interpreter_);
}

int Interpreter::outputs() const {
  return TfLiteInterpreterGetOutputTensorCount(interpreter_);
}

TensorView Interpreter::input(int index) const {
  return TensorView(TfLiteInterpreterGetInputTensor(interpreter_, index));
}

TensorView Interpreter::output(int index) const {
  return TensorView(TfLiteInterpreterGetOutputTensor(interpreter_, index));
}

// TensorView: reading and writing an interpreter's tensors as real numbers.

namespace {

// kTfLiteUInt16, which is younger than the headers here.
constexpr auto kUint16Type = static_cast<TfLiteType>(17);

// Calls `visit`, which returns true, with a value of the C++ type of the
// elements; a half is the uint16_t of its bits, a bool a uint8_t. False: the
// type is none of numbers.
template <typename Visit>
bool VisitElements(TfLiteType type, Visit visit) {
  if (type == kUint16Type) type = kTfLiteFloat16;
  switch (type) {
    case kTfLiteFloat32:
      return visit(float{});
    case kTfLiteFloat64:
      return visit(double{});
    case kTfLiteFloat16:
      return visit(uint16_t{});
    case kTfLiteInt8:
      return visit(int8_t{});
    case kTfLiteUInt8:
    case kTfLiteBool:
      return visit(uint8_t{});
    case kTfLiteInt16:
      return visit(int16_t{});
    case kTfLiteInt32:
      return visit(int32_t{});
    case kTfLiteInt64:
      return visit(int64_t{});
    default:
      return false;
  }
}

// Scale and zero point. The scale is 0 where the tensor is not quantized: its
// integers are then the real numbers.
std::pair<float, int64_t> ScaleOf(TfLiteQuantizationParams params) {
  if (params.scale == 0) return {1.0f, 0};
  return {params.scale, params.zero_point};
}

// As that integer; the comparisons keep NaN (and the float above the largest
// int) out of the conversion, which would be undefined.
template <typename T>
T Clamped(float value) {
  using Limits = std::numeric_limits<T>;
  if (!(value > static_cast<float>(Limits::lowest()))) return Limits::lowest();
  return value >= static_cast<float>(Limits::max()) ? Limits::max()
                                                    : static_cast<T>(value);
}

}  // namespace

std::string TensorView::name() const {
  return tensor_->name == nullptr ? "" : tensor_->name;
}

std::vector<int> TensorView::dims() const {
  if (tensor_->dims == nullptr) return {};
  return {tensor_->dims->data, tensor_->dims->data + tensor_->dims->size};
}

size_t TensorView::elements() const {
  size_t n = 1;
  for (int d : dims()) n *= static_cast<size_t>(d);
  return n;
}

absl::Span<uint8_t> TensorView::bytes() const {
  if (tensor_->data.data == nullptr) return {};
  return {static_cast<uint8_t*>(tensor_->data.data), tensor_->bytes};
}

absl::Status TensorView::WriteBytes(absl::Span<const uint8_t> values) const {
  const absl::Span<uint8_t> raw = bytes();
  if (raw.size() != values.size()) {
    return absl::InvalidArgumentError(absl::StrCat("Tensor ", name(), " holds ",
                                                   raw.size(), " bytes, not ",
                                                   values.size()));
  }
  std::copy(values.begin(), values.end(), raw.begin());
  return absl::OkStatus();
}

std::vector<float> TensorView::AsFloats() const {
  std::vector<float> floats;
  floats.reserve(elements());
  VisitElements(type(), [&](auto element) {
    using T = decltype(element);
    const auto [scale, zero] = ScaleOf(quantization());
    for (T value : data<T>()) {
      if constexpr (std::is_floating_point_v<T>) {
        floats.push_back(static_cast<float>(value));
      } else {
        floats.push_back(type() == kTfLiteFloat16
                             ? HalfToFloat(static_cast<uint16_t>(value))
                             : scale *
                                   static_cast<float>(int64_t{value} - zero));
      }
    }
    return true;
  });
  return floats;
}

absl::Status TensorView::WriteFloats(absl::Span<const float> values) const {
  if (values.size() != elements()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Tensor ", name(), " holds ", elements(),
                     " elements, not ", values.size()));
  }
  absl::Status status;
  const bool known = VisitElements(type(), [&](auto element) {
    using T = decltype(element);
    const auto [scale, zero] = ScaleOf(quantization());
    std::vector<T> out;
    out.reserve(values.size());
    for (float value : values) {
      if constexpr (std::is_floating_point_v<T>) {
        out.push_back(value);
      } else {
        out.push_back(
            type() == kTfLiteFloat16 ? static_cast<T>(FloatToHalf(value))
            : type() == kTfLiteBool  ? static_cast<T>(value != 0)
                                     : Clamped<T>(std::round(value / scale) +
                                                 static_cast<float>(zero)));
      }
    }
    status = Write(out);
    return true;
  });
  if (known) return status;
  return absl::UnimplementedError(absl::StrCat(
      "Tensor ", name(), " has a type that floats do not convert to: ",
      TfLiteTypeGetName(type())));
}

}  // namespace gles_delegate
