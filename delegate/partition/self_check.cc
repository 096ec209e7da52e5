#include "delegate/partition/self_check.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "delegate/partition/self_check_reference.h"
#include "delegate/partition/self_check_units.h"
#include "delegate/partition/self_check_values.h"
#include "delegate/plan/dispatch_shader.h"
#include "delegate/runtime/executor.h"

namespace gles_delegate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSamples = 48;  // elements of a node's output

// One self-check, from choosing what to run to the verdict.
class Check {
 public:
  Check(const SelfCheckInput& input, ProgramCache* programs)
      : in_(input),
        programs_(programs),
        reference_(input.original),
        random_(20111) {}

  absl::StatusOr<SelfCheckResult> Run();

 private:
  void LayOut();
  absl::Status Execute();
  void Compare(const SelfCheckUnit& unit);
  std::vector<float> ValuesOf(TensorId id) const;
  double Tolerance(const Tensor& tensor, const ReferenceValue& v) const;
  std::string FaultText(const SelfCheckUnit& unit, int64_t element, double got,
                        double want, double tolerance) const;

  const SelfCheckInput& in_;
  ProgramCache* programs_;
  Reference reference_;
  std::mt19937 random_;
  std::vector<SelfCheckUnit> units_;
  Graph graph_;  // the planned one, with the check's inputs and outputs
  // Of the check's inputs and outputs, by tensor.
  absl::flat_hash_map<TensorId, std::vector<float>> values_;
  SelfCheckResult result_;
};

// Inputs: what is read and not written before; outputs: what nodes write.
void Check::LayOut() {
  graph_ = in_.planned;
  graph_.inputs.clear();
  graph_.outputs.clear();
  absl::flat_hash_set<TensorId> written, given;
  for (const SelfCheckUnit& unit : units_) {
    for (size_t i = unit.first; i < unit.end; ++i) {
      const Dispatch& d = in_.dispatches[i];
      absl::flat_hash_set<TensorId> writes;
      for (const auto& [name, id] : d.writes) writes.insert(MemoryOf(in_, id));
      for (TensorId bound : BoundTensors(d)) {
        const TensorId id = MemoryOf(in_, bound);
        if (graph_.tensor(id).is_constant() || writes.contains(id) ||
            written.contains(id) || !given.insert(id).second) {
          continue;
        }
        graph_.inputs.push_back(id);
      }
      written.insert(writes.begin(), writes.end());
    }
    const TensorId output = MemoryOf(in_, unit.node->outputs[0]);
    if (std::find(graph_.outputs.begin(), graph_.outputs.end(), output) ==
        graph_.outputs.end()) {
      graph_.outputs.push_back(output);
    }
  }
}

absl::Status Check::Execute() {
  LayOut();
  std::vector<Dispatch> dispatches;
  for (const SelfCheckUnit& unit : units_) {
    for (size_t i = unit.first; i < unit.end; ++i) {
      dispatches.push_back(in_.dispatches[i]);
    }
  }
  // The host packs and unpacks what it can reach: a program that does would
  // take longer to compile.
  DeviceProfile profile = in_.profile;
  profile.options.runs_once = true;
  profile.choices.host_transfers = 1;
  profile.choices.host_output_bytes = std::numeric_limits<int>::max();
  auto executor = Executor::Create(in_.context, programs_, graph_,
                                   std::move(dispatches), profile);
  if (!executor.ok()) return executor.status();
  std::vector<std::vector<uint8_t>> in, out;
  for (TensorId id : graph_.inputs)
    in.push_back(RandomBytes(graph_.tensor(id), &random_));
  for (TensorId id : graph_.outputs) {
    const Tensor& tensor = graph_.tensor(id);
    out.emplace_back(tensor.shape.elements() *
                     (tensor.holds_codes ? 1 : sizeof(float)));
  }
  const std::vector<absl::Span<const uint8_t>> inputs(in.begin(), in.end());
  std::vector<absl::Span<uint8_t>> outputs;
  for (auto& bytes : out) outputs.push_back(absl::MakeSpan(bytes));
  if (auto s = (*executor)->Invoke(inputs, outputs); !s.ok()) return s;
  for (size_t i = 0; i < in.size(); ++i) {
    values_[graph_.inputs[i]] =
        FloatsOf(graph_.tensor(graph_.inputs[i]), in[i]);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    values_[graph_.outputs[i]] =
        FloatsOf(graph_.tensor(graph_.outputs[i]), out[i]);
  }
  return absl::OkStatus();
}

