// The custom op TransformLandmarks, by its definition.
#include "base/status_macros.h"
#include "delegate/tflite/custom_ops/custom_ops.h"
#include "delegate/tflite/custom_ops/kernel_util.h"

namespace gles_delegate {
namespace {

using custom_ops::TensorAt;

constexpr char kName[] = "TransformLandmarks";

template <int kVersion>
absl::StatusOr<TransformLandmarksParams> Params(const TfLiteNode* node,
                                                const TfLiteTensor& landmarks) {
  auto p = ReadTransformLandmarksParams(custom_ops::ParamsOf(node), kVersion);
  if (!p.ok()) return p;
  const std::vector<int> dims = custom_ops::Dims(landmarks);
  if (dims.size() != (kVersion == 1 ? 4 : 3) || dims[0] != 1) {
    return absl::InvalidArgumentError(
        "needs landmarks of batch 1 and rank 4, "
        "in version 2 rank 3");
  }
  if (kVersion == 2) p->dimensions = dims[2];
  if ((p->dimensions != 2 && p->dimensions != 3) ||
      dims.back() % p->dimensions != 0) {
    return absl::InvalidArgumentError("needs landmarks of 2 or 3 dimensions");
  }
  return p;
}

template <int kVersion>
absl::Status Prepare(TfLiteContext* context, TfLiteNode* node) {
  const TfLiteTensor& landmarks = TensorAt(context, node->inputs, 0);
  RETURN_IF_ERROR(Params<kVersion>(node, landmarks).status());
  if (custom_ops::Count(TensorAt(context, node->inputs, 1)) != 16) {
    return absl::InvalidArgumentError("needs a 4x4 matrix");
  }
  return custom_ops::Resize(context, TensorAt(context, node->outputs, 0),
                            custom_ops::Dims(landmarks));
}

template <int kVersion>
absl::Status Invoke(TfLiteContext* context, TfLiteNode* node) {
  const TfLiteTensor& landmarks = TensorAt(context, node->inputs, 0);
  ASSIGN_OR_RETURN(const auto p, Params<kVersion>(node, landmarks));
  const float* m = TensorAt(context, node->inputs, 1).data.f;
  const float* in = landmarks.data.f;
  float* out = TensorAt(context, node->outputs, 0).data.f;
  const int64_t count = custom_ops::Count(landmarks) / p.dimensions;
  for (int64_t i = 0; i < count; ++i) {
    out[0] = m[0] * in[0] + m[1] * in[1] + m[3] * p.scale;
    out[1] = m[4] * in[0] + m[5] * in[1] + m[7] * p.scale;
    if (p.dimensions == 3) out[2] = in[2];
    in += p.dimensions;
    out += p.dimensions;
  }
  return absl::OkStatus();
}

}  // namespace

TfLiteRegistration TransformLandmarksRegistration(int version) {
  return version == 1
             ? custom_ops::Registration<kName, 2, 1, Prepare<1>, Invoke<1>>()
             : custom_ops::Registration<kName, 2, 1, Prepare<2>, Invoke<2>>();
}

}  // namespace gles_delegate
