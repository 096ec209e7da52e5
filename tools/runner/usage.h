// What --help of a program prints.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_USAGE_H_
#define GLES_DELEGATE_TOOLS_RUNNER_USAGE_H_

#include <string>

namespace gles_delegate {

// Before absl::ParseCommandLine: --help prints `usage` and the flags of this
// project that the program has, not abseil's.
void SetUsage(const std::string& usage);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_USAGE_H_
