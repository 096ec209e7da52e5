// EMBEDDING_LOOKUP: one row of a table per index. The table is float32, or
// constant and float16, int8 or int4 with one scale or one per row and zero
// points of 0; results are float32. Indices are a vector, int32 at run time,
// int32 or int64 if constant. At run time, indices outside the table are
// clamped; TFLite fails.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/op.h"
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

// kInvalidArgument: constant indices outside the table.
// attributes: LinearGather
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
  LinearGather rows;
  rows.extents[0] = table.dims[0];
  rows.count = indices.dims[0];
  rows.inner = static_cast<int>(table.shape.elements() / table.dims[0]);
  return ParsedNode{rows, {}};
}

absl::Status PlanEmbeddingLookup(const Node& node, Planner* planner) {
  return AddLinearGather(planner, node.inputs[1], node.inputs[0],
                         node.outputs[0], node.Get<LinearGather>());
}

}  // namespace gles_delegate
