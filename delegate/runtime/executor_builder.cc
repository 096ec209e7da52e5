// Executor::Create: memory, programs and constants, then commands from
// dispatches.
#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "delegate/plan/hazards.h"
#include "delegate/runtime/executor.h"
#include "egl/gl_api.h"

namespace gles_delegate {

using gl_shaders::Bindings;
using gl_shaders::Storage;

// --- Programs of dispatches --------------------------------------------------

gl_shaders::ShaderSpec WholeSpecOf(const Graph& graph, const Dispatch& d,
                                   const DeviceProfile& profile) {
  gl_shaders::ShaderSpec spec = SpecOf(graph, d, profile);
  for (size_t i = 0; i < d.constants.size(); ++i) {
    const PackedConstant& c = d.constants[i];
    if (!c.literal) continue;
    std::vector<float>& values = spec.constants[i].literals;
    values.resize(int64_t{c.width} * c.height * 4);
    c.fill(absl::MakeSpan(values));
  }
  return spec;
}

namespace {

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
    ProgramCache* programs, PartitionCache* cache) {
  StartedPrograms result;
  result.programs.reserve(dispatches.size());  // the sources point into it
  for (const Dispatch& d : dispatches) {
    DispatchProgram program;
    program.spec = WholeSpecOf(graph, d, profile);
    auto text = gl_shaders::AssembleShader(program.spec);
    if (!text.ok()) return Labelled(text.status(), d.label);
    if (!d.fixed_params) program.params = ParamsOf(graph, d);
    if (cache != nullptr) program.text = HashText(*text);
    result.programs.push_back(std::move(program));
    result.sources.push_back({*std::move(text),
                              absl::StrCat(d.label, " (", d.shader, ".comp)"),
                              &result.programs.back().params});
  }
  // An app's context keeps its number of compiler threads.
  const bool wants_threads =
      context.owned() && profile.faults.compiles_in_turn &&
      context.device().Has("GL_KHR_parallel_shader_compile");
  ASSIGN_OR_RETURN(result.started,
                   programs->Start(result.sources, cache, wants_threads));
  return result;
}

// Waits for them, with the same errors. `programs`: as in StartPrograms().
absl::StatusOr<std::vector<DispatchProgram>> FinishPrograms(
    StartedPrograms started, ProgramCache* programs) {
  ASSIGN_OR_RETURN(auto compiled, programs->Finish(started.sources,
                                                   std::move(started.started)));
  std::vector<DispatchProgram> result = std::move(started.programs);
  for (size_t i = 0; i < result.size(); ++i) result[i].program = compiled[i];
  return result;
}

// Saves each program once, along with what was saved in `cache` before.
void SavePrograms(absl::Span<const DispatchProgram> programs,
                  PartitionCache* cache) {
  std::vector<std::pair<Hash128, const egl::Program*>> saved;
  HashSet<const egl::Program*> seen;
  for (const DispatchProgram& p : programs) {
    if (seen.insert(p.program).second) saved.emplace_back(p.text, p.program);
  }
  cache->Save(saved);
}

}  // namespace

// --- Whether the device can run a dispatch -----------------------------------

namespace {

struct Limit {
  absl::string_view what;
  int64_t value;
  int64_t max;
};

// The dispatch's bindings and sizes with their limits.
std::vector<Limit> LimitsOf(const Dispatch& d,
                            const gl_shaders::Bindings& bindings,
                            int64_t params_bytes,
                            const egl::DeviceInfo& device) {
  std::vector<Limit> limits = {
      {"textures bound", bindings.samplers,
       std::min(egl::kTextureUnits, device.max_textures)},
      {"images bound", bindings.images,
       std::min({egl::kImageUnits, device.max_images, device.max_image_units})},
      {"storage buffers bound", bindings.buffers,
       std::min(egl::kStorageBuffers, device.max_buffers)},
      {"images and storage buffers together",
       bindings.images + bindings.buffers, device.max_outputs},
      {"bytes of parameters", params_bytes, device.max_uniform_block_bytes},
      {"bytes of shared memory", d.shared_bytes,
       device.max_shared_memory_bytes},
  };
  int64_t invocations = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const int64_t group = std::max(1, d.work_group[axis]);
    invocations *= group;
    limits.push_back({"invocations of a work group on one axis", group,
                      device.max_work_group_size[axis]});
    limits.push_back({"work groups on one axis",
                      (d.grid[axis] + group - 1) / group,
                      device.max_work_group_count[axis]});
  }
  limits.push_back({"invocations of a work group", invocations,
                    device.max_work_group_invocations});
  return limits;
}

