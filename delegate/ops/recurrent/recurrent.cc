#include "delegate/ops/recurrent/recurrent.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/graph.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/dispatches.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

namespace {

// --- How nodes are read, and what is refused ---------------------------------

using lstm::kGates;

// Every LSTM has them.
constexpr int kOutputGateRecurrentWeights =
    lstm::kRecurrentWeights + kGates - 1;

constexpr const char* kGateNames[kGates] = {"input", "forget", "cell",
                                            "output"};

struct LstmSizes {
  int batch = 0;
  int inputs = 0;
  int cells = 0;
  int outputs = 0;
};

// kInvalidArgument or kUnimplemented unless input `index` is a constant of
// these dimensions if `wanted`, else absent.
absl::Status CheckInput(const NodeView& node, int index, bool wanted,
                        const std::vector<int>& dims, const std::string& what) {
  const Tensor* tensor = node.input(index);
  if (!wanted) {
    if (tensor == nullptr) return absl::OkStatus();
    return Invalid(what, " is there, others that it needs are not");
  }
  if (tensor == nullptr) return Invalid(what, " is absent");
  RETURN_IF_ERROR(CheckDimsAre(*tensor, dims, what));
  if (!tensor->is_constant()) {
    return Unimplemented(
        what, " is computed at run time; only a constant is supported");
  }
  return CheckWeights(*tensor, what);
}

absl::Status CheckConstants(const NodeView& node, const LstmSizes& s,
                            const LstmAttributes& a) {
  for (int gate = 0; gate < kGates; ++gate) {
    const std::string of = absl::StrCat(kGateNames[gate], " gate's ");
    const bool there = gate != 0 || !a.cifg;
    RETURN_IF_ERROR(CheckInput(node, lstm::kInputWeights + gate, there,
                               {s.cells, s.inputs}, of + "input weights"));
    RETURN_IF_ERROR(CheckInput(node, lstm::kRecurrentWeights + gate, there,
                               {s.cells, s.outputs}, of + "recurrent weights"));
    RETURN_IF_ERROR(
        CheckInput(node, lstm::kBiases + gate, there, {s.cells}, of + "bias"));
    RETURN_IF_ERROR(CheckInput(node, lstm::kNormCoefficients + gate,
                               there && a.layer_norm, {s.cells},
                               of + "layer norm coefficients"));
  }
  constexpr const char* kOf[] = {"input", "forget", "output"};
  for (int p = 0; p < 3; ++p) {
    RETURN_IF_ERROR(CheckInput(
        node, lstm::kPeepholes + p, a.peephole && (p != 0 || !a.cifg),
        {s.cells}, absl::StrCat("the peephole of the ", kOf[p], " gate")));
  }
  RETURN_IF_ERROR(CheckInput(node, lstm::kProjectionWeights, a.projection,
                             {s.outputs, s.cells}, "the projection"));
  const bool has_bias = node.input(lstm::kProjectionBias) != nullptr;
  return CheckInput(node, lstm::kProjectionBias, a.projection && has_bias,
                    {s.outputs}, "the projection's bias");
}

absl::Status CheckState(const Tensor* state, int batch, int channels,
                        absl::string_view what) {
  if (state == nullptr || !state->is_variable) {
    return Invalid(what, " must be a variable tensor");
  }
  const Shape wanted = {batch, 1, 1, channels};
  if (state->shape == wanted) return absl::OkStatus();
  return Invalid(what, " is ", DimsString(state->dims), ", must be ", batch,
                 "x", channels);
}

// The sizes follow from these: the data, the output and the output gate's
// recurrent weights; and the clips.
absl::Status CheckBasics(const NodeView& node, const LstmAttributes& a,
                         size_t rank) {
  const size_t count = node.inputs.size();
  if (count != lstm::kInputs && count != lstm::kInputsWithoutNorm) {
    return Invalid("has ", count, " inputs, must have 20 or 24");
  }
  if (node.outputs.size() != 1 || node.inputs[lstm::kData] == nullptr) {
    return Invalid("must have data and one output");
  }
  const Tensor& data = *node.inputs[lstm::kData];
  RETURN_IF_ERROR(CheckElementType(data, "input", "fq"));
  RETURN_IF_ERROR(CheckElementType(*node.outputs[0], "output", "fq"));
  if (data.dims.size() != rank) {
    return Invalid("input is ", DimsString(data.dims), ", its rank must be ",
                   rank);
  }
  // Not less than zero, and not NaN.
  if (!(a.cell_clip >= 0) || !(a.proj_clip >= 0)) {
    return Invalid("clips at ", a.cell_clip, " and ", a.proj_clip,
                   " must not be negative");
  }
  const Tensor* recurrent = node.inputs[kOutputGateRecurrentWeights];
  if (recurrent == nullptr || recurrent->dims.size() != 2) {
    return Invalid(
        "the output gate's recurrent weights must have 2 dimensions");
  }
  return absl::OkStatus();
}

absl::StatusOr<ParsedNode> ParseLstmNode(const NodeView& node, LstmAttributes a,
                                         int activation, size_t rank) {
  RETURN_IF_ERROR(CheckBasics(node, a, rank));
  const Tensor& data = *node.inputs[lstm::kData];
  const Tensor& recurrent = *node.inputs[kOutputGateRecurrentWeights];
  const LstmSizes sizes = {a.time_major ? data.dims[1] : data.dims[0],
                           data.dims.back(), recurrent.dims[0],
                           recurrent.dims[1]};
  a.cifg = node.input(lstm::kInputWeights) == nullptr;
  a.peephole = node.input(lstm::kPeepholes + 2) != nullptr;
  a.projection = node.input(lstm::kProjectionWeights) != nullptr;
  a.layer_norm = node.input(lstm::kNormCoefficients + 1) != nullptr;
  RETURN_IF_ERROR(CheckConstants(node, sizes, a));
  if (!a.projection && sizes.outputs != sizes.cells) {
    return Invalid(sizes.cells, " cells give ", sizes.outputs,
                   " outputs, without a projection they must be as many");
  }
  RETURN_IF_ERROR(CheckState(node.inputs[lstm::kOutputState], sizes.batch,
                             sizes.outputs, "the output state"));
  RETURN_IF_ERROR(CheckState(node.inputs[lstm::kCellState], sizes.batch,
                             sizes.cells, "the cell state"));
  std::vector<int> wanted = data.dims;
  wanted.back() = sizes.outputs;
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], wanted));
  if (activation == kActNone) {
    return Unimplemented(
        "without an activation TFLite's kernel multiplies by what its scratch "
        "memory held; nothing can match that");
  }
  ASSIGN_OR_RETURN(auto fused, RecurrentActivation(activation));
  a.activation = fused.front();
  return ParsedNode{std::move(a)};
}

}  // namespace

