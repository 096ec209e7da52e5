#include "delegate/runtime/build_programs.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "egl/current_context.h"
#include "egl/headless.h"

namespace gles_delegate {
namespace {

// Programs that several threads take from, each the next one.
class Queue {
 public:
  explicit Queue(const std::vector<const egl::Program*>& programs)
      : programs_(programs) {}

  // Builds programs until none is left, in the context that is current. Returns
  // how many.
  int BuildAll() {
    int built = 0;
    for (size_t i = next_++; i < programs_.size(); i = next_++, ++built) {
      programs_[i]->StartCompiling();
      programs_[i]->StartLinking();
      // Waits: what is left to do after this thread has gone would be
      // another's.
      programs_[i]->IsBuilt();
    }
    return built;
  }

 private:
  const std::vector<const egl::Program*>& programs_;
  std::atomic<size_t> next_ = 0;
};

// The body of a thread beside the calling one. Returns how many programs it
// built.
int BuildInSharedContext(const egl::Context& with, Queue* queue) {
  egl::SavedCurrent saved;
  egl::DisplayCandidate display;
  display.open = [&]() -> absl::StatusOr<EGLDisplay> { return with.display(); };
  auto context =
      egl::HeadlessContext::Open(display, /*debug=*/false, with.handle());
  if (!context.ok() || !context->MakeCurrent().ok()) return 0;
  const int built = queue->BuildAll();
  // Other contexts see what is complete.
  egl::gl().Finish();
  saved.Restore(with.display()).IgnoreError();
  return built;
}

}  // namespace

int BuildOnThreads(const egl::Context& context,
                   const std::vector<const egl::Program*>& programs,
                   int threads) {
  Queue queue(programs);
  std::atomic<int> builders = 0;
  std::vector<std::thread> others;
  const int most = static_cast<int>(
      std::min<size_t>({programs.size(), static_cast<size_t>(threads),
                        std::max(1u, std::thread::hardware_concurrency())}));
  for (int i = 1; i < most; ++i) {
    try {
      others.emplace_back([&] {
        if (BuildInSharedContext(context, &queue) > 0) ++builders;
      });
    } catch (const std::system_error&) {
      break;  // The system gives no more threads.
    }
  }
  if (queue.BuildAll() > 0) ++builders;
  for (std::thread& other : others) other.join();
  return builders;
}

}  // namespace gles_delegate
