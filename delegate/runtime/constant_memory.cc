#include "delegate/runtime/constant_memory.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/texels.h"
#include "delegate/plan/dispatch.h"
#include "delegate/plan/storage.h"

namespace gles_delegate {

// --- Constants that several plans use ----------------------------------------

namespace {

void AddSlot(const Slot& slot, Hasher* hasher) {
  hasher->Value(slot.storage).Value(slot.format);
  hasher->Value(slot.width).Value(slot.height).Value(slot.layers);
}

}  // namespace

Hash128 ConstantStore::KeyOfContent(const Slot& slot,
                                    absl::Span<const uint8_t> bytes) {
  Hasher hasher;
  hasher.Text("content").Bytes(bytes);
  AddSlot(slot, &hasher);
  return hasher.Finish();
}

Hash128 ConstantStore::KeyOfPlace(const Slot& slot, const Hash128& plan,
                                  int place) {
  Hasher hasher;
  hasher.Text("place").Value(plan.low).Value(plan.high).Value(place);
  AddSlot(slot, &hasher);
  return hasher.Finish();
}

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

using gl_shaders::Format;
using gl_shaders::Storage;

namespace {

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

}  // namespace

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

absl::StatusOr<Resource> ConstantUploader::UploadBytes(
    const Slot& slot, const std::string& label,
    absl::Span<const uint8_t> bytes) {
  bytes_ += Allocated(slot, profile_).bytes();
  if (sharing_.store == nullptr) {
    return memory_->Make(slot, bytes.data(), label);
  }
  ASSIGN_OR_RETURN(auto constant, ShareBytes(slot, label, bytes));
  owned_.push_back(constant);
  return constant->resource;
}

absl::StatusOr<ConstantStore::Constant> ConstantUploader::ShareBytes(
    const Slot& slot, const std::string& label,
    absl::Span<const uint8_t> bytes) {
  const Hash128 key = ConstantStore::KeyOfContent(slot, bytes);
  if (ConstantStore::Constant found = sharing_.store->Find(key)) {
    bytes_shared_ += Allocated(slot, profile_).bytes();
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

absl::StatusOr<Resource> ConstantUploader::ShareTexels(const Slot& slot,
                                                       const std::string& label,
                                                       MakeTexels make) {
  const Hash128 key = ConstantStore::KeyOfPlace(slot, *sharing_.plan, place_++);
  if (ConstantStore::Constant found = sharing_.store->Find(key)) {
    const int64_t allocated = Allocated(slot, profile_).bytes();
    bytes_ += allocated;
    bytes_shared_ += allocated;
    owned_.push_back(std::move(found));
    return owned_.back()->resource;
  }
  ASSIGN_OR_RETURN(auto bytes, make());
  auto resource = UploadBytes(slot, label, bytes);
  if (resource.ok()) sharing_.store->Add(key, owned_.back());
  return resource;
}

absl::StatusOr<Resource> ConstantUploader::UploadTexels(
    const Slot& slot, const std::string& label, bool cacheable,
    MakeTexels make) {
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

absl::Span<const uint8_t> ConstantUploader::FloatTexels(Format format) {
  if (format != Format::kRgba16f) return BytesOf(floats_);
  halves_ = ToHalves(floats_);
  return BytesOf(halves_);
}

absl::StatusOr<Resource> ConstantUploader::UploadTensor(const Tensor& tensor) {
  ASSIGN_OR_RETURN(const auto slot, SlotOf(tensor, profile_));
  const Format format = slot.format;
  const auto pack = [&]() -> absl::StatusOr<absl::Span<const uint8_t>> {
    if (format == Format::kRgba32i) {
      ASSIGN_OR_RETURN(auto values, ConstantInts(tensor));
      ints_ = PackTexels<int32_t>(values, tensor.shape);
      return BytesOf(ints_);
    }
    ASSIGN_OR_RETURN(auto values, ConstantFloats(tensor));
    floats_ = PackTexels<float>(values, tensor.shape);
    return FloatTexels(format);
  };
  // A constant that a pass or an op has made may come from attributes, which
  // the cache's key does not cover.
  const bool cacheable = tensor.tflite_index >= 0;
  auto resource = UploadTexels(slot, tensor.name, cacheable, pack);
  if (!resource.ok()) return Labelled(resource.status(), tensor.ToString());
  return resource;
}

absl::StatusOr<Resource> ConstantUploader::UploadPacked(
    const PackedConstant& c, const std::string& label) {
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

absl::StatusOr<std::vector<Resource>> ConstantUploader::Upload(
    const Dispatch& dispatch, std::vector<Resource>* tensors) {
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

}  // namespace gles_delegate
