#include "tools/gles_tune/search.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/device/tuning_parameters.h"

namespace gles_delegate {
namespace {

constexpr double kGain = 0.98;  // less is noise

// Measures tunings, each once, and keeps the best.
class Search {
 public:
  using Measure = absl::FunctionRef<absl::StatusOr<double>(const Tuning&)>;
  Search(const std::set<std::string>& fixed, Measure measure)
      : fixed_(fixed), measure_(measure) {}

  absl::Status Begin() {
    // Twice: the first run of all finds clocks low and caches cold.
    for (int i = 0; i < 2; ++i) {
      ASSIGN_OR_RETURN(auto ms, Time({}));
      best_.before_ms = best_.after_ms = ms;
    }
    return absl::OkStatus();
  }

  // True if a value was better.
  bool TryAll() {
    bool better = false;
    for (const TuningParameter& parameter : TuningParameters()) {
      if (fixed_.count(std::string(parameter.name)) != 0) continue;
      for (int value : parameter.candidates) {
        Tuning candidate = best_.tuning;
        candidate[std::string(parameter.name)] = value;
        better |= Try(std::move(candidate));
      }
    }
    return better;
  }

  // One of dozens of measurements may be fast by chance.
  absl::Status Confirm() {
    if (best_.tuning.empty()) return absl::OkStatus();
    constexpr int kTurns = 3;
    double before = std::numeric_limits<double>::infinity();
    double after = before;
    for (int i = 0; i < kTurns; ++i) {
      ASSIGN_OR_RETURN(auto first, Time({}));
      ASSIGN_OR_RETURN(auto second, Time(best_.tuning));
      before = std::min(before, first);
      after = std::min(after, second);
    }
    const bool gains = after <= kGain * before;
    if (!gains) best_.tuning.clear();
    best_.before_ms = before;
    best_.after_ms = gains ? after : before;
    return absl::OkStatus();
  }

  const TuningResult& best() const { return best_; }

 private:
  bool Try(Tuning candidate) {
    if (seen_.count(candidate) != 0) return false;
    auto ms = Time(candidate);
    if (!ms.ok() || *ms > kGain * best_.after_ms) return false;
    best_.tuning = std::move(candidate);
    best_.after_ms = *ms;
    return true;
  }

  absl::StatusOr<double> Time(const Tuning& tuning) {
    seen_.insert(tuning);
    ++best_.measured;
    return measure_(tuning);
  }

  const std::set<std::string>& fixed_;
  Measure measure_;
  TuningResult best_;
  std::set<Tuning> seen_;
};

}  // namespace

std::string TuningAsText(const Tuning& tuning) {
  return absl::StrJoin(tuning, ",", absl::PairFormatter("="));
}

std::string SummaryOf(const TuningResult& result) {
  return absl::StrFormat(
      "%d measurements: %.3f ms with the device preset, %.3f ms with %s",
      result.measured, result.before_ms, result.after_ms,
      result.tuning.empty()
          ? "the same: no setting is faster"
          : absl::StrJoin(result.tuning, ", ", absl::PairFormatter("=")));
}

absl::StatusOr<TuningResult> SearchTuning(
    const std::set<std::string>& fixed,
    absl::FunctionRef<absl::StatusOr<double>(const Tuning&)> measure) {
  Search search(fixed, measure);
  RETURN_IF_ERROR(search.Begin());
  if (search.TryAll()) search.TryAll();
  RETURN_IF_ERROR(search.Confirm());
  return search.best();
}

}  // namespace gles_delegate
