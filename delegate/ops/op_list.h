// The ops that the delegate knows, by name and by TFLite's code.
#ifndef GLES_DELEGATE_DELEGATE_OPS_OP_LIST_H_
#define GLES_DELEGATE_DELEGATE_OPS_OP_LIST_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

// nullptr: not an op of ours.
const OpDefinition* FindOp(int builtin_code, absl::string_view custom_name);
absl::Span<const OpDefinition> AllOps();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_OP_LIST_H_
