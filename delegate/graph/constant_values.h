// The values of constant tensors as numbers.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_CONSTANT_VALUES_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_CONSTANT_VALUES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// A constant's values as floats, in element order: float16 widened, integers
// with quantization parameters dequantized, bools 0 and 1. kInvalidArgument:
// not a constant, a type without a float view, or too few bytes for the shape.
absl::StatusOr<std::vector<float>> ConstantFloats(const Tensor& tensor);
// The same without a copy if the constant has them as they are, else in `room`:
// valid as long as both.
absl::StatusOr<absl::Span<const float>> ConstantFloats(
    const Tensor& tensor, std::vector<float>* room);
// Whether a constant with several scales has one for each index of a dimension.
// kInvalidArgument, with both.
absl::Status CheckChannelScales(const Tensor& tensor);
// Ok, or the error of ConstantFloats().
absl::Status CheckConstantFloats(const Tensor& tensor);
// Element `i` of them.
float ConstantFloat(const Tensor& tensor, int64_t i);
// The exact values of an int32, int64 or bool constant. kInvalidArgument: not a
// constant, another type, too few bytes, or a value beyond 32 bits.
absl::StatusOr<std::vector<int>> ConstantInts(const Tensor& tensor);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_CONSTANT_VALUES_H_
