#include "delegate/runtime/gpu_memory.h"

#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/runtime/constant_memory.h"
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
