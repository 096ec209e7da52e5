#include "delegate/ops/movement/embedding_lookup.h"

#include <algorithm>
#include <any>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/linear_gather.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// TFLite reads uint8 as int8 here, and no zero points.
absl::Status CheckQuantizedTable(const Tensor& table) {
  const std::vector<int64_t>& zeros = table.quantization.zero_point;
  if (!table.is_float_view() ||
      (table.is_constant() && table.quantized == DataType::kInt8 &&
       std::all_of(zeros.begin(), zeros.end(),
                   [](int64_t zero) { return zero == 0; }))) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      absl::StrCat("the table ", table.ToString(),
                   " is quantized; it must be constant, int8 or int4, with "
                   "zero points of 0"));
}

}  // namespace

absl::StatusOr<ParsedNode> ParseEmbeddingLookup(const NodeView& node) {
  const Tensor& indices = *node.inputs[0];
  const Tensor& table = *node.inputs[1];
  RETURN_IF_ERROR(CheckQuantizedTable(table));
  for (const Tensor* tensor : {&indices, &table, node.outputs[0]}) {
    RETURN_IF_ERROR(CheckCountable(*tensor));
  }
  if (indices.dims.size() != 1 || table.dims.size() < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the indices are ", DimsString(indices.dims), " and the table is ",
        DimsString(table.dims), "; they must be a vector and a matrix"));
  }
  RETURN_IF_ERROR(CheckConstantIndices(indices, {table.dims[0]}));
  std::vector<int> want = table.dims;
  want[0] = indices.dims[0];
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], want));
  LinearGather rows;
  rows.extents[0] = table.dims[0];
  rows.count = indices.dims[0];
  rows.inner = static_cast<int>(table.shape.elements() / table.dims[0]);
  return ParsedNode{rows, {}};
}

absl::Status PlanEmbeddingLookup(const Node& node, Planner* planner) {
  return AddLinearGather(planner, node.inputs[1], node.inputs[0],
                         node.outputs[0],
                         std::any_cast<const LinearGather&>(node.attributes));
}

}  // namespace gles_delegate
