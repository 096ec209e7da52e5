// The programs that a self-check trusts, and its check of those that bring a
// partition's inputs to the GPU and its outputs back.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_TRANSFERS_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_TRANSFERS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/hash_tables.h"
#include "delegate/partition/self_check.h"

namespace gles_delegate {

// Programs that passed in this process, by keys of driver and text. Threads:
// any.
class TrustedPrograms {
 public:
  bool Holds(const std::string& key) {
    absl::MutexLock lock(&mutex_);
    return keys_.contains(key);
  }
  // False: it was already there.
  bool Add(const std::string& key) {
    absl::MutexLock lock(&mutex_);
    return keys_.insert(key).second;
  }
  void Clear() {
    absl::MutexLock lock(&mutex_);
    keys_.clear();
  }
  static TrustedPrograms& Get() {
    static auto* const trusted = new TrustedPrograms;
    return *trusted;
  }

 private:
  absl::Mutex mutex_;
  HashSet<std::string> keys_;
};

// A key of a dispatch's program: the driver and the text. Errors
// come from assembling the text.
absl::StatusOr<std::string> ProgramKey(const egl::Context& context,
                                       const Graph& graph, const Dispatch& d,
                                       const DeviceProfile& profile);

// Checks the programs of inputs and outputs that are not trusted yet, and adds
// them to `result`. Each runs once, on a tensor that the host reads or writes
// on the other side. App's objects are left out. If the host does not reach a
// tensor's memory (textures), an upload and a readback are checked together.
// Otherwise as SelfCheck().
absl::Status CheckTransfers(const SelfCheckInput& input, SharedObjects* objects,
                            SelfCheckResult* result);

// Whether a line of SelfCheckResult::faults is about such a program.
bool IsTransferFault(absl::string_view fault);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_TRANSFERS_H_