double Check::Tolerance(const Tensor& tensor, const ReferenceValue& v) const {
  // Halves lose more; products and sums of 16 of them in mediump more again,
  // each rounded 17 times at most by 2^-10 (GLSL ES 3.10, 4.7.4).
  double relative = in_.profile.options.half ? 8e-3 : kRelativeError;
  if (in_.profile.options.half && in_.profile.choices.half_arithmetic != 0) {
    relative += 17 * 0x1p-10;
  }
  double tolerance =
      relative * v.magnitude + (in_.profile.options.half ? 1e-4 : 1e-6);
  if (tensor.is_float_view() && !tensor.quantization.empty()) {
    // Its own rounding, and that of the integer kernels' tables and of the
    // functions before.
    tolerance += 4.01 * tensor.quantization.scale[0];
  }
  return tolerance;
}

// The values of a tensor that was given or computed; empty: it was neither.
std::vector<float> Check::ValuesOf(TensorId id) const {
  const TensorId memory = MemoryOf(in_, id);
  const auto it = values_.find(memory);
  if (it == values_.end()) return {};
  return memory == id ? it->second
                      : ViewOf(it->second, graph_.tensor(memory).shape,
                               graph_.tensor(id));
}

// What is told of a wrong element.
std::string Check::FaultText(const SelfCheckUnit& unit, int64_t element,
                             double got, double want, double tolerance) const {
  std::vector<std::string> shaders;
  for (size_t d = unit.first; d < unit.end; ++d) {
    shaders.push_back(absl::StrCat(in_.dispatches[d].shader, ".comp"));
  }
  return absl::StrCat(in_.dispatches[unit.first].label, " (",
                      absl::StrJoin(shaders, ", "), "): element ", element,
                      " of ",
                      in_.planned.tensor(unit.node->outputs[0]).ToString(),
                      " is ", got, ", not ", want, " +- ", tolerance);
}

void Check::Compare(const SelfCheckUnit& unit) {
  for (size_t i = unit.first; i < unit.end; ++i) {
    for (TensorId id : BoundTensors(in_.dispatches[i])) {
      if (graph_.tensor(id).is_constant() || !IsOriginal(in_, id)) continue;
      if (auto values = ValuesOf(id); !values.empty()) {
        reference_.Know(id, std::move(values));
      }
    }
  }
  const TensorId output = unit.node->outputs[0];
  const std::vector<float> got = ValuesOf(output);
  const Tensor& tensor = in_.planned.tensor(output);
  const auto elements = static_cast<int64_t>(got.size());
  reference_.SetTermsLeft(kSelfCheckTermsOfNode);
  for (int i = 0; i < kSamples && elements > 0; ++i) {
    // The corners, then anywhere.
    const int64_t at = i == 0   ? 0
                       : i == 1 ? elements - 1
                                : static_cast<int64_t>(random_() % elements);
    const auto expected = reference_.Expect(output, at);
    if (!expected) continue;
    if (in_.profile.options.half && std::abs(expected->value) > 6e4) continue;
    const double want = NearestCode(tensor, expected->value);
    const double tolerance = Tolerance(tensor, *expected);
    if (std::abs(got[at] - want) <= tolerance) continue;
    result_.faults.push_back(FaultText(unit, at, got[at], want, tolerance));
    return;
  }
}

absl::StatusOr<SelfCheckResult> Check::Run() {
  const auto start = Clock::now();
  auto units = ChooseSelfCheckUnits(in_);
  if (!units.ok()) return units.status();
  result_.programs = units->programs;
  result_.checked = units->covered;
  result_.skipped = units->programs - units->covered;
  units_ = std::move(units->chosen);
  if (!units_.empty()) {
    if (auto s = Execute(); !s.ok()) return s;
    for (const SelfCheckUnit& unit : units_) {
      const size_t before = result_.faults.size();
      Compare(unit);
      if (result_.faults.size() > before) continue;
      for (const std::string& key : unit.programs)
        TrustedPrograms::Get().Add(key);
    }
  }
  result_.ms =
      std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return result_;
}

}  // namespace

absl::StatusOr<SelfCheckResult> SelfCheck(const SelfCheckInput& input,
                                          ProgramCache* programs) {
  return Check(input, programs).Run();
}

DeviceProfile PlainProfile(DeviceProfile profile, bool keep_storage) {
  DeviceChoices plain;  // Fuses nothing, splits nothing, spells nothing out.
  plain.conv_tile_pixels = 1;
  plain.depthwise_tile_pixels = 1;
  plain.reduction_lanes = 1;
  if (keep_storage) plain.storage = profile.choices.storage;
  profile.choices = plain;
  return profile;
}

void ForgetSelfChecks() { TrustedPrograms::Get().Clear(); }

}  // namespace gles_delegate
