// docs/supported_ops.md, made from the registry.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_SUPPORTED_OPS_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_SUPPORTED_OPS_H_

#include <string>
#include <vector>

namespace gles_delegate::conformance {

// The whole page, as Markdown.
std::string SupportedOpsPage();

// Builtin operators that neither op_list.inc nor cpu_ops.inc has, and those
// that both have.
std::vector<std::string> OpsNotInOneListAlone();

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_SUPPORTED_OPS_H_
