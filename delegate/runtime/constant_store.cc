#include "delegate/runtime/constant_store.h"

namespace gles_delegate {
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

}  // namespace gles_delegate
