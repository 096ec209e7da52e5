// The flag that gives the GLES delegate its options: the same in every program.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_GLES_OPTIONS_H_
#define GLES_DELEGATE_TOOLS_RUNNER_GLES_OPTIONS_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {

// "key:value;key:value" to pairs; a value may hold colons. kInvalidArgument,
// naming `flag`, if an item has no colon or no key.
absl::StatusOr<DelegateOptions> ParseDelegateOptions(const std::string& text,
                                                     const std::string& flag);

// The options of --gles_options. kInvalidArgument: as above.
absl::StatusOr<DelegateOptions> GlesOptionsFromFlag();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_GLES_OPTIONS_H_
