#include "delegate/tflite/tensor_io.h"

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "delegate/tflite/read_tensor.h"
#include "egl/caught.h"

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
  HashSet<int> tensors;
  // TFLite prepares nodes after these within Invoke, when the app has already
  // written the model's inputs.
  bool have_dynamic_outputs = false;
};

absl::StatusOr<OtherNodes> NodesBeside(TfLiteContext* context,
                                       const ModelNodes& nodes,
                                       const ModelPartition& partition) {
  OtherNodes others;
  const HashSet<int> own(partition.nodes.begin(), partition.nodes.end());
  for (int index : nodes.plan) {
    if (own.contains(index)) continue;
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    RETURN_IF_ERROR(nodes.find.Get(context, index, &node, &registration));
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

void TensorIo::ChooseCaches() {
  buffered_.ChooseCaches(session_->graph());
  for (int tensor : buffered_.caches()) {
    handles_.Bind(tensor, BufferedTensors::ObjectOf({}));
  }
}

absl::Status TensorIo::RequireBuffers(TfLiteContext* context,
                                      const ModelNodes& nodes,
                                      const ModelPartition& partition) {
  if (!buffered_.HasRuntime()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto beside, NodesBeside(context, nodes, partition));
  const std::vector<int> caches = buffered_.caches();
  std::vector<int> others;
  for (int tensor : session_->ZeroCopyTensors()) {
    if (!buffered_.IsCache(tensor) && objects_->Of(tensor) == nullptr) {
      others.push_back(tensor);
    }
  }
  buffered_.Require(context, others, beside.tensors);
  for (int tensor : caches) {
    if (!buffered_.IsCache(tensor)) handles_.Unbind(tensor);
  }
  session_->setup().report->tensors_kept_on_gpu = buffered_.caches();
  session_->setup().report->zero_copy_tensors = buffered_.others();
  return absl::OkStatus();
}

absl::Status TensorIo::TakeCache(TfLiteContext* context, int index,
                                 bool writes) {
  ASSIGN_OR_RETURN(const auto object,
                   buffered_.FindCache(context, index, writes));
  const AppObject* had = handles_.Of(index);
  if (!object) {
    if (had != nullptr) handles_.Unbind(index);
  } else if (had == nullptr || had->name != object->name) {
    handles_.Bind(index, *object);
  }
  return absl::OkStatus();
}

absl::Status TensorIo::Take(TfLiteContext* context, IoSlot* slot, bool writes) {
  const int index = slot->index();
  if (!buffered_.Has(index)) {
    TakeHandle(*context, index);
  } else if (session_->is_on_cpu()) {
    // OnHost() finds it.
  } else if (buffered_.IsCache(index)) {
    RETURN_IF_ERROR(TakeCache(context, index, writes));
  } else {
    ASSIGN_OR_RETURN(auto memory, buffered_.Lock(context, index, writes));
    slot->memory = memory;
    return absl::OkStatus();
  }
  slot->memory = MemoryOf(context->tensors[index]);
  return absl::OkStatus();
}

absl::Status TensorIo::Collect(TfLiteContext* context) {
  for (auto* slots : {&session_->inputs(), &session_->outputs()}) {
    for (IoSlot& slot : *slots) {
      const bool writes = slots == &session_->outputs();
      if (auto s = Take(context, &slot, writes); !s.ok()) {
        Abandon();
        return s;
      }
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
  absl::Status status = buffered_.BringToHost(context, outputs);
  if (status.ok()) status = egl::Caught(run);
  buffered_.Finish();
  if (!status.ok()) return status;
  return false;
}

absl::Status TensorIo::Finish(TfLiteContext* context) {
  buffered_.Finish();
  for (const ConstantOutput& constant : constants_) {
    RETURN_IF_ERROR(
        constant.CopyTo(MemoryOf(context->tensors[constant.index()])));
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
    if (others->tensors.contains(slot.index()) || buffered_.Has(slot.index())) {
      return;
    }
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
  session_->setup().report->zero_copy_tensors = buffered_.others();
}

}  // namespace gles_delegate
