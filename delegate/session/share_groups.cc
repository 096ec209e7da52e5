#include "delegate/session/share_groups.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "egl/of_process.h"

namespace gles_delegate {
namespace {

struct Group {
  std::weak_ptr<SharedObjects> objects;
  std::vector<std::weak_ptr<egl::Context>> contexts;

  // One to share with. nullptr: none is left.
  std::shared_ptr<egl::Context> Member() const {
    for (const auto& weak : contexts) {
      std::shared_ptr<egl::Context> context = weak.lock();
      if (context != nullptr && !context->is_lost()) return context;
    }
    return nullptr;
  }
};

struct Groups {
  std::mutex mutex;
  HashMap<std::string, Group> by_key;
  HashMap<std::string, std::weak_ptr<WorkerThread>> workers;
};

Groups& GroupsOfProcess() { return egl::OfProcess<Groups>(); }

void ForgetGone(HashMap<std::string, Group>* groups) {
  EraseIf(*groups,
          [](const auto& entry) { return entry.second.objects.expired(); });
  for (auto& [key, group] : *groups) {
    auto& list = group.contexts;
    list.erase(std::remove_if(list.begin(), list.end(),
                              [](const auto& weak) { return weak.expired(); }),
               list.end());
  }
}

}  // namespace

std::shared_ptr<WorkerThread> WorkerOfGroup(const std::string& key) {
  Groups& groups = GroupsOfProcess();
  const std::lock_guard<std::mutex> lock(groups.mutex);
  EraseIf(groups.workers,
          [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<WorkerThread>& known = groups.workers[key];
  std::shared_ptr<WorkerThread> worker = known.lock();
  if (worker == nullptr) known = worker = std::make_shared<WorkerThread>();
  return worker;
}

absl::StatusOr<SharingContext> JoinShareGroup(
    const std::string& key,
    absl::FunctionRef<bool(const egl::Context&)> may_join, ContextMaker make,
    absl::FunctionRef<void(const absl::Status&)> tell, bool on_one_thread) {
  Groups& groups = GroupsOfProcess();
  // Released after the mutex, since this may be the last owner.
  std::shared_ptr<egl::Context> member;
  const std::lock_guard<std::mutex> lock(groups.mutex);
  ForgetGone(&groups.by_key);
  Group& group = groups.by_key[key];
  SharingContext result;
  result.objects = group.objects.lock();
  member = group.Member();
  if (result.objects != nullptr && !result.objects->lost && member != nullptr &&
      may_join(*member)) {
    if (on_one_thread) {
      result.context = std::move(member);
      return result;
    }
    auto context = make(member.get());
    if (context.ok()) {
      result.context = *std::move(context);
      group.contexts.push_back(result.context);
      return result;
    }
    tell(context.status());
  }
  ASSIGN_OR_RETURN(auto context, make(nullptr));
  result.context = std::move(context);
  result.objects = std::make_shared<SharedObjects>(/*shared_by_key=*/true);
  group = {result.objects, {result.context}};
  return result;
}

}  // namespace gles_delegate
