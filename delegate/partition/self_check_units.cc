#include "delegate/partition/self_check_units.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "delegate/cache/cache_hash.h"
#include "delegate/plan/dispatch.h"
#include "delegate/plan/memory_plan.h"
#include "delegate/runtime/command_builder.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {
namespace {

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
absl::Status AddTo(SelfCheckUnit* unit, const SelfCheckInput& in, size_t i,
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

absl::StatusOr<std::vector<SelfCheckUnit>> FindUnits(const SelfCheckInput& in) {
  std::vector<SelfCheckUnit> units;
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
  Cases(const SelfCheckInput& in, const std::vector<SelfCheckUnit>& units)
      : in_(in), units_(units) {
    for (size_t u = 0; u < units.size(); ++u) {
      for (TensorId id : units[u].results) writers_[id] = u;
    }
  }

  // nullopt: no reference.
  std::optional<SelfCheckCase> Of(const SelfCheckUnit& unit) const {
    std::set<size_t> taken = {static_cast<size_t>(&unit - units_.data())};
    SelfCheckCase result;
    std::vector<size_t> open(taken.begin(), taken.end());
    while (!open.empty()) {
      const SelfCheckUnit& next = units_[open.back()];
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

  bool IsFit(SelfCheckCase* c) const {
    int64_t elements = 0;
    HashSet<TensorId> written;
    for (const SelfCheckUnit& unit : c->units) {
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
  bool KeepCompared(SelfCheckCase* c) const {
    Reference falling = ReferenceOf(in_), rising = ReferenceOf(in_);
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
      rising.SetTermsLeft(kSelfCheckTermsOfValue);
      falling.SetTermsLeft(kSelfCheckTermsOfValue);
      return !IsKnown(in_, id, c->compared().integer_path) ||
             !(rising.Expect(id, 0) || falling.Expect(id, 0));
    };
    results.erase(std::remove_if(results.begin(), results.end(), is_unknown),
                  results.end());
    return !results.empty();
  }

  const SelfCheckInput& in_;
  const std::vector<SelfCheckUnit>& units_;
  HashMap<TensorId, size_t> writers_;
};

// Whether it updates a slice that begins where other values say, which are also
// to be tried past the end.
bool HasRuntimeStart(const SelfCheckInput& in, const SelfCheckCase& c) {
  const SelfCheckUnit& unit = c.compared();
  for (size_t i = unit.first; i < unit.end; ++i) {
    if (in.dispatches[i].shader == "dynamic_update_slice") {
      return absl::c_any_of(c.given, [&](TensorId id) {
        return in.planned.tensor(id).type == DataType::kInt32;
      });
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<std::string> ProgramKey(const egl::Context& context,
                                       const Graph& graph, const Dispatch& d,
                                       const DeviceProfile& profile) {
  ASSIGN_OR_RETURN(auto text,
                   gl_shaders::AssembleShader(WholeSpecOf(graph, d, profile)));
  const egl::DeviceInfo& device = context.device();
  Hasher hasher;
  hasher.Text(device.vendor).Text(device.renderer).Text(device.version);
  hasher.Text(text);
  return hasher.Finish().ToHex();
}

Reference ReferenceOf(const SelfCheckInput& input) {
  return Reference(input.unfused, input.original);
}

absl::StatusOr<SelfCheckUnits> ChooseSelfCheckUnits(
    const SelfCheckInput& input) {
  ASSIGN_OR_RETURN(auto units, FindUnits(input));
  SelfCheckUnits result;
  std::vector<SelfCheckUnit*> in_turn;
  HashSet<std::string> all;
  for (SelfCheckUnit& unit : units) {
    in_turn.push_back(&unit);
    all.insert(unit.programs.begin(), unit.programs.end());
  }
  result.programs = static_cast<int>(all.size());
  absl::c_stable_sort(in_turn, [](auto* a, auto* b) {
    return std::tie(a->skipped_post_ops, a->elements) <
           std::tie(b->skipped_post_ops, b->elements);
  });
  HashSet<std::string> covered;
  for (const std::string& key : all) {
    if (TrustedPrograms::Get().Holds(key)) covered.insert(key);
  }
  result.found_right = static_cast<int>(covered.size());
  int64_t elements = 0;
  const Cases cases(input, units);
  // How many units with a program were found unfit: of thousands that are alike
  // a few are looked at.
  constexpr int kTries = 4;
  HashMap<std::string, int> tries;
  for (const SelfCheckUnit* unit : in_turn) {
    const bool news = absl::c_any_of(unit->programs, [&](const auto& key) {
      return !covered.contains(key) && tries[key] < kTries;
    });
    if (!news || elements + unit->elements > kMaxElements) continue;
    auto found = cases.Of(*unit);
    if (!found) {
      for (const std::string& key : unit->programs) ++tries[key];
      continue;
    }
    for (const SelfCheckUnit& part : found->units) {
      elements += part.elements;
      covered.insert(part.programs.begin(), part.programs.end());
    }
    result.chosen.push_back(*std::move(found));
    if (!HasRuntimeStart(input, result.chosen.back())) continue;
    result.chosen.push_back(result.chosen.back());
    result.chosen.back().far = true;
    elements += unit->elements;
  }
  absl::c_sort(result.chosen, [](auto& a, auto& b) {
    return a.compared().first < b.compared().first;
  });
  return result;
}

}  // namespace gles_delegate
