#include "delegate/ops/recurrent/lstm.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/recurrent/basic_lstm.h"
#include "delegate/ops/recurrent/lstm_inputs.h"
#include "delegate/ops/recurrent/lstm_weights.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// How a work group shares the cells, and each cell's sum.
struct Share {
  int columns = 1;
  int lanes = 1;
  bool gates_in_turn = false;
};

int64_t LstmSharedBytes(const LstmTable& t, const LstmAttributes& a,
                        const Share& share) {
  int64_t texels = t.output_slices() + 2 * t.cell_slices();
  if (a.layer_norm) texels += t.gates;
  if (a.layer_norm || share.gates_in_turn) texels += t.gates * t.cell_slices();
  if (share.lanes > 1 || share.gates_in_turn) {
    texels += int64_t{t.gates} * share.columns * share.lanes;
  }
  return texels * 16;
}

// Maximum lanes that run at once. A batch's work group runs on one core; if
// that runs `simd_lanes` invocations in a vector, further vectors run after the
// first, and more sums have to be added up.
int AbreastLanes(int columns, int simd_lanes) {
  return simd_lanes > 1 ? std::max(1, simd_lanes / columns)
                        : std::numeric_limits<int>::max();
}

absl::StatusOr<Share> ShareFor(const LstmTable& t, const LstmAttributes& a,
                               const DeviceProfile& profile) {
  constexpr int kInvocations = 128;
  const int max =
      std::min(kInvocations, profile.limits.max_work_group_invocations);
  const int slices = std::max(t.cell_slices(), t.output_slices());
  Share share;
  while (share.columns < slices && share.columns * 2 <= max &&
         share.columns * 2 <= profile.limits.max_work_group_size[0]) {
    share.columns *= 2;
  }
  share.gates_in_turn = profile.choices.few_registers != 0;
  if (LstmSharedBytes(t, a, share) > profile.limits.max_shared_memory_bytes) {
    share.gates_in_turn = false;
  }
  if (LstmSharedBytes(t, a, share) > profile.limits.max_shared_memory_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(t.cells, " cells and ", t.outputs, " outputs need ",
                     LstmSharedBytes(t, a, share),
                     " bytes of shared memory, the device has ",
                     profile.limits.max_shared_memory_bytes));
  }
  const int max_lanes =
      std::min({max / share.columns, t.terms(), profile.choices.reduction_lanes,
                AbreastLanes(share.columns, profile.choices.simd_lanes),
                profile.limits.max_work_group_size[1]});
  Share wider = share;
  while ((wider.lanes *= 2) <= max_lanes &&
         LstmSharedBytes(t, a, wider) <=
             profile.limits.max_shared_memory_bytes) {
    share = wider;
  }
  return share;
}

}  // namespace

absl::Status PlanLstm(const Node& node, Planner* planner) {
  const auto* attributes = std::any_cast<LstmAttributes>(&node.attributes);
  if (attributes == nullptr) return PlanBasicLstm(node, planner);
  const LstmAttributes& a = *attributes;
  const LstmTable table = LayOutLstm(node, a, planner->graph());
  ASSIGN_OR_RETURN(const auto share, ShareFor(table, a, planner->profile()));
  const Tensor& data = planner->tensor(node.inputs[lstm::kData]);
  const TensorId output_state = node.inputs[lstm::kOutputState];
  const TensorId cell_state = node.inputs[lstm::kCellState];
  Dispatch d("lstm");
  d.Define("GATES", table.gates)
      .Define("LANES", share.lanes)
      .Define("CELL_SLICES", table.cell_slices())
      .Define("OUTPUT_SLICES", table.output_slices());
  if (a.peephole) d.Define("PEEPHOLE");
  if (a.projection) d.Define("PROJECTION");
  if (a.layer_norm) d.Define("LAYER_NORM");
  d.Define("ACTIVATION", absl::StrCat("op_", a.activation.function));
  d.Read("src", node.inputs[lstm::kData])
      .Read("output_state", output_state)
      .Read("cell_state", cell_state)
      .Write("dst", node.outputs[0])
      .Write("new_output_state", output_state)
      .Write("new_cell_state", cell_state)
      .Constant(PackLstm(node, table, planner->graph()))
      .Grid(share.columns, share.lanes,
            a.time_major ? data.shape.w : data.shape.b)
      .WorkGroup(share.columns, share.lanes, 1)
      .SharedMemory(LstmSharedBytes(table, a, share));
  d.uniforms.Int4("sizes", a.time_major ? data.shape.b : data.shape.w,
                  table.input_slices(), table.cells, a.time_major ? 1 : 0);
  d.uniforms.Int4("rows", table.biases, table.peepholes, table.norms,
                  table.projection);
  d.uniforms.Float4("clips", {a.cell_clip, a.proj_clip, 0, 0});
  d.uniforms.Float4("activation_params", a.activation.params);
  if (share.gates_in_turn) {
    d.Define("IN_TURN");
    d.uniforms.Int("gates", table.gates);
  }
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
