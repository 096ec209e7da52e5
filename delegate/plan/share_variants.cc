#include "delegate/plan/share_variants.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "delegate/plan/dispatch_shader.h"
#include "delegate/plan/planner.h"
#include "delegate/plan/program_text.h"

namespace gles_delegate {
namespace {

using General = Dispatch::General;
using Sizes = std::vector<std::pair<std::string, int>>;

// Dispatches that are to have one text.
struct Group {
  std::string text;  // that of all, without what GroupUp() adds up
  std::vector<size_t> members;
  General all;  // the parts and sizes of all of them
};

template <typename List>
auto Named(const std::string& name, List* list) {
  return std::find_if(list->begin(), list->end(),
                      [&](const auto& entry) { return entry.first == name; });
}

bool CanAddParts(const General::Defines& more, const General::Defines& parts) {
  return std::all_of(more.begin(), more.end(), [&](const auto& part) {
    const auto found = Named(part.first, &parts);
    return found == parts.end() || found->second == part.second;
  });
}

void AddParts(const General::Defines& more, General::Defines* parts) {
  for (const auto& part : more) {
    if (Named(part.first, parts) == parts->end()) parts->push_back(part);
  }
}

void AddSizes(const Sizes& more, Sizes* sizes) {
  for (const auto& [name, size] : more) {
    const auto found = Named(name, sizes);
    if (found == sizes->end()) {
      sizes->emplace_back(name, size);
    } else {
      found->second = std::max(found->second, size);
    }
  }
}

// The dispatch by its general text, which has `all`.
Dispatch Generalized(const Dispatch& dispatch, const General& all) {
  const General& own = *dispatch.general;
  Dispatch d = dispatch;
  d.general.reset();
  d.variant = own.variant;
  for (const std::string& name : own.without) {
    const auto found = Named(name, &d.defines);
    if (found != d.defines.end()) d.defines.erase(found);
  }
  d.defines.insert(d.defines.end(), own.defines.begin(), own.defines.end());
  d.defines.insert(d.defines.end(), all.parts.begin(), all.parts.end());
  for (const auto& [name, size] : all.sizes) d.Define(name, size);
  int64_t texels = 0;
  for (const auto& [name, size] : all.shared_texels) {
    d.Define(name, size);
    texels += size;
  }
  if (texels > 0) d.SharedMemory(texels * 16);
  if (own.grid[0] > 0) d.grid = own.grid;
  if (own.work_group[0] > 0) {
    d.work_group = own.work_group;
    d.batch = {};  // counted by the work group that it had
  }
  return d;
}

// What the general texts of all that can have the same one have in common.
std::string GroupText(const Graph& graph, const Dispatch& dispatch,
                      const DeviceProfile& profile) {
  Dispatch d = Generalized(dispatch, General());
  if (d.reads.size() > 1) d.reads.resize(1);
  d.constants.clear();
  return CommonProgramText(graph, std::move(d), profile);
}

// Binds what others of the group read.
void AddReads(const std::vector<Dispatch>& group, Dispatch* dispatch) {
  auto own = std::move(dispatch->reads);
  dispatch->reads.clear();
  for (const Dispatch& d : group) {
    for (const auto& [name, id] : d.reads) {
      if (Named(name, &dispatch->reads) != dispatch->reads.end()) continue;
      const auto found = Named(name, &own);
      dispatch->Read(name, found != own.end() ? found->second : own[0].second);
    }
  }
}

// Likewise of constants.
void AddConstants(const std::vector<Dispatch>& group, Dispatch* dispatch) {
  for (const Dispatch& d : group) {
    for (const PackedConstant& c : d.constants) {
      const bool is_there = std::any_of(
          dispatch->constants.begin(), dispatch->constants.end(),
          [&](const PackedConstant& own) { return own.name == c.name; });
      if (is_there) continue;
      PackedConstant zeros;
      zeros.name = c.name;
      zeros.always_float32 = c.always_float32;
      zeros.cacheable = true;
      zeros.fill = [](absl::Span<float> to) {
        std::fill(to.begin(), to.end(), 0.0f);
      };
      dispatch->Constant(std::move(zeros));
    }
  }
}

bool FitsDevice(const Dispatch& d, const DeviceProfile& profile) {
  const size_t bound = BoundTensors(d).size() + d.constants.size();
  return bound <= static_cast<size_t>(MaxBoundTensors(profile)) &&
         d.shared_bytes <= profile.limits.max_shared_memory_bytes;
}

class Variants {
 public:
  Variants(const Graph& graph, const DeviceProfile& profile,
           std::vector<Dispatch>* dispatches)
      : graph_(graph), profile_(profile), dispatches_(*dispatches) {}

  void Run() {
    for (size_t i = 0; i < dispatches_.size(); ++i) {
      if (dispatches_[i].general) GroupUp(i);
    }
    for (const Group& group : groups_) {
      if (Texts(group) > 1) Rewrite(group);
    }
  }

 private:
  void GroupUp(size_t index);
  size_t Texts(const Group& group) const;
  void Rewrite(const Group& group);

  const Graph& graph_;
  const DeviceProfile& profile_;
  std::vector<Dispatch>& dispatches_;
  std::vector<Group> groups_;
};

void Variants::GroupUp(size_t index) {
  const General& own = *dispatches_[index].general;
  const std::string text = GroupText(graph_, dispatches_[index], profile_);
  size_t at = 0;
  while (at < groups_.size() &&
         (groups_[at].text != text ||
          !CanAddParts(own.parts, groups_[at].all.parts))) {
    ++at;
  }
  if (at == groups_.size()) groups_.push_back({text, {}, {}});
  Group& group = groups_[at];
  group.members.push_back(index);
  AddParts(own.parts, &group.all.parts);
  AddSizes(own.sizes, &group.all.sizes);
  AddSizes(own.shared_texels, &group.all.shared_texels);
}

// How many texts its dispatches have by themselves.
size_t Variants::Texts(const Group& group) const {
  std::set<std::string> texts;
  for (size_t i : group.members) {
    texts.insert(CommonProgramText(graph_, dispatches_[i], profile_));
  }
  return texts.size();
}

void Variants::Rewrite(const Group& group) {
  std::vector<Dispatch> general;
  for (size_t i : group.members) {
    general.push_back(Generalized(dispatches_[i], group.all));
  }
  std::vector<Dispatch> bound = general;
  for (Dispatch& d : bound) {
    AddReads(general, &d);
    AddConstants(general, &d);
    if (!FitsDevice(d, profile_)) return;
  }
  const std::string text = CommonProgramText(graph_, bound[0], profile_);
  for (const Dispatch& d : bound) {
    if (CommonProgramText(graph_, d, profile_) != text) return;
  }
  for (size_t i = 0; i < bound.size(); ++i) {
    dispatches_[group.members[i]] = std::move(bound[i]);
  }
}

}  // namespace

void ShareVariants(const Graph& graph, const DeviceProfile& profile,
                   std::vector<Dispatch>* dispatches) {
  Variants(graph, profile, dispatches).Run();
}

}  // namespace gles_delegate
