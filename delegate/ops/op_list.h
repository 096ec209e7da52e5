// All ops of the delegate, by name and by TFLite's code.
#ifndef GLES_DELEGATE_DELEGATE_OPS_OP_LIST_H_
#define GLES_DELEGATE_DELEGATE_OPS_OP_LIST_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

absl::Span<const OpDefinition> AllOps();

// The op of a TFLite node, or nullptr if the delegate lacks it.
const OpDefinition* FindOp(int builtin_code, absl::string_view custom_name);
// The op with this name, "CONV_2D" or a custom op's, or nullptr.
const OpDefinition* FindOpNamed(absl::string_view name);

// The node's attributes, if its tensors have the op's signature.
absl::StatusOr<ParsedNode> ParseOp(const OpDefinition& op,
                                   const NodeView& node);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_OP_LIST_H_
