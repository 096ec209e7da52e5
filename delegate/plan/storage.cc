#include "delegate/plan/storage.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "egl/process.h"

namespace gles_delegate {

using gl_shaders::Format;
using gl_shaders::Storage;

Format FormatFor(const Tensor& tensor, const PlanningOptions& options) {
  if (tensor.holds_quantized) return Format::kRgba8i;
  switch (tensor.type) {
    case DataType::kInt32:
    case DataType::kBool:
      return Format::kRgba32i;
    default:
      return options.half && !tensor.always_float32 ? Format::kRgba16f
                                                    : Format::kRgba32f;
  }
}

Slot SlotFor(const Shape& shape, Storage storage, Format format) {
  // The maximum, which no device has, stands for an extent that no int holds.
  const auto extent = [](int64_t texels) {
    return static_cast<int>(
        std::min<int64_t>(texels, std::numeric_limits<int>::max()));
  };
  const int64_t layers = int64_t{shape.b} * shape.slices();
  switch (storage) {
    case Storage::kTextureArray:
      return {storage, shape.w, shape.h, extent(layers), format};
    case Storage::kTexture2d:
      return {storage, shape.w, extent(layers * shape.h), 1, format};
    case Storage::kBuffer:
    case Storage::kTexelBuffer:
      return {storage, extent(layers * shape.h * shape.w), 1, 1, format};
  }
  return {};
}

bool Fits(const Slot& slot, const DeviceLimits& limits) {
  if (gl_shaders::IsBuffer(slot.storage)) {
    return slot.bytes() <= limits.max_buffer_bytes &&
           (slot.storage == Storage::kBuffer ||
            slot.width <= limits.max_texel_buffer_texels);
  }
  return std::max(slot.width, slot.height) <= limits.max_texture_size &&
         slot.layers <= limits.max_texture_layers;
}

absl::StatusOr<Storage> StorageFor(const Tensor& tensor,
                                   const DeviceProfile& profile) {
  return StorageFor(tensor.shape, FormatFor(tensor, profile.options), profile);
}

namespace {

// GLES_DELEGATE_DEBUG=storage_seed=n, for tests: each shape gets a random
// storage, so that all kinds occur in one plan.
Storage PreferredStorage(const Shape& shape, const DeviceChoices& choices) {
  const auto seed = egl::DebugValue("storage_seed");
  if (!seed) return choices.storage;
  uint32_t hash = static_cast<uint32_t>(std::atoi(seed->c_str())) * 2654435761u;
  for (int extent : {shape.b, shape.h, shape.w, shape.c}) {
    hash = (hash ^ static_cast<uint32_t>(extent)) * 2246822519u;
    hash ^= hash >> 15;
  }
  constexpr Storage kStorages[] = {Storage::kTextureArray, Storage::kTexture2d,
                                   Storage::kBuffer, Storage::kTexelBuffer};
  return kStorages[hash % std::size(kStorages)];
}

}  // namespace

absl::StatusOr<Storage> StorageFor(const Shape& shape, Format format,
                                   const DeviceProfile& profile) {
  for (Storage storage :
       {PreferredStorage(shape, profile.choices), Storage::kTexture2d,
        Storage::kTextureArray, Storage::kBuffer}) {
    if (Fits(SlotFor(shape, storage, format), profile.limits)) return storage;
  }
  return Exhausted(
      "a tensor of ", shape.ToString(), " (", int64_t{shape.b} * shape.slices(),
      " layers) fits no storage: ", "textures up to ",
      profile.limits.max_texture_size, ", ", profile.limits.max_texture_layers,
      " layers, buffers up to ", profile.limits.max_buffer_bytes, " bytes");
}

Format FormatFor(const PackedConstant& constant,
                 const PlanningOptions& options) {
  if (constant.quantized) return Format::kRgba32i;
  return options.half && !constant.always_float32 && !constant.literal
             ? Format::kRgba16f
             : Format::kRgba32f;
}

absl::StatusOr<Storage> ConstantStorageFor(const PackedConstant& constant,
                                           const DeviceProfile& profile) {
  const bool texture = constant.width <= profile.limits.max_texture_size &&
                       constant.height <= profile.limits.max_texture_size;
  const int64_t bytes = int64_t{constant.width} * constant.height *
                        BytesPerTexel(FormatFor(constant, profile.options));
  const bool buffer = bytes <= profile.limits.max_buffer_bytes;
  if (profile.choices.constants == Storage::kTexture2d && texture) {
    return Storage::kTexture2d;
  }
  if (buffer) return Storage::kBuffer;
  if (texture) return Storage::kTexture2d;
  return Exhausted("constant ", constant.name, " of ", constant.width, "x",
                   constant.height,
                   " texels fits neither a texture nor a buffer");
}

absl::Status Labelled(const absl::Status& status, absl::string_view label) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(label, ": ", status.message()));
}

}  // namespace gles_delegate
