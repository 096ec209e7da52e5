// The programs of a plan's dispatches, and what each binds.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_DISPATCH_PROGRAMS_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_DISPATCH_PROGRAMS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/cache/cache_hash.h"
#include "delegate/cache/cache_store.h"
#include "delegate/plan/dispatch.h"
#include "delegate/runtime/program_cache.h"
#include "egl/context.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

struct DispatchProgram {
  gl_shaders::ShaderSpec spec;
  UniformBlock params;
  Hash128 text = {};                      // where a cache was given
  const egl::Program* program = nullptr;  // the ProgramCache's
};

// Programs that the driver may be compiling.
struct StartedPrograms {
  std::vector<DispatchProgram> programs;
  std::vector<ProgramCache::Source> sources;
  ProgramCache::Started started;
};

// Assembles the program of each dispatch, in order, and starts to compile it.
// `cache` (may be null) is asked for binaries first. Errors carry the
// dispatch's label and the driver's log.
absl::StatusOr<StartedPrograms> StartPrograms(
    const egl::Context& context, const Graph& graph,
    absl::Span<const Dispatch> dispatches, const DeviceProfile& profile,
    ProgramCache* programs, PartitionCache* cache);

// Waits for them, with errors likewise. `programs` is the cache of before.
absl::StatusOr<std::vector<DispatchProgram>> FinishPrograms(
    StartedPrograms started, ProgramCache* programs);

// Saves the programs, each once, with what `cache` was given before.
void SavePrograms(absl::Span<const DispatchProgram> programs,
                  PartitionCache* cache);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_DISPATCH_PROGRAMS_H_
