#include "delegate/runtime/executor_builder.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "delegate/graph/texels.h"
#include "delegate/plan/program.h"

namespace gles_delegate {

using egl::gl;
using gl_shaders::Bindings;
using gl_shaders::Format;
using gl_shaders::IsBuffer;
using gl_shaders::ReadBy;
using gl_shaders::Storage;

namespace {

double MsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - start)
      .count();
}

GLenum InternalFormat(Format format) {
  switch (format) {
    case Format::kRgba32f:
      return GL_RGBA32F;
    case Format::kRgba16f:
      return GL_RGBA16F;
    case Format::kRgba32i:
      return GL_RGBA32I;
    case Format::kRgba8i:
      return GL_RGBA8I;
  }
  return 0;
}

absl::StatusOr<egl::Texture> MakeTexture(const Slot& slot) {
  return egl::Texture::Create(
      {slot.storage == Storage::kTextureArray ? GLenum{GL_TEXTURE_2D_ARRAY}
                                              : GLenum{GL_TEXTURE_2D},
       InternalFormat(slot.format), slot.width, slot.height, slot.layers});
}

// Texels of a constant as `format` holds them.
template <typename T>
std::vector<uint8_t> BytesOf(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::vector<uint8_t> FloatTexels(const std::vector<float>& texels,
                                 Format format, bool saturate_halves) {
  return format == Format::kRgba16f ? BytesOf(ToHalves(texels, saturate_halves))
                                    : BytesOf(texels);
}

void FillLiterals(const Dispatch& d, gl_shaders::ShaderSpec* spec) {
  for (size_t i = 0; i < d.constants.size(); ++i) {
    const PackedConstant& c = d.constants[i];
    if (!c.literal) continue;
    std::vector<float>& values = spec->constants[i].literals;
    values.resize(int64_t{c.width} * c.height * 4);
    c.fill(absl::MakeSpan(values));
  }
}

}  // namespace

absl::Status Labelled(const absl::Status& status, absl::string_view label) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(label, ": ", status.message()));
}

ExecutorBuilder::ExecutorBuilder(const egl::Context& context,
                                 ProgramCache* programs, const Graph& graph,
                                 std::vector<Dispatch> dispatches,
                                 const DeviceProfile& profile,
                                 PartitionCache* cache)
    : context_(context),
      programs_(programs),
      graph_(graph),
      dispatches_(std::move(dispatches)),
      profile_(profile),
      cache_(cache),
      can_map_(egl::Buffer::CanBeMapped()),
      executor_(new Executor) {
  if (ValidationIsOn()) {
    executor_->validator_ = std::make_unique<Validator>(graph_);
  }
}

absl::StatusOr<std::unique_ptr<Executor>> ExecutorBuilder::Build() {
  ExecutorStats& stats = executor_->stats_;
  StageTimer timer(&stats.stages);
  const auto start = std::chrono::steady_clock::now();
  AddTransfers();
  if (auto s = MakeSlots(); !s.ok()) return s;
  timer.Lap("tensors");
  if (auto s = MakeHostBuffers(); !s.ok()) return s;
  timer.Lap("host_buffers");
  if (auto s = UploadConstants(); !s.ok()) return s;
  timer.Lap("constants");
  stats.upload_ms = MsSince(start);
  const auto compile = std::chrono::steady_clock::now();
  if (auto s = CompilePrograms(); !s.ok()) return s;
  timer.Lap("programs");
  stats.compile_ms = MsSince(compile);
  if (auto s = MakeCommands(); !s.ok()) return s;
  if (auto s = egl::CheckGl("preparing the partition"); !s.ok()) return s;
  timer.Lap("commands");
  SaveToCache();
  timer.Lap("cache_save");
  return std::move(executor_);
}

