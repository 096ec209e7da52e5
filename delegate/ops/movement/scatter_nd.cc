#include "delegate/ops/movement/scatter_nd.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/gather.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Each texel of the output reads every index: past this many reads the CPU,
// which reads each once, is faster.
constexpr int64_t kMaxReads = int64_t{1} << 27;

}  // namespace

absl::Status CheckScatterReads(const Tensor& output, const Tensor& indices) {
  const Shape& to = output.shape;
  const int64_t texels = int64_t{to.b} * to.h * to.w * to.slices();
  const int64_t reads = indices.shape.elements();
  if (texels <= kMaxReads / reads) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("each of the ", texels, " texels of the output would read ",
                   reads, " indices; at most ", kMaxReads, " reads run here"));
}

absl::StatusOr<ParsedNode> ParseScatterNd(const NodeView& node) {
  RETURN_IF_ERROR(CheckIndexed(node));
  const Tensor& indices = *node.inputs[0];
  const Tensor& updates = *node.inputs[1];
  const Tensor& output = *node.outputs[0];
  Scatter scatter;
  RETURN_IF_ERROR(scatter.SetExtents(indices, output.dims));
  RETURN_IF_ERROR(CheckScatterReads(output, indices));
  const int64_t count = indices.shape.elements() / scatter.depth;
  scatter.count = static_cast<int>(count);
  scatter.inner = static_cast<int>(updates.shape.elements() / count);
  return ParsedNode{scatter, {}};
}

absl::Status PlanScatterNd(const Node& node, Planner* planner) {
  const auto& scatter = node.Get<Scatter>();
  ASSIGN_OR_RETURN(auto index,
                   IndicesAsInt32(planner, node.inputs[scatter.indices_input]));
  Dispatch d = TexelDispatch("scatter_nd", node, *planner, {});
  d.Define(DefineOf(scatter.reducer));
  if (planner->tensor(node.outputs[0]).type == DataType::kInt32) {
    d.Define("INTS");
  }
  d.Read("updates", node.inputs[scatter.updates_input]);
  d.Read("indices", index);
  scatter.Bind(&d);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

namespace {

absl::StatusOr<ParsedNode> ParseSegments(const NodeView& node, int segments,
                                         Reducer reducer) {
  const Tensor& data = *node.inputs[0];
  const Tensor& output = *node.outputs[0];
  for (const Tensor* t : {&data, &output}) {
    RETURN_IF_ERROR(CheckCountable(*t));
  }
  Scatter scatter;
  scatter.indices_input = 1;
  scatter.updates_input = 0;
  scatter.extents[0] = segments;
  scatter.reducer = reducer;
  scatter.count = static_cast<int>(node.inputs[1]->shape.elements());
  scatter.inner = static_cast<int>(data.shape.elements() / scatter.count);
  RETURN_IF_ERROR(CheckScatterReads(output, *node.inputs[1]));
  return ParsedNode{scatter, {}};
}

}  // namespace

// SEGMENT_SUM and UNSORTED_SEGMENT_SUM, _PROD, _MAX and _MIN: row s of the
// output is the sum (product, maximum, minimum) of the rows of input 0 whose id
// is s. Input 1: the ids, int32; those of SEGMENT_SUM must be constant, as the
// output's shape follows from them. Input 2 of the others: the number of
// segments, constant. At run time a row whose id is past it is ignored; TFLite
// fails on it. All are a SCATTER_ND whose indices are the ids.
// kUnimplemented: ids known only at run time, other types.
absl::StatusOr<ParsedNode> ParseSegmentSum(const NodeView& node) {
  const std::vector<int>& dims = node.outputs[0]->dims;
  return ParseSegments(node, dims.empty() ? 1 : dims[0], Reducer::kSum);
}

absl::StatusOr<ParsedNode> ParseUnsortedSegments(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto segments, IntsOfInput(node, 2));
  if (node.inputs[1]->is_constant()) {
    ASSIGN_OR_RETURN(auto ids, ConstantInts(*node.inputs[1]));
    // A negative id drops its row.
    for (int id : ids) {
      if (id < segments.front()) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "id ", id, " is outside of ", segments.front(), " segments"));
    }
  }
  return ParseSegments(node, segments.front(),
                       ReducerOf(*FindOp(node.builtin_code, "")));
}

}  // namespace gles_delegate
