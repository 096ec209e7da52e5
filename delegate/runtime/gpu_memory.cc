#include "delegate/runtime/gpu_memory.h"

#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/texels.h"
#include "delegate/plan/storage.h"
#include "delegate/runtime/executor.h"
#include "egl/gl_api.h"

namespace gles_delegate {

using gl_shaders::Format;
using gl_shaders::IsBuffer;
using gl_shaders::Storage;

namespace {

// Fills memory with texels that no right program reads before it has written
// them: NaNs and the largest numbers of both signs, of integers both ends.
// Sums, smallest and largest values all show them.
void Poison(Format format, absl::Span<uint8_t> memory) {
  const auto fill = [&](const auto& texel) {
    for (size_t at = 0; at < memory.size(); at += sizeof(texel)) {
      std::memcpy(&memory[at], texel.data(), sizeof(texel));
    }
  };
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kMax = std::numeric_limits<float>::max();
  constexpr int32_t kLow = std::numeric_limits<int32_t>::min();
  constexpr int32_t kHigh = std::numeric_limits<int32_t>::max();
  switch (format) {
    case Format::kRgba32f:
      return fill(std::array<float, 4>{kNan, kMax, -kMax, kNan});
    case Format::kRgba16f:
      return fill(std::array<uint16_t, 4>{0x7e00, 0x7bff, 0xfbff, 0x7e00});
    case Format::kRgba32i:
      return fill(std::array<int32_t, 4>{kHigh, kLow, kHigh, kLow});
    case Format::kRgba8i:
      return fill(std::array<int8_t, 4>{127, -128, 127, -128});
  }
}

}  // namespace

GLenum InternalFormat(Format format) {
  constexpr GLenum kNames[] = {GL_RGBA32F, GL_RGBA16F, GL_RGBA32I, GL_RGBA8I};
  return kNames[static_cast<int>(format)];
}

absl::StatusOr<egl::Buffer> GpuMemory::MakeBuffer(const Slot& slot,
                                                  const uint8_t* texels,
                                                  GLenum usage) {
  const int64_t allocated = Allocated(slot, profile_).bytes();
  const auto bytes = static_cast<size_t>(slot.bytes());
  const bool staged =
      staging_ != nullptr && slot.bytes() >= profile_.bus.staged_upload_bytes;
  const bool at_once = allocated == slot.bytes() && !staged;
  auto buffer =
      egl::Buffer::Create(allocated, at_once ? texels : nullptr, usage);
  if (!buffer.ok() || at_once || texels == nullptr) return buffer;
  RETURN_IF_ERROR(staged ? staging_->Fill(*buffer, {texels, bytes})
                         : buffer->Upload(0, {texels, bytes}));
  return buffer;
}

absl::StatusOr<Resource> GpuMemory::Make(const Slot& slot,
                                         const uint8_t* texels,
                                         absl::string_view label) {
  const Slot allocated = Allocated(slot, profile_);
  const GLenum usage = texels == nullptr ? GL_DYNAMIC_COPY : GL_STATIC_DRAW;
  if (texels == nullptr && profile_.options.self_check != SelfCheckRun::kNone) {
    poison_.resize(slot.bytes());
    Poison(slot.format, absl::MakeSpan(poison_));
    texels = poison_.data();
  }
  if (IsBuffer(slot.storage)) {
    ASSIGN_OR_RETURN(auto buffer, MakeBuffer(slot, texels, usage));
    return Keep(slot, std::move(buffer), label);
  }
  ASSIGN_OR_RETURN(
      auto texture,
      egl::Texture::Create({slot.storage == Storage::kTextureArray
                                ? GLenum{GL_TEXTURE_2D_ARRAY}
                                : GLenum{GL_TEXTURE_2D},
                            InternalFormat(slot.format), allocated.width,
                            allocated.height, slot.layers}));
  if (texels != nullptr) {
    texture.Upload(0, 0, 0, slot.width, slot.height, slot.layers, texels);
  }
  egl::LabelObject(GL_TEXTURE, texture.id(), label);
  Resource resource{slot.storage, slot.format, texture.id()};
  textures_.push_back(std::move(texture));
  return resource;
}

absl::StatusOr<Resource> GpuMemory::MakeMapped(const Slot& slot,
                                               GLbitfield access,
                                               absl::string_view label) {
  const Slot allocated = Allocated(slot, profile_);
  const bool poisoned = profile_.options.self_check != SelfCheckRun::kNone;
  ASSIGN_OR_RETURN(
      auto buffer,
      egl::Buffer::CreateMapped(allocated.bytes(),
                                poisoned ? access | GL_MAP_WRITE_BIT : access));
  if (poisoned) {
    Poison(slot.format, absl::MakeSpan(buffer.mapped(), buffer.bytes()));
  }
  return Keep(slot, std::move(buffer), label);
}

absl::StatusOr<Resource> GpuMemory::MakeBound(const Slot& slot) {
  Resource resource{slot.storage, slot.format};
  resource.is_bound = true;
  if (slot.storage == Storage::kTexelBuffer) {
    ASSIGN_OR_RETURN(auto view,
                     egl::Texture::OfBuffers(InternalFormat(slot.format)));
    resource.view = view.id();
    textures_.push_back(std::move(view));
  }
  return resource;
}

absl::StatusOr<Resource> GpuMemory::Keep(const Slot& slot, egl::Buffer buffer,
                                         absl::string_view label) {
  egl::LabelObject(GL_BUFFER_KHR, buffer.id(), label);
  Resource resource{slot.storage, slot.format, buffer.id()};
  resource.mapped = buffer.mapped();
  if (slot.storage == Storage::kTexelBuffer) {
    ASSIGN_OR_RETURN(
        auto view, egl::Texture::OfBuffer(buffer, InternalFormat(slot.format)));
    resource.view = view.id();
    textures_.push_back(std::move(view));
  }
  buffers_.push_back(std::move(buffer));
  return resource;
}

MemoryPlan PlanTensorMemory(const Graph& graph, const Schedule& schedule,
                            absl::Span<const HostTransfer> outputs,
                            const DeviceProfile& profile) {
  std::vector<TensorId> from_start = graph.inputs;
  for (const HostTransfer& output : outputs) {
    if (output.is_packed_by_host() && profile.choices.host_transfers == 0) {
      from_start.push_back(output.tensor());
    }
  }
  std::vector<TensorId> to_end = graph.outputs;
  for (TensorId id : graph.inputs) {
    if (graph.tensor(id).is_variable) to_end.push_back(id);
  }
  return PlanMemory(graph, schedule.dispatches, from_start, to_end, profile);
}

absl::StatusOr<TensorMemory> MakeTensorMemory(
    const Graph& graph, const Schedule& schedule,
    absl::Span<const HostTransfer> inputs,
    absl::Span<const HostTransfer> outputs, const DeviceProfile& profile,
    GpuMemory* memory, Validator* validator) {
  const MemoryPlan plan = PlanTensorMemory(graph, schedule, outputs, profile);
  // How the host reaches each slot; 0: it does not. Memory that the host only
  // reads is memory that it reads fast.
  std::vector<GLbitfield> mapped(plan.slots.size(), 0);
  std::vector<bool> is_bound(plan.slots.size(), false);
  for (const auto& transfers : {inputs, outputs}) {
    for (const HostTransfer& t : transfers) {
      if (t.is_bound_memory()) is_bound[plan.slot_of[t.tensor()]] = true;
      if (!t.is_packed_by_host()) continue;
      mapped[plan.slot_of[t.tensor()]] |=
          GL_MAP_READ_BIT | (t.is_upload() ? GL_MAP_WRITE_BIT : 0);
    }
  }
  TensorMemory result;
  std::vector<Resource> slots;
  for (size_t i = 0; i < plan.slots.size(); ++i) {
    const std::string name = absl::StrCat("slot ", i);
    ASSIGN_OR_RETURN(auto made,
                     is_bound[i] ? memory->MakeBound(plan.slots[i])
                     : mapped[i] != 0
                         ? memory->MakeMapped(plan.slots[i], mapped[i], name)
                         : memory->Make(plan.slots[i], nullptr, name));
    made.slot = static_cast<int>(i);
    slots.push_back(made);
    if (!is_bound[i]) result.bytes += Allocated(plan.slots[i], profile).bytes();
    if (validator != nullptr) validator->AddResource(name);
  }
  result.bytes_unshared = plan.bytes_unshared;
  result.tensors.resize(graph.tensors.size());
  for (size_t id = 0; id < result.tensors.size(); ++id) {
    if (plan.slot_of[id] >= 0) result.tensors[id] = slots[plan.slot_of[id]];
  }
  return result;
}

// --- Constants that several plans use ----------------------------------------

ConstantStore::Constant ConstantStore::Find(const Hash128& key) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto it = constants_.find(Key(key.low, key.high));
  return it == constants_.end() ? nullptr : it->second.lock();
}

