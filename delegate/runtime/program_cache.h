// Compiled programs by their text, shared by every partition of a context.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_PROGRAM_CACHE_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_PROGRAM_CACHE_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/cache/cache_store.h"
#include "delegate/plan/dispatch.h"
#include "egl/objects.h"

namespace gles_delegate {

// Threads: inside its context's Run() only.
class ProgramCache {
 public:
  struct Source {
    std::string text;
    std::string label;                     // for errors
    const UniformBlock* params = nullptr;  // what the dispatch will bind
  };

  // The programs of `sources`, in order; those that are not there yet are all
  // started before the first is waited for, so that a driver with compiler
  // threads uses them. The pointers live as long as the cache.
  // `saved` (may be null) is asked first: a program that it holds, and that the
  // driver takes, is not compiled. No text is compiled twice in a context.
  // `wants_threads`: the driver has KHR_parallel_shader_compile and is to be
  // told to use all threads where there are many programs; how many it uses is
  // the context's state. kInternal with the driver's log; also where a
  // program's Params block is not as large as what was laid out for it, and, in
  // validation mode, where any of its members is another (the .comp and its op
  // disagree).
  absl::StatusOr<std::vector<const egl::Program*>> Get(
      absl::Span<const Source> sources, PartitionCache* saved = nullptr,
      bool wants_threads = false);

  // Get() in two halves, between which a driver with compiler threads compiles
  // while the caller does something else. `sources` live until the second one,
  // and nothing else is asked of the cache meanwhile.
  class Started;
  absl::StatusOr<Started> Start(absl::Span<const Source> sources,
                                PartitionCache* saved, bool wants_threads);
  absl::StatusOr<std::vector<const egl::Program*>> Finish(
      absl::Span<const Source> sources, Started started);

  // From here on each program is finished before the next one is started, by
  // the calling thread alone, so that a driver which holds other threads' calls
  // up while it compiles does so for one program at a time; and none is started
  // once `*stop` is true (kCancelled). nullptr: as before again.
  void CompileInTurn(const std::atomic<bool>* stop) { stop_ = stop; }

  size_t size() const { return programs_.size(); }

 private:
  // Whether the program of `source` was had without the driver's compiler.
  bool Load(const Source& source, PartitionCache* saved);
  // Get() of each source by itself.
  absl::Status CompileOneByOne(absl::Span<const Source> sources,
                               PartitionCache* saved);
  // Those of `sources`, each text once, that neither this nor `saved` has.
  std::vector<const Source*> LoadOrMiss(absl::Span<const Source> sources,
                                        PartitionCache* saved);
  // Waits for the programs, and keeps them.
  absl::Status Await(Started started);

  // By text.
  absl::flat_hash_map<std::string, std::unique_ptr<egl::Program>> programs_;
  const std::atomic<bool>* stop_ = nullptr;  // CompileInTurn()
};

// While an object lives, the driver compiles on as many threads as it likes
// (KHR_parallel_shader_compile). Inside the context's Run().
class CompilerThreads {
 public:
  CompilerThreads();
  CompilerThreads(const CompilerThreads&) = delete;
  CompilerThreads& operator=(const CompilerThreads&) = delete;
  ~CompilerThreads();

 private:
  GLint before_;
};

// Programs that were started and are not finished.
class ProgramCache::Started {
 private:
  friend class ProgramCache;
  std::vector<const Source*> sources;                   // each text once
  std::vector<std::unique_ptr<egl::Program>> programs;  // of `sources`
  // null: the driver was told nothing.
  std::unique_ptr<CompilerThreads> threads;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_PROGRAM_CACHE_H_
