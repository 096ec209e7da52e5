#include "delegate/runtime/command_builder.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "delegate/runtime/object_form.h"

namespace gles_delegate {

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

absl::StatusOr<std::vector<DispatchProgram>> FinishPrograms(
    StartedPrograms started, ProgramCache* programs) {
  ASSIGN_OR_RETURN(auto compiled, programs->Finish(started.sources,
                                                   std::move(started.started)));
  std::vector<DispatchProgram> result = std::move(started.programs);
  for (size_t i = 0; i < result.size(); ++i) result[i].program = compiled[i];
  return result;
}

void SavePrograms(absl::Span<const DispatchProgram> programs,
                  PartitionCache* cache) {
  std::vector<std::pair<Hash128, const egl::Program*>> saved;
  HashSet<const egl::Program*> seen;
  for (const DispatchProgram& p : programs) {
    if (seen.insert(p.program).second) saved.emplace_back(p.text, p.program);
  }
  cache->Save(saved);
}

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

using gl_shaders::Bindings;
using gl_shaders::Storage;

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

}  // namespace

size_t AlignedParamsBytes(const UniformBlock& block,
                          const egl::DeviceInfo& device) {
  // Offsets are multiples of 16 bytes at least, so that the block's last vec4
  // is whole.
  const size_t align = std::max(16, device.uniform_offset_alignment);
  return (block.bytes().size() + align - 1) / align * align;
}

namespace {

class CommandBuilder {
 public:
  CommandBuilder(const CommandSources& sources, Validator* validator)
      : in_(sources), validator_(validator) {}

  absl::StatusOr<BuiltCommands> Build() {
    BuiltCommands built;
    std::vector<GLbitfield> barriers;
    HazardTracker hazards(static_cast<int>(in_.tensors.size()));
    for (size_t i = 0; i < in_.schedule.dispatches.size(); ++i) {
      std::vector<Access> accesses;
      ASSIGN_OR_RETURN(auto command, MakeCommand(i, &accesses));
      command.barrier = hazards.Before(accesses);
      barriers.push_back(command.barrier);
      built.commands.push_back(std::move(command));
    }
    if (validator_ != nullptr) {
      RETURN_IF_ERROR(validator_->Rehearse(barriers));
    }
    built.params = std::move(params_);
    return built;
  }

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
  std::vector<uint8_t> params_;  // blocks
};

}  // namespace

absl::StatusOr<BuiltCommands> BuildCommands(const CommandSources& sources,
                                            Validator* validator) {
  return CommandBuilder(sources, validator).Build();
}

}  // namespace gles_delegate
