#include "delegate/partition/self_check.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "delegate/graph/parallel.h"
#include "delegate/partition/self_check_expected.h"
#include "delegate/partition/self_check_group.h"
#include "delegate/partition/self_check_transfers.h"
#include "delegate/partition/self_check_units.h"
#include "delegate/partition/self_check_values.h"

namespace gles_delegate {
namespace {

using Clock = std::chrono::steady_clock;

// Elements of the tensors of small cases that one executor runs: it takes
// longer to make than they take to run.
constexpr int64_t kGroupElements = int64_t{1} << 20;

// One self-check, from choosing what to run to the verdict.
class Check {
 public:
  Check(const SelfCheckInput& input, SharedObjects* objects)
      : in_(input), objects_(objects) {}

  absl::StatusOr<SelfCheckResult> Run();

 private:
  enum class Answer { kNone, kRight, kWrong };

  std::vector<CaseGroup> Groups() const;
  absl::Status RunCases();
  Answer Compare(const SelfCheckUnit& unit, const ExpectedResult& expected,
                 const ValueAt& got);
  double Tolerance(const Tensor& tensor, bool rounds_once,
                   const ReferenceValue& v) const;
  std::string FaultText(const SelfCheckUnit& unit, TensorId id, int64_t element,
                        double got, double want, double tolerance) const;

  const SelfCheckInput& in_;
  SharedObjects* objects_;
  SelfCheckUnits units_;
  HashSet<std::string> right_, wrong_;  // programs
  SelfCheckResult result_;
};

// In the order of the cases.
std::vector<CaseGroup> Check::Groups() const {
  std::vector<CaseGroup> groups;
  for (const SelfCheckCase& c : units_.chosen) {
    if (groups.empty() || groups.back().elements() >= kGroupElements) {
      groups.emplace_back(in_);
    }
    groups.back().Add(c);
  }
  return groups;
}

double Check::Tolerance(const Tensor& tensor, bool rounds_once,
                        const ReferenceValue& v) const {
  if (tensor.type != DataType::kFloat32) return 0;
  // Halves lose more; products and sums of 16 of them in mediump more again,
  // each rounded 17 times at most by 2^-10 (GLSL ES 3.10, 4.7.4).
  double relative = in_.profile.options.half ? 8e-3 : kRelativeError;
  if (in_.profile.options.half && in_.profile.choices.half_arithmetic != 0) {
    relative += 17 * 0x1p-10;
  }
  double tolerance =
      relative * v.magnitude + (in_.profile.options.half ? 1e-4 : 1e-6);
  if (tensor.is_float_view() && !tensor.quantization.empty() && !rounds_once) {
    // Its own rounding, and that of the integer kernels' tables and of the
    // functions before.
    tolerance += 4.01 * tensor.quantization.scale[0];
  }
  return tolerance;
}

// What is told of a wrong element.
std::string Check::FaultText(const SelfCheckUnit& unit, TensorId id,
                             int64_t element, double got, double want,
                             double tolerance) const {
  std::vector<std::string> shaders;
  for (size_t d = unit.first; d < unit.end; ++d) {
    shaders.push_back(absl::StrCat(in_.dispatches[d].shader, ".comp"));
  }
  return absl::StrCat(in_.dispatches[unit.first].label, " (",
                      absl::StrJoin(shaders, ", "), "): element ", element,
                      " of ", in_.planned.tensor(id).ToString(), " is ", got,
                      ", not ", want, " +- ", tolerance);
}

Check::Answer Check::Compare(const SelfCheckUnit& unit,
                             const ExpectedResult& expected,
                             const ValueAt& got) {
  const Tensor& tensor = in_.planned.tensor(expected.id);
  Answer answer = Answer::kNone;
  for (const auto& [element, reference] : expected.elements) {
    // In halves, terms of a sum may be infinite whose sum is not.
    if (in_.profile.options.half && reference.magnitude > 6e4) continue;
    const double value = got(element);
    const double want = NearestCode(tensor, reference.value);
    const double tolerance = Tolerance(tensor, expected.rounds_once, reference);
    answer = Answer::kRight;
    if (std::abs(value - want) <= tolerance) continue;
    result_.faults.push_back(
        FaultText(unit, expected.id, element, value, want, tolerance));
    return Answer::kWrong;
  }
  return answer;
}

// Groups follow one another, each in the host memory of the one before, while
// other threads compute what the reference expects of the next.
absl::Status Check::RunCases() {
  std::vector<CaseGroup> groups = Groups();
  size_t bytes = 0;
  for (const CaseGroup& group : groups) {
    bytes = std::max(bytes, group.host_bytes());
  }
  // Not zeroed: the system takes time for each page.
  const std::unique_ptr<uint8_t[]> host(new uint8_t[bytes]);
  const std::vector<SelfCheckCase>& cases = units_.chosen;
  std::vector<std::vector<ExpectedResult>> expected(cases.size());
  WorkAhead reference(ThreadsForWork(), static_cast<int>(cases.size()),
                      [&](int i) { expected[i] = ExpectedOf(in_, cases[i]); });
  int next = 0;
  for (CaseGroup& group : groups) {
    RETURN_IF_ERROR(group.Run(objects_, {host.get(), bytes}));
    for (size_t i = 0; i < group.size(); ++i, ++next) {
      reference.Await(next);
      Answer answer = Answer::kNone;
      for (const ExpectedResult& result : expected[next]) {
        const Answer one = Compare(cases[next].compared(), result,
                                   group.ResultOf(i, result.id));
        answer = std::max(answer, one);
        if (answer == Answer::kWrong) break;
      }
      if (answer == Answer::kNone) continue;
      for (const SelfCheckUnit& unit : cases[next].units) {
        auto& found = answer == Answer::kRight ? right_ : wrong_;
        found.insert(unit.programs.begin(), unit.programs.end());
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<SelfCheckResult> Check::Run() {
  // First, as nodes in textures are compared through such programs.
  RETURN_IF_ERROR(CheckTransfers(in_, objects_, &result_));
  if (!result_.ok()) return result_;
  ASSIGN_OR_RETURN(units_, ChooseSelfCheckUnits(in_));
  result_.programs += units_.programs;
  RETURN_IF_ERROR(RunCases());
  result_.checked += units_.found_right;
  for (const std::string& key : right_) {
    if (wrong_.contains(key)) continue;
    result_.checked += TrustedPrograms::Get().Add(key) ? 1 : 0;
  }
  result_.checked += static_cast<int>(wrong_.size());
  return result_;
}

}  // namespace

std::string SelfCheckResult::Verdict() const {
  if (!ok()) return "wrong";
  if (skipped() == 0) return "right";
  return checked > 0 ? "partly checked" : "not checked";
}

absl::StatusOr<SelfCheckResult> SelfCheck(const SelfCheckInput& input,
                                          SharedObjects* objects) {
  const auto start = Clock::now();
  auto result = Check(input, objects).Run();
  if (!result.ok()) return result;
  result->ms =
      std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return result;
}

DeviceProfile FallbackProfile(DeviceProfile profile, bool keep_storage) {
  DeviceChoices plain;  // Fuses nothing, splits nothing, spells nothing out.
  plain.conv_tile_pixels = 1;
  plain.depthwise_tile_pixels = 1;
  plain.reduction_lanes = 1;
  if (keep_storage) plain.storage = profile.choices.storage;
  profile.choices = plain;
  profile.bus = {};
  return profile;
}

void ForgetSelfChecks() { TrustedPrograms::Get().Clear(); }

}  // namespace gles_delegate
