#include "delegate/ops/recurrent/lstm_weights.h"

#include <algorithm>
#include <vector>

#include "delegate/graph/constant_values.h"
#include "delegate/ops/recurrent/lstm_inputs.h"

namespace gles_delegate {
namespace {

using lstm::kGates;

// Constants of the node by their place among its inputs; absent ones are empty.
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

// Fills rows of the table; texel x, component i is column 4 * x + i.
class Filler {
 public:
  Filler(const Constants& constants, const LstmTable& table,
         absl::Span<float> out)
      : constants_(constants), table_(table), out_(out) {}

  void Fill() {
    const int first_gate = kGates - table_.gates;
    for (int gate = first_gate; gate < kGates; ++gate) {
      const int g = gate - first_gate;
      Matrix(lstm::kInputWeights + gate, 0, g);
      Matrix(lstm::kRecurrentWeights + gate, table_.input_slices(), g);
      Vector(lstm::kBiases + gate, table_.biases + g);
      Vector(lstm::kNormCoefficients + gate, table_.norms + g);
    }
    for (int p = 0; p < 3; ++p) {
      Vector(lstm::kPeepholes + p, table_.peepholes + p);
    }
    Projection();
  }

 private:
  float& at(int column, int row) {
    return out_[int64_t{row} * table_.width * 4 + column];
  }
  std::vector<float> Values(int input) const {
    if (!constants_[input].is_constant()) return {};
    return ConstantFloats(constants_[input]).value_or(std::vector<float>());
  }

  // A matrix [cells][channels] of gate g, its first term slice being `term`.
  void Matrix(int input, int term, int g) {
    const std::vector<float> values = Values(input);
    if (values.empty()) return;
    const int channels = static_cast<int>(values.size()) / table_.cells;
    for (int cell = 0; cell < table_.cells; ++cell) {
      for (int c = 0; c < channels; ++c) {
        const int row = ((term + c / 4) * table_.gates + g) * 4 + c % 4;
        at(cell, row) = values[int64_t{cell} * channels + c];
      }
    }
  }

  void Vector(int input, int row) {
    const std::vector<float> values = Values(input);
    for (size_t i = 0; i < values.size(); ++i) {
      at(static_cast<int>(i), row) = values[i];
    }
  }

  void Projection() {
    const std::vector<float> values = Values(lstm::kProjectionWeights);
    if (values.empty()) return;
    for (int o = 0; o < table_.outputs; ++o) {
      for (int cell = 0; cell < table_.cells; ++cell) {
        at(o, table_.projection + cell) =
            values[int64_t{o} * table_.cells + cell];
      }
    }
    Vector(lstm::kProjectionBias, table_.projection + table_.cell_slices() * 4);
  }

  const Constants& constants_;
  const LstmTable& table_;
  absl::Span<float> out_;
};

}  // namespace

LstmTable LayOutLstm(const Node& node, const LstmAttributes& a,
                     const Graph& graph) {
  LstmTable t;
  t.inputs = graph.tensor(node.inputs[lstm::kData]).shape.c;
  // Every LSTM has the output gate's weights.
  const int last_gate = kGates - 1;
  const Shape& recurrent =
      graph.tensor(node.inputs[lstm::kRecurrentWeights + last_gate]).shape;
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

PackedConstant PackLstm(const Node& node, const LstmTable& table,
                        const Graph& graph) {
  PackedConstant packed;
  packed.name = "weights";
  packed.width = table.width;
  packed.height = table.height;
  packed.cacheable = true;
  packed.fill = [constants = ConstantsOf(node, graph),
                 table](absl::Span<float> out) {
    Filler(constants, table, out).Fill();
  };
  return packed;
}

}  // namespace gles_delegate