absl::Status ExecutorBuilder::MakeSlots() {
  std::vector<TensorId> to_end = graph_.outputs;
  for (TensorId id : graph_.inputs) {
    if (graph_.tensor(id).is_variable) to_end.push_back(id);
  }
  const MemoryPlan plan =
      PlanMemory(graph_, dispatches_, graph_.inputs, to_end, profile_);
  std::vector<bool> mapped(plan.slots.size(), false);
  for (const auto* ids : {&graph_.inputs, &graph_.outputs}) {
    for (TensorId id : *ids) {
      if (IsHostTransferred(id)) mapped[plan.slot_of[id]] = true;
    }
  }
  std::vector<Resource> resources;
  for (size_t i = 0; i < plan.slots.size(); ++i) {
    auto made = mapped[i] ? MapResource(plan.slots[i])
                          : MakeResource(plan.slots[i], nullptr);
    if (!made.ok()) return made.status();
    resources.push_back(*made);
    if (executor_->validator_ != nullptr) {
      executor_->validator_->AddResource(absl::StrCat("slot ", i));
    }
  }
  executor_->stats_.tensor_bytes = plan.bytes_shared;
  executor_->stats_.tensor_bytes_unshared = plan.bytes_unshared;
  tensors_.resize(graph_.tensors.size());
  for (size_t id = 0; id < tensors_.size(); ++id) {
    const int slot = plan.slot_of[id];
    if (slot < 0) continue;
    tensors_[id] = resources[slot];
    tensors_[id].slot = slot;
  }
  return absl::OkStatus();
}

absl::StatusOr<ExecutorBuilder::Resource> ExecutorBuilder::MakeResource(
    const Slot& slot, const uint8_t* texels) {
  if (!IsBuffer(slot.storage)) {
    Resource resource{slot.storage, slot.format};
    auto texture = MakeTexture(slot);
    if (!texture.ok()) return texture.status();
    if (texels != nullptr) {
      const absl::Status status = texture->Upload(
          0, 0, 0, slot.width, slot.height, slot.layers, texels);
      if (!status.ok()) return status;
    }
    resource.object = texture->id();
    executor_->textures_.push_back(*std::move(texture));
    return resource;
  }
  auto buffer =
      egl::Buffer::Create(slot.bytes(), texels,
                          texels == nullptr ? GL_DYNAMIC_COPY : GL_STATIC_DRAW);
  if (!buffer.ok()) return buffer.status();
  return KeepBuffer(slot, *std::move(buffer));
}

absl::StatusOr<ExecutorBuilder::Resource> ExecutorBuilder::MapResource(
    const Slot& slot) {
  auto buffer = egl::Buffer::CreateMapped(slot.bytes(),
                                          GL_MAP_READ_BIT | GL_MAP_WRITE_BIT);
  if (!buffer.ok()) return buffer.status();
  return KeepBuffer(slot, *std::move(buffer));
}

absl::StatusOr<ExecutorBuilder::Resource> ExecutorBuilder::KeepBuffer(
    const Slot& slot, egl::Buffer buffer) {
  Resource resource{slot.storage, slot.format, buffer.id()};
  resource.mapped = buffer.mapped();
  if (slot.storage == Storage::kTexelBuffer) {
    auto view = egl::Texture::OfBuffer(buffer, InternalFormat(slot.format));
    if (!view.ok()) return view.status();
    resource.view = view->id();
    executor_->textures_.push_back(*std::move(view));
  }
  executor_->buffers_.push_back(std::move(buffer));
  return resource;
}

absl::StatusOr<ExecutorBuilder::Resource> ExecutorBuilder::UploadBytes(
    const Slot& slot, absl::Span<const uint8_t> bytes) {
  executor_->stats_.constant_bytes += static_cast<int64_t>(bytes.size());
  return MakeResource(slot, bytes.data());
}

absl::StatusOr<ExecutorBuilder::Resource> ExecutorBuilder::UploadTexels(
    const Slot& slot, bool cacheable,
    absl::FunctionRef<absl::StatusOr<std::vector<uint8_t>>()> make) {
  PartitionCache* cache = cacheable ? cache_ : nullptr;
  if (cache != nullptr) {
    auto saved = cache->NextConstant(slot.bytes());
    if (!saved.ok()) return saved.status();
    if (*saved) return UploadBytes(slot, **saved);
  }
  auto bytes = make();
  if (!bytes.ok()) return bytes.status();
  if (cache != nullptr) cache->SaveConstant(*bytes);
  return UploadBytes(slot, *bytes);
}

absl::Status ExecutorBuilder::UploadConstantTensor(TensorId id) {
  const Tensor& tensor = graph_.tensor(id);
  auto storage = StorageFor(tensor, profile_);
  if (!storage.ok()) return storage.status();
  const Format format = FormatFor(tensor, profile_);
  const auto pack = [&]() -> absl::StatusOr<std::vector<uint8_t>> {
    if (format == Format::kRgba32i) {
      auto values = ConstantInts(tensor);
      if (!values.ok()) return values.status();
      return BytesOf(PackTexels<int32_t>(*values, tensor.shape));
    }
    auto values = ConstantFloats(tensor);
    if (!values.ok()) return values.status();
    return FloatTexels(PackTexels<float>(*values, tensor.shape), format,
                       profile_.options.saturate_halves);
  };
  // One that a pass or an op has made may come from attributes.
  const bool cacheable = tensor.tflite_index >= 0;
  auto resource =
      UploadTexels(SlotFor(tensor.shape, *storage, format), cacheable, pack);
  if (!resource.ok()) return Labelled(resource.status(), tensor.ToString());
  tensors_[id] = *resource;
  return absl::OkStatus();
}

