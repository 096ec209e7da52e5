#include "delegate/partition/autotuning.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "delegate/device/tuning_parameters.h"

namespace gles_delegate {
namespace {

using gl_shaders::Storage;

constexpr double kGain = 0.98;  // less is noise

// Measures profiles, each once, and keeps the best.
class Search {
 public:
  using Measure =
      absl::FunctionRef<absl::StatusOr<double>(const DeviceProfile&)>;
  Search(const DeviceProfile& start, Measure measure)
      : measure_(measure), best_{start} {}

  absl::Status Begin() {
    // Twice: the first run of all finds clocks low and caches cold.
    for (int i = 0; i < 2; ++i) {
      auto ms = Time(best_.profile);
      if (!ms.ok()) return ms.status();
      best_.before_ms = best_.after_ms = *ms;
    }
    return absl::OkStatus();
  }

  // Measures the winner and `start` alternately, since one of dozens of
  // measurements may be fast by chance. Drops a winner without a gain.
  absl::Status Confirm(const DeviceProfile& start) {
    if (TuningText(best_.profile.choices) == TuningText(start.choices))
      return absl::OkStatus();
    constexpr int kTurns = 3;
    double before = std::numeric_limits<double>::infinity();
    double after = before;
    for (int i = 0; i < kTurns; ++i) {
      auto first = Time(start);
      if (!first.ok()) return first.status();
      auto second = Time(best_.profile);
      if (!second.ok()) return second.status();
      before = std::min(before, *first);
      after = std::min(after, *second);
    }
    const bool gains = after <= kGain * before;
    if (!gains) best_.profile = start;
    best_.before_ms = before;
    best_.after_ms = gains ? after : before;
    return absl::OkStatus();
  }

  // True if it was better.
  bool Try(const DeviceProfile& candidate) {
    if (seen_.count(TuningText(candidate.choices)) != 0) return false;
    auto ms = Time(candidate);
    if (!ms.ok() || *ms > kGain * best_.after_ms) return false;
    best_.profile = candidate;
    best_.after_ms = *ms;
    return true;
  }

  const Tuned& best() const { return best_; }

 private:
  absl::StatusOr<double> Time(const DeviceProfile& profile) {
    seen_.insert(TuningText(profile.choices));
    ++best_.measured;
    return measure_(profile);
  }

  Measure measure_;
  Tuned best_;
  std::set<std::string> seen_;
};

// Whether the search may give `tuning parameter` this value. Requires `tuning
// parameter` to have candidates.
bool MayTry(const TuningParameter& parameter, int value,
            bool may_change_storage, const DeviceLimits& limits) {
  if (parameter.member != TuningParameter::Member(&DeviceChoices::storage))
    return true;
  return may_change_storage &&
         (static_cast<Storage>(value) != Storage::kTexelBuffer ||
          limits.max_texel_buffer_texels > 0);
}

bool TryAll(bool may_change_storage, Search* search) {
  bool better = false;
  for (const TuningParameter& parameter : TuningParameters()) {
    for (int value : parameter.candidates) {
      DeviceProfile candidate = search->best().profile;
      if (!MayTry(parameter, value, may_change_storage, candidate.limits))
        continue;
      parameter.Set(value, &candidate.choices);
      candidate.bus = BusTransfersOf(candidate.choices);
      better |= search->Try(candidate);
    }
  }
  return better;
}

}  // namespace

absl::StatusOr<Tuned> TuneExhaustively(
    const DeviceProfile& start, bool may_change_storage,
    absl::FunctionRef<absl::StatusOr<double>(const DeviceProfile&)> measure) {
  Search search(start, measure);
  if (auto s = search.Begin(); !s.ok()) return s;
  if (TryAll(may_change_storage, &search)) TryAll(may_change_storage, &search);
  if (auto s = search.Confirm(start); !s.ok()) return s;
  return search.best();
}

}  // namespace gles_delegate
