// Selects the nodes of a self-check: a set that uses every program not checked
// before. Among nodes with a common program, prefers the one with most of its
// post-ops, then the smallest.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_UNITS_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_UNITS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/hash_tables.h"
#include "delegate/graph/graph.h"
#include "delegate/partition/self_check.h"
#include "delegate/partition/self_check_reference.h"

namespace gles_delegate {

// Terms that the host may sum for one node, which limits its time to a few
// milliseconds, and for its first value, if that alone has more: one of an
// attention over a thousand keys.
inline constexpr int64_t kSelfCheckTermsOfNode = int64_t{1} << 16;
inline constexpr int64_t kSelfCheckTermsOfValue = int64_t{1} << 19;

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

// The dispatches [first, end) of one node.
struct SelfCheckUnit {
  size_t first = 0;
  size_t end = 0;
  std::vector<std::string> programs;  // their keys, one a dispatch
  int64_t elements = 0;               // read and written
  int skipped_post_ops = 0;           // of all dispatches together
  // Read, and not written by the unit; without constants.
  std::vector<TensorId> reads;
  // Written, and known to the reference, or in the memory of a tensor that is.
  std::vector<TensorId> results;
  bool integer_path = false;
};

// The units to run for checking the last one's programs: that unit, preceded by
// those that produce what the reference does not know (such as quantized values
// within a 16-bit kernel), so that all remaining inputs are known.
struct SelfCheckCase {
  std::vector<SelfCheckUnit> units;  // in the order of the plan
  std::vector<TensorId> given;       // read, and written by none of them
  bool far = false;  // given integers are past the end of any axis
  const SelfCheckUnit& compared() const { return units.back(); }
};

struct SelfCheckUnits {
  std::vector<SelfCheckCase> chosen;  // in the order of the plan
  int programs = 0;                   // of the partition, each once
  int found_right = 0;                // of those: before
};

// Errors come from assembling a program's text.
absl::StatusOr<SelfCheckUnits> ChooseSelfCheckUnits(
    const SelfCheckInput& input);

// A reference for one case, in which the nodes between inputs and compared
// outputs are those of the plan before fusion, with real values for those on
// the integer path.
Reference ReferenceOf(const SelfCheckInput& input);

// --- Inputs and outputs ------------------------------------------------------

// The programs that bring a partition's inputs to the GPU and its outputs back.
// Each runs once, on a tensor that the host reads or writes on the other side.

// Checks the programs not trusted yet, and adds them to `result`. App's objects
// are left out. If the host does not reach a tensor's memory (textures), an
// upload and a readback are checked together. Otherwise as SelfCheck().
absl::Status CheckTransfers(const SelfCheckInput& input, SharedObjects* objects,
                            SelfCheckResult* result);

// Whether a line of SelfCheckResult::faults is about such a program.
bool IsTransferFault(absl::string_view fault);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_UNITS_H_
