// A convolution fused with a 1x1 convolution of its result, as one dispatch
// that stores both. Only FuseNext makes such nodes. The first convolution is a
// CONV_2D or made by FuseDepthwise. Inputs: those of the first, then filter and
// bias of the 1x1 convolution; the bias may be kNoTensor. Outputs: the first's,
// to which post-ops apply, and the 1x1 convolution's, to which kNextStage does.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_NEXT_POINTWISE_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_NEXT_POINTWISE_H_

#include <any>
#include <cstddef>

#include "delegate/graph/op.h"
#include "delegate/ops/conv/convolution.h"

namespace gles_delegate {

struct NextPointwiseAttributes {
  const OpDefinition* first = nullptr;
  std::any first_attributes;
  size_t first_inputs = 0;  // how many of the node's inputs are the first's
};

// The op of a node whose first convolution is of op `first`.
const OpDefinition& WithNextPointwise(const OpDefinition& first);

// The first convolution as a separate node.
Node FirstOf(const Node& node);

NextPointwise NextOf(const Graph& graph, const Node& node,
                     const NextPointwiseAttributes& attributes);

// kResourceExhausted if it does not fit the device.
PlanFunction PlanWithNextPointwise;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_NEXT_POINTWISE_H_
