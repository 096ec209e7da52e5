#include "delegate/ops/movement/scatter_nd.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/linear_gather.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Each texel of the output reads every index: past this many reads the CPU,
// which reads each once, is faster.
constexpr int64_t kMaxReads = int64_t{1} << 27;

absl::Status CheckTypes(const NodeView& node) {
  for (const Tensor* t : {node.inputs[0], node.inputs[1], node.outputs[0]}) {
    RETURN_IF_ERROR(CheckCountable(*t));
  }
  return absl::OkStatus();
}

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
  RETURN_IF_ERROR(CheckTypes(node));
  const Tensor& indices = *node.inputs[0];
  const Tensor& updates = *node.inputs[1];
  const Tensor& output = *node.outputs[0];
  ASSIGN_OR_RETURN(auto dims, IntsOfInput(node, 2));
  RETURN_IF_ERROR(CheckOutputDims(output, dims));
  Scatter scatter;
  const int rank = static_cast<int>(output.dims.size());
  scatter.depth = indices.dims.empty() ? 0 : indices.dims.back();
  if (scatter.depth < 1 || scatter.depth > rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("the indices are ", DimsString(indices.dims),
                     ", their last axis must be 1 to the rank of the output ",
                     DimsString(output.dims)));
  }
  if (scatter.depth > static_cast<int>(scatter.extents.size())) {
    return absl::UnimplementedError(absl::StrCat(
        "an index names ", scatter.depth, " axes, at most 4 run here"));
  }
  std::vector<int> want(indices.dims.begin(), indices.dims.end() - 1);
  want.insert(want.end(), dims.begin() + scatter.depth, dims.end());
  if (updates.dims != want) {
    return absl::InvalidArgumentError(
        absl::StrCat("the updates are ", DimsString(updates.dims),
                     ", the indices and the output take ", DimsString(want)));
  }
  std::copy_n(dims.begin(), scatter.depth, scatter.extents.begin());
  const auto extents =
      absl::MakeConstSpan(scatter.extents).first(scatter.depth);
  RETURN_IF_ERROR(CheckConstantIndices(indices, extents));
  RETURN_IF_ERROR(CheckScatterReads(output, indices));
  const int64_t count = indices.shape.elements() / scatter.depth;
  scatter.count = static_cast<int>(count);
  scatter.inner = static_cast<int>(updates.shape.elements() / count);
  return ParsedNode{scatter, {}};
}

absl::Status PlanScatterNd(const Node& node, Planner* planner) {
  const auto& scatter = std::any_cast<const Scatter&>(node.attributes);
  ASSIGN_OR_RETURN(auto index,
                   IndicesAsInt32(planner, node.inputs[scatter.indices_input]));
  Dispatch d("scatter_nd");
  d.Define(DefineOf(scatter.reducer));
  if (planner->tensor(node.outputs[0]).type == DataType::kInt32) {
    d.Define("INTS");
  }
  d.Read("updates", node.inputs[scatter.updates_input]);
  d.Read("indices", index).Write("dst", node.outputs[0]);
  d.uniforms.Int4("extents", scatter.extents[0], scatter.extents[1],
                  scatter.extents[2], scatter.extents[3]);
  d.uniforms.Int("depth", scatter.depth);
  d.uniforms.Int("inner", scatter.inner);
  d.uniforms.Int("count", scatter.count);
  d.OverTexels(planner->tensor(node.outputs[0]).shape);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
