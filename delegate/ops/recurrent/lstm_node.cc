// How the nodes of lstm.h are read, and what is refused.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/fused_activation.h"
#include "delegate/ops/recurrent/basic_lstm.h"
#include "delegate/ops/recurrent/lstm.h"
#include "delegate/ops/recurrent/lstm_inputs.h"

namespace gles_delegate {
namespace {

using lstm::kGates;

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

const Tensor* InputOf(const NodeView& node, int index) {
  return index < static_cast<int>(node.inputs.size()) ? node.inputs[index]
                                                      : nullptr;
}

absl::Status CheckConstant(const Tensor* tensor, std::vector<int> dims,
                           const std::string& what) {
  if (tensor == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(what, " is absent"));
  }
  if (tensor->dims != dims) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " is ", DimsString(tensor->dims), ", must be ",
                     DimsString(dims)));
  }
  if (!tensor->is_constant()) {
    return absl::UnimplementedError(
        absl::StrCat(what,
                     " is computed at run time; only a constant is "
                     "supported"));
  }
  return CheckWeights(*tensor, what);
}

// There as a constant of these dimensions if `wanted`, else absent.
absl::Status CheckIff(bool wanted, const Tensor* tensor, std::vector<int> dims,
                      const std::string& what) {
  if (wanted) return CheckConstant(tensor, std::move(dims), what);
  if (tensor == nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is there, others that it needs are not"));
}

absl::Status CheckGate(const NodeView& node, int gate, const LstmSizes& s,
                       const LstmAttributes& a) {
  const std::string name = kGateNames[gate];
  const bool there = gate != 0 || !a.cifg;
  RETURN_IF_ERROR(CheckIff(there, InputOf(node, lstm::kInputWeights + gate),
                           {s.cells, s.inputs},
                           name + " gate's input weights"));
  RETURN_IF_ERROR(CheckIff(there, InputOf(node, lstm::kRecurrentWeights + gate),
                           {s.cells, s.outputs},
                           name + " gate's recurrent weights"));
  RETURN_IF_ERROR(CheckIff(there, InputOf(node, lstm::kBiases + gate),
                           {s.cells}, name + " gate's bias"));
  return CheckIff(there && a.layer_norm,
                  InputOf(node, lstm::kNormCoefficients + gate), {s.cells},
                  name + " gate's layer norm coefficients");
}

absl::Status CheckOptional(const NodeView& node, const LstmSizes& s,
                           const LstmAttributes& a) {
  constexpr const char* kOf[] = {"input", "forget", "output"};
  for (int p = 0; p < 3; ++p) {
    RETURN_IF_ERROR(CheckIff(
        a.peephole && (p != 0 || !a.cifg), InputOf(node, lstm::kPeepholes + p),
        {s.cells}, absl::StrCat("the peephole of the ", kOf[p], " gate")));
  }
  RETURN_IF_ERROR(CheckIff(a.projection,
                           InputOf(node, lstm::kProjectionWeights),
                           {s.outputs, s.cells}, "the projection"));
  const Tensor* bias = InputOf(node, lstm::kProjectionBias);
  if (bias == nullptr) return absl::OkStatus();
  return CheckIff(a.projection, bias, {s.outputs}, "the projection's bias");
}

absl::Status CheckState(const Tensor* state, int batch, int channels,
                        absl::string_view what) {
  if (state == nullptr || !state->is_variable) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, " must be a variable tensor"));
  }
  const Shape wanted = {batch, 1, 1, channels};
  if (state->shape == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is ", DimsString(state->dims), ", must be ", batch,
                   "x", channels));
}

// The sizes follow from these: the data, the output and the output gate's
// recurrent weights; and the clips.
absl::Status CheckBasics(const NodeView& node, const LstmAttributes& a,
                         size_t rank) {
  const size_t count = node.inputs.size();
  if (count != lstm::kInputs && count != lstm::kInputsWithoutNorm) {
    return absl::InvalidArgumentError(
        absl::StrCat("has ", count, " inputs, must have 20 or 24"));
  }
  if (node.outputs.size() != 1 || node.inputs[lstm::kData] == nullptr) {
    return absl::InvalidArgumentError("must have data and one output");
  }
  const Tensor& data = *node.inputs[lstm::kData];
  RETURN_IF_ERROR(CheckFloat(data, "input"));
  RETURN_IF_ERROR(CheckFloat(*node.outputs[0], "output"));
  if (data.dims.size() != rank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input is ", DimsString(data.dims), ", its rank must be ", rank));
  }
  // Not less than zero, and not NaN.
  if (!(a.cell_clip >= 0) || !(a.proj_clip >= 0)) {
    return absl::InvalidArgumentError(absl::StrCat("clips at ", a.cell_clip,
                                                   " and ", a.proj_clip,
                                                   " must not be negative"));
  }
  const Tensor* recurrent = node.inputs[kOutputGateRecurrentWeights];
  if (recurrent == nullptr || recurrent->dims.size() != 2) {
    return absl::InvalidArgumentError(
        "the output gate's recurrent weights must have 2 dimensions");
  }
  return absl::OkStatus();
}

