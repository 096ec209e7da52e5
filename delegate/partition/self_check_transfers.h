// The self-check of the programs that bring a partition's inputs to the GPU
// and its outputs back. Each runs once, on a tensor that the host reads or
// writes on the other side.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_TRANSFERS_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_TRANSFERS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "delegate/partition/self_check.h"
#include "delegate/runtime/shared_objects.h"

namespace gles_delegate {

// Checks the programs not trusted yet, and adds them to `result`. App's objects
// are left out. If the host does not reach a tensor's memory (textures), an
// upload and a readback are checked together. Otherwise as SelfCheck().
absl::Status CheckTransfers(const SelfCheckInput& input, SharedObjects* objects,
                            SelfCheckResult* result);

// Whether a line of SelfCheckResult::faults is about such a program.
bool IsTransferFault(absl::string_view fault);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_TRANSFERS_H_
