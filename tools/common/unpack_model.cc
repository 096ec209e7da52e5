#include "tools/common/unpack_model.h"

#include <algorithm>

#include "absl/status/status.h"

namespace gles_delegate {
namespace {

// Of the schema's vectors those of zero points alone have 64-bit elements.
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

std::string OpName(const schema::OperatorCodeT& code) {
  if (!code.custom_code.empty()) return code.custom_code;
  // Files from before 2020 have the first of the two fields alone.
  const int builtin = std::max(static_cast<int>(code.deprecated_builtin_code),
                               static_cast<int>(code.builtin_code));
  return schema::EnumNameBuiltinOperator(
      static_cast<schema::BuiltinOperator>(builtin));
}

}  // namespace gles_delegate
