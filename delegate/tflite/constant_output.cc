#include "delegate/tflite/constant_output.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/graph/texels.h"
#include "delegate/tflite/host_tensor.h"

namespace gles_delegate {
namespace {

// DEQUANTIZE's output is float32 to the runtime, whatever constant it was
// folded from; other constants are of the runtime's own type.
absl::StatusOr<std::vector<uint8_t>> ConstantOutputBytes(const Tensor& tensor,
                                                         TfLiteType type) {
  const absl::Span<const uint8_t> own = tensor.constant.bytes();
  const bool same = (type == kTfLiteInt32 && tensor.type == DataType::kInt32) ||
                    (type == kTfLiteBool && tensor.type == DataType::kBool);
  if (same) return std::vector<uint8_t>(own.begin(), own.end());
  if (type != kTfLiteFloat32) {
    return absl::UnimplementedError(
        absl::StrCat("the partition's output ", tensor.ToString(),
                     " is a constant that is not float32, int32 or bool"));
  }
  auto values = ConstantFloats(tensor);
  if (!values.ok()) return values.status();
  const auto bytes = AsBytes<float>(*values);
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

}  // namespace

ConstantOutput::ConstantOutput(int index, std::vector<uint8_t> bytes)
    : index_(index), bytes_(std::move(bytes)) {}

absl::StatusOr<ConstantOutput> ConstantOutput::Of(const Tensor& tensor,
                                                  int index, TfLiteType type) {
  auto bytes = ConstantOutputBytes(tensor, type);
  if (!bytes.ok()) return bytes.status();
  return ConstantOutput(index, *std::move(bytes));
}

absl::Status ConstantOutput::CopyTo(TfLiteContext* context) const {
  TfLiteTensor& t = context->tensors[index_];
  if (auto s = CheckBytes(t, bytes_.size(), DataType::kUint8); !s.ok()) {
    return s;
  }
  std::copy(bytes_.begin(), bytes_.end(), t.data.uint8);
  return absl::OkStatus();
}

}  // namespace gles_delegate
