// A convolution with a 1x1 convolution of its result, as one dispatch that
// stores both. No node of a model is this op: FuseNext makes them. The first is
// a CONV_2D or what FuseDepthwise makes. Node inputs: those of the first, then
// filter and bias of the 1x1 convolution and the table that its function reads;
// the bias may be kNoTensor, the table absent. Node outputs: the first's, which
// takes the post-ops, and the 1x1 convolution's.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_NEXT_POINTWISE_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_NEXT_POINTWISE_H_

#include <any>
#include <cstddef>

#include "delegate/graph/op.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/conv/inline_function.h"

namespace gles_delegate {

struct NextPointwiseAttributes {
  const OpDefinition* first = nullptr;
  std::any first_attributes;
  size_t first_inputs = 0;  // how many of the node's inputs are the first's
  InlineFunction function;  // of the 1x1 convolution's results
};

// The op of a node whose first convolution is a node of `first`.
const OpDefinition& WithNextPointwise(const OpDefinition& first);

// The first convolution as a node of its own.
Node FirstOf(const Node& node);

NextPointwise NextOf(const Graph& graph, const Node& node,
                     const NextPointwiseAttributes& attributes);

// kResourceExhausted where the device has no room for it.
PlanFunction PlanWithNextPointwise;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_NEXT_POINTWISE_H_
