#include "delegate/plan/share_programs.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "delegate/plan/planner.h"
#include "delegate/plan/storage.h"

namespace gles_delegate {

// --- A program's text --------------------------------------------------------

using gl_shaders::ShaderSpec;
using gl_shaders::TensorBinding;

namespace {

// The define says that all reads are within the terms.
bool IsWhole(const std::pair<std::string, std::string>& define) {
  return define.first == "WHOLE_CHUNKS";
}

// Without the tensor's name.
std::string TensorText(const TensorBinding& t) {
  return absl::StrCat(static_cast<int>(t.storage), ",",
                      static_cast<int>(t.format), ",", t.write, t.mask_tail,
                      t.scaled, ",", static_cast<int>(t.view));
}

std::string CallText(const PostOp& op) {
  return absl::StrCat(op.function, op.operand_first,
                      static_cast<int>(op.operand_as), op.operand != kNoTensor,
                      op.optional);
}

// A compact, comparable description of what determines a program's text, but
// for literals.
std::string ProgramText(const ShaderSpec& spec) {
  std::string text =
      absl::StrCat(spec.shader, ";", spec.half_arithmetic, spec.write_in_two,
                   ";", spec.work_group[0], "x", spec.work_group[1], "x",
                   spec.work_group[2], ";", spec.fixed_params);
  for (const auto& [name, value] : spec.defines) {
    absl::StrAppend(&text, ";", name, "=", value);
  }
  for (const TensorBinding& t : spec.tensors) {
    absl::StrAppend(&text, ";", t.name, ":", TensorText(t));
  }
  for (const auto& c : spec.constants) {
    absl::StrAppend(&text, ";", c.name, ":", static_cast<int>(c.storage),
                    static_cast<int>(c.format));
  }
  for (const PostOp& op : spec.post_ops) {
    absl::StrAppend(&text, ";", CallText(op));
  }
  for (const auto& stage : spec.stages) {
    absl::StrAppend(&text, ";", stage.name);
    for (const PostOp& op : stage.ops) {
      absl::StrAppend(&text, ";", CallText(op));
    }
  }
  return text;
}

void AddBounds(Dispatch* dispatch) {
  auto& defines = dispatch->defines;
  defines.erase(std::remove_if(defines.begin(), defines.end(), IsWhole),
                defines.end());
}

// A dispatch's program, without the differences that SharePrograms() can
// remove.
std::string CommonProgramText(const Graph& graph, Dispatch dispatch,
                              const DeviceProfile& profile) {
  dispatch.post_ops.clear();
  dispatch.masks_tails = true;
  AddBounds(&dispatch);
  ShaderSpec spec = SpecOf(graph, dispatch, profile);
  for (TensorBinding& t : spec.tensors) {
    if (t.write) t.view = MemoryView::Kind::kNone;
  }
  return ProgramText(spec);
}

// --- Fewer tilings, and so fewer programs ------------------------------------

// The dispatches of a program switch to Dispatch::other_tiling if all of them
// then share the program of at least half as many others.
void ShareTilings(const Graph& graph, const DeviceProfile& profile,
                  std::vector<Dispatch>* dispatches) {
  std::map<std::string, std::vector<size_t>> programs;
  std::vector<std::string> order;
  for (size_t i = 0; i < dispatches->size(); ++i) {
    const std::string text =
        CommonProgramText(graph, (*dispatches)[i], profile);
    std::vector<size_t>& members = programs[text];
    if (members.empty()) order.push_back(text);
    members.push_back(i);
  }
  for (const std::string& text : order) {
    const std::vector<size_t> members = programs[text];
    std::set<std::string> others;
    for (size_t i : members) {
      Dispatch other = (*dispatches)[i];
      if (other.other_tiling) other.Take(*other.other_tiling);
      others.insert(CommonProgramText(graph, std::move(other), profile));
    }
    const auto others_members = programs.find(*others.begin());
    if (others.size() > 1 || *others.begin() == text ||
        others_members == programs.end() ||
        2 * others_members->second.size() < members.size()) {
      continue;
    }
    for (size_t i : members) {
      Dispatch& d = (*dispatches)[i];
      d.Take(*d.other_tiling);
      d.other_tiling.reset();
      others_members->second.push_back(i);
    }
    programs.erase(text);
  }
}

using Kind = MemoryView::Kind;

// Maximum number of post-ops in a shared program.
constexpr size_t kMaxSharedPostOps = 8;

// A post-op of a program.
struct Step {
  std::string text;  // that of all dispatches that have it
  PostOp op;         // of one that has it
};

// Dispatches that are to have one program.
struct Family {
  std::string text;  // that of all, without what SharePrograms() names
  std::vector<size_t> members;
  std::vector<Step> steps;
  Kind writes_as;
};

// The shortest chain that has the steps of both in their order.
std::vector<Step> Together(const std::vector<Step>& a,
                           const std::vector<Step>& b) {
  // common[i][j]: of a from i on and b from j on, the most steps in common.
  std::vector<std::vector<int>> common(a.size() + 1,
                                       std::vector<int>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      common[i][j] = a[i].text == b[j].text
                         ? common[i + 1][j + 1] + 1
                         : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<Step> steps;
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const bool both = a[i].text == b[j].text;
    const bool of_a = both || common[i + 1][j] >= common[i][j + 1];
    steps.push_back(of_a ? a[i] : b[j]);
    i += of_a;
    j += both || !of_a;
  }
  steps.insert(steps.end(), a.begin() + i, a.end());
  steps.insert(steps.end(), b.begin() + j, b.end());
  return steps;
}

class Sharing {
 public:
  Sharing(const Graph& graph, const DeviceProfile& profile,
          std::vector<Dispatch>* dispatches)
      : graph_(graph), profile_(profile), dispatches_(*dispatches) {}

