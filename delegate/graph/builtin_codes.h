// TFLite's builtin operators by name: builtin::CONV_2D is 3.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_BUILTIN_CODES_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_BUILTIN_CODES_H_

namespace gles_delegate::builtin {

// Spelled as in TFLite's schema. Plain integers, as the runtime may be newer
// than the list and hand over a code that the list has not.
enum Code : int {
#define BUILTIN(name, value) name = (value),
#include "delegate/graph/builtin_names.inc"
#undef BUILTIN
};

}  // namespace gles_delegate::builtin

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_BUILTIN_CODES_H_
