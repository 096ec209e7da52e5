#include "delegate/tflite/scratch_memory.h"

#include "delegate/tflite/propagate_shapes.h"

namespace gles_delegate {

bool IsInArena(const TfLiteTensor& t) {
  return t.allocation_type == kTfLiteArenaRw ||
         t.allocation_type == kTfLiteArenaRwPersistent;
}

ScratchMemory::~ScratchMemory() {
  // Backwards: a tensor that was lent to twice has its first pointer again.
  for (auto it = before_.rbegin(); it != before_.rend(); ++it) {
    context_->tensors[it->first].data.raw = it->second;
  }
}

void ScratchMemory::Lend(int id) {
  TfLiteTensor& t = context_->tensors[id];
  if (!IsInArena(t) || t.is_variable || t.bytes == 0) return;
  std::vector<uint8_t>& memory = (*blocks_)[id];
  memory.resize(t.bytes);
  before_.emplace_back(id, t.data.raw);
  t.data.raw = reinterpret_cast<char*>(memory.data());
}

void ScratchMemory::LendToNode(const TfLiteNode& node,
                               absl::FunctionRef<bool(int tensor)> keeps) {
  for (const TfLiteIntArray* tensors :
       {node.outputs, node.intermediates, node.temporaries}) {
    if (tensors == nullptr) continue;
    for (int i = 0; i < tensors->size; ++i) {
      const int id = tensors->data[i];
      // TFLite takes a file's intermediates as they are.
      if (HasTensor(*context_, id) && !keeps(id)) Lend(id);
    }
  }
}

}  // namespace gles_delegate
