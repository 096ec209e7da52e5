// The function between two convolutions fused into one dispatch: for real
// values a clamp; for quantized values requantization, then clamping.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_INNER_FUNCTION_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_INNER_FUNCTION_H_

#include <optional>

#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

struct InnerFunction {
  // For quantized values. Its operand, if any, is a table of multipliers.
  std::optional<PostOp> scaling;
  float low = 0;  // infinities: no clamp
  float high = 0;
};

// The post-ops of the inner node, which writes `dst`; nullopt if they have
// another form.
std::optional<InnerFunction> InnerFunctionOf(const Graph& graph,
                                             const Node& node, TensorId dst);

// Defines INNER_SCALED(v, slice) and binds its table, if there is a scaling.
void BindInnerScaling(const InnerFunction& inner, Dispatch* d);

// The uniforms "inner_clamp" and, if there is a scaling, "inner_scaling".
void BindInnerParams(const InnerFunction& inner, Dispatch* d);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_INNER_FUNCTION_H_