void ConstantStore::Add(const Hash128& key, const Constant& constant) {
  const std::lock_guard<std::mutex> lock(mutex_);
  // Drops the keys of deleted constants before the table has to grow.
  if (constants_.size() == constants_.bucket_count()) {
    EraseIf(constants_,
            [](const auto& entry) { return entry.second.expired(); });
  }
  constants_[Key(key.low, key.high)] = constant;
}

namespace {

void AddSlot(const Slot& slot, Hasher* hasher) {
  hasher->Value(slot.storage).Value(slot.format);
  hasher->Value(slot.width).Value(slot.height).Value(slot.layers);
}

template <typename T>
absl::Span<const uint8_t> BytesOf(const std::vector<T>& values) {
  return AsBytes(absl::MakeConstSpan(values));
}

absl::StatusOr<Slot> SlotOf(const Tensor& tensor,
                            const DeviceProfile& profile) {
  ASSIGN_OR_RETURN(auto storage, StorageFor(tensor, profile));
  return SlotFor(tensor.shape, storage, FormatFor(tensor, profile.options));
}

absl::StatusOr<Slot> SlotOf(const PackedConstant& c,
                            const DeviceProfile& profile) {
  ASSIGN_OR_RETURN(auto storage, ConstantStorageFor(c, profile));
  const Format format = FormatFor(c, profile.options);
  return storage == Storage::kBuffer
             ? Slot{storage, c.width * c.height, 1, 1, format}
             : Slot{storage, c.width, c.height, 1, format};
}

// GPU memory bytes of the constants of `dispatches`.
absl::StatusOr<int64_t> ConstantBytes(const Graph& graph,
                                      absl::Span<const Dispatch> dispatches,
                                      const DeviceProfile& profile) {
  int64_t bytes = 0;
  std::vector<bool> counted(graph.tensors.size(), false);
  HashSet<int> shared;
  for (const Dispatch& d : dispatches) {
    for (TensorId id : BoundTensors(d)) {
      if (!graph.tensor(id).is_constant() || counted[id]) continue;
      counted[id] = true;
      auto slot = SlotOf(graph.tensor(id), profile);
      if (!slot.ok()) return Labelled(slot.status(), d.label);
      bytes += Allocated(*slot, profile).bytes();
    }
    for (const PackedConstant& c : d.constants) {
      if (c.literal) continue;
      if (c.shared_id >= 0 && !shared.insert(c.shared_id).second) continue;
      auto slot = SlotOf(c, profile);
      if (!slot.ok()) return Labelled(slot.status(), d.label);
      bytes += Allocated(*slot, profile).bytes();
    }
  }
  return bytes;
}

// The key of a constant with contents `bytes` in a slot of this shape.
Hash128 KeyOfContent(const Slot& slot, absl::Span<const uint8_t> bytes) {
  Hasher hasher;
  hasher.Text("content").Bytes(bytes);
  AddSlot(slot, &hasher);
  return hasher.Finish();
}

// The key of constant number `place` of a plan; `plan` is a hash of everything
// that its constants are made from.
Hash128 KeyOfPlace(const Slot& slot, const Hash128& plan, int place) {
  Hasher hasher;
  hasher.Text("place").Value(plan.low).Value(plan.high).Value(place);
  AddSlot(slot, &hasher);
  return hasher.Finish();
}

class ConstantUploader {
 public:
  ConstantUploader(const Graph& graph, const DeviceProfile& profile,
                   PartitionCache* cache, GpuMemory* memory,
                   const ConstantSharing& sharing)
      : graph_(graph),
        profile_(profile),
        cache_(cache),
        memory_(memory),
        sharing_(sharing) {}

