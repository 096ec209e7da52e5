#include "delegate/ops/reduction/l2_normalization.h"

#include <any>
#include <utility>

#include "delegate/ops/reduction/row_threads.h"
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
  const auto* quantized =
      std::any_cast<L2NormalizationOfQuantized>(&node.attributes);
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

}  // namespace gles_delegate
