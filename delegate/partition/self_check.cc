#include "delegate/partition/self_check.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <random>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "delegate/partition/self_check_reference.h"
#include "delegate/partition/self_check_transfers.h"
#include "delegate/partition/self_check_units.h"
#include "delegate/partition/self_check_values.h"
#include "delegate/plan/dispatch_shader.h"
#include "delegate/runtime/executor.h"

namespace gles_delegate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kSamples = 48;  // elements of a node's output
// Elements to look at for these, as some may be unknown: those that an update
// in place does not write.
constexpr int kTriedElements = 4096;

// One self-check, from choosing what to run to the verdict.
class Check {
 public:
  Check(const SelfCheckInput& input, ProgramCache* programs)
      : in_(input), programs_(programs), random_(20111) {}

  absl::StatusOr<SelfCheckResult> Run();

 private:
  // A case with tensors of its own: no other case writes what it reads.
  struct Laid {
    const SelfCheckCase* of;
    absl::flat_hash_map<TensorId, TensorId> own;  // by id of the planned graph
  };
  enum class Answer { kNone, kRight, kWrong };

  Laid LayOut(const SelfCheckCase& c);
  TensorId OwnOf(TensorId id, Laid* laid);
  Dispatch WithOwn(const Dispatch& of, Laid* laid);
  absl::Status Execute();
  Answer Compare(const Laid& laid);
  Answer CompareOne(const Laid& laid, TensorId id, Reference* reference);
  std::shared_ptr<const std::vector<float>> ValuesOf(TensorId own) const;
  double Tolerance(const Tensor& tensor, const ReferenceValue& v) const;
  std::string FaultText(const SelfCheckUnit& unit, TensorId id, int64_t element,
                        double got, double want, double tolerance) const;

  const SelfCheckInput& in_;
  ProgramCache* programs_;
  std::mt19937 random_;
  SelfCheckUnits units_;
  Graph graph_;  // what is run
  std::vector<Dispatch> dispatches_;
  std::vector<Laid> laid_;
  // Of the check's inputs and outputs, by tensor.
  absl::flat_hash_map<TensorId, std::shared_ptr<const std::vector<float>>>
      values_;
  SelfCheckResult result_;
};

// The case's own copy of a tensor of the planned graph; constants are shared.
TensorId Check::OwnOf(TensorId id, Laid* laid) {
  if (id == kNoTensor || in_.planned.tensor(id).is_constant()) return id;
  const auto found = laid->own.find(id);
  if (found != laid->own.end()) return found->second;
  Tensor copy = in_.planned.tensor(id);
  copy.view.of = OwnOf(copy.view.of, laid);
  return laid->own[id] = graph_.AddTensor(std::move(copy));
}

Dispatch Check::WithOwn(const Dispatch& of, Laid* laid) {
  Dispatch d = of;
  for (auto& [name, id] : d.reads) id = OwnOf(id, laid);
  for (auto& [name, id] : d.writes) id = OwnOf(id, laid);
  for (PostOp& op : d.post_ops) op.operand = OwnOf(op.operand, laid);
  return d;
}

// Inputs: what is bound and not written before; outputs: what is compared.
Check::Laid Check::LayOut(const SelfCheckCase& c) {
  Laid laid{&c, {}};
  absl::flat_hash_set<TensorId> there;  // written or given
  for (const SelfCheckUnit& unit : c.units) {
    for (size_t i = unit.first; i < unit.end; ++i) {
      dispatches_.push_back(WithOwn(in_.dispatches[i], &laid));
      const Dispatch& d = dispatches_.back();
      for (const auto& [name, id] : d.writes)
        there.insert(MemoryOf(graph_, id));
      for (TensorId bound : BoundTensors(d)) {
        const TensorId id = MemoryOf(graph_, bound);
        if (graph_.tensor(id).is_constant() || !there.insert(id).second)
          continue;
        graph_.inputs.push_back(id);
      }
    }
  }
  for (TensorId id : c.compared().results) {
    const TensorId memory = MemoryOf(graph_, OwnOf(id, &laid));
    if (std::find(graph_.outputs.begin(), graph_.outputs.end(), memory) ==
        graph_.outputs.end()) {
      graph_.outputs.push_back(memory);
    }
  }
  return laid;
}