  // The dispatch's packed constants; adds the constant tensors that it is the
  // first to read.
  absl::StatusOr<std::vector<Resource>> Upload(const Dispatch& dispatch,
                                               std::vector<Resource>* tensors) {
    for (TensorId id : BoundTensors(dispatch)) {
      const Tensor& tensor = graph_.tensor(id);
      if (!tensor.is_constant() || (*tensors)[id].object != 0) continue;
      auto resource = UploadTensor(tensor);
      if (!resource.ok()) return Labelled(resource.status(), dispatch.label);
      (*tensors)[id] = *resource;
    }
    std::vector<Resource> constants;
    for (const PackedConstant& c : dispatch.constants) {
      auto resource = UploadPacked(c, dispatch.label);
      if (!resource.ok()) return Labelled(resource.status(), dispatch.label);
      constants.push_back(*resource);
    }
    return constants;
  }

  // All but the packed constants.
  UploadedConstants result;

 private:
  // The result is valid until the next call.
  using MakeTexels =
      absl::FunctionRef<absl::StatusOr<absl::Span<const uint8_t>>()>;

  absl::StatusOr<Resource> UploadTensor(const Tensor& tensor) {
    ASSIGN_OR_RETURN(const auto slot, SlotOf(tensor, profile_));
    const Format format = slot.format;
    const auto pack = [&]() -> absl::StatusOr<absl::Span<const uint8_t>> {
      if (format == Format::kRgba32i) {
        ASSIGN_OR_RETURN(auto values, ConstantInts(tensor));
        ints_ = PackTexels(values, tensor.shape);
        return BytesOf(ints_);
      }
      ASSIGN_OR_RETURN(auto values, ConstantFloats(tensor));
      floats_ = PackTexels(values, tensor.shape);
      return FloatTexels(format);
    };
    // A constant that a pass or an op has made may come from attributes, which
    // the cache's key does not cover.
    const bool cacheable = tensor.tflite_index >= 0;
    auto resource = UploadTexels(slot, tensor.name, cacheable, pack);
    if (!resource.ok()) return Labelled(resource.status(), tensor.ToString());
    return resource;
  }

