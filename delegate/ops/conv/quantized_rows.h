// Constant matrices whose values stay in 8, 4 or 2 bits on the GPU.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_QUANTIZED_ROWS_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_QUANTIZED_ROWS_H_

#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// True for a constant matrix of int8, int4 or int2 without zero points that has
// one scale, one a row, or one for each block of a row; a block has a power of
// two of at least 16 values.
bool StaysQuantized(const Tensor& matrix);

// The matrix as quantized rows (gl_shaders/shader.h), the outputs' weights one
// after the other. The pixels of a row begin at whole texels: `filter` says how
// it consists of them. `bias`: nullptr, or a constant. Nodes that read a matrix
// in the same way share it, whichever shader they take.
PackedConstant PackQuantizedRows(absl::string_view name, const Tensor& matrix,
                                 const Tensor* bias, const Filter& filter);

// Gives `d` the weights of a convolution with quantized_rows, and defines
// QUANTIZED.
void BindQuantizedRows(const Convolution& conv, const Graph& graph,
                       Dispatch* d);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_QUANTIZED_ROWS_H_
