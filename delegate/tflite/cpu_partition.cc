#include "delegate/tflite/cpu_partition.h"

#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"

namespace gles_delegate {

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

absl::Status CpuPartition::Run(TfLiteContext* context) {
  ScratchMemory scratch(context, &memory_);
  for (int index : partition_.nodes) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (auto s = find_.Get(context, index, &node, &registration); !s.ok()) {
      return s;
    }
    scratch.LendToNode(*node, [&](int id) {
      return outputs_.contains(id) && context->tensors[id].data.raw != nullptr;
    });
    if (registration->invoke(context, node) != kTfLiteOk) {
      return absl::InternalError(
          absl::StrCat("TFLite's own kernel of node ", index, " failed"));
    }
  }
  return absl::OkStatus();
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