// Whether the shader's text declares shared memory that the dispatch, by its
// #defines, takes.
bool TakesSharedMemory(const Dispatch& d) {
  const auto text = gl_shaders::ShaderFile(absl::StrCat(d.shader, ".comp"));
  const bool declares =
      text.ok() && text->find("\nshared ") != absl::string_view::npos;
  const bool is_alone =
      absl::c_all_of(d.work_group, [](int extent) { return extent <= 1; });
  return declares && !is_alone &&
         absl::c_any_of(d.defines, [](const auto& define) {
           return (define.first == "THREADS" || define.first == "LANES") &&
                  define.second != "1";
         });
}

}  // namespace

absl::Status CheckDeviceLimits(const Dispatch& d,
                               const gl_shaders::Bindings& bindings,
                               int64_t params_bytes, int64_t params_offset,
                               const egl::DeviceInfo& device) {
  const auto violation = [&d](const auto&... words) {
    return absl::InternalError(absl::StrCat("validation: ", d.label, " (",
                                            d.shader, ".comp)", words...));
  };
  for (const Limit& limit : LimitsOf(d, bindings, params_bytes, device)) {
    if (limit.value <= limit.max) continue;
    return violation(
        ": ", limit.what, ": ", limit.value, "; rule: at most ", limit.max,
        " (the device's limit, or what is saved of an app's context)");
  }
  const int align = std::max(1, device.uniform_offset_alignment);
  if (params_offset % align != 0) {
    return violation(": parameters at byte ", params_offset,
                     "; rule: a multiple of ", align);
  }
  if (d.shared_bytes == 0 && TakesSharedMemory(d)) {
    return violation(
        " takes shared memory; rule: Dispatch::SharedMemory says how much");
  }
  return absl::OkStatus();
}

// --- Commands ----------------------------------------------------------------

size_t AlignedParamsBytes(const UniformBlock& block,
                          const egl::DeviceInfo& device) {
  // Offsets are multiples of 16 bytes at least, so that the block's last vec4
  // is whole.
  const size_t align = std::max(16, device.uniform_offset_alignment);
  return (block.bytes().size() + align - 1) / align * align;
}

namespace {

Binding Bind(const Bindings::Point& point, const Resource& resource,
             bool write) {
  const bool view = resource.view != 0 && point.kind != Bindings::Kind::kBuffer;
  Binding b{point.kind, point.unit, view ? resource.view : resource.object};
  const bool array = resource.storage == Storage::kTextureArray;
  b.target = array ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D;
  b.format = InternalFormat(resource.format);
  b.access = write ? GL_WRITE_ONLY : GL_READ_ONLY;
  b.layered = array ? GL_TRUE : GL_FALSE;
  if (resource.is_bound) b.app_slot = resource.slot;
  return b;
}

// The host buffer of a transfer, or the app's object that replaces it.
Binding BindObject(const HostTransfer& transfer, GLuint sampler,
                   const Bindings& others) {
  const auto [kind, unit] =
      ObjectBinding(transfer.object(), transfer.is_upload(), others);
  Binding b{kind, unit, transfer.shader_object()};
  b.target =
      transfer.object().is_external ? GL_TEXTURE_EXTERNAL_OES : GL_TEXTURE_2D;
  b.format = transfer.object().image_format;
  b.access = GL_WRITE_ONLY;
  if (kind == Bindings::Kind::kSampler) b.sampler = sampler;
  return b;
}

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

class CommandBuilder {
 public:
  CommandBuilder(const CommandSources& sources, Validator* validator)
      : in_(sources), validator_(validator) {}

  // The commands with their barriers, validated after a rehearsal. kInternal: a
  // dispatch binds something that nothing makes, or breaks a validation rule.
  absl::StatusOr<std::vector<Command>> Build() {
    std::vector<Command> commands;
    std::vector<GLbitfield> barriers;
    HazardTracker hazards(static_cast<int>(in_.tensors.size()));
    for (size_t i = 0; i < in_.schedule.dispatches.size(); ++i) {
      std::vector<Access> accesses;
      ASSIGN_OR_RETURN(auto command, MakeCommand(i, &accesses));
      command.barrier = hazards.Before(accesses);
      barriers.push_back(command.barrier);
      commands.push_back(std::move(command));
    }
    if (validator_ != nullptr) {
      RETURN_IF_ERROR(validator_->Rehearse(barriers));
    }
    return commands;
  }

  // All Params blocks, aligned for binding.
  const std::vector<uint8_t>& params() const { return params_; }

