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
#include "delegate/partition/self_check_reference.h"

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
  // False: it was there.
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
  absl::flat_hash_set<std::string> keys_;
};

// The dispatches of one node: from `first` to before `end`.
struct SelfCheckUnit {
  size_t first = 0;
  size_t end = 0;
  std::vector<std::string> programs;  // their keys, one a dispatch
  int64_t elements = 0;               // read and written
  int skipped_post_ops = 0;           // of all dispatches together
  // Read, and written by no dispatch of the unit; constants left out.
  std::vector<TensorId> reads;
  // Written, and known to the reference, or lying in a tensor that is.
  std::vector<TensorId> results;
  bool on_codes = false;
};

// What is run to check the programs of its last unit: that unit, and before it
// those which make what the reference knows nothing of (codes between the nodes
// of a 16-bit kernel, say), so that all that is left to be given is known.
struct SelfCheckCase {
  std::vector<SelfCheckUnit> units;  // in the order of the plan
  std::vector<TensorId> given;       // read, and written by none of them
  const SelfCheckUnit& compared() const { return units.back(); }
};

struct SelfCheckUnits {
  std::vector<SelfCheckCase> chosen;  // in the order of the plan
  int programs = 0;                   // of the partition, each once
  int found_right = 0;                // of those: before
};

// An error is one of assembling a program's text.
absl::StatusOr<SelfCheckUnits> ChooseSelfCheckUnits(
    const SelfCheckInput& input);

// A reference for one case, in which the nodes between what is given and what
// is compared are those of the plan, before they were fused. Real values for
// those on codes.
Reference ReferenceOf(const SelfCheckInput& input);

// The tensor whose memory tensor `id` of `graph` lies in: `id`, where it is no
// view.
TensorId MemoryOf(const Graph& graph, TensorId id);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_UNITS_H_
