#include "delegate/ops/movement/gather.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/linear_gather.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

constexpr int kTableWidth = 1024;  // texels a row, within any texture limit

int Product(absl::Span<const int> dims) {
  int product = 1;  // of a tensor's axes: within int
  for (int d : dims) product *= d;
  return product;
}

// batch_dims, counted from the front. kInvalidArgument: batch_dims is past the
// axis or the indices' rank.
absl::StatusOr<int> BatchDims(const NodeView& node, int axis) {
  ASSIGN_OR_RETURN(auto params, node.Get<GatherParams>());
  // Every struct since TFLite 2.5 has batch_dims, and TFLite's kernel reads it
  // at any version of the op.
  int batch_dims = params->batch_dims;
  const int index_rank = static_cast<int>(node.inputs[1]->dims.size());
  if (batch_dims < 0) batch_dims += index_rank;
  if (batch_dims < 0 || batch_dims > axis || batch_dims > index_rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("batch_dims is ", params->batch_dims, ", axis ", axis,
                     ", the indices' rank ", index_rank));
  }
  return batch_dims;
}

}  // namespace

// kInvalidArgument: constant indices outside the axis.
absl::StatusOr<ParsedNode> ParseGather(const NodeView& node) {
  RETURN_IF_ERROR(CheckGather(node));
  ASSIGN_OR_RETURN(auto params, node.Get<GatherParams>());
  const std::vector<int>& dims = node.inputs[0]->dims;
  const Tensor& indices = *node.inputs[1];
  const int rank = static_cast<int>(dims.size());
  ASSIGN_OR_RETURN(auto axis, NormalAxis(params->axis, rank));
  ASSIGN_OR_RETURN(auto batch_dims, BatchDims(node, axis));
  RETURN_IF_ERROR(CheckConstantIndices(indices, {dims[axis]}));
  const auto axes = absl::MakeConstSpan(dims);
  GatherAttributes a;
  if (!indices.is_constant() || batch_dims > 0 || rank > 4) {
    LinearGather linear;
    linear.outer = Product(axes.subspan(batch_dims, axis - batch_dims));
    linear.extents[0] = dims[axis];
    linear.inner = Product(axes.subspan(axis + 1));
    linear.count =
        Product(absl::MakeConstSpan(indices.dims).subspan(batch_dims));
    a.linear = linear;
    return ParsedNode{std::move(a), {}};
  }
  ASSIGN_OR_RETURN(auto values, ConstantInts(indices));
  std::vector<int> picked = dims;
  picked[axis] = static_cast<int>(values.size());
  a.axis = BhwcAxis(axis, rank);
  a.indices = std::move(values);
  a.picked = Shape::FromDims(picked);
  return ParsedNode{std::move(a), {}};
}

void AddGather(Planner* planner, TensorId src, TensorId dst, int axis,
               const std::vector<int>& indices) {
  static constexpr const char* kAxes[] = {"AXIS_BATCH", "AXIS_Y", "AXIS_X",
                                          "AXIS_CHANNEL"};
  Dispatch d("gather");
  d.Define(kAxes[axis]);
  d.Read("src", src).Write("dst", dst);
  PackedConstant table;
  table.name = "table";
  const int count = static_cast<int>(indices.size());
  table.width = kTableWidth;
  table.height = (count + kTableWidth - 1) / kTableWidth;
  table.always_float32 = true;  // exact up to 2^24, past any axis
  table.fill = [indices = std::make_shared<const std::vector<int>>(indices)](
                   absl::Span<float> texels) {
    for (size_t i = 0; i < indices->size(); ++i) texels[4 * i] = (*indices)[i];
  };
  d.Constant(std::move(table));
  d.OverTexels(planner->tensor(dst).shape);
  AddInLightGroups(std::move(d), planner);
}

absl::Status PlanGather(const Node& node, Planner* planner) {
  const auto& a = node.Get<GatherAttributes>();
  const TensorId output = node.outputs[0];
  if (a.linear.has_value()) {
    return AddLinearGather(planner, node.inputs[0], node.inputs[1], output,
                           *a.linear);
  }
  const bool direct = planner->tensor(output).shape == a.picked;
  const TensorId picked =
      direct ? output
             : planner->AddTemporary("picked slices", a.picked,
                                     planner->tensor(output).type);
  AddGather(planner, node.inputs[0], picked, a.axis, a.indices);
  if (!direct) AddReshape(planner, picked, output);
  return absl::OkStatus();
}

// GATHER_ND: each row of the indices [..., depth] selects an element or slice
// at the input's first `depth` axes: the output has the indices' leading axes,
// then the input's trailing ones. Input of float32, int32 or bool and any rank,
// depth 1 to 4; indices int32, or int64 constants. At run time, indices outside
// their axis are clamped; TFLite fails.
// kInvalidArgument: constant indices outside the input.
absl::StatusOr<ParsedNode> ParseGatherNd(const NodeView& node) {
  RETURN_IF_ERROR(CheckGather(node));
  const std::vector<int>& dims = node.inputs[0]->dims;
  LinearGather gather;
  ASSIGN_OR_RETURN(gather.depth, DepthOfIndices(*node.inputs[1], dims));
  std::copy_n(dims.begin(), gather.depth, gather.extents.begin());
  const auto extents = absl::MakeConstSpan(gather.extents).first(gather.depth);
  RETURN_IF_ERROR(CheckConstantIndices(*node.inputs[1], extents));
  const int64_t picks = node.inputs[1]->shape.elements() / gather.depth;
  gather.count = static_cast<int>(picks);
  gather.inner = static_cast<int>(node.outputs[0]->shape.elements() / picks);
  return ParsedNode{gather, {}};
}

absl::Status PlanGatherNd(const Node& node, Planner* planner) {
  return AddLinearGather(planner, node.inputs[0], node.inputs[1],
                         node.outputs[0], node.Get<LinearGather>());
}

}  // namespace gles_delegate