  absl::StatusOr<Resource> UploadPacked(const PackedConstant& c,
                                        const std::string& label) {
    if (c.literal) return Resource();
    if (auto it = shared_.find(c.shared_id); it != shared_.end()) {
      return it->second;
    }
    ASSIGN_OR_RETURN(const auto slot, SlotOf(c, profile_));
    const auto pack = [&]() -> absl::StatusOr<absl::Span<const uint8_t>> {
      const int64_t count = int64_t{c.width} * c.height * 4;
      if (c.quantized) {
        words_.assign(count, 0);
        c.fill_words(absl::MakeSpan(words_));
        return BytesOf(words_);
      }
      floats_.assign(count, 0.0f);
      c.fill(absl::MakeSpan(floats_));
      return FloatTexels(slot.format);
    };
    auto resource = UploadTexels(slot, absl::StrCat(c.name, " of ", label),
                                 c.cacheable, pack);
    if (resource.ok() && c.shared_id >= 0) shared_[c.shared_id] = *resource;
    return resource;
  }

  // floats_ as `format` holds them.
  absl::Span<const uint8_t> FloatTexels(Format format) {
    if (format != Format::kRgba16f) return BytesOf(floats_);
    halves_ = ToHalves(floats_);
    return BytesOf(halves_);
  }

  // Takes the texels from the cache or from `make`, in the slot's format.
  absl::StatusOr<Resource> UploadTexels(const Slot& slot,
                                        const std::string& label,
                                        bool cacheable, MakeTexels make) {
    // The start-up cache hands out and takes all constants, in their order.
    if (cacheable && cache_ == nullptr && sharing_.plan) {
      return ShareTexels(slot, label, make);
    }
    PartitionCache* cache = cacheable ? cache_ : nullptr;
    if (cache != nullptr) {
      ASSIGN_OR_RETURN(auto saved, cache->NextConstant(slot.bytes()));
      if (saved) return UploadBytes(slot, label, *saved);
    }
    ASSIGN_OR_RETURN(auto bytes, make());
    if (cache != nullptr) cache->SaveConstant(bytes);
    return UploadBytes(slot, label, bytes);
  }

  absl::StatusOr<Resource> UploadBytes(const Slot& slot,
                                       const std::string& label,
                                       absl::Span<const uint8_t> bytes) {
    result.bytes += Allocated(slot, profile_).bytes();
    if (sharing_.store == nullptr) {
      return memory_->Make(slot, bytes.data(), label);
    }
    ASSIGN_OR_RETURN(auto constant, ShareBytes(slot, label, bytes));
    result.shared.push_back(constant);
    return constant->resource;
  }

