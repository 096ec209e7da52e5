// The ops that the delegate knows, by name and by TFLite's code.
#ifndef GLES_DELEGATE_DELEGATE_OPS_OP_LIST_H_
#define GLES_DELEGATE_DELEGATE_OPS_OP_LIST_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

absl::Span<const OpDefinition> AllOps();

// The op that a TFLite node names. nullptr: the delegate does not know it.
const OpDefinition* FindOp(int builtin_code, absl::string_view custom_name);
// The op of this name, "CONV_2D" or a custom op's. nullptr: likewise.
const OpDefinition* FindOpNamed(absl::string_view name);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_OP_LIST_H_