absl::StatusOr<ParsedNode> ParseSequenceLstm(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto params, node.Get<SequenceLstmParams>());
  const SequenceLstmParams& p = *params;
  constexpr int kVersionWithDiagonal = 4, kMinorWithDiagonal = 14;
  if (node.HasField(kVersionWithDiagonal, kMinorWithDiagonal) &&
      p.diagonal_recurrent_tensors) {
    return Unimplemented("diagonal recurrent weights are not supported");
  }
  LstmAttributes a;
  a.time_major = p.time_major;
  a.cell_clip = p.cell_clip;
  a.proj_clip = p.proj_clip;
  return ParseLstmNode(node, std::move(a), p.activation, /*rank=*/3);
}

// LSTM with either kernel; the basic one is below.
absl::StatusOr<ParsedNode> ParseLstm(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto params, node.Get<LstmParams>());
  const LstmParams& p = *params;
  if (p.kernel_type == kLstmBasic) return ParseBasicLstm(node);
  if (p.kernel_type != kLstmFull) {
    return Invalid("kernel type ", p.kernel_type, " is unknown");
  }
  LstmAttributes a;
  a.cell_clip = p.cell_clip;
  a.proj_clip = p.proj_clip;
  return ParseLstmNode(node, std::move(a), p.activation, /*rank=*/2);
}

