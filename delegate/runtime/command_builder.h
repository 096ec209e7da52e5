// Builds an executor's commands from dispatches, memory and programs.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_COMMAND_BUILDER_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_COMMAND_BUILDER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/cache/cache_hash.h"
#include "delegate/cache/cache_store.h"
#include "delegate/plan/dispatch.h"
#include "delegate/plan/hazards.h"
#include "delegate/runtime/gpu_memory.h"
#include "delegate/runtime/host_transfer.h"
#include "delegate/runtime/program_cache.h"
#include "delegate/runtime/schedule.h"
#include "delegate/runtime/validator.h"
#include "egl/context.h"
#include "egl/device_info.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// --- Programs of dispatches --------------------------------------------------

// SpecOf() with the values of constants that the shader's text holds.
gl_shaders::ShaderSpec WholeSpecOf(const Graph& graph, const Dispatch& d,
                                   const DeviceProfile& profile);

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

// --- Whether the device can run a dispatch -----------------------------------

// Whether a dispatch is within the limits of `device` and, since the context
// may be an app's, the binding points that egl/context.h saves. `bindings`: of
// its tensors and constants; `buffers` include host buffers. kInternal, with
// the limit.
absl::Status CheckDeviceLimits(const Dispatch& dispatch,
                               const gl_shaders::Bindings& bindings,
                               int64_t params_bytes, int64_t params_offset,
                               const egl::DeviceInfo& device);

// --- Commands ----------------------------------------------------------------

// The sources of commands; all borrowed.
struct CommandSources {
  const egl::DeviceInfo& device;
  const Graph& graph;
  const Schedule& schedule;
  const std::vector<Resource>& tensors;                 // by tensor
  const std::vector<std::vector<Resource>>& constants;  // by dispatch
  const std::vector<DispatchProgram>& programs;         // by dispatch
  const std::vector<HostTransfer>& inputs;
  const std::vector<HostTransfer>& outputs;
  GLuint sampler = 0;  // for the app's textures
};

// Bytes of a Params block in the buffer of all blocks, rounded up to the
// alignment of the next one.
size_t AlignedParamsBytes(const UniformBlock& block,
                          const egl::DeviceInfo& device);

struct BuiltCommands {
  std::vector<Command> commands;  // with their barriers
  std::vector<uint8_t> params;    // all Params blocks, aligned for binding
};

// Validates the commands, too, after a rehearsal. `validator`: null if that is
// off. kInternal: a dispatch binds something that nothing makes, or breaks a
// validation rule.
absl::StatusOr<BuiltCommands> BuildCommands(const CommandSources& sources,
                                            Validator* validator);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_COMMAND_BUILDER_H_
