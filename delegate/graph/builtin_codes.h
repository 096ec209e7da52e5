// TFLite's builtin operators by name: builtin::CONV_2D is 3.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_BUILTIN_CODES_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_BUILTIN_CODES_H_

namespace gles_delegate::builtin {

// Names as in TFLite's schema. Plain integers, since a newer runtime may pass
// quantized values that are not in the list.
enum Code : int {
#define BUILTIN(name, value) name = (value),
#include "delegate/graph/builtin_names.inc"
#undef BUILTIN
};

}  // namespace gles_delegate::builtin

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_BUILTIN_CODES_H_
