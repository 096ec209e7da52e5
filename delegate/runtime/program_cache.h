// Compiled programs by their text, shared by all partitions of a context.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_PROGRAM_CACHE_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_PROGRAM_CACHE_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/cache/cache_store.h"
#include "delegate/plan/dispatch.h"
#include "egl/gl_api.h"
#include "egl/objects.h"

namespace gles_delegate {

// --- Whether a program's uniforms are those of the plan ----------------------

// kInternal if the program has no such block or its size differs from `params`.
// One cheap query, made after every link.
absl::Status CheckParamsSize(GLuint program, const UniformBlock& params);

// kInternal if a member's name, type or offset differs; the message compares
// both sides at the first such offset. Queries each member, so only for
// validation (GLES_DELEGATE_DEBUG=validate).
absl::Status CheckParamsMembers(GLuint program, const UniformBlock& params);

// Threads: inside its context's Run() only.
class ProgramCache {
 public:
  struct Source {
    std::string text;
    std::string label;                     // for errors
    const UniformBlock* params = nullptr;  // what the dispatch will bind
  };

  // Returns the programs of `sources`, in order. Starts all missing ones before
  // waiting for the first, so that a driver with compiler threads uses them.
  // The pointers live as long as the cache. Tries `saved` (may be null) before
  // compiling; compiles no text twice in a context. `wants_threads`: the driver
  // has KHR_parallel_shader_compile and must be asked to use all threads for
  // many programs (context state). kInternal, with the driver's log. Also if a
  // program's Params block differs from the host's layout in size or, in
  // validation mode, in any member (the .comp and its op disagree).
  absl::StatusOr<std::vector<const egl::Program*>> Get(
      absl::Span<const Source> sources, PartitionCache* saved = nullptr,
      bool wants_threads = false);

  // Get() in two steps, between which a driver with compiler threads can
  // compile. `sources` must live until the second, and the cache must not be
  // used in between.
  struct Started;
  absl::StatusOr<Started> Start(absl::Span<const Source> sources,
                                PartitionCache* saved, bool wants_threads);
  absl::StatusOr<std::vector<const egl::Program*>> Finish(
      absl::Span<const Source> sources, Started started);

  // From now on finishes each program before starting the next, on the calling
  // thread, so that a driver that blocks other threads while compiling does so
  // for one program at a time; starts none once `*stop` is true (kCancelled).
  // nullptr: back to normal.
  void CompileInTurn(const std::atomic<bool>* stop) { stop_ = stop; }

  size_t size() const { return programs_.size(); }

 private:
  // Whether the program of `source` is available without compiling.
  bool Load(const Source& source, PartitionCache* saved);
  // Get() of each source separately.
  absl::Status CompileOneByOne(absl::Span<const Source> sources,
                               PartitionCache* saved);
  // Those of `sources`, each text once, that neither this nor `saved` has.
  std::vector<const Source*> LoadOrMiss(absl::Span<const Source> sources,
                                        PartitionCache* saved);

  // By text.
  HashMap<std::string, std::unique_ptr<egl::Program>> programs_;
  const std::atomic<bool>* stop_ = nullptr;  // CompileInTurn()
};

// Programs that were started but not finished.
struct ProgramCache::Started {
  std::vector<const Source*> sources;                   // each text once
  std::vector<std::unique_ptr<egl::Program>> programs;  // of `sources`
  // Lets the driver use all compiler threads (KHR_parallel_shader_compile)
  // while it lives; null: the driver was not asked for them.
  std::shared_ptr<void> threads;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_PROGRAM_CACHE_H_
