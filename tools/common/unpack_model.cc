#include "tools/common/unpack_model.h"

#include "absl/status/status.h"

namespace gles_delegate {
namespace {

// Of the schema's vectors zero points alone have elements of 64 bits.
bool ZeroPointsAreAligned(const schema::Model& model) {
  if (model.subgraphs() == nullptr) return true;
  for (const schema::SubGraph* graph : *model.subgraphs()) {
    if (graph->tensors() == nullptr) continue;
    for (const schema::Tensor* tensor : *graph->tensors()) {
      const auto* quantization = tensor->quantization();
      if (quantization == nullptr || quantization->zero_point() == nullptr) {
        continue;
      }
      const auto at =
          reinterpret_cast<uintptr_t>(quantization->zero_point()->Data());
      if (at % sizeof(int64_t) != 0) return false;
    }
  }
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<schema::ModelT>> UnpackModel(
    absl::Span<const uint8_t> file) {
  flatbuffers::Verifier verifier(file.data(), file.size());
  if (!schema::VerifyModelBuffer(verifier)) {
    return absl::InvalidArgumentError("not a whole .tflite model");
  }
  if (!ZeroPointsAreAligned(*schema::GetModel(file.data()))) {
    return absl::InvalidArgumentError(
        "zero points of 64 bits do not lie on eight bytes");
  }
  std::unique_ptr<schema::ModelT> model = schema::UnPackModel(file.data());
  if (model->subgraphs.empty()) {
    return absl::InvalidArgumentError("the model has no subgraph");
  }
  return model;
}

}  // namespace gles_delegate
