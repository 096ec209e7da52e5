// What two convolutions that are one dispatch do between them: on real values a
// clamp; on codes the function that makes codes of sums, then the codes' range.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_INNER_FUNCTION_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_INNER_FUNCTION_H_

#include <optional>

#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

struct InnerFunction {
  // On codes. Its operand, where it has one, is a table of multipliers.
  std::optional<PostOp> scaling;
  float low = 0;  // infinities: no clamp
  float high = 0;
};

// What the post-ops of the node that is computed on the way are; nullopt where
// they are something else. The node writes `dst`.
std::optional<InnerFunction> InnerFunctionOf(const Graph& graph,
                                             const Node& node, TensorId dst);

// Defines INNER_SCALED(v, slice), where there is a scaling, and reads its
// table.
void BindInnerScaling(const InnerFunction& inner, Dispatch* d);

// The uniforms "inner_clamp" and, where there is a scaling, "inner_scaling".
void BindInnerParams(const InnerFunction& inner, Dispatch* d);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_INNER_FUNCTION_H_
