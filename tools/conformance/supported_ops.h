// The tables of docs/supported_ops.md, made from the registry.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_SUPPORTED_OPS_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_SUPPORTED_OPS_H_

#include <string>
#include <vector>

namespace gles_delegate::conformance {

// The page with its tables written again, each from a comment with its name to
// "<!-- end -->"; "" if it lacks such comments.
std::string SupportedOpsPage(std::string page);

// The names in cpu_ops.inc that are not builtins, or are in op_list.inc.
std::vector<std::string> ReasonsForNoOp();

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_SUPPORTED_OPS_H_
