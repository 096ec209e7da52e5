#include "egl/idle_groups.h"

#include <mutex>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "egl/of_process.h"

namespace gles_delegate::egl {
namespace {

struct IdleGroups {
  std::mutex mutex;
  absl::flat_hash_map<std::string, std::vector<IdleGroup>> by_kind;
};

}  // namespace

void KeepIdle(const std::string& kind, IdleGroup idle) {
  auto& groups = OfProcess<IdleGroups>();
  const std::lock_guard<std::mutex> lock(groups.mutex);
  groups.by_kind[kind].push_back(std::move(idle));
}

std::optional<IdleGroup> TakeIdle(const std::string& kind) {
  auto& groups = OfProcess<IdleGroups>();
  const std::lock_guard<std::mutex> lock(groups.mutex);
  std::vector<IdleGroup>& idle = groups.by_kind[kind];
  if (idle.empty()) return std::nullopt;
  IdleGroup taken = std::move(idle.back());
  idle.pop_back();
  return taken;
}

}  // namespace gles_delegate::egl