namespace {

// An LSTM's weights as one table for gl_shaders/recurrent/lstm.comp: column =
// slice of four cells (or outputs), so that neighbouring invocations read
// neighbouring texels. G gates (the input gate first, absent with CIFG).
struct LstmTable {
  int inputs = 0;  // channels of the data
  int cells = 0;
  int outputs = 0;  // channels of the output
  int gates = 4;
  // First rows of:
  int biases = 0;      // gates; before: row (term slice * gates + gate) * 4 + j
                       // holds the weights of channel j, data's slices first
  int peepholes = 0;   // input, forget, output gate
  int norms = 0;       // gates
  int projection = 0;  // row + cell, its bias last
  int width = 0;
  int height = 0;

  // Slices of terms: the data's and the output state's.
  int input_slices() const { return (inputs + 3) / 4; }
  int output_slices() const { return (outputs + 3) / 4; }
  int cell_slices() const { return (cells + 3) / 4; }
  int terms() const { return input_slices() + output_slices(); }
};

// The values of the node's constants by their place among its inputs; empty
// where there is none.
using Constants = std::vector<Tensor>;

Constants ConstantsOf(const Node& node, const Graph& graph) {
  Constants constants(lstm::kInputs);
  for (size_t i = 0; i < node.inputs.size() && i < constants.size(); ++i) {
    const TensorId id = node.inputs[i];
    if (id != kNoTensor && graph.tensor(id).is_constant()) {
      constants[i] = graph.tensor(id);
    }
  }
  return constants;
}

// Fills the table; texel x, component i is column 4 * x + i.
void FillLstm(const Constants& constants, const LstmTable& table,
              absl::Span<float> out) {
  const auto at = [&](int64_t column, int64_t row) -> float& {
    return out[row * table.width * 4 + column];
  };
  const auto values_of = [&](int input) {
    return ConstantFloats(constants[input]).value_or(std::vector<float>());
  };
  const auto put_row = [&](int input, int row) {
    const std::vector<float> values = values_of(input);
    for (size_t i = 0; i < values.size(); ++i) at(i, row) = values[i];
  };
  // A matrix [outputs][terms]: term t is in row row_of(t).
  const auto put_matrix = [&](int input, int outputs, const auto& row_of) {
    const std::vector<float> values = values_of(input);
    if (values.empty()) return;
    const size_t terms = values.size() / outputs;
    for (size_t i = 0; i < terms * outputs; ++i) {
      at(i / terms, row_of(static_cast<int>(i % terms))) = values[i];
    }
  };
  const int first_gate = kGates - table.gates;
  for (int gate = first_gate; gate < kGates; ++gate) {
    const int g = gate - first_gate;
    const auto put_gate = [&](int input, int first_slice) {
      put_matrix(input, table.cells, [&](int term) {
        return ((first_slice + term / 4) * table.gates + g) * 4 + term % 4;
      });
    };
    put_gate(lstm::kInputWeights + gate, 0);
    put_gate(lstm::kRecurrentWeights + gate, table.input_slices());
    put_row(lstm::kBiases + gate, table.biases + g);
    put_row(lstm::kNormCoefficients + gate, table.norms + g);
  }
  for (int p = 0; p < 3; ++p) {
    put_row(lstm::kPeepholes + p, table.peepholes + p);
  }
  put_matrix(lstm::kProjectionWeights, table.outputs,
             [&](int cell) { return table.projection + cell; });
  put_row(lstm::kProjectionBias, table.projection + table.cell_slices() * 4);
}

LstmTable LayOutLstm(const Node& node, const LstmAttributes& a,
                     const Graph& graph) {
  LstmTable t;
  t.inputs = graph.tensor(node.inputs[lstm::kData]).shape.c;
  const Shape& recurrent =
      graph.tensor(node.inputs[kOutputGateRecurrentWeights]).shape;
  t.cells = recurrent.b;
  t.outputs = recurrent.c;
  t.gates = a.cifg ? 3 : 4;
  t.biases = t.terms() * t.gates * 4;
  t.peepholes = t.biases + t.gates;
  t.norms = t.peepholes + 3;
  t.projection = t.norms + t.gates;
  t.width = t.cell_slices();
  t.height = t.projection;
  if (a.projection) {
    t.width = std::max(t.width, t.output_slices());
    t.height += t.cell_slices() * 4 + 1;
  }
  return t;
}

// "weights". The node's constants must have been checked.
PackedConstant PackLstm(const Node& node, const LstmTable& table,
                        const Graph& graph) {
  PackedConstant packed("weights", table.width, table.height);
  packed.cacheable = true;
  packed.fill = [constants = ConstantsOf(node, graph), table](
                    absl::Span<float> out) { FillLstm(constants, table, out); };
  return packed;
}

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
    return Exhausted(t.cells, " cells and ", t.outputs, " outputs need ",
                     LstmSharedBytes(t, a, share),
                     " bytes of shared memory, the device has ",
                     profile.limits.max_shared_memory_bytes);
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
  const auto* attributes = node.As<LstmAttributes>();
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
  return planner->Add(std::move(d));
}

