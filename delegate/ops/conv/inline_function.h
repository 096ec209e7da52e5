// Post-ops as one expression in a shader, for a result that is not the first
// tensor that it writes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_INLINE_FUNCTION_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_INLINE_FUNCTION_H_

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// At most two post-ops, in order: an activation, or for quantized values
// scaling and clamping. They read at most one table.
struct InlineFunction {
  std::vector<PostOp> ops;

  TensorId table() const;  // kNoTensor: none is read
};

// nullopt if there are more post-ops, or they read other tensors.
std::optional<InlineFunction> InlineFunctionOf(
    const std::vector<PostOp>& post_ops);

// Defines `define`(v, slice) and binds the table as `name`_table. The shader
// declares the params as vec4 `name`0_params and `name`1_params.
void BindInlineFunction(const InlineFunction& function,
                        absl::string_view define, absl::string_view name,
                        Dispatch* d);

// The uniforms of both params; zeros for an absent op.
void BindInlineParams(const InlineFunction& function, absl::string_view name,
                      Dispatch* d);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_INLINE_FUNCTION_H_
