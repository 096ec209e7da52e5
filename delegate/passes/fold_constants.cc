#include "delegate/passes/fold_constants.h"

#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/ops/densify.h"
#include "delegate/ops/op.h"

namespace gles_delegate {
namespace {

absl::Status CheckSameElements(const Tensor& input, const Tensor& output) {
  if (input.shape.elements() == output.shape.elements())
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the constant ", input.ToString(), " cannot become ", output.ToString()));
}

void ShareConstant(const Tensor& input, Tensor* output) {
  output->constant = input.constant;
  output->type = input.type;
  output->codes = input.codes;
  output->quantization = input.quantization;
  output->sparsity = input.sparsity;
}

absl::Status Dequantize(const Tensor& input, Tensor* output) {
  if (input.type == DataType::kFloat16 || input.type == DataType::kFloat32) {
    ShareConstant(input, output);
    return absl::OkStatus();
  }
  auto values = ConstantFloats(input);
  if (!values.ok()) return values.status();
  std::vector<uint8_t> bytes(values->size() * sizeof(float));
  std::memcpy(bytes.data(), values->data(), bytes.size());
  output->constant = ConstantData::Own(std::move(bytes));
  output->type = DataType::kFloat32;
  output->codes = DataType::kOther;
  output->quantization = {};
  return absl::OkStatus();
}

absl::Status Densify(const Tensor& input, Tensor* output) {
  auto bytes = DenseBytes(input);
  if (!bytes.ok()) return bytes.status();
  ShareConstant(input, output);
  output->constant = ConstantData::Own(*std::move(bytes));
  output->sparsity = {};
  return absl::OkStatus();
}

bool IsRelabelling(const Node& node) {
  return node.op->name == "RESHAPE" || node.op->name == "SQUEEZE" ||
         node.op->name == "EXPAND_DIMS";
}

}  // namespace

absl::StatusOr<bool> FoldConstantNode(Graph* graph, const Node& node) {
  const bool dequantize = node.op->name == "DEQUANTIZE";
  const bool densify = node.op->name == "DENSIFY";
  if (!dequantize && !densify && !IsRelabelling(node)) return false;
  if (node.inputs.empty() || node.inputs[0] == kNoTensor ||
      node.outputs.size() != 1 || !node.post_ops.empty()) {
    return false;
  }
  const Tensor& input = graph->tensor(node.inputs[0]);
  Tensor& output = graph->tensor(node.outputs[0]);
  if (!input.is_constant()) return false;
  if (auto s = CheckSameElements(input, output); !s.ok()) return s;
  if (densify) {
    if (auto s = Densify(input, &output); !s.ok()) return s;
  } else if (!input.sparsity.empty()) {
    return false;  // only DENSIFY reads those
  } else if (dequantize) {
    if (auto s = Dequantize(input, &output); !s.ok()) return s;
  } else {
    // Per-channel quantization names a dimension of the old shape.
    if (input.quantization.per_channel()) return false;
    ShareConstant(input, &output);
  }
  return true;
}

absl::Status FoldConstants(Graph* graph) {
  std::vector<Node> kept;
  for (Node& node : graph->nodes) {
    auto folded = FoldConstantNode(graph, node);
    if (!folded.ok()) return folded.status();
    if (!*folded) kept.push_back(std::move(node));
  }
  graph->nodes = std::move(kept);
  return absl::OkStatus();
}

}  // namespace gles_delegate
