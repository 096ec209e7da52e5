// An LSTM's weights as one table for gl_shaders/recurrent/lstm.comp: column =
// slice of four cells (or outputs), so that neighbouring invocations read
// neighbouring texels. G gates (the input gate first, absent with CIFG).
#ifndef GLES_DELEGATE_DELEGATE_OPS_RECURRENT_LSTM_WEIGHTS_H_
#define GLES_DELEGATE_DELEGATE_OPS_RECURRENT_LSTM_WEIGHTS_H_

#include "delegate/graph/graph.h"
#include "delegate/ops/recurrent/lstm.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

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

LstmTable LayOutLstm(const Node& node, const LstmAttributes& a,
                     const Graph& graph);
// "weights". The node's constants must have been checked.
PackedConstant PackLstm(const Node& node, const LstmTable& table,
                        const Graph& graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_RECURRENT_LSTM_WEIGHTS_H_
