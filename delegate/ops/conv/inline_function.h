// Post-ops as one expression in a shader's text, for a result that is not the
// first tensor that the shader writes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_INLINE_FUNCTION_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_INLINE_FUNCTION_H_

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// At most two post-ops, in order: what an activation is, or on codes the
// scaling and the range. They read no tensor but one table.
struct InlineFunction {
  std::vector<PostOp> ops;

  TensorId table() const;  // kNoTensor: none is read
};

// nullopt where the post-ops are more, or read other tensors.
std::optional<InlineFunction> InlineFunctionOf(
    const std::vector<PostOp>& post_ops);

// Defines `define`(v, slice) and reads the table as `name`_table. The shader
// declares the params as vec4 `name`0_params and `name`1_params.
void BindInlineFunction(const InlineFunction& function,
                        absl::string_view define, absl::string_view name,
                        Dispatch* d);

// The uniforms of both params; zeros of an op that is not there.
void BindInlineParams(const InlineFunction& function, absl::string_view name,
                      Dispatch* d);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_INLINE_FUNCTION_H_