absl::Status ExecutorBuilder::UploadConstants() {
  absl::flat_hash_map<int, Resource> shared;
  for (const Dispatch& d : dispatches_) {
    for (TensorId id : BoundTensors(d)) {
      if (!graph_.tensor(id).is_constant() || tensors_[id].object != 0)
        continue;
      if (auto s = UploadConstantTensor(id); !s.ok())
        return Labelled(s, d.label);
    }
    std::vector<Resource> resources;
    for (const PackedConstant& c : d.constants) {
      if (auto found = shared.find(c.shared_id); found != shared.end()) {
        resources.push_back(found->second);
        continue;
      }
      if (c.literal) {
        resources.emplace_back();
        continue;
      }
      auto storage = ConstantStorageFor(c, profile_);
      if (!storage.ok()) return Labelled(storage.status(), d.label);
      const Format format =
          ConstantIsHalf(c, profile_) ? Format::kRgba16f : Format::kRgba32f;
      const Slot slot = *storage == Storage::kBuffer
                            ? Slot{*storage, c.width * c.height, 1, 1, format}
                            : Slot{*storage, c.width, c.height, 1, format};
      const auto pack = [&]() -> absl::StatusOr<std::vector<uint8_t>> {
        std::vector<float> texels(int64_t{c.width} * c.height * 4, 0.0f);
        c.fill(absl::MakeSpan(texels));
        return FloatTexels(texels, format, profile_.options.saturate_halves);
      };
      auto resource = UploadTexels(slot, c.cacheable, pack);
      if (!resource.ok()) return Labelled(resource.status(), d.label);
      if (c.shared_id >= 0) shared[c.shared_id] = *resource;
      resources.push_back(*resource);
    }
    constants_.push_back(std::move(resources));
  }
  return absl::OkStatus();
}

absl::Status ExecutorBuilder::CompilePrograms() {
  std::vector<ProgramCache::Source> sources;
  for (const Dispatch& d : dispatches_) {
    specs_.push_back(SpecOf(graph_, d, profile_));
    FillLiterals(d, &specs_.back());
    auto text = gl_shaders::AssembleShader(specs_.back());
    if (!text.ok()) return Labelled(text.status(), d.label);
    params_.push_back(ParamsOf(graph_, d));
    if (cache_ != nullptr) texts_.push_back(HashText(*text));
    sources.push_back({*std::move(text),
                       absl::StrCat(d.label, " (", d.shader, ".comp)"),
                       params_.back().size()});
  }
  auto programs = programs_->Get(
      sources, cache_, context_.device().Has("GL_KHR_parallel_shader_compile"));
  if (!programs.ok()) return programs.status();
  compiled_ = *std::move(programs);
  executor_->stats_.programs = static_cast<int>(programs_->size());
  return absl::OkStatus();
}

Executor::Binding ExecutorBuilder::Bind(const Bindings::Point& point,
                                        const Resource& resource,
                                        bool write) const {
  const bool view = resource.view != 0 && point.kind != Bindings::Kind::kBuffer;
  Executor::Binding b{point.kind, point.unit,
                      view ? resource.view : resource.object};
  const bool array = resource.storage == Storage::kTextureArray;
  b.target = array ? GL_TEXTURE_2D_ARRAY : GL_TEXTURE_2D;
  b.format = InternalFormat(resource.format);
  b.access = write ? GL_WRITE_ONLY : GL_READ_ONLY;
  b.layered = array ? GL_TRUE : GL_FALSE;
  return b;
}

