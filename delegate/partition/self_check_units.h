// Which nodes a self-check runs: those that together use every program which
// was not found right before. Of the nodes that have a program in common, the
// one that has most of its post-ops, and of these the smallest.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_UNITS_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_UNITS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "delegate/graph/graph.h"
#include "delegate/partition/self_check.h"

namespace gles_delegate {

// Values that are read for one node on the host: what bounds the host's time,
// to a few milliseconds.
inline constexpr int64_t kSelfCheckTermsOfNode = int64_t{1} << 16;

// The programs that were found right in this process, by keys that tell both
// driver and text. Threads: any.
class TrustedPrograms {
 public:
  bool Holds(const std::string& key) {
    absl::MutexLock lock(&mutex_);
    return keys_.contains(key);
  }
  void Add(const std::string& key) {
    absl::MutexLock lock(&mutex_);
    keys_.insert(key);
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
  absl::flat_hash_set<std::string> keys_;
};

// The dispatches of one node: from `first` to before `end`.
struct SelfCheckUnit {
  size_t first = 0;
  size_t end = 0;
  const Node* node = nullptr;         // of the planned graph; null: not found
  std::vector<std::string> programs;  // their keys, one a dispatch
  int64_t elements = 0;               // read and written
  int skipped_post_ops = 0;           // of all dispatches together
};

struct SelfCheckUnits {
  std::vector<SelfCheckUnit> chosen;  // in the order of the plan
  int programs = 0;                   // of the partition, each once
  // Of those: used by the chosen units, or found right before.
  int covered = 0;
};

// An error is one of assembling a program's text.
absl::StatusOr<SelfCheckUnits> ChooseSelfCheckUnits(
    const SelfCheckInput& input);

// The tensor whose memory tensor `id` of the planned graph lies in: `id`, where
// it is no view.
TensorId MemoryOf(const SelfCheckInput& input, TensorId id);
// Whether tensor `id` of the planned graph is one of the graph as read.
bool IsOriginal(const SelfCheckInput& input, TensorId id);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_UNITS_H_
