// The custom op MaxUnpooling2D, by its definition.
#include "base/status_macros.h"
#include "delegate/tflite/custom_ops/custom_ops.h"
#include "delegate/tflite/custom_ops/kernel_util.h"

namespace gles_delegate {
namespace {

using custom_ops::TensorAt;

constexpr char kName[] = "MaxUnpooling2D";

absl::Status Prepare(TfLiteContext* context, TfLiteNode* node) {
  ASSIGN_OR_RETURN(const auto p, ReadPoolParams(custom_ops::ParamsOf(node)));
  const TfLiteTensor& data = TensorAt(context, node->inputs, 0);
  const std::vector<int> dims = custom_ops::Dims(data);
  if (dims.size() != 4 ||
      dims != custom_ops::Dims(TensorAt(context, node->inputs, 1)) ||
      p.stride_height != p.filter_height || p.stride_width != p.filter_width) {
    return absl::InvalidArgumentError(
        "needs data and indices of one shape and "
        "rank 4, and strides as large as the window");
  }
  return custom_ops::Resize(
      context, TensorAt(context, node->outputs, 0),
      {dims[0], dims[1] * p.filter_height, dims[2] * p.filter_width, dims[3]});
}

absl::Status Invoke(TfLiteContext* context, TfLiteNode* node) {
  ASSIGN_OR_RETURN(const auto p, ReadPoolParams(custom_ops::ParamsOf(node)));
  const TfLiteTensor& data = TensorAt(context, node->inputs, 0);
  const TfLiteTensor& indices = TensorAt(context, node->inputs, 1);
  TfLiteTensor& output = TensorAt(context, node->outputs, 0);
  const std::vector<int> dims = custom_ops::Dims(data);
  std::fill_n(output.data.f, custom_ops::Count(output), 0.0f);
  const int width = dims[2] * p.filter_width;
  int64_t at = 0;
  for (int row = 0; row < dims[0] * dims[1]; ++row) {
    for (int x = 0; x < dims[2]; ++x) {
      for (int c = 0; c < dims[3]; ++c, ++at) {
        const int index = static_cast<int>(indices.data.f[at]);
        // Drops indices outside the window.
        if (index < 0 || index >= p.filter_width * p.filter_height) continue;
        const int64_t oy =
            int64_t{row} * p.filter_height + index / p.filter_width;
        const int ox = x * p.filter_width + index % p.filter_width;
        output.data.f[(oy * width + ox) * dims[3] + c] = data.data.f[at];
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

TfLiteRegistration MaxUnpooling2DRegistration() {
  return custom_ops::Registration<kName, 2, 1, Prepare, Invoke>();
}

}  // namespace gles_delegate