absl::Status ExecutorBuilder::MakeCommands() {
  // All Params blocks in one buffer, each at an offset that may be bound.
  const size_t align = std::max(16, context_.device().uniform_offset_alignment);
  std::vector<uint8_t> params;
  RegisterHostBuffers();
  HazardTracker hazards(static_cast<int>(tensors_.size()));
  for (size_t i = 0; i < dispatches_.size(); ++i) {
    const Dispatch& d = dispatches_[i];
    Executor::Command command;
    command.program = compiled_[i]->id();
    command.params_offset = static_cast<GLintptr>(params.size());
    command.params_bytes = static_cast<GLsizeiptr>(params_[i].size());
    params.insert(params.end(), params_[i].begin(), params_[i].end());
    params.resize((params.size() + align - 1) / align * align);
    for (int axis = 0; axis < 3; ++axis) {
      command.groups[axis] =
          (d.grid[axis] + d.work_group[axis] - 1) / d.work_group[axis];
    }
    const Bindings points = gl_shaders::AssignBindings(specs_[i]);
    const std::vector<TensorId> ids = BoundTensors(d);
    std::vector<Access> accesses;
    for (size_t t = 0; t < ids.size(); ++t) {
      const Resource& resource = tensors_[ids[t]];
      const bool write = specs_[i].tensors[t].write;
      if (resource.object == 0) {
        return absl::InternalError(
            absl::StrCat(d.label, " uses ", graph_.tensor(ids[t]).ToString(),
                         ", which nothing makes"));
      }
      command.bindings.push_back(Bind(points.tensors[t], resource, write));
      if (resource.slot < 0) continue;
      accesses.push_back(
          {resource.slot, AccessKindOf(points.tensors[t].kind), write});
    }
    for (size_t c = 0; c < constants_[i].size(); ++c) {
      if (d.constants[c].literal) continue;
      command.bindings.push_back(
          Bind(points.constants[c], constants_[i][c], false));
    }
    if (pieces_[i].tensor >= 0) {
      const auto& list =
          d.reads.empty() ? executor_->inputs_ : executor_->outputs_;
      Executor::Binding host{Bindings::Kind::kBuffer, points.buffers,
                             list[pieces_[i].tensor].shader_side()};
      command.bindings.push_back(host);
      command.piece = pieces_[i];
    }
    // The pieces of an input lie apart: none waits for the one before.
    if (i < executor_->uploads_ && pieces_[i].begin > 0) accesses.clear();
    command.barrier = hazards.Before(accesses);
    if (command.barrier != 0) ++executor_->stats_.barriers;
    command.node = d.node;
    command.label = d.label;
    command.shader = d.shader;
    if (auto s = DescribeToValidator(i, points, command); !s.ok()) return s;
    executor_->commands_.push_back(std::move(command));
  }
  // Nothing runs where all that the partition held was folded.
  if (params.empty()) return absl::OkStatus();
  auto buffer =
      egl::Buffer::Create(params.size(), params.data(), GL_STATIC_DRAW);
  if (!buffer.ok()) return buffer.status();
  executor_->params_ = *std::move(buffer);
  executor_->final_barrier_ = executor_->mapped_
                                  ? GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT
                                  : GL_BUFFER_UPDATE_BARRIER_BIT;
  // What this Invoke writes to variable tensors, the next one reads; and where
  // its end is not waited for, the next one's stores have to.
  const bool has_state =
      std::any_of(graph_.inputs.begin(), graph_.inputs.end(),
                  [&](TensorId id) { return graph_.tensor(id).is_variable; });
  const bool is_awaited = (executor_->mapped_ && executor_->readbacks_ > 0) ||
                          Executor::AnyPacked(executor_->outputs_);
  if (has_state || !is_awaited) {
    executor_->first_barrier_ = GL_TEXTURE_FETCH_BARRIER_BIT |
                                GL_SHADER_IMAGE_ACCESS_BARRIER_BIT |
                                GL_SHADER_STORAGE_BARRIER_BIT;
  }
  executor_->skip_.assign(graph_.inputs.size(), false);
  executor_->fences_.reserve(executor_->readbacks_);
  if (executor_->validator_ == nullptr) return absl::OkStatus();
  std::vector<GLbitfield> barriers;
  for (const auto& command : executor_->commands_) {
    barriers.push_back(command.barrier);
  }
  return executor_->validator_->Rehearse(barriers);
}

void ExecutorBuilder::SaveToCache() {
  if (cache_ == nullptr) return;
  std::vector<std::pair<Hash128, const egl::Program*>> programs;
  absl::flat_hash_set<const egl::Program*> seen;
  for (size_t i = 0; i < compiled_.size(); ++i) {
    if (seen.insert(compiled_[i]).second)
      programs.emplace_back(texts_[i], compiled_[i]);
  }
  cache_->Save(programs);
}

}  // namespace gles_delegate