 private:
  // Without its barrier.
  absl::StatusOr<Command> MakeCommand(size_t dispatch,
                                      std::vector<Access>* accesses) {
    const Dispatch& d = in_.schedule.dispatches[dispatch];
    const DispatchProgram& program = in_.programs[dispatch];
    Command command;
    command.program = program.program->id();
    PlaceParams(dispatch, &command);
    for (int axis = 0; axis < 3; ++axis) {
      command.groups[axis] =
          (d.grid[axis] + d.work_group[axis] - 1) / d.work_group[axis];
    }
    command.label = d.label;
    const Bindings points = gl_shaders::AssignBindings(program.spec);
    ASSIGN_OR_RETURN(*accesses, BindTensors(dispatch, points, &command));
    const std::vector<Resource>& constants = in_.constants[dispatch];
    for (size_t c = 0; c < constants.size(); ++c) {
      if (d.constants[c].literal) continue;
      command.bindings.push_back(
          Bind(points.constants[c], constants[c], false));
    }
    command.piece = in_.schedule.pieces[dispatch];
    if (command.piece.index >= 0) {
      const HostTransfer& transfer = TransferOf(dispatch);
      command.bindings.push_back(BindObject(transfer, in_.sampler, points));
      command.is_copied = transfer.object().is_copied;
      if (transfer.is_bound() && !transfer.object().is_plain) {
        command.object_params =
            command.params_offset +
            static_cast<GLintptr>(program.params.bytes().size() -
                                  d.uniforms.bytes().size());
      }
    }
    // The pieces of an input are disjoint: none waits for the previous one.
    if (dispatch < in_.schedule.uploads && command.piece.begin > 0) {
      accesses->clear();
    }
    command.node = d.node;
    command.shader = d.shader;
    RETURN_IF_ERROR(DescribeToValidator(dispatch, points, command));
    return command;
  }

  // Appends the dispatch's Params block.
  void PlaceParams(size_t dispatch, Command* command) {
    const UniformBlock& block = in_.programs[dispatch].params;
    command->params_offset = static_cast<GLintptr>(params_.size());
    command->params_bytes = static_cast<GLsizeiptr>(block.block_bytes());
    const size_t end = params_.size() + AlignedParamsBytes(block, in_.device);
    params_.insert(params_.end(), block.bytes().begin(), block.bytes().end());
    params_.resize(end);
  }

  // Adds the dispatch's tensor bindings and returns its accesses to them.
  absl::StatusOr<std::vector<Access>> BindTensors(size_t dispatch,
                                                  const Bindings& points,
                                                  Command* command) {
    const Dispatch& d = in_.schedule.dispatches[dispatch];
    const DispatchProgram& program = in_.programs[dispatch];
    const std::vector<TensorId> ids = BoundTensors(d);
    std::vector<Access> accesses;
    for (size_t t = 0; t < ids.size(); ++t) {
      const Resource& resource = in_.tensors[ids[t]];
      const bool write = program.spec.tensors[t].write;
      if (resource.object == 0 && !resource.is_bound) {
        return absl::InternalError(
            absl::StrCat(d.label, " uses ", in_.graph.tensor(ids[t]).ToString(),
                         ", which nothing makes"));
      }
      command->bindings.push_back(Bind(points.tensors[t], resource, write));
      if (resource.slot < 0) continue;
      accesses.push_back(AccessTo(ids[t], points.tensors[t].kind, write));
    }
    return accesses;
  }

  // An access to a tensor that has a slot.
  Access AccessTo(TensorId id, AccessKind kind, bool write) const {
    Access access = {in_.tensors[id].slot, kind, write};
    const TensorId whole = in_.graph.tensor(id).view.of;
    if (write && whole != kNoTensor) {
      access.whole = whole;
      access.part = id;
    }
    return access;
  }

  // Registers a command's accesses with the validator. First checks that they
  // fit the device and what is saved of the app's context.
  absl::Status DescribeToValidator(size_t dispatch, const Bindings& points,
                                   const Command& command) {
    if (validator_ == nullptr) return absl::OkStatus();
    const Dispatch& d = in_.schedule.dispatches[dispatch];
    const Piece& piece = command.piece;
    Bindings bound = points;
    if (piece.index >= 0) {
      // The host's buffer or the object, after all others.
      switch (command.bindings.back().kind) {
        case Bindings::Kind::kSampler:
          ++bound.samplers;
          break;
        case Bindings::Kind::kImage:
          ++bound.images;
          break;
        case Bindings::Kind::kBuffer:
          ++bound.buffers;
          break;
      }
    }
    RETURN_IF_ERROR(CheckDeviceLimits(d, bound, command.params_bytes,
                                      command.params_offset, in_.device));
    Validator::Command told;
    told.label = absl::StrCat(d.label, " (", d.shader, ".comp)");
    const std::vector<TensorId> ids = BoundTensors(d);
    for (size_t t = 0; t < ids.size(); ++t) {
      if (in_.tensors[ids[t]].slot < 0) continue;  // a constant
      const Access access =
          AccessTo(ids[t], points.tensors[t].kind,
                   in_.programs[dispatch].spec.tensors[t].write);
      told.touches.push_back(
          {access.resource, access.kind, access.write, ids[t]});
    }
    if (piece.index >= 0) {
      const HostTransfer& transfer = TransferOf(dispatch);
      told.continues = transfer.is_upload() && piece.begin > 0;
      told.touches.push_back({transfer.shader_resource(),
                              command.bindings.back().kind,
                              !transfer.is_upload(),
                              kNoTensor,
                              {piece.begin, piece.end}});
      for (size_t next = dispatch + 1;
           next < in_.schedule.uploads &&
           in_.schedule.pieces[next].index == piece.index;
           ++next) {
        ++told.pieces_left;
      }
    }
    validator_->AddCommand(std::move(told));
    return absl::OkStatus();
  }

