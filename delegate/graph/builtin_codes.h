// TFLite's builtin operators by name: BuiltinOperator_CONV_2D is 3.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_BUILTIN_CODES_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_BUILTIN_CODES_H_

namespace gles_delegate {

// Names as in TFLite's own code. Their prefix keeps them apart from macros:
// musl's <limits.h> defines ARG_MAX. Plain integers, since a newer runtime may
// pass operators that are not in the list.
enum BuiltinOperator : int {
#define BUILTIN(name, value) BuiltinOperator_##name = (value),
#include "delegate/graph/builtin_names.inc"
#undef BUILTIN
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_BUILTIN_CODES_H_
