#include "delegate/tflite/cpu_partition.h"

#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

bool IsInArena(const TfLiteTensor& t) {
  return t.allocation_type == kTfLiteArenaRw ||
         t.allocation_type == kTfLiteArenaRwPersistent;
}

}  // namespace

CpuPartition::CpuPartition(const NodeFinder& find, ModelPartition partition)
    : find_(find),
      partition_(std::move(partition)),
      outputs_(partition_.outputs.begin(), partition_.outputs.end()) {}

absl::Status CpuPartition::Check(TfLiteContext* context) const {
  for (int index : partition_.nodes) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (auto s = find_.Get(context, index, &node, &registration); !s.ok()) {
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
                        Lent* lent) {
  if (tensors == nullptr) return;
  for (int i = 0; i < tensors->size; ++i) {
    const int id = tensors->data[i];
    if (id < 0) continue;
    TfLiteTensor& t = context->tensors[id];
    if (!IsInArena(t) || t.is_variable || t.bytes == 0) continue;
    if (outputs_.contains(id) && t.data.raw != nullptr) continue;
    // As aligned as the allocator's: 16 bytes, which TFLite's kernels want.
    std::vector<uint8_t>& memory = memory_[id];
    memory.resize(t.bytes);
    lent->emplace_back(id, t.data.raw);
    t.data.raw = reinterpret_cast<char*>(memory.data());
  }
}

absl::Status CpuPartition::Run(TfLiteContext* context) {
  absl::Status status;
  Lent lent;
  for (int index : partition_.nodes) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    status = find_.Get(context, index, &node, &registration);
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
  // Backwards: a tensor that was lent twice has its first memory again.
  for (auto it = lent.rbegin(); it != lent.rend(); ++it) {
    context->tensors[it->first].data.raw = it->second;
  }
  return status;
}

TrialMemory::TrialMemory(TfLiteContext* context,
                         const ModelPartition& partition)
    : context_(context) {
  for (int id : partition.inputs) Borrow(id);
  std::minstd_rand random(1);
  std::uniform_real_distribution<float> values(-1, 1);
  for (Place& place : places_) {
    if (context_->tensors[place.tensor].type != kTfLiteFloat32) continue;
    for (size_t at = 0; at + sizeof(float) <= place.memory.size();
         at += sizeof(float)) {
      const float value = values(random);
      std::memcpy(&place.memory[at], &value, sizeof(value));
    }
  }
  for (int id : partition.outputs) Borrow(id);
}

void TrialMemory::Borrow(int id) {
  if (id < 0) return;
  TfLiteTensor& t = context_->tensors[id];
  if (!IsInArena(t) && t.allocation_type != kTfLiteCustom) return;
  places_.push_back({id, t.data.raw, std::vector<uint8_t>(t.bytes)});
  t.data.raw = reinterpret_cast<char*>(places_.back().memory.data());
}

TrialMemory::~TrialMemory() {
  for (auto it = places_.rbegin(); it != places_.rend(); ++it) {
    context_->tensors[it->tensor].data.raw = it->before;
  }
}

}  // namespace gles_delegate
