// The minimum work of an op, and the name of its bench.
#ifndef GLES_DELEGATE_BENCHES_OP_BENCH_OP_WORK_H_
#define GLES_DELEGATE_BENCHES_OP_BENCH_OP_WORK_H_

#include <string>

#include "tools/runner/op_shapes.h"

namespace gles_delegate {

// Multiplications and additions of an op that is measured by them
// (convolutions, matrix products, LSTM); 0 of one that moves data. Padding
// counts as if it were values.
double Flops(const OpShape& shape);

// Bytes of inputs, weights and outputs, each once, if a number takes
// `bytes_each`.
double Bytes(const OpShape& shape, int bytes_each);

// "CONV_2D/<model>/n4/k1x1/1x56x56x128/to:1x56x56x128/stride:1/RELU6": n4 is
// the first such node of the model, k the window. Unique within a model.
std::string BenchName(const std::string& model, const OpShape& shape);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BENCHES_OP_BENCH_OP_WORK_H_
