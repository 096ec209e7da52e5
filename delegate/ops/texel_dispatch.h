// The dispatch of most ops: one invocation per output texel.
#ifndef GLES_DELEGATE_DELEGATE_OPS_TEXEL_DISPATCH_H_
#define GLES_DELEGATE_DELEGATE_OPS_TEXEL_DISPATCH_H_

#include <initializer_list>

#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

using TensorNames = std::initializer_list<absl::string_view>;

// Binds the node's first inputs and outputs under the shader's names. The grid
// covers the texels of output 0.
Dispatch TexelDispatch(absl::string_view shader, const Node& node,
                       const Planner& planner, TensorNames inputs = {"src"},
                       TensorNames outputs = {"dst"});

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_TEXEL_DISPATCH_H_
