// The part of GlesKernel that places the model's inputs and outputs in memory
// that the GPU accesses.
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "delegate/tflite/kernel.h"

namespace gles_delegate {
namespace {

// TFLite's alignment of a tensor's memory (kDefaultTensorAlignment).
constexpr uintptr_t kAlignment = 64;

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

void GlesKernel::LendMemory(TfLiteContext* context) {
  if (setup_.profile.choices.zero_copy == 0 || source_ == nullptr ||
      on_cpu_ != nullptr || setup_.options.does_not_wait) {
    return;
  }
  const auto others = NodesBeside(context, setup_.nodes, setup_.partition);
  if (!others.ok() || others->have_dynamic_outputs) return;
  const auto lend = [&](const std::vector<int>& tensors,
                        const std::vector<HostTensor>& host_tensors,
                        absl::Span<const HostTransfer> transfers) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      const bool is_shared = others->tensors.contains(tensors[i]);
      if (is_shared || host_tensors[i].converts()) continue;
      Lend(context, tensors[i], transfers[i]);
    }
  };
  lend(input_tensors_, inputs_, source_->executor().inputs());
  lend(output_tensors_, outputs_, source_->executor().outputs());
}

void GlesKernel::Lend(TfLiteContext* context, int id,
                      const HostTransfer& transfer) {
  TfLiteTensor& tensor = context->tensors[id];
  std::shared_ptr<egl::Buffer> buffer = transfer.HostMemory();
  if (buffer == nullptr || tensor.allocation_type != kTfLiteArenaRw ||
      tensor.is_variable || tensor.bytes != transfer.bytes() ||
      reinterpret_cast<uintptr_t>(buffer->mapped()) % kAlignment != 0) {
    return;
  }
  tensor.allocation_type = kTfLiteCustom;
  tensor.data.raw = reinterpret_cast<char*>(buffer->mapped());
  setup_.report->zero_copy_tensors.push_back(id);
  lent_.push_back({id, executor_context_, std::move(buffer)});
}

void GlesKernel::TakeMemoryBack(TfLiteContext* context) {
  for (LentMemory& lent : lent_) {
    TfLiteTensor& tensor = context->tensors[lent.tensor];
    // The app may have given it other memory in the meantime
    // (SetCustomAllocationForTensor).
    const char* mapped = reinterpret_cast<char*>(lent.buffer->mapped());
    const bool is_ours =
        tensor.data.raw == mapped || tensor.data.raw == nullptr;
    if (tensor.allocation_type == kTfLiteCustom && is_ours) {
      tensor.allocation_type = kTfLiteArenaRw;
      tensor.data.raw = nullptr;
    }
    // If the context cannot be made current, the buffer is deleted with it.
    (void)lent.context->Run([&lent] {
      lent.buffer.reset();
      return absl::OkStatus();
    });
  }
  lent_.clear();
  setup_.report->zero_copy_tensors.clear();
}

}  // namespace gles_delegate