// --- The basic cell ----------------------------------------------------------

namespace {

namespace places = lstm::basic;  // of inputs and outputs

absl::Status CheckKept(const Tensor& state, int batch, int depth,
                       absl::string_view what) {
  RETURN_IF_ERROR(CheckElementType(state, what, "fq"));
  if (!state.is_variable) {
    return Unimplemented(
        what,
        " is made by another node or constant; a variable tensor or an "
        "input of the model is supported");
  }
  return CheckDimsAre(state, {batch, depth}, what);
}

absl::Status CheckLstmOutputs(const NodeView& node, int batch, int inputs,
                              int depth) {
  const std::pair<int, const char*> wanted[] = {
      {depth, "the activation"},
      {depth, "the state"},
      {inputs + depth, "the concatenation"},
      {4 * depth, "the gates' sums"}};
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const auto& [columns, what] = wanted[i];
    RETURN_IF_ERROR(CheckElementType(*node.outputs[i], what, "fq"));
    RETURN_IF_ERROR(CheckDimsAre(*node.outputs[i], {batch, columns}, what));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ParsedNode> ParseBasicLstm(const NodeView& node) {
  const auto is_absent = [](const Tensor* t) { return t == nullptr; };
  if (node.inputs.size() != places::kInputs ||
      node.outputs.size() != places::kOutputs ||
      std::any_of(node.inputs.begin(), node.inputs.end(), is_absent) ||
      std::any_of(node.outputs.begin(), node.outputs.end(), is_absent)) {
    return Invalid("the basic kernel has ", places::kInputs, " inputs and ",
                   places::kOutputs, " outputs");
  }
  const Tensor& data = *node.inputs[places::kData];
  const Tensor& activation = *node.inputs[places::kPrevActivation];
  const Tensor& weights = *node.inputs[places::kWeights];
  const Tensor& bias = *node.inputs[places::kBiases];
  RETURN_IF_ERROR(CheckElementType(data, "input", "fq"));
  if (data.dims.size() != 2 || activation.dims.size() != 2) {
    return Invalid("input and previous activation must have 2 dimensions");
  }
  const int batch = data.dims[0];
  const int inputs = data.dims[1];
  const int depth = activation.dims[1];
  // So that no sum or multiple of them overflows: a file may say anything.
  constexpr int kMax = 1 << 24;
  if (inputs > kMax || depth > kMax) {
    return Unimplemented(inputs, " inputs and ", depth, " cells are past ",
                         kMax);
  }
  RETURN_IF_ERROR(
      CheckKept(activation, batch, depth, "the previous activation"));
  RETURN_IF_ERROR(CheckKept(*node.inputs[places::kPrevState], batch, depth,
                            "the previous state"));
  RETURN_IF_ERROR(CheckWeights(weights, "the matrix of weights"));
  RETURN_IF_ERROR(CheckDimsAre(weights, {4 * depth, inputs + depth},
                               "the matrix of weights"));
  RETURN_IF_ERROR(CheckBias(&bias, 4 * depth));
  RETURN_IF_ERROR(CheckLstmOutputs(node, batch, inputs, depth));
  return ParsedNode{BasicLstmAttributes()};
}

absl::Status PlanBasicLstm(const Node& node, Planner* planner) {
  const TensorId concatenated = node.outputs[places::kConcatenation];
  const TensorId sums = node.outputs[places::kGateSums];
  const Shape& dst = planner->shape(node.outputs[places::kActivation]);

  RETURN_IF_ERROR(AddConcatenation(
      planner,
      {node.inputs[places::kData], node.inputs[places::kPrevActivation]},
      concatenated, /*axis=*/3));
  const Shape& weights = planner->shape(node.inputs[places::kWeights]);
  RETURN_IF_ERROR(PlanConvolution(
      Convolution::OfRows(concatenated, sums,
                          WeightsOf(node, places::kWeights, places::kBiases),
                          weights.b, weights.c, planner->graph()),
      planner));
  Dispatch d("basic_lstm");
  d.Read("sums", sums)
      .Read("old_state", node.inputs[places::kPrevState])
      .Write("activation", node.outputs[places::kActivation])
      .Write("state", node.outputs[places::kState])
      .Write("kept_activation", node.inputs[places::kPrevActivation])
      .Write("kept_state", node.inputs[places::kPrevState])
      .Grid(dst.slices(), dst.b, 1);
  return planner->Add(std::move(d));
}

// --- SVDF --------------------------------------------------------------------

// units * rank filters remember the last M of their features:
//   a[b,f] = sum over i of x[b,i] * feature[f,i]
//   state[b,f,:] = [state[b,f,1:], a[b,f]]
//   y[b,u] = act(bias[u] + sum over r, m of
//                state[b, u*rank + r, m] * time[u*rank + r, m])
// The state stays on the GPU. Source: reference_ops::EvalFloatSVDF.

namespace {

enum Input { kData, kFeature, kTime, kBias, kState };

}  // namespace

absl::StatusOr<ParsedNode> ParseSvdf(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto params, node.Get<SvdfParams>());
  const int rank = params->rank;
  const Tensor& state = *node.inputs[kState];
  if (!state.is_variable) {
    return Invalid("the state ", state.ToString(),
                   " must be a variable tensor");
  }
  if (rank < 1) return Invalid("rank ", rank, " must be positive");
  const int units = node.inputs[kFeature]->dims[0] / rank;
  RETURN_IF_ERROR(CheckBias(node.inputs[kBias], units));
  ASSIGN_OR_RETURN(auto activation, RecurrentActivation(params->activation));
  return ParsedNode{*params, std::move(activation)};
}

absl::Status PlanSvdf(const Node& node, Planner* planner) {
  const auto& a = node.Get<SvdfParams>();
  const Shape feature = planner->shape(node.inputs[kFeature]);
  const Shape time = planner->shape(node.inputs[kTime]);
  const TensorId state = node.inputs[kState];
  const Shape kept = planner->shape(state);
  const Shape dst = planner->shape(node.outputs[0]);

  const TensorId features =
      planner->AddTemporary("svdf features", {kept.b, 1, 1, feature.b});
  RETURN_IF_ERROR(PlanConvolution(
      Convolution::OfRows(node.inputs[kData], features, {node.inputs[kFeature]},
                          feature.b, feature.c, planner->graph()),
      planner));
  const TensorId shifted = planner->AddTemporary("svdf state", kept);
  Dispatch shift("svdf_shift");
  shift.Read("features", features)
      .Read("state", state)
      .Write("dst", shifted)
      .Grid(kept.slices(), kept.b, 1);
  shift.uniforms.Int("memory", time.c);
  RETURN_IF_ERROR(planner->Add(std::move(shift)));

  Dispatch sum("svdf");
  sum.Read("state", shifted)
      .Read("time", node.inputs[kTime])
      .Write("dst", node.outputs[0])
      .Grid(dst.slices(), dst.b, 1);
  sum.uniforms.Int2("filters", a.rank, time.c);
  if (node.inputs[kBias] != kNoTensor) {
    sum.post_ops.push_back({"add", {}, node.inputs[kBias]});
  }
  RETURN_IF_ERROR(planner->Add(std::move(sum)));

  // Every texel of the old state is read by two invocations: it is written
  // last, by a copy.
  return planner->Add(TexelDispatch("copy", shifted, state, *planner));
}

}  // namespace gles_delegate
