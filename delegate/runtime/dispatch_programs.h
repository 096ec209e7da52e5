// The programs of a plan's dispatches and their bindings.
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
  Hash128 text = {};                      // if a cache was given
  const egl::Program* program = nullptr;  // the ProgramCache's
};

// Programs that the driver may still be compiling.
struct StartedPrograms {
  std::vector<DispatchProgram> programs;
  std::vector<ProgramCache::Source> sources;
  ProgramCache::Started started;
};

// Assembles the program of each dispatch, in order, and starts compiling. Looks
// for binaries in `cache` (may be null) first. Errors have the dispatch's label
// and the driver's log.
absl::StatusOr<StartedPrograms> StartPrograms(
    const egl::Context& context, const Graph& graph,
    absl::Span<const Dispatch> dispatches, const DeviceProfile& profile,
    ProgramCache* programs, PartitionCache* cache);

// Waits for them, with the same errors. `programs`: as in StartPrograms().
absl::StatusOr<std::vector<DispatchProgram>> FinishPrograms(
    StartedPrograms started, ProgramCache* programs);

// Saves each program once, along with what was saved in `cache` before.
void SavePrograms(absl::Span<const DispatchProgram> programs,
                  PartitionCache* cache);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_DISPATCH_PROGRAMS_H_
