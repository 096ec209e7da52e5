#include "delegate/tflite/as_constants.h"

#include <algorithm>
#include <cstddef>

#include "delegate/ops/op_list.h"
#include "delegate/tflite/scratch_memory.h"

namespace gles_delegate {
namespace {

// With more computed ids the shape of a segment sum is unknown.
constexpr size_t kMaxIdBytes = 64 << 20;

}  // namespace

bool IsConstant(const TfLiteTensor& t) {
  return t.allocation_type == kTfLiteMmapRo && t.data.raw != nullptr;
}

AsConstants::AsConstants(TfLiteContext* context, const TfLiteNode& node,
                         const TensorValues& values)
    : AsConstants(context) {
  for (int i = 0; i < node.inputs->size; ++i) {
    const auto value = values.find(node.inputs->data[i]);
    if (value == values.end()) continue;
    Keep(value->first).data.raw = const_cast<char*>(
        reinterpret_cast<const char*>(value->second.bytes().data()));
  }
}

AsConstants::~AsConstants() {
  for (auto it = before_.rbegin(); it != before_.rend(); ++it) {
    TfLiteTensor& t = context_->tensors[it->id];
    t.allocation_type = it->type;
    t.data.raw = it->data;
  }
}

void AsConstants::AddSegments(const TfLiteNode& node, int builtin_code) {
  const OpDefinition* op = FindOp(builtin_code, "");
  const int count = node.inputs->size;
  const int* inputs = node.inputs->data;
  if (op == nullptr || !op->Has(kCountsSegments) || count < 2 ||
      *std::min_element(inputs, inputs + count) < 0 ||
      !IsConstant(context_->tensors[inputs[count - 1]])) {
    return;
  }
  const TfLiteTensor& ids = context_->tensors[inputs[1]];
  if (!IsConstant(ids)) {
    const size_t bytes = BytesOf(ids);
    if (bytes > kMaxIdBytes) return;
    zeros_.resize(bytes);
    Keep(inputs[1]).data.raw = zeros_.data();
  }
  Keep(inputs[0]);
}

TfLiteTensor& AsConstants::Keep(int id) {
  TfLiteTensor& t = context_->tensors[id];
  before_.push_back({id, t.allocation_type, t.data.raw});
  t.allocation_type = kTfLiteMmapRo;
  return t;
}

}  // namespace gles_delegate