  // UploadTexels() for a constant covered by the plan's hash, and
  // UploadBytes(), if constants are shared.
  absl::StatusOr<Resource> ShareTexels(const Slot& slot,
                                       const std::string& label,
                                       MakeTexels make) {
    const Hash128 key = KeyOfPlace(slot, *sharing_.plan, place_++);
    if (ConstantStore::Constant found = sharing_.store->Find(key)) {
      const int64_t allocated = Allocated(slot, profile_).bytes();
      result.bytes += allocated;
      result.bytes_shared += allocated;
      result.shared.push_back(std::move(found));
      return result.shared.back()->resource;
    }
    ASSIGN_OR_RETURN(auto bytes, make());
    auto resource = UploadBytes(slot, label, bytes);
    if (resource.ok()) sharing_.store->Add(key, result.shared.back());
    return resource;
  }

  absl::StatusOr<ConstantStore::Constant> ShareBytes(
      const Slot& slot, const std::string& label,
      absl::Span<const uint8_t> bytes) {
    const Hash128 key = KeyOfContent(slot, bytes);
    if (ConstantStore::Constant found = sharing_.store->Find(key)) {
      result.bytes_shared += Allocated(slot, profile_).bytes();
      return found;
    }
    GpuMemory memory(profile_, memory_->staging());
    ASSIGN_OR_RETURN(auto resource, memory.Make(slot, bytes.data(), label));
    auto made = std::make_shared<SharedConstant>();
    made->resource = resource;
    made->textures = memory.TakeTextures();
    made->buffers = memory.TakeBuffers();
    sharing_.store->Add(key, made);
    return made;
  }

  // Texels that are being made: one memory for all constants, since the system
  // hands out new memory page by page.
  std::vector<float> floats_;
  std::vector<uint32_t> words_;
  std::vector<int32_t> ints_;
  std::vector<uint16_t> halves_;

  const Graph& graph_;
  const DeviceProfile& profile_;
  PartitionCache* cache_;
  GpuMemory* memory_;
  const ConstantSharing& sharing_;
  int place_ = 0;  // of the next constant covered by the plan's hash
  // By PackedConstant::shared_id.
  HashMap<int, Resource> shared_;
};

}  // namespace

absl::StatusOr<UploadedConstants> UploadConstants(
    const Graph& graph, absl::Span<const Dispatch> dispatches,
    const DeviceProfile& profile, PartitionCache* cache, GpuMemory* memory,
    const ConstantSharing& sharing, std::vector<Resource>* tensors) {
  ConstantUploader uploader(graph, profile, cache, memory, sharing);
  for (const Dispatch& d : dispatches) {
    ASSIGN_OR_RETURN(auto packed, uploader.Upload(d, tensors));
    uploader.result.packed.push_back(std::move(packed));
  }
  return std::move(uploader.result);
}

// --- How much memory a plan needs --------------------------------------------

std::string GpuMemoryUse::ToString() const {
  return absl::StrCat(total(), " bytes (tensors ", tensors, ", constants ",
                      constants, ", transfers ", transfers, ", parameters ",
                      parameters, ")");
}

absl::StatusOr<GpuMemoryUse> MemoryNeeds(const egl::DeviceInfo& device,
                                         const Graph& graph,
                                         std::vector<Dispatch> dispatches,
                                         const DeviceProfile& profile) {
  const TransferPlan transfers =
      PlanTransfers(graph, std::move(dispatches), profile,
                    /*can_map=*/device.Has("GL_EXT_buffer_storage"));
  const Schedule& schedule = transfers.schedule;
  const std::vector<Dispatch>& all = schedule.dispatches;
  GpuMemoryUse use;
  use.tensors = PlanTensorMemory(graph, schedule, transfers.outputs, profile)
                    .bytes_shared;
  ASSIGN_OR_RETURN(auto constants, ConstantBytes(graph, all, profile));
  use.constants = constants;
  use.transfers = GpuBytes(transfers.inputs) + GpuBytes(transfers.outputs);
  for (const Dispatch& d : all) {
    use.parameters +=
        static_cast<int64_t>(AlignedParamsBytes(ParamsOf(graph, d), device));
  }
  return use;
}

}  // namespace gles_delegate