  void Run() {
    ShareTilings(graph_, profile_, &dispatches_);
    std::vector<Family> families;
    for (size_t i = 0; i < dispatches_.size(); ++i) {
      const Dispatch& d = dispatches_[i];
      const bool has_literals = absl::c_any_of(
          d.constants, [](const PackedConstant& c) { return c.literal; });
      if (has_literals || d.post_ops.size() > kMaxSharedPostOps) continue;
      std::vector<Step> steps = StepsOf(d);
      std::string text = CommonProgramText(graph_, d, profile_);
      const bool joined =
          std::any_of(families.begin(), families.end(), [&](Family& family) {
            return family.text == text && Join(i, steps, &family);
          });
      if (joined) continue;
      families.push_back({std::move(text), {i}, std::move(steps), PartOf(d)});
    }
    for (const Family& family : families) {
      if (family.members.size() > 1) Rewrite(family);
    }
  }

 private:
  std::vector<Step> StepsOf(const Dispatch& d) const {
    const ShaderSpec spec = SpecOf(graph_, d, profile_);
    std::vector<Step> steps;
    for (size_t i = 0; i < d.post_ops.size(); ++i) {
      Step step = {CallText(spec.post_ops[i]), d.post_ops[i]};
      for (const TensorBinding& t : spec.tensors) {
        if (!t.write && t.name == absl::StrCat("post", i)) {
          absl::StrAppend(&step.text, ":", TensorText(t));
        }
      }
      steps.push_back(std::move(step));
    }
    return steps;
  }

  // The kind of view of the dispatch's output.
  Kind PartOf(const Dispatch& d) const {
    for (const auto& [name, id] : d.writes) {
      const MemoryView& view = graph_.tensor(id).view;
      if (view.of != kNoTensor) return view.kind;
    }
    return Kind::kNone;
  }

  // Whether the program of a dispatch with output kind `kind` can write this
  // dispatch's output. Dispatches with two outputs are left alone.
  bool CanWriteAs(const Dispatch& d, Kind kind) const {
    const Kind own = PartOf(d);
    if (own == kind) return true;
    if (own != Kind::kNone || d.writes.size() != 1) return false;
    const Tensor& tensor = graph_.tensor(d.writes[0].second);
    const auto storage = StorageFor(tensor, profile_);
    return kind == Kind::kBox || (kind == Kind::kRows && storage.ok() &&
                                  *storage == gl_shaders::Storage::kBuffer);
  }

  bool Fits(const Dispatch& d, const std::vector<Step>& steps) const {
    size_t tensors = d.reads.size() + OperandsOf(d.stages).size() +
                     d.writes.size() + d.constants.size();
    for (const Step& step : steps) tensors += step.op.operand != kNoTensor;
    return steps.size() <= kMaxSharedPostOps &&
           tensors <= static_cast<size_t>(MaxBoundTensors(profile_));
  }

