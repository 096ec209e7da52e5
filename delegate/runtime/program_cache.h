// Compiled programs by their text, shared by every partition of a context.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_PROGRAM_CACHE_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_PROGRAM_CACHE_H_

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

  size_t size() const { return programs_.size(); }

 private:
  // Whether the program of `source` was had without the driver's compiler.
  bool Load(const Source& source, PartitionCache* saved);
  // Get() of each source by itself, for egl::ProgramTrace.
  absl::StatusOr<std::vector<const egl::Program*>> GetOneByOne(
      absl::Span<const Source> sources, PartitionCache* saved);
  // Those of `sources`, each text once, that neither this nor `saved` has.
  std::vector<const Source*> LoadOrMiss(absl::Span<const Source> sources,
                                        PartitionCache* saved);
  absl::Status Compile(absl::Span<const Source* const> sources,
                       bool retrievable, bool wants_threads);

  // By text.
  absl::flat_hash_map<std::string, std::unique_ptr<egl::Program>> programs_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_PROGRAM_CACHE_H_