absl::Status Check::Execute() {
  graph_ = in_.planned;
  graph_.inputs.clear();
  graph_.outputs.clear();
  for (const SelfCheckCase& c : units_.chosen) laid_.push_back(LayOut(c));
  DeviceProfile profile = in_.profile;
  profile.options.self_check = SelfCheckRun::kNodes;
  auto executor = Executor::Create(in_.context, programs_, graph_,
                                   std::move(dispatches_), profile);
  if (!executor.ok()) return executor.status();
  std::vector<HostValues> in, out;
  std::vector<absl::Span<const uint8_t>> inputs;
  std::vector<absl::Span<uint8_t>> outputs;
  for (TensorId id : graph_.inputs) {
    in.push_back(HostValues::Random(graph_.tensor(id), &random_));
    inputs.push_back(in.back().bytes());
  }
  for (TensorId id : graph_.outputs) {
    out.push_back(HostValues::For(graph_.tensor(id)));
    outputs.push_back(out.back().bytes());
  }
  if (auto s = (*executor)->Invoke(inputs, outputs); !s.ok()) return s;
  for (size_t i = 0; i < in.size(); ++i) {
    const TensorId id = graph_.inputs[i];
    values_[id] = in[i].Floats(graph_.tensor(id));
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const TensorId id = graph_.outputs[i];
    values_[id] = out[i].Floats(graph_.tensor(id));
  }
  return absl::OkStatus();
}

double Check::Tolerance(const Tensor& tensor, const ReferenceValue& v) const {
  if (tensor.type != DataType::kFloat32) return 0;
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
std::shared_ptr<const std::vector<float>> Check::ValuesOf(TensorId own) const {
  const TensorId memory = MemoryOf(graph_, own);
  const auto it = values_.find(memory);
  if (it == values_.end()) return std::make_shared<std::vector<float>>();
  if (memory == own) return it->second;
  return std::make_shared<const std::vector<float>>(
      ViewOf(*it->second, graph_.tensor(memory).shape, graph_.tensor(own)));
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

Check::Answer Check::Compare(const Laid& laid) {
  Reference reference = ReferenceOf(in_);
  for (TensorId id : laid.of->given) {
    reference.Know(id, ValuesOf(laid.own.at(id)));
  }
  Answer answer = Answer::kNone;
  for (TensorId id : laid.of->compared().results) {
    answer = std::max(answer, CompareOne(laid, id, &reference));
    if (answer == Answer::kWrong) break;
  }
  return answer;
}

Check::Answer Check::CompareOne(const Laid& laid, TensorId id,
                                Reference* reference) {
  const auto values = ValuesOf(laid.own.at(id));
  const std::vector<float>& got = *values;
  const Tensor& tensor = in_.planned.tensor(id);
  const auto elements = static_cast<int64_t>(got.size());
  Answer answer = Answer::kNone;
  constexpr int64_t kTerms = kSelfCheckTermsOfValue;
  reference->SetTermsLeft(kTerms);
  int compared = 0;
  for (int i = 0; i < kTriedElements && compared < kSamples && elements > 0;
       ++i) {
    if (kTerms - reference->terms_left() > kSelfCheckTermsOfNode) break;
    // The corners, then anywhere.
    const int64_t at = i == 0   ? 0
                       : i == 1 ? elements - 1
                                : static_cast<int64_t>(random_() % elements);
    const auto expected = reference->Expect(id, at);
    if (!expected) continue;
    ++compared;
    // In halves, terms of a sum may be infinite whose sum is not.
    if (in_.profile.options.half && expected->magnitude > 6e4) continue;
    const double want = NearestCode(tensor, expected->value);
    const double tolerance = Tolerance(tensor, *expected);
    answer = Answer::kRight;
    if (std::abs(got[at] - want) <= tolerance) continue;
    result_.faults.push_back(
        FaultText(laid.of->compared(), id, at, got[at], want, tolerance));
    return Answer::kWrong;
  }
  return answer;
}

absl::StatusOr<SelfCheckResult> Check::Run() {
  // First, as nodes in textures are compared through such programs.
  const auto transfers = CheckTransfers(in_, programs_, &random_, &result_);
  if (!transfers.ok()) return transfers;
  if (!result_.ok()) return result_;
  auto units = ChooseSelfCheckUnits(in_);
  if (!units.ok()) return units.status();
  units_ = *std::move(units);
  result_.programs += units_.programs;
  if (!units_.chosen.empty()) {
    if (auto s = Execute(); !s.ok()) return s;
  }
  absl::flat_hash_set<std::string> right, wrong;
  for (const Laid& laid : laid_) {
    const Answer answer = Compare(laid);
    if (answer == Answer::kNone) continue;
    for (const SelfCheckUnit& unit : laid.of->units) {
      auto& found = answer == Answer::kRight ? right : wrong;
      found.insert(unit.programs.begin(), unit.programs.end());
    }
  }
  result_.checked += units_.found_right;
  for (const std::string& key : right) {
    if (wrong.contains(key)) continue;
    result_.checked += TrustedPrograms::Get().Add(key) ? 1 : 0;
  }
  result_.checked += static_cast<int>(wrong.size());
  return result_;
}

}  // namespace

std::string SelfCheckResult::Verdict() const {
  if (!ok()) return "wrong";
  if (skipped() == 0) return "right";
  return checked > 0 ? "partly checked" : "not checked";
}

absl::StatusOr<SelfCheckResult> SelfCheck(const SelfCheckInput& input,
                                          ProgramCache* programs) {
  const auto start = Clock::now();
  auto result = Check(input, programs).Run();
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
