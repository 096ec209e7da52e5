#include "delegate/partition/self_check.h"

#include <algorithm>
#include <any>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "delegate/graph/parallel.h"
#include "delegate/ops/reduction/rows.h"
#include "delegate/partition/self_check_reference.h"
#include "delegate/partition/self_check_transfers.h"
#include "delegate/plan/dispatch.h"
#include "delegate/plan/memory_plan.h"
#include "delegate/runtime/executor.h"

namespace gles_delegate {
namespace {

// --- What to run -------------------------------------------------------------

// A set of nodes that uses every program not checked before. Among nodes with a
// common program, prefers the one with most of its post-ops, then the smallest.

// Terms that the host may sum for one node, which limits its time to a few
// milliseconds, and for its first value, if that alone has more: one of an
// attention over a thousand keys.
constexpr int64_t kTermsOfNode = int64_t{1} << 16;
constexpr int64_t kTermsOfValue = int64_t{1} << 19;

// The dispatches [first, end) of one node.
struct Unit {
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
struct Case {
  std::vector<Unit> units;      // in the order of the plan
  std::vector<TensorId> given;  // read, and written by none of them
  bool far = false;             // given integers are past the end of any axis
  const Unit& compared() const { return units.back(); }
};

// Elements of the tensors of all cases together, a limit of the time that they
// take; a node that would pass it is skipped. A case may have a quarter.
constexpr int64_t kMaxElements = int64_t{1} << 25;

// What reads tensor `id` of a node in integers must find it in the graph as
// read, whose nodes the reference computes then; others find it in either
// graph.
bool IsKnown(const SelfCheckInput& in, TensorId id, bool integer_path) {
  const auto holds = [id](const Graph& graph) {
    return id < static_cast<TensorId>(graph.tensors.size());
  };
  const Graph* const graph = holds(in.original)                   ? &in.original
                             : !integer_path && holds(in.unfused) ? &in.unfused
                                                                  : nullptr;
  return graph != nullptr && DataTypeSize(graph->tensor(id).type) != 0 &&
         graph->tensor(id).shape == in.planned.tensor(id).shape;
}

void AddOnce(TensorId id, std::vector<TensorId>* ids) {
  if (!absl::c_linear_search(*ids, id)) ids->push_back(id);
}

// Adds dispatch `i` to the unit.
absl::Status AddTo(Unit* unit, const SelfCheckInput& in, size_t i,
                   HashSet<TensorId>* written) {
  const Dispatch& d = in.dispatches[i];
  unit->end = i + 1;
  ASSIGN_OR_RETURN(auto key, ProgramKey(in.context, in.planned, d, in.profile));
  unit->programs.push_back(std::move(key));
  for (uint32_t left = d.skipped_post_ops; left != 0; left &= left - 1) {
    ++unit->skipped_post_ops;
  }
  unit->integer_path |= d.integer_path;
  for (TensorId id : ReadTensors(d)) {
    if (!in.planned.tensor(id).is_constant() && !written->contains(id)) {
      AddOnce(id, &unit->reads);
    }
  }
  for (const auto& [name, id] : d.writes) {
    written->insert(id);
    AddOnce(id, &unit->results);
  }
  for (TensorId id : BoundTensors(d)) {
    unit->elements +=
        in.planned.tensor(MemoryOf(in.planned, id)).shape.elements();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Unit>> FindUnits(const SelfCheckInput& in) {
  std::vector<Unit> units;
  const auto& all = in.dispatches;
  HashSet<TensorId> written;  // by the unit
  for (size_t i = 0; i < all.size(); ++i) {
    if (units.empty() || all[i].begins_node) {
      units.emplace_back();
      units.back().first = i;
      written.clear();
    }
    RETURN_IF_ERROR(AddTo(&units.back(), in, i, &written));
  }
  return units;
}

// Finds cases, and whether the reference can tell whether they are right.
class Cases {
 public:
  Cases(const SelfCheckInput& in, const std::vector<Unit>& units)
      : in_(in), units_(units) {
    for (size_t u = 0; u < units.size(); ++u) {
      for (TensorId id : units[u].results) writers_[id] = u;
    }
  }

  // nullopt: no reference.
  std::optional<Case> Of(const Unit& unit) const {
    std::set<size_t> taken = {static_cast<size_t>(&unit - units_.data())};
    Case result;
    std::vector<size_t> open(taken.begin(), taken.end());
    while (!open.empty()) {
      const Unit& next = units_[open.back()];
      open.pop_back();
      for (TensorId id : next.reads) {
        if (IsKnown(in_, id, unit.integer_path || next.integer_path)) {
          AddOnce(id, &result.given);
          continue;
        }
        const auto writer = writers_.find(id);
        if (writer == writers_.end() || taken.size() == kMaxUnits) {
          return std::nullopt;
        }
        if (taken.insert(writer->second).second) open.push_back(writer->second);
      }
    }
    for (size_t u : taken) result.units.push_back(units_[u]);
    if (taken.size() == 1) {
      for (TensorId id : unit.results) AddUpdated(id, &result.given);
    }
    return IsFit(&result) ? std::optional(result) : std::nullopt;
  }

 private:
  static constexpr size_t kMaxUnits = 16;

  // The tensor whose memory an update in place writes, as the rest of it stays.
  void AddUpdated(TensorId result, std::vector<TensorId>* given) const {
    const Tensor& tensor = in_.planned.tensor(result);
    const TensorId of = tensor.view.of;
    if (of != kNoTensor && in_.planned.tensor(of).shape == tensor.shape &&
        IsKnown(in_, of, /*integer_path=*/false)) {
      AddOnce(of, given);
    }
  }

  bool IsFit(Case* c) const {
    int64_t elements = 0;
    HashSet<TensorId> written;
    for (const Unit& unit : c->units) {
      elements += unit.elements;
      for (TensorId id : unit.results) {
        written.insert(MemoryOf(in_.planned, id));
      }
    }
    if (elements > kMaxElements / 4) return false;
    for (TensorId id : c->given) {
      // A unit alone may read the memory that it writes: it reads first.
      const bool is_overwritten =
          c->units.size() > 1 && written.contains(MemoryOf(in_.planned, id));
      if (is_overwritten) return false;
    }
    return KeepCompared(c);
  }

  // Leaves the results that the reference can compute. False: none is left.
  bool KeepCompared(Case* c) const {
    Reference falling(in_.unfused, in_.original);
    Reference rising(in_.unfused, in_.original);
    for (size_t i = 0; i < c->given.size(); ++i) {
      const TensorId id = c->given[i];
      // No two alike, as some functions of such tell nothing. Integers are
      // whole, and bools 0 or 1.
      const bool real = in_.planned.tensor(id).type == DataType::kFloat32;
      const float part = 0.0625f * static_cast<float>(i % 16);
      const auto whole = static_cast<float>(i % 2);
      const float high = real ? 1.4375f - part : 1 - whole;
      const float low = real ? 0.4375f + part : whole;
      rising.Know(id, [low](int64_t) { return low; });
      falling.Know(id, [high](int64_t) { return high; });
    }
    std::vector<TensorId>& results = c->units.back().results;
    const auto is_unknown = [&](TensorId id) {
      rising.SetTermsLeft(kTermsOfValue);
      falling.SetTermsLeft(kTermsOfValue);
      return !IsKnown(in_, id, c->compared().integer_path) ||
             !(rising.Expect(id, 0) || falling.Expect(id, 0));
    };
    results.erase(std::remove_if(results.begin(), results.end(), is_unknown),
                  results.end());
    return !results.empty();
  }

  const SelfCheckInput& in_;
  const std::vector<Unit>& units_;
  HashMap<TensorId, size_t> writers_;
};

// Whether it updates a slice that begins where other values say, which are also
// to be tried past the end.
bool HasRuntimeStart(const SelfCheckInput& in, const Case& c) {
  const Unit& unit = c.compared();
  for (size_t i = unit.first; i < unit.end; ++i) {
    if (in.dispatches[i].shader == "dynamic_update_slice") {
      return absl::c_any_of(c.given, [&](TensorId id) {
        return in.planned.tensor(id).type == DataType::kInt32;
      });
    }
  }
  return false;
}

// In the order of the plan. Counts in `result` the partition's programs, and
// those that were found right before.
absl::StatusOr<std::vector<Case>> ChooseCases(const SelfCheckInput& input,
                                              SelfCheckResult* result) {
  ASSIGN_OR_RETURN(auto units, FindUnits(input));
  std::vector<Case> chosen;
  std::vector<Unit*> in_turn;
  HashSet<std::string> all;
  for (Unit& unit : units) {
    in_turn.push_back(&unit);
    all.insert(unit.programs.begin(), unit.programs.end());
  }
  result->programs += static_cast<int>(all.size());
  absl::c_stable_sort(in_turn, [](auto* a, auto* b) {
    return std::tie(a->skipped_post_ops, a->elements) <
           std::tie(b->skipped_post_ops, b->elements);
  });
  HashSet<std::string> covered;
  for (const std::string& key : all) {
    if (TrustedPrograms::Get().Holds(key)) covered.insert(key);
  }
  result->checked += static_cast<int>(covered.size());
  int64_t elements = 0;
  const Cases cases(input, units);
  // How many units with a program were found unfit: of thousands that are alike
  // a few are looked at.
  constexpr int kTries = 4;
  HashMap<std::string, int> tries;
  for (const Unit* unit : in_turn) {
    const bool news = absl::c_any_of(unit->programs, [&](const auto& key) {
      return !covered.contains(key) && tries[key] < kTries;
    });
    if (!news || elements + unit->elements > kMaxElements) continue;
    auto found = cases.Of(*unit);
    if (!found) {
      for (const std::string& key : unit->programs) ++tries[key];
      continue;
    }
    for (const Unit& part : found->units) {
      elements += part.elements;
      covered.insert(part.programs.begin(), part.programs.end());
    }
    chosen.push_back(*std::move(found));
    if (!HasRuntimeStart(input, chosen.back())) continue;
    chosen.push_back(chosen.back());
    chosen.back().far = true;
    elements += unit->elements;
  }
  absl::c_sort(chosen, [](auto& a, auto& b) {
    return a.compared().first < b.compared().first;
  });
  return chosen;
}

// --- A case's input, and the reference's values of its output ----------------

// Both depend on the case alone, not on the other cases or on the order.

struct ExpectedElement {
  int64_t element = 0;
  ReferenceValue value;
};

// Elements of a result, chosen at random among those that the reference knows.
struct ExpectedResult {
  TensorId id = kNoTensor;   // of the planned graph
  bool rounds_once = false;  // its simulator allows for all that it rounds
  std::vector<ExpectedElement> elements;
};

constexpr int kSamples = 48;  // elements of a node's output
// Elements to look at for these, as some may be unknown: those that an update
// in place does not write.
constexpr int kTriedElements = 4096;

// No two cases have the same.
uint32_t SeedOf(const Case& c, TensorId tensor) {
  return static_cast<uint32_t>(c.compared().first) * 1000003 +
         static_cast<uint32_t>(tensor);
}

// RandomPattern() of what a case reads from a tensor of the planned graph with
// its own memory.
std::vector<uint8_t> PatternOf(const SelfCheckInput& in, const Case& c,
                               TensorId memory) {
  return RandomPattern(in.planned.tensor(memory), SeedOf(c, memory), c.far);
}

ValueAt GivenValues(const SelfCheckInput& in, const Case& c, TensorId id) {
  const TensorId of = MemoryOf(in.planned, id);
  const Tensor& memory = in.planned.tensor(of);
  std::vector<uint8_t> pattern = PatternOf(in, c, of);
  const auto distinct =
      static_cast<int64_t>(pattern.size()) / HostElementBytes(memory);
  ValueAt values = [&memory, distinct,
                    pattern = std::move(pattern)](int64_t element) {
    return ValueIn(memory, pattern, element % distinct);
  };
  if (of == id) return values;
  return ViewOf(std::move(values), memory.shape, in.planned.tensor(id));
}

// TFLite's kernels compute a softmax of 8-bit quantized values to less than
// half a step, and round it, which its simulator allows for.
bool RoundsOnce(const SelfCheckInput& in, const Case& c,
                const Reference& reference, TensorId id) {
  const Node* const node = reference.MakerOf(id);
  if (node == nullptr || in.planned.tensor(id).quantized == DataType::kInt16) {
    return false;
  }
  const auto* softmax = std::any_cast<SoftmaxAttributes>(&node->attributes);
  return softmax != nullptr && !softmax->log &&
         absl::c_linear_search(c.given, node->inputs[0]);
}

std::vector<ExpectedElement> ElementsOf(TensorId id, int64_t elements,
                                        Reference* reference,
                                        std::mt19937* random) {
  std::vector<ExpectedElement> result;
  constexpr int64_t kTerms = kTermsOfValue;
  reference->SetTermsLeft(kTerms);
  for (int i = 0; i < kTriedElements && result.size() < kSamples; ++i) {
    if (elements == 0 || kTerms - reference->terms_left() > kTermsOfNode) {
      break;
    }
    // The corners, then anywhere.
    const int64_t at = i == 0   ? 0
                       : i == 1 ? elements - 1
                                : static_cast<int64_t>((*random)() % elements);
    const auto expected = reference->Expect(id, at);
    if (expected) result.push_back({at, *expected});
  }
  return result;
}

// Those of the compared unit. Threads: any.
std::vector<ExpectedResult> ExpectedOf(const SelfCheckInput& in,
                                       const Case& c) {
  Reference reference(in.unfused, in.original);
  for (TensorId id : c.given) reference.Know(id, GivenValues(in, c, id));
  std::mt19937 random(SeedOf(c, kNoTensor));
  std::vector<ExpectedResult> results;
  for (TensorId id : c.compared().results) {
    const int64_t elements = in.planned.tensor(id).shape.elements();
    results.push_back({id, RoundsOnce(in, c, reference, id),
                       ElementsOf(id, elements, &reference, &random)});
  }
  return results;
}

// --- Cases on the GPU --------------------------------------------------------

// Bytes of a tensor in the host's memory, up to a whole number of cache lines.
size_t RoomFor(const Tensor& tensor) {
  const int64_t bytes = tensor.shape.elements() * HostElementBytes(tensor);
  return static_cast<size_t>((bytes + 63) / 64 * 64);
}

// Takes a tensor's bytes from the beginning of `left`.
absl::Span<uint8_t> TakeFrom(absl::Span<uint8_t>* left, const Tensor& tensor) {
  const auto taken = left->first(
      static_cast<size_t>(tensor.shape.elements() * HostElementBytes(tensor)));
  left->remove_prefix(RoomFor(tensor));
  return taken;
}

// Cases that one executor runs, each with its own tensors: no other case writes
// what it reads. All arguments must outlive this.
class CaseGroup {
 public:
  explicit CaseGroup(const SelfCheckInput& in) : in_(in) {}

  // Inputs: what is bound and not written before; outputs: what is compared.
  void Add(const Case& c) {
    Laid laid{&c, {}};
    HashSet<TensorId> there;  // written or given
    const auto give = [&](const std::vector<TensorId>& read) {
      for (TensorId bound : read) {
        const TensorId id = MemoryOf(in_.planned, bound);
        if (in_.planned.tensor(id).is_constant() || !there.insert(id).second) {
          continue;
        }
        graph_.inputs.push_back(OwnOf(id, &laid));
        sources_.push_back({laid_.size(), id});
      }
    };
    give(c.given);
    for (const Unit& unit : c.units) {
      elements_ += unit.elements;
      for (size_t i = unit.first; i < unit.end; ++i) {
        const Dispatch& d = in_.dispatches[i];
        dispatches_.push_back(WithOwn(d, &laid));
        for (const auto& [name, id] : d.writes) {
          there.insert(MemoryOf(in_.planned, id));
        }
        give(BoundTensors(d));
      }
    }
    for (TensorId id : c.compared().results) {
      const TensorId memory = OwnOf(MemoryOf(in_.planned, id), &laid);
      if (!absl::c_linear_search(graph_.outputs, memory)) {
        graph_.outputs.push_back(memory);
      }
    }
    laid_.push_back(std::move(laid));
  }

  // Of tensors, all cases together.
  int64_t elements() const { return elements_; }

  // Of inputs and outputs on the host.
  size_t host_bytes() const {
    size_t bytes = 0;
    for (TensorId id : graph_.inputs) bytes += RoomFor(graph_.tensor(id));
    for (TensorId id : graph_.outputs) bytes += RoomFor(graph_.tensor(id));
    return bytes;
  }

  // Runs all cases. Places their inputs and outputs in `host`, of at least
  // host_bytes(), and leaves nothing on the GPU but programs. Inside
  // context.Run().
  absl::Status Run(SharedObjects* objects, absl::Span<uint8_t> host) {
    DeviceProfile profile = in_.profile;
    profile.options.self_check = SelfCheckRun::kNodes;
    ASSIGN_OR_RETURN(auto executor,
                     Executor::Create(in_.context, &objects->programs, graph_,
                                      std::move(dispatches_), profile, nullptr,
                                      {}, {&objects->constants, {}}));
    std::vector<absl::Span<const uint8_t>> inputs;
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      const auto bytes = TakeFrom(&host, graph_.tensor(graph_.inputs[i]));
      const auto& [laid, id] = sources_[i];
      Repeat(PatternOf(in_, *laid_[laid].of, id), bytes);
      inputs.push_back(bytes);
    }
    // They may hold the values of an earlier group: what the GPU does not write
    // is poison in its memory, which the executor copies here.
    for (TensorId id : graph_.outputs) {
      outputs_.push_back(TakeFrom(&host, graph_.tensor(id)));
    }
    return executor->Invoke(inputs, outputs_);
  }

  size_t size() const { return laid_.size(); }

  // The values that case `i` has computed for tensor `id` of the planned graph,
  // one of its results, in the memory given to Run().
  ValueAt ResultOf(size_t i, TensorId id) const {
    const TensorId own = laid_[i].own.at(id);
    const Tensor& tensor = graph_.tensor(own);
    const TensorId of = MemoryOf(graph_, own);
    const Tensor& memory = graph_.tensor(of);
    const size_t output =
        absl::c_find(graph_.outputs, of) - graph_.outputs.begin();
    ValueAt values = [&memory, bytes = outputs_[output]](int64_t element) {
      return ValueIn(memory, bytes, element);
    };
    if (of == own) return values;
    return ViewOf(std::move(values), memory.shape, tensor);
  }

 private:
  struct Laid {
    const Case* of;
    HashMap<TensorId, TensorId> own;  // by id of the planned graph
  };

  // The case's own copy of a tensor of the planned graph.
  TensorId OwnOf(TensorId id, Laid* laid) {
    if (id == kNoTensor) return id;
    const auto found = laid->own.find(id);
    if (found != laid->own.end()) return found->second;
    Tensor copy = in_.planned.tensor(id);
    copy.is_variable = false;  // a state's values are given, too
    copy.view.of = OwnOf(copy.view.of, laid);
    return laid->own[id] = graph_.AddTensor(std::move(copy));
  }

  Dispatch WithOwn(const Dispatch& of, Laid* laid) {
    Dispatch d = of;
    for (auto& [name, id] : d.reads) id = OwnOf(id, laid);
    for (auto& [name, id] : d.writes) id = OwnOf(id, laid);
    for (PostOp& op : d.post_ops) op.operand = OwnOf(op.operand, laid);
    for (Stage& stage : d.stages) {
      stage.of = OwnOf(stage.of, laid);
      for (PostOp& op : stage.ops) op.operand = OwnOf(op.operand, laid);
    }
    return d;
  }

  const SelfCheckInput& in_;
  Graph graph_;  // the cases' tensors
  std::vector<Dispatch> dispatches_;
  std::vector<Laid> laid_;
  // Of graph_'s inputs.
  struct Source {
    size_t laid;
    TensorId id;  // of the planned graph
  };
  std::vector<Source> sources_;
  int64_t elements_ = 0;
  std::vector<absl::Span<uint8_t>> outputs_;  // as graph_.outputs, after Run()
};

// Elements of the tensors of small cases that one executor runs: it takes
// longer to make than they take to run.
constexpr int64_t kGroupElements = int64_t{1} << 20;

// One self-check, from choosing what to run to the verdict.
class Check {
 public:
  Check(const SelfCheckInput& input, SharedObjects* objects)
      : in_(input), objects_(objects) {}

  absl::StatusOr<SelfCheckResult> Run() {
    // First, as nodes in textures are compared through such programs.
    RETURN_IF_ERROR(CheckTransfers(in_, objects_, &result_));
    if (!result_.ok()) return result_;
    ASSIGN_OR_RETURN(cases_, ChooseCases(in_, &result_));
    RETURN_IF_ERROR(RunCases());
    for (const std::string& key : right_) {
      if (wrong_.contains(key)) continue;
      result_.checked += TrustedPrograms::Get().Add(key) ? 1 : 0;
    }
    result_.checked += static_cast<int>(wrong_.size());
    return result_;
  }

 private:
  enum class Answer { kNone, kRight, kWrong };

  // In the order of the cases.
  std::vector<CaseGroup> Groups() const {
    std::vector<CaseGroup> groups;
    for (const Case& c : cases_) {
      if (groups.empty() || groups.back().elements() >= kGroupElements) {
        groups.emplace_back(in_);
      }
      groups.back().Add(c);
    }
    return groups;
  }

  // Groups follow one another, each in the host memory of the one before, while
  // other threads compute what the reference expects of the next.
  absl::Status RunCases() {
    std::vector<CaseGroup> groups = Groups();
    size_t bytes = 0;
    for (const CaseGroup& group : groups) {
      bytes = std::max(bytes, group.host_bytes());
    }
    // Not zeroed: the system takes time for each page.
    const std::unique_ptr<uint8_t[]> host(new uint8_t[bytes]);
    std::vector<std::vector<ExpectedResult>> expected(cases_.size());
    WorkAhead reference(
        ThreadsForWork(), static_cast<int>(cases_.size()),
        [&](int i) { expected[i] = ExpectedOf(in_, cases_[i]); });
    int next = 0;
    for (CaseGroup& group : groups) {
      RETURN_IF_ERROR(group.Run(objects_, {host.get(), bytes}));
      for (size_t i = 0; i < group.size(); ++i, ++next) {
        reference.Await(next);
        Answer answer = Answer::kNone;
        for (const ExpectedResult& result : expected[next]) {
          const Answer one = Compare(cases_[next].compared(), result,
                                     group.ResultOf(i, result.id));
          answer = std::max(answer, one);
          if (answer == Answer::kWrong) break;
        }
        if (answer == Answer::kNone) continue;
        for (const Unit& unit : cases_[next].units) {
          auto& found = answer == Answer::kRight ? right_ : wrong_;
          found.insert(unit.programs.begin(), unit.programs.end());
        }
      }
    }
    return absl::OkStatus();
  }

  Answer Compare(const Unit& unit, const ExpectedResult& expected,
                 const ValueAt& got) {
    const Tensor& tensor = in_.planned.tensor(expected.id);
    Answer answer = Answer::kNone;
    for (const auto& [element, reference] : expected.elements) {
      // In halves, terms of a sum may be infinite whose sum is not.
      if (in_.profile.options.half && reference.magnitude > 6e4) continue;
      const double value = got(element);
      const double want = NearestCode(tensor, reference.value);
      const double tolerance =
          Tolerance(tensor, expected.rounds_once, reference);
      answer = Answer::kRight;
      if (std::abs(value - want) <= tolerance) continue;
      result_.faults.push_back(
          FaultText(unit, expected.id, element, value, want, tolerance));
      return Answer::kWrong;
    }
    return answer;
  }

  double Tolerance(const Tensor& tensor, bool rounds_once,
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
    if (tensor.is_float_view() && !tensor.quantization.empty() &&
        !rounds_once) {
      // Its own rounding, and that of the integer kernels' tables and of the
      // functions before.
      tolerance += 4.01 * tensor.quantization.scale[0];
    }
    return tolerance;
  }

  // The report of a wrong element.
  std::string FaultText(const Unit& unit, TensorId id, int64_t element,
                        double got, double want, double tolerance) const {
    std::vector<std::string> shaders;
    for (size_t d = unit.first; d < unit.end; ++d) {
      shaders.push_back(absl::StrCat(in_.dispatches[d].shader, ".comp"));
    }
    return absl::StrCat(in_.dispatches[unit.first].label, " (",
                        absl::StrJoin(shaders, ", "), "): element ", element,
                        " of ", in_.planned.tensor(id).ToString(), " is ", got,
                        ", not ", want, " +- ", tolerance);
  }

  const SelfCheckInput& in_;
  SharedObjects* objects_;
  std::vector<Case> cases_;
  HashSet<std::string> right_, wrong_;  // programs
  SelfCheckResult result_;
};

}  // namespace

std::string SelfCheckResult::Verdict() const {
  if (!ok()) return "wrong";
  if (skipped() == 0) return "right";
  return checked > 0 ? "partly checked" : "not checked";
}

absl::StatusOr<SelfCheckResult> SelfCheck(const SelfCheckInput& input,
                                          SharedObjects* objects) {
  const double start = NowUs();
  auto result = Check(input, objects).Run();
  if (result.ok()) result->ms = (NowUs() - start) / 1000;
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
