#include "delegate/runtime/command_builder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/plan/dispatch_shader.h"
#include "delegate/runtime/check_limits.h"
#include "delegate/runtime/object_transfer.h"

namespace gles_delegate {

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
  return b;
}

// The host buffer of a transfer, or the app's object that replaces it.
Binding BindObject(const HostTransfer& transfer, const Piece& piece,
                   GLuint sampler, const Bindings& others) {
  const auto [kind, unit] =
      ObjectBinding(transfer.object(), transfer.is_upload(), others);
  Binding b{kind, unit, transfer.shader_object(piece.begin)};
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

void CommandBuilder::PlaceParams(size_t dispatch, Command* command) {
  const UniformBlock& block = in_.programs[dispatch].params;
  command->params_offset = static_cast<GLintptr>(params_.size());
  command->params_bytes = static_cast<GLsizeiptr>(block.block_bytes());
  const size_t end = params_.size() + AlignedParamsBytes(block, in_.device);
  params_.insert(params_.end(), block.bytes().begin(), block.bytes().end());
  params_.resize(end);
}

Access CommandBuilder::AccessTo(const Step& step, TensorId id, AccessKind kind,
                                bool write) const {
  Access access = {in_.tensors[id].slot, kind, write};
  const BatchParts& parts = in_.schedule.parts;
  const bool is_input =
      parts.IsThere() && id == in_.inputs[parts.input].tensor();
  if (is_input && step.dispatch < in_.schedule.upload_dispatches) {
    const Piece& piece = in_.schedule.pieces[step.dispatch];
    access.whole = id;
    access.begin = static_cast<int64_t>(piece.begin);
    access.end = static_cast<int64_t>(piece.end);
  } else if (step.parts > 1) {
    const int64_t part = UnitsOf(id) / step.parts;
    access.whole = id;
    access.begin = step.part * part;
    access.end = access.begin + part;
  } else if (const TensorId whole = in_.graph.tensor(id).view.of;
             write && whole != kNoTensor) {
    access.whole = whole;
    access.begin = id;
    access.end = id + 1;
  }
  return access;
}

int64_t CommandBuilder::UnitsOf(TensorId id) const {
  const BatchParts& parts = in_.schedule.parts;
  const HostTransfer& input = in_.inputs[parts.input];
  return id == input.tensor() ? static_cast<int64_t>(input.bytes())
                              : parts.count;
}

absl::StatusOr<std::vector<Access>> CommandBuilder::BindTensors(
    const Step& step, const Bindings& points, Command* command) {
  const Dispatch& d = in_.schedule.dispatches[step.dispatch];
  const DispatchProgram& program = in_.programs[step.dispatch];
  const std::vector<TensorId> ids = BoundTensors(d);
  std::vector<Access> accesses;
  for (size_t t = 0; t < ids.size(); ++t) {
    const Resource& resource = in_.tensors[ids[t]];
    const bool write = program.spec.tensors[t].write;
    if (resource.object == 0) {
      return absl::InternalError(
          absl::StrCat(d.label, " uses ", in_.graph.tensor(ids[t]).ToString(),
                       ", which nothing makes"));
    }
    command->bindings.push_back(Bind(points.tensors[t], resource, write));
    if (resource.slot < 0) continue;
    if (step.parts > 1) {
      const int64_t part = SlotFor(in_.graph.tensor(ids[t]).shape,
                                   resource.storage, resource.format)
                               .bytes() /
                           step.parts;
      command->bindings.back().offset = step.part * part;
      command->bindings.back().bytes = part;
    }
    accesses.push_back(
        AccessTo(step, ids[t], AccessKindOf(points.tensors[t].kind), write));
  }
  return accesses;
}

absl::StatusOr<Command> CommandBuilder::MakeCommand(
    const Step& step, std::vector<Access>* accesses) {
  const size_t dispatch = step.dispatch;
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
  if (step.parts > 1) {
    command.groups[d.batch.axis] = GroupsOfPart(
        d, in_.graph.tensor(d.writes[0].second).shape.b, step.parts);
    absl::StrAppend(&command.label, ", part ", step.part + 1, " of ",
                    step.parts);
  }
  const Bindings points = gl_shaders::AssignBindings(program.spec);
  auto bound = BindTensors(step, points, &command);
  if (!bound.ok()) return bound.status();
  *accesses = *std::move(bound);
  const std::vector<Resource>& constants = in_.constants[dispatch];
  for (size_t c = 0; c < constants.size(); ++c) {
    if (d.constants[c].literal) continue;
    command.bindings.push_back(Bind(points.constants[c], constants[c], false));
  }
  command.piece = in_.schedule.pieces[dispatch];
  if (command.piece.index >= 0) {
    const HostTransfer& transfer = TransferOf(dispatch);
    command.bindings.push_back(
        BindObject(transfer, command.piece, in_.sampler, points));
    command.is_copied = transfer.object().is_copied;
    if (transfer.is_bound() && !transfer.object().is_plain) {
      command.object_params =
          command.params_offset +
          static_cast<GLintptr>(program.params.bytes().size() -
                                d.uniforms.bytes().size());
    }
  }
  // The pieces of an input are disjoint: none waits for the previous one.
  if (dispatch < in_.schedule.upload_dispatches && command.piece.begin > 0 &&
      command.piece.index != in_.schedule.parts.input) {
    accesses->clear();
  }
  command.node = d.node;
  command.shader = d.shader;
  if (auto s = DescribeToValidator(step, points, command); !s.ok()) {
    return s;
  }
  return command;
}

absl::Status CommandBuilder::DescribeToValidator(const Step& step,
                                                 const Bindings& points,
                                                 const Command& command) {
  if (validator_ == nullptr) return absl::OkStatus();
  const size_t dispatch = step.dispatch;
  const Dispatch& d = in_.schedule.dispatches[dispatch];
  const Piece& piece = command.piece;
  Bindings bound = points;
  if (piece.index >= 0) {  // the host's buffer or the object, after all others
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
  if (auto s = CheckDeviceLimits(d, bound, command.params_bytes,
                                 command.params_offset, in_.device);
      !s.ok()) {
    return s;
  }
  Validator::Command told;
  told.label = absl::StrCat(d.label, " (", d.shader, ".comp)");
  const std::vector<TensorId> ids = BoundTensors(d);
  for (size_t t = 0; t < ids.size(); ++t) {
    if (in_.tensors[ids[t]].slot < 0) continue;  // a constant
    const Access access =
        AccessTo(step, ids[t], AccessKindOf(points.tensors[t].kind),
                 in_.programs[dispatch].spec.tensors[t].write);
    Validator::Touch touch{access.resource, access.kind, access.write, ids[t]};
    if (access.whole == ids[t]) {
      touch.range = {static_cast<size_t>(access.begin),
                     static_cast<size_t>(access.end)};
      touch.units = static_cast<size_t>(UnitsOf(ids[t]));
    }
    told.touches.push_back(touch);
  }
  if (piece.index >= 0) {
    const HostTransfer& transfer = TransferOf(dispatch);
    const bool lies_whole = !transfer.is_in_parts();
    told.continues = transfer.is_upload() && piece.begin > 0 && lies_whole;
    told.touches.push_back({transfer.shader_resource(piece.begin),
                            AccessKindOf(command.bindings.back().kind),
                            !transfer.is_upload(),
                            kNoTensor,
                            {piece.begin, piece.end}});
    for (size_t next = dispatch + 1;
         lies_whole && next < in_.schedule.upload_dispatches &&
         in_.schedule.pieces[next].index == piece.index;
         ++next) {
      ++told.pieces_left;
    }
  }
  validator_->AddCommand(std::move(told));
  return absl::OkStatus();
}

absl::Status CommandBuilder::PlaceBarriers(
    absl::Span<const std::vector<Access>> accesses,
    absl::Span<Command> commands) const {
  HazardTracker hazards(static_cast<int>(in_.tensors.size()));
  for (size_t i = 0; i < commands.size(); ++i) {
    const bool is_beside =
        i >= in_.schedule.uploads &&
        in_.schedule.steps[i].dispatch < in_.schedule.upload_dispatches;
    if (!is_beside) {
      commands[i].barrier = hazards.Before(accesses[i]);
      continue;
    }
    // The upload's few work groups are not to be behind all of the step's, but
    // the step's barrier would wait for them.
    commands[i].barrier = hazards.Before(accesses[i + 1]);
    if (hazards.Before(accesses[i]) != 0) {
      return absl::InternalError(absl::StrCat(
          commands[i].label, " cannot run beside ", commands[i + 1].label));
    }
    ++i;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Command>> CommandBuilder::Build() {
  std::vector<Command> commands;
  std::vector<std::vector<Access>> accesses;
  for (const Step& step : in_.schedule.steps) {
    accesses.emplace_back();
    auto command = MakeCommand(step, &accesses.back());
    if (!command.ok()) return command.status();
    commands.push_back(*std::move(command));
  }
  if (auto s = PlaceBarriers(accesses, absl::MakeSpan(commands)); !s.ok()) {
    return s;
  }
  if (validator_ == nullptr) return commands;
  std::vector<GLbitfield> barriers;
  for (const Command& command : commands) barriers.push_back(command.barrier);
  if (auto s = validator_->Rehearse(barriers); !s.ok()) return s;
  return commands;
}

}  // namespace gles_delegate
