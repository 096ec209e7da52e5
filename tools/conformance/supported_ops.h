// docs/supported_ops.md, made from the registry.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_SUPPORTED_OPS_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_SUPPORTED_OPS_H_

#include <string>
#include <vector>

namespace gles_delegate::conformance {

// The whole page, as Markdown.
std::string SupportedOpsPage();

// The names in cpu_ops.inc that are not builtins, or are in op_list.inc.
std::vector<std::string> ReasonsForNoOp();

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_SUPPORTED_OPS_H_
