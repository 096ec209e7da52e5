// Executor::Create: memory, programs and constants, then commands.
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "delegate/runtime/command_builder.h"
#include "delegate/runtime/constant_memory.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/gpu_memory.h"
#include "delegate/runtime/schedule.h"
#include "egl/gl_api.h"

namespace gles_delegate {
namespace {

// Makes the transfers' memory: the tensors' if the host packs, otherwise from
// `kept`, by position, or new.
absl::Status MakeTransferMemory(
    const std::vector<Resource>& tensors, const DeviceProfile& profile,
    const std::vector<std::shared_ptr<egl::Buffer>>& kept, Validator* validator,
    std::vector<HostTransfer>* transfers) {
  for (size_t i = 0; i < transfers->size(); ++i) {
    HostTransfer& transfer = (*transfers)[i];
    if (!transfer.has_dispatch()) {
      const Resource& tensor = tensors[transfer.tensor()];
      transfer.UseTensorMemory(tensor.mapped, tensor.slot);
    } else {
      RETURN_IF_ERROR(
          transfer.Allocate(profile, i < kept.size() ? kept[i] : nullptr));
    }
    if (validator != nullptr) transfer.TellValidator(validator);
  }
  return absl::OkStatus();
}

// Makes a sampler if an app's texture is read.
absl::Status MakeSampler(ExecutorParts* parts) {
  for (const HostTransfer& input : parts->inputs) {
    if (input.object().kind != ObjectForm::Kind::kTexture) continue;
    ASSIGN_OR_RETURN(parts->sampler, egl::NearestSampler());
    return absl::OkStatus();
  }
  return absl::OkStatus();
}

// The barrier between an output's readback and its next reader.
GLbitfield FinalBarrierOf(HostTransfer::Way way) {
  switch (way) {
    case HostTransfer::Way::kPackedByHost:
    case HostTransfer::Way::kMapped:
    case HostTransfer::Way::kStaged:
      return GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT;
    case HostTransfer::Way::kUnmapped:
      return GL_BUFFER_UPDATE_BARRIER_BIT;
    case HostTransfer::Way::kBound:
    case HostTransfer::Way::kBoundMemory:
      return GL_ALL_BARRIER_BITS;  // the app, with whatever it likes
  }
  return GL_ALL_BARRIER_BITS;
}

// The barriers before the first command and after the last, which `graph`'s
// variables and the host's reads ask for.
void SetOuterBarriers(const Graph& graph, ExecutorParts* parts) {
  for (const HostTransfer& output : parts->outputs) {
    parts->final_barrier |= FinalBarrierOf(output.way());
  }
  // An app's shader may have written its bound objects,
  for (const HostTransfer& input : parts->inputs) {
    if (!input.is_bound()) continue;
    parts->first_barrier |= input.object().kind == ObjectForm::Kind::kTexture
                                ? GL_TEXTURE_FETCH_BARRIER_BIT
                                : GL_SHADER_STORAGE_BARRIER_BIT;
  }
  // or may still read the results of the last Invoke.
  for (const HostTransfer& output : parts->outputs) {
    if (!output.is_bound()) continue;
    parts->first_barrier |= output.object().kind == ObjectForm::Kind::kTexture
                                ? GL_SHADER_IMAGE_ACCESS_BARRIER_BIT
                                : GL_SHADER_STORAGE_BARRIER_BIT;
  }
  // The next Invoke reads the variable tensors of this one; and if it does not
  // wait for a fence at the end, stores of the next one have to wait.
  const bool has_state = absl::c_any_of(
      graph.inputs, [&](TensorId id) { return graph.tensor(id).is_variable; });
  const bool is_awaited =
      AnyStaysMapped(parts->outputs) || AnyPackedByHost(parts->outputs);
  if (!parts->caches.empty() || has_state || !is_awaited) {
    parts->first_barrier |= GL_TEXTURE_FETCH_BARRIER_BIT |
                            GL_SHADER_IMAGE_ACCESS_BARRIER_BIT |
                            GL_SHADER_STORAGE_BARRIER_BIT;
  }
}

absl::Status UploadParams(const std::vector<uint8_t>& params,
                          egl::Buffer* buffer) {
  ASSIGN_OR_RETURN(*buffer, egl::Buffer::Create(params.size(), params.data(),
                                                GL_STATIC_DRAW));
  egl::LabelObject(GL_BUFFER_KHR, buffer->id(), "parameters");
  return absl::OkStatus();
}

// Sets the caches' slots, and the commands that bind them.
void PlaceCaches(const Graph& graph, const std::vector<Resource>& tensors,
                 const std::vector<Command>& commands,
                 std::vector<BoundCache>* caches) {
  for (BoundCache& cache : *caches) {
    const Resource& memory = tensors[graph.inputs[cache.input]];
    cache.slot = memory.slot;
    cache.view = memory.view;
    for (size_t i = 0; i < commands.size(); ++i) {
      const std::vector<Binding>& bindings = commands[i].bindings;
      for (size_t b = 0; b < bindings.size(); ++b) {
        if (bindings[b].app_slot == cache.slot) {
          cache.bindings.emplace_back(i, b);
        }
      }
    }
  }
}

// Moves the transfers, which are known before any memory is made, to `parts`.
// The schedule stays in `transfers`.
void TakeTransfers(const egl::Context& context, const Graph& graph,
                   const DeviceProfile& profile, TransferPlan* transfers,
                   ExecutorParts* parts) {
  const Schedule& schedule = transfers->schedule;
  parts->context = &context;
  if (ValidationIsOn()) parts->validator = std::make_unique<Validator>(graph);
  parts->has_debug_groups =
      egl::DebugIsOn() && context.device().Has("GL_KHR_debug");
  parts->inputs = std::move(transfers->inputs);
  parts->outputs = std::move(transfers->outputs);
  parts->caches = std::move(transfers->caches);
  parts->uploads = schedule.uploads;
  parts->readbacks = schedule.readbacks;
  parts->early = profile.bus.early_dispatches;
  parts->stats.dispatches = static_cast<int>(schedule.dispatches.size());
}

// The commands of a schedule whose memory is there.
absl::Status MakeCommands(const CommandSources& sources, ExecutorParts* parts) {
  ASSIGN_OR_RETURN(auto built, BuildCommands(sources, parts->validator.get()));
  parts->commands = std::move(built.commands);
  PlaceCaches(sources.graph, sources.tensors, parts->commands, &parts->caches);
  parts->stats.barriers = static_cast<int>(absl::c_count_if(
      parts->commands, [](const Command& c) { return c.barrier != 0; }));
  // Nothing to run: everything in the partition was folded.
  if (parts->commands.empty()) return absl::OkStatus();
  parts->stats.memory.parameters = static_cast<int64_t>(built.params.size());
  SetOuterBarriers(sources.graph, parts);
  return UploadParams(built.params, &parts->params);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Executor>> Executor::Create(
    const egl::Context& context, ProgramCache* programs, const Graph& graph,
    std::vector<Dispatch> dispatches, const DeviceProfile& profile,
    PartitionCache* cache, const BoundTransfers& bound,
    const ConstantSharing& sharing) {
  ExecutorParts parts;
  StageTimer timer(&parts.stats.stages);
  TransferPlan transfers = PlanTransfers(graph, std::move(dispatches), profile,
                                         egl::Buffer::CanBeMapped(), bound);
  const Schedule& schedule = transfers.schedule;
  TakeTransfers(context, graph, profile, &transfers, &parts);
  egl::StagedUpload staging;
  const bool is_staged =
      profile.bus.staged_upload_bytes > 0 && egl::Buffer::CanBeMapped();
  GpuMemory memory(profile, is_staged ? &staging : nullptr);
  ASSIGN_OR_RETURN(
      auto tensors,
      MakeTensorMemory(graph, schedule, parts.inputs, parts.outputs, profile,
                       &memory, parts.validator.get()));
  parts.stats.memory.tensors = tensors.bytes;
  parts.stats.tensor_bytes_unshared = tensors.bytes_unshared;
  timer.Lap("tensors");
  const auto make_memory = [&](const auto& kept, auto* of) {
    return MakeTransferMemory(tensors.tensors, profile, kept,
                              parts.validator.get(), of);
  };
  RETURN_IF_ERROR(make_memory(bound.input_memory, &parts.inputs));
  RETURN_IF_ERROR(make_memory(bound.output_memory, &parts.outputs));
  parts.stats.memory.transfers =
      GpuBytes(parts.inputs) + GpuBytes(parts.outputs);
  timer.Lap("host_buffers");
  // Before the constants: a driver with compiler threads compiles meanwhile.
  ASSIGN_OR_RETURN(auto started,
                   StartPrograms(context, graph, schedule.dispatches, profile,
                                 programs, cache));
  timer.Lap("programs");
  ASSIGN_OR_RETURN(auto constants,
                   UploadConstants(graph, schedule.dispatches, profile, cache,
                                   &memory, sharing, &tensors.tensors));
  parts.stats.memory.constants = constants.bytes;
  parts.stats.memory.shared_constants = constants.bytes_shared;
  parts.shared_constants = std::move(constants.shared);
  parts.textures = memory.TakeTextures();
  parts.buffers = memory.TakeBuffers();
  timer.Lap("constants");
  RETURN_IF_ERROR(MakeSampler(&parts));
  ASSIGN_OR_RETURN(auto compiled, FinishPrograms(std::move(started), programs));
  parts.stats.programs = static_cast<int>(programs->size());
  timer.Lap("programs");
  const StageTimes& stages = parts.stats.stages;
  parts.stats.compile_ms = stages.Of("programs");
  parts.stats.upload_ms =
      stages.Of("tensors") + stages.Of("host_buffers") + stages.Of("constants");

  RETURN_IF_ERROR(MakeCommands(
      {context.device(), graph, schedule, tensors.tensors, constants.packed,
       compiled, parts.inputs, parts.outputs, parts.sampler.id()},
      &parts));
  RETURN_IF_ERROR(egl::CheckGl("preparing the partition"));
  timer.Lap("commands");
  if (cache != nullptr) SavePrograms(compiled, cache);
  timer.Lap("cache_save");
  return std::make_unique<Executor>(std::move(parts));
}

}  // namespace gles_delegate
