#include "delegate/tflite/tensor_io.h"

#include <algorithm>
#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "delegate/tflite/read_tensor.h"

namespace gles_delegate {
namespace {

absl::Span<const int> Ints(const TfLiteIntArray* list) {
  if (list == nullptr) return {};
  return {list->data, static_cast<size_t>(list->size)};
}

bool IsDynamic(const TfLiteContext& context, int tensor) {
  return tensor >= 0 &&
         context.tensors[tensor].allocation_type == kTfLiteDynamic;
}

// Tensors used by the model's nodes outside a partition.
struct OtherNodes {
  absl::flat_hash_set<int> tensors;
  // TFLite prepares nodes after these within Invoke, when the app has already
  // written the model's inputs.
  bool have_dynamic_outputs = false;
};

absl::StatusOr<OtherNodes> NodesBeside(TfLiteContext* context,
                                       const ModelNodes& nodes,
                                       const ModelPartition& partition) {
  OtherNodes others;
  const absl::flat_hash_set<int> own(partition.nodes.begin(),
                                     partition.nodes.end());
  for (int index : nodes.plan) {
    if (own.contains(index)) continue;
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    auto found = nodes.find.Get(context, index, &node, &registration);
    if (!found.ok()) return found;
    for (int id : Ints(node->inputs)) others.tensors.insert(id);
    for (int id : Ints(node->outputs)) {
      others.tensors.insert(id);
      others.have_dynamic_outputs |= IsDynamic(*context, id);
    }
  }
  return others;
}

}  // namespace

void TensorIo::SetObjects() {
  const auto set = [this](std::vector<IoSlot>* slots) {
    for (IoSlot& slot : *slots) {
      const AppObject* object = objects_->Of(slot.index());
      if (object == nullptr) object = handles_.Of(slot.index());
      slot.object.reset();
      if (object != nullptr) slot.object = *object;
    }
  };
  set(&session_->inputs());
  set(&session_->outputs());
  if (version_ != version()) session_->NoteObjects();
  version_ = version();
}

void TensorIo::TakeHandle(const TfLiteContext& context, int index) {
  if (index < 0) return;
  const TfLiteTensor& tensor = context.tensors[index];
  const AppObject* had = handles_.Of(index);
  const bool has = tensor.buffer_handle > 0 && handle_owner_ != nullptr &&
                   HandleOwner(tensor) == handle_owner_;
  if (!has) {
    if (had != nullptr) handles_.Unbind(index);
    return;
  }
  const auto name = static_cast<uint32_t>(tensor.buffer_handle);
  if (had != nullptr && had->name == name) return;
  AppObject object;
  object.name = name;
  handles_.Bind(index, object);
}

bool TensorIo::IsCache(int tensor) const {
  const std::vector<int>& caches = caches_.tensors();
  return std::find(caches.begin(), caches.end(), tensor) != caches.end();
}

void TensorIo::ChooseCaches() {
  caches_.Choose(session_->graph());
  for (int tensor : caches_.tensors()) {
    handles_.Bind(tensor, RuntimeCaches::ObjectOf({}));
  }
}

void TensorIo::RequireBuffers(TfLiteContext* context) {
  const std::vector<int> wanted = caches_.tensors();
  caches_.Require(context);
  for (int tensor : wanted) {
    if (!IsCache(tensor)) handles_.Unbind(tensor);
  }
  session_->setup().report->tensors_kept_on_gpu = caches_.tensors();
}

absl::Status TensorIo::TakeCache(TfLiteContext* context, IoSlot* slot,
                                 bool writes) {
  const auto object = caches_.Find(context, slot->index(), writes);
  if (!object.ok()) return object.status();
  const AppObject* had = handles_.Of(slot->index());
  if (!*object) {
    if (had != nullptr) handles_.Unbind(slot->index());
  } else if (had == nullptr || had->name != (*object)->name) {
    handles_.Bind(slot->index(), **object);
  }
  return absl::OkStatus();
}

absl::Status TensorIo::Collect(TfLiteContext* context) {
  for (auto* slots : {&session_->inputs(), &session_->outputs()}) {
    for (IoSlot& slot : *slots) {
      if (!IsCache(slot.index())) {
        TakeHandle(*context, slot.index());
      } else if (!session_->is_on_cpu()) {
        const bool writes = slots == &session_->outputs();
        if (auto s = TakeCache(context, &slot, writes); !s.ok()) {
          Abandon();
          return s;
        }
      }
      slot.memory = MemoryOf(context->tensors[slot.index()]);
    }
  }
  if (version() != version_) SetObjects();
  return absl::OkStatus();
}

absl::StatusOr<bool> TensorIo::OnHost(TfLiteContext* context,
                                      absl::FunctionRef<absl::Status()> run) {
  std::vector<int> outputs;
  for (const IoSlot& slot : session_->outputs()) {
    outputs.push_back(slot.index());
  }
  absl::Status status = caches_.BringToHost(context, outputs);
  if (status.ok()) status = run();
  caches_.Finish();
  if (!status.ok()) return status;
  return false;
}

absl::Status TensorIo::Finish(TfLiteContext* context) {
  caches_.Finish();
  for (const ConstantOutput& constant : constants_) {
    auto s = constant.CopyTo(MemoryOf(context->tensors[constant.index()]));
    if (!s.ok()) return s;
  }
  for (const IoSlot& slot : session_->outputs()) {
    // TFLite, or the app, has it copied (CopyFromHandle).
    if (slot.object && !slot.object->is_own &&
        handles_.Of(slot.index()) != nullptr) {
      context->tensors[slot.index()].data_is_stale = true;
    }
  }
  return absl::OkStatus();
}

void TensorIo::LendMemory(TfLiteContext* context, const ModelNodes& nodes,
                          const ModelPartition& partition) {
  if (!session_->LendsMemory()) return;
  const auto others = NodesBeside(context, nodes, partition);
  if (!others.ok() || others->have_dynamic_outputs) return;
  const auto lend = [&](const IoSlot& slot, auto memory_for) {
    if (others->tensors.contains(slot.index())) return;
    TfLiteTensor& tensor = context->tensors[slot.index()];
    const bool has_custom = tensor.allocation_type != kTfLiteArenaRw;
    Place(&tensor, slot.index(), memory_for(tensor.bytes, has_custom));
  };
  for (size_t i = 0; i < session_->inputs().size(); ++i) {
    lend(session_->inputs()[i], [&](size_t bytes, bool has_custom) {
      return session_->LendInput(i, bytes, has_custom);
    });
  }
  for (size_t i = 0; i < session_->outputs().size(); ++i) {
    lend(session_->outputs()[i], [&](size_t bytes, bool has_custom) {
      return session_->LendOutput(i, bytes, has_custom);
    });
  }
}

void TensorIo::Place(TfLiteTensor* tensor, int index,
                     std::unique_ptr<LentMemory> memory) {
  if (memory == nullptr) return;
  tensor->allocation_type = kTfLiteCustom;
  tensor->data.raw = memory->data();
  session_->setup().report->zero_copy_tensors.push_back(index);
  lent_.push_back({index, std::move(memory)});
}

void TensorIo::TakeMemoryBack(TfLiteContext* context) {
  for (const Lent& lent : lent_) {
    TfLiteTensor& tensor = context->tensors[lent.tensor];
    // The app may have given it other memory in the meantime
    // (SetCustomAllocationForTensor).
    const bool is_ours =
        tensor.data.raw == lent.memory->data() || tensor.data.raw == nullptr;
    if (tensor.allocation_type == kTfLiteCustom && is_ours) {
      tensor.allocation_type = kTfLiteArenaRw;
      tensor.data.raw = nullptr;
    }
  }
  lent_.clear();
  session_->setup().report->zero_copy_tensors.clear();
}

}  // namespace gles_delegate
