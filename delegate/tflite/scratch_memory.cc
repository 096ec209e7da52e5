#include "delegate/tflite/scratch_memory.h"

#include "delegate/tflite/node_finder.h"

namespace gles_delegate {

size_t ElementBytes(TfLiteType type) {
  switch (type) {
    case kTfLiteFloat32:
    case kTfLiteInt32:
      return 4;
    case kTfLiteInt64:
      return 8;
    case kTfLiteInt16:
    case kTfLiteFloat16:
      return 2;
    case kTfLiteInt8:
    case kTfLiteUInt8:
    case kTfLiteBool:
      return 1;
    case kTfLiteFloat64:
    case kTfLiteUInt64:
    case kTfLiteComplex64:
      return 8;
    case kTfLiteUInt32:
      return 4;
    case kTfLiteComplex128:
      return 16;
    default:
      return 0;
  }
}

bool IsInArena(const TfLiteTensor& t) {
  return t.allocation_type == kTfLiteArenaRw ||
         t.allocation_type == kTfLiteArenaRwPersistent;
}

size_t BytesOf(const TfLiteTensor& t) {
  if (t.bytes != 0) return t.bytes;
  size_t bytes = ElementBytes(t.type);
  for (int i = 0; t.dims != nullptr && i < t.dims->size; ++i) {
    const int extent = t.dims->data[i];
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) return 0;
  }
  return bytes;
}

ScratchMemory::~ScratchMemory() {
  // Backwards: a tensor that was lent to twice has its first pointer again.
  for (auto it = before_.rbegin(); it != before_.rend(); ++it) {
    TfLiteTensor& t = context_->tensors[it->tensor];
    t.data.raw = it->data;
    t.bytes = it->bytes;
  }
}

void ScratchMemory::Lend(int id) {
  TfLiteTensor& t = context_->tensors[id];
  const size_t bytes = BytesOf(t);
  const bool keeps_state = t.is_variable && t.data.raw != nullptr;
  if (!IsInArena(t) || keeps_state || bytes == 0) return;
  std::vector<uint8_t>& memory = (*blocks_)[id];
  memory.resize(bytes);
  before_.push_back({id, t.data.raw, t.bytes});
  t.bytes = bytes;
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