absl::Status CheckStates(const NodeView& node, const LstmSizes& sizes) {
  RETURN_IF_ERROR(CheckState(node.inputs[lstm::kOutputState], sizes.batch,
                             sizes.outputs, "the output state"));
  return CheckState(node.inputs[lstm::kCellState], sizes.batch, sizes.cells,
                    "the cell state");
}

absl::StatusOr<ParsedNode> ParseLstmNode(const NodeView& node, LstmAttributes a,
                                         int activation, size_t rank) {
  RETURN_IF_ERROR(CheckBasics(node, a, rank));
  const Tensor& data = *node.inputs[lstm::kData];
  const Tensor& recurrent = *node.inputs[kOutputGateRecurrentWeights];
  const LstmSizes sizes = {a.time_major ? data.dims[1] : data.dims[0],
                           data.dims.back(), recurrent.dims[0],
                           recurrent.dims[1]};
  a.cifg = InputOf(node, lstm::kInputWeights) == nullptr;
  a.peephole = InputOf(node, lstm::kPeepholes + 2) != nullptr;
  a.projection = InputOf(node, lstm::kProjectionWeights) != nullptr;
  a.layer_norm = InputOf(node, lstm::kNormCoefficients + 1) != nullptr;
  for (int gate = 0; gate < kGates; ++gate) {
    RETURN_IF_ERROR(CheckGate(node, gate, sizes, a));
  }
  RETURN_IF_ERROR(CheckOptional(node, sizes, a));
  if (!a.projection && sizes.outputs != sizes.cells) {
    return absl::InvalidArgumentError(
        absl::StrCat(sizes.cells, " cells give ", sizes.outputs,
                     " outputs, without a projection they must be as many"));
  }
  RETURN_IF_ERROR(CheckStates(node, sizes));
  std::vector<int> wanted = data.dims;
  wanted.back() = sizes.outputs;
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], wanted));
  if (activation == kActNone) {
    return absl::UnimplementedError(
        "without an activation TFLite's kernel multiplies by what its scratch "
        "memory held; nothing can match that");
  }
  ASSIGN_OR_RETURN(auto fused, RecurrentActivation(activation));
  a.activation = fused.front();
  return ParsedNode{std::move(a), {}};
}

}  // namespace

absl::StatusOr<ParsedNode> ParseSequenceLstm(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto params, node.Get<SequenceLstmParams>());
  const SequenceLstmParams& p = *params;
  constexpr int kVersionWithDiagonal = 4, kMinorWithDiagonal = 14;
  if (node.HasField(kVersionWithDiagonal, kMinorWithDiagonal) &&
      p.diagonal_recurrent_tensors) {
    return absl::UnimplementedError(
        "diagonal recurrent weights are not supported");
  }
  LstmAttributes a;
  a.time_major = p.time_major;
  a.cell_clip = p.cell_clip;
  a.proj_clip = p.proj_clip;
  return ParseLstmNode(node, std::move(a), p.activation, /*rank=*/3);
}

absl::StatusOr<ParsedNode> ParseLstm(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto params, node.Get<LstmParams>());
  const LstmParams& p = *params;
  if (p.kernel_type == kLstmBasic) return ParseBasicLstm(node);
  if (p.kernel_type != kLstmFull) {
    return absl::InvalidArgumentError(
        absl::StrCat("kernel type ", p.kernel_type, " is unknown"));
  }
  LstmAttributes a;
  a.cell_clip = p.cell_clip;
  a.proj_clip = p.proj_clip;
  return ParseLstmNode(node, std::move(a), p.activation, /*rank=*/2);
}

}  // namespace gles_delegate
