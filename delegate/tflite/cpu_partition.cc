#include "delegate/tflite/cpu_partition.h"

#include <utility>

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

}  // namespace gles_delegate
