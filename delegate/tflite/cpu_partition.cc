#include "delegate/tflite/cpu_partition.h"

#include "absl/strings/str_cat.h"

namespace gles_delegate {

absl::Status CpuPartition::Check(TfLiteContext* context, const NodeFinder& find,
                                 absl::Span<const int> nodes) {
  for (int index : nodes) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (auto s = find.Get(context, index, &node, &registration); !s.ok()) {
      return s;
    }
    if (registration->invoke == nullptr) {
      return absl::FailedPreconditionError(
          absl::StrCat("node ", index, " has no kernel on the CPU"));
    }
  }
  return absl::OkStatus();
}

void CpuPartition::Lend(TfLiteContext* context, const TfLiteIntArray* tensors,
                        std::vector<int>* lent) {
  if (tensors == nullptr) return;
  for (int i = 0; i < tensors->size; ++i) {
    const int id = tensors->data[i];
    if (id < 0) continue;
    TfLiteTensor& t = context->tensors[id];
    const bool in_arena = t.allocation_type == kTfLiteArenaRw ||
                          t.allocation_type == kTfLiteArenaRwPersistent;
    if (!in_arena || t.data.raw != nullptr || t.bytes == 0) continue;
    // As aligned as the allocator's: 16 bytes, which TFLite's kernels want.
    std::vector<uint8_t>& memory = memory_[id];
    memory.resize(t.bytes);
    t.data.raw = reinterpret_cast<char*>(memory.data());
    lent->push_back(id);
  }
}

absl::Status CpuPartition::Run(TfLiteContext* context, const NodeFinder& find,
                               absl::Span<const int> nodes) {
  absl::Status status;
  std::vector<int> lent;
  for (int index : nodes) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    status = find.Get(context, index, &node, &registration);
    if (!status.ok()) break;
    Lend(context, node->outputs, &lent);
    Lend(context, node->intermediates, &lent);
    Lend(context, node->temporaries, &lent);
    if (registration->invoke(context, node) != kTfLiteOk) {
      status = absl::InternalError(
          absl::StrCat("TFLite's own kernel of node ", index, " failed"));
      break;
    }
  }
  for (int id : lent) context->tensors[id].data.raw = nullptr;
  return status;
}

}  // namespace gles_delegate