  // The transfer of which the dispatch is a piece. `piece.index` must not be
  // -1.
  const HostTransfer& TransferOf(size_t dispatch) const {
    const auto& list =
        dispatch < in_.schedule.uploads ? in_.inputs : in_.outputs;
    return list[in_.schedule.pieces[dispatch].index];
  }

  const CommandSources in_;
  Validator* validator_;
  std::vector<uint8_t> params_;
};

// --- All of an executor ------------------------------------------------------

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

bool IsTexture(const HostTransfer& transfer) {
  return transfer.object().kind == ObjectForm::Kind::kTexture;
}

// The barrier between an output's readback and its next reader.
GLbitfield FinalBarrierOf(const HostTransfer& output) {
  // The app, with whatever it likes.
  if (output.is_bound()) return GL_ALL_BARRIER_BITS;
  return output.way() == HostTransfer::Way::kUnmapped
             ? GL_BUFFER_UPDATE_BARRIER_BIT
             : GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT;
}

// The barriers before the first command and after the last, which `graph`'s
// variables and the host's reads ask for.
void SetOuterBarriers(const Graph& graph, ExecutorParts* parts) {
  for (const HostTransfer& output : parts->outputs) {
    parts->final_barrier |= FinalBarrierOf(output);
  }
  const auto await = [&](const std::vector<HostTransfer>& transfers,
                         GLbitfield of_texture) {
    for (const HostTransfer& transfer : transfers) {
      if (!transfer.is_bound()) continue;
      parts->first_barrier |=
          IsTexture(transfer) ? of_texture : GL_SHADER_STORAGE_BARRIER_BIT;
    }
  };
  // An app's shader may have written its bound objects, or may still read the
  // results of the last Invoke.
  await(parts->inputs, GL_TEXTURE_FETCH_BARRIER_BIT);
  await(parts->outputs, GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
  // The next Invoke reads the variable tensors of this one; and if it does not
  // wait for a fence at the end, stores of the next one have to wait.
  const bool has_state = absl::c_any_of(
      graph.inputs, [&](TensorId id) { return graph.tensor(id).is_variable; });
  const bool is_awaited =
      absl::c_any_of(parts->outputs, [](const HostTransfer& output) {
        return output.stays_mapped() || output.is_packed_by_host();
      });
  if (!parts->caches.empty() || has_state || !is_awaited) {
    parts->first_barrier |= GL_TEXTURE_FETCH_BARRIER_BIT |
                            GL_SHADER_IMAGE_ACCESS_BARRIER_BIT |
                            GL_SHADER_STORAGE_BARRIER_BIT;
  }
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
  CommandBuilder builder(sources, parts->validator.get());
  ASSIGN_OR_RETURN(parts->commands, builder.Build());
  PlaceCaches(sources.graph, sources.tensors, parts->commands, &parts->caches);
  parts->stats.barriers = static_cast<int>(absl::c_count_if(
      parts->commands, [](const Command& c) { return c.barrier != 0; }));
  // Nothing to run: everything in the partition was folded.
  if (parts->commands.empty()) return absl::OkStatus();
  SetOuterBarriers(sources.graph, parts);
  const std::vector<uint8_t>& params = builder.params();
  parts->stats.memory.parameters = static_cast<int64_t>(params.size());
  ASSIGN_OR_RETURN(
      parts->params,
      egl::Buffer::Create(params.size(), params.data(), GL_STATIC_DRAW));
  egl::LabelObject(GL_BUFFER_KHR, parts->params.id(), "parameters");
  return absl::OkStatus();
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
  if (absl::c_any_of(parts.inputs, IsTexture)) {
    ASSIGN_OR_RETURN(parts.sampler, egl::NearestSampler());
  }
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
