#include "delegate/ops/reduction/normalizations.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/reduction/row_threads.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// TFLite's kernel takes no fused activation.
absl::StatusOr<ParsedNode> ParseL2Normalization(const NodeView&) {
  return ParsedNode{};
}

absl::Status PlanL2Normalization(const Node& node, Planner* planner) {
  const Shape shape = planner->tensor(node.outputs[0]).shape;
  const int threads = ThreadsPerRow(
      shape.slices(), int64_t{shape.b} * shape.h * shape.w, planner->profile());
  const auto* quantized = node.As<L2NormalizationOfQuantized>();
  Dispatch d("l2_normalization");
  d.Define("THREADS", threads);
  if (threads > 1) d.SharedMemory(int64_t{16} * threads);
  d.Read("src", node.inputs[0]).Write("dst", node.outputs[0]);
  if (quantized != nullptr) {
    d.Define("QUANTIZED").Define("RESCALE", "op_rescale");
    d.uniforms.Int("zero_out", quantized->zero_out);
    d.uniforms.Int("low", quantized->is_unsigned ? 0 : -128);
    d.uniforms.Int("more_bits", quantized->is_unsigned ? 7 : 0);
  }
  d.Grid(int64_t{shape.w} * threads, shape.h, shape.b);
  if (threads > 1) d.WorkGroup(threads, 1, 1);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

// --- LOCAL_RESPONSE_NORMALIZATION --------------------------------------------

// kInvalidArgument: another rank, a negative radius, or an output shape that is
// not the input's.
absl::StatusOr<ParsedNode> ParseLocalResponseNormalization(
    const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<LocalResponseNormParams>());
  if (params->radius < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("radius ", params->radius, " must not be negative"));
  }
  return ParsedNode{
      LocalResponseNormalizationAttributes{params->radius, params->bias,
                                           params->alpha, params->beta},
      {}};
}

absl::Status PlanLocalResponseNormalization(const Node& node,
                                            Planner* planner) {
  const auto& a = node.Get<LocalResponseNormalizationAttributes>();
  const Shape shape = planner->tensor(node.outputs[0]).shape;
  Dispatch d = TexelDispatch("local_response_normalization", node, *planner);
  // No window reaches further than all channels.
  d.uniforms.Int("radius", std::min(a.radius, shape.c));
  d.uniforms.Float("bias", a.bias);
  d.uniforms.Float("alpha", a.alpha);
  // The shader gives bias + alpha * sum; the library's pow is exact enough,
  // which drivers' is not.
  PostOp power{"pow", {-a.beta, 0, 0, 0}};
  PostOp times{"mul"};
  times.operand = node.inputs[0];
  d.post_ops = {power, times};
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace gles_delegate