  // Adds the dispatch to the family if all of them can then share a program.
  bool Join(size_t index, const std::vector<Step>& own_steps,
            Family* family) const {
    const Dispatch& d = dispatches_[index];
    const std::vector<Step> steps = Together(family->steps, own_steps);
    if (!Fits(d, steps)) return false;
    const Kind own = PartOf(d);
    const Kind kind = own != Kind::kNone ? own : family->writes_as;
    const auto can_write = [&](size_t i) {
      return CanWriteAs(dispatches_[i], kind);
    };
    if (!can_write(index) || !absl::c_all_of(family->members, can_write)) {
      return false;
    }
    family->steps = steps;
    family->writes_as = kind;
    family->members.push_back(index);
    return true;
  }

  // The dispatch by the family's program; nullopt: it reads nothing that could
  // be bound in place of an operand.
  std::optional<Dispatch> Shared(const Dispatch& d, const Family& family,
                                 uint32_t optional_steps) const {
    const std::vector<Step> own = StepsOf(d);
    Dispatch shared = d;
    shared.post_ops.clear();
    shared.optional_post_ops = optional_steps;
    size_t next = 0;  // of its own steps
    for (size_t i = 0; i < family.steps.size(); ++i) {
      PostOp op = family.steps[i].op;
      if (next < own.size() && own[next].text == family.steps[i].text) {
        op = own[next++].op;
      } else {
        shared.skipped_post_ops |= uint32_t{1} << i;
        op.params = {};
        if (op.operand != kNoTensor &&
            !graph_.tensor(op.operand).is_constant()) {
          if (d.reads.empty()) return std::nullopt;
          op.operand = d.reads[0].second;
        }
      }
      shared.post_ops.push_back(std::move(op));
    }
    if (PartOf(d) == Kind::kNone) shared.writes_as = family.writes_as;
    return shared;
  }

  void Rewrite(const Family& family) {
    std::vector<Dispatch> shared;
    uint32_t optional_steps = 0;
    bool masks = false, bounds = false;
    for (size_t index : family.members) {
      const auto first = Shared(dispatches_[index], family, 0);
      if (!first) return;
      optional_steps |= first->skipped_post_ops;
      for (const TensorBinding& t : SpecOf(graph_, *first, profile_).tensors) {
        masks |= t.mask_tail;
      }
      bounds |= !absl::c_any_of(first->defines, IsWhole);
    }
    for (size_t index : family.members) {
      Dispatch d = *Shared(dispatches_[index], family, optional_steps);
      d.masks_tails = masks;
      if (bounds) AddBounds(&d);
      shared.push_back(std::move(d));
    }
    const std::string text = ProgramText(SpecOf(graph_, shared[0], profile_));
    for (const Dispatch& d : shared) {
      if (ProgramText(SpecOf(graph_, d, profile_)) != text) return;
    }
    for (size_t i = 0; i < shared.size(); ++i) {
      dispatches_[family.members[i]] = std::move(shared[i]);
    }
  }

  const Graph& graph_;
  const DeviceProfile& profile_;
  std::vector<Dispatch>& dispatches_;
};

}  // namespace

void SharePrograms(const Graph& graph, const DeviceProfile& profile,
                   std::vector<Dispatch>* dispatches) {
  if (profile.choices.share_programs == 0) return;
  Sharing(graph, profile, dispatches).Run();
}

// --- Params as constants -----------------------------------------------------

void FixParams(const Graph& graph, const DeviceProfile& profile,
               std::vector<Dispatch>* dispatches) {
  // Fewer do not pay for the time to compile another program.
  constexpr size_t kMinAlike = 8;
  // Those that gain (H200).
  constexpr absl::string_view kShaders[] = {"dynamic_update_slice",
                                            "gemv_by_lanes", "moved_functions"};
  std::map<std::string, std::vector<Dispatch*>> alike;
  for (Dispatch& d : *dispatches) {
    if (!absl::c_linear_search(kShaders, d.shader) ||
        int64_t{d.grid[0]} * d.grid[1] * d.grid[2] >
            2 * int64_t{profile.choices.split_k_target}) {
      continue;
    }
    alike[absl::StrCat(ProgramText(SpecOf(graph, d, profile)),
                       ParamsOf(graph, d).ToConstants())]
        .push_back(&d);
  }
  for (const auto& [text, members] : alike) {
    if (members.size() < kMinAlike) continue;
    for (Dispatch* d : members) d->fixed_params = true;
  }
}

}  // namespace gles_delegate
