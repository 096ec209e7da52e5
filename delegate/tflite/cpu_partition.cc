#include "delegate/tflite/cpu_partition.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/session/state_mark.h"
#include "delegate/tflite/read_tensor.h"

namespace gles_delegate {
namespace {

// Newer runtimes free the dynamic temporaries of replaced nodes at the end of
// AllocateTensors, with what the kernels prepared in them: transposed weights.
bool HasLostTemporary(const TfLiteContext& context, const TfLiteNode& node) {
  const TfLiteIntArray* temporaries = node.temporaries;
  for (int i = 0; temporaries != nullptr && i < temporaries->size; ++i) {
    if (!HasTensor(context, temporaries->data[i])) continue;
    const TfLiteTensor& t = context.tensors[temporaries->data[i]];
    if (t.allocation_type == kTfLiteDynamic && t.data.raw == nullptr) {
      return true;
    }
  }
  return false;
}

// Gives a node's outputs in the arena the memory back that they had.
class KeptMemory {
 public:
  KeptMemory(TfLiteContext* context, const TfLiteNode& node)
      : context_(context) {
    for (int id : ReadInts(node.outputs)) {
      if (!HasTensor(*context, id)) continue;
      const TfLiteTensor& t = context->tensors[id];
      if (IsInArena(t)) memory_.emplace_back(id, t.data.raw);
    }
  }
  ~KeptMemory() {
    for (const auto& [id, raw] : memory_) {
      TfLiteTensor& t = context_->tensors[id];
      if (IsInArena(t)) t.data.raw = raw;  // not if a loop's is now dynamic
    }
  }
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

 private:
  TfLiteContext* context_;
  std::vector<std::pair<int, char*>> memory_;
};

absl::Status PrepareAgain(TfLiteContext* context, TfLiteNode* node,
                          const TfLiteRegistration& registration,
                          TensorValues* values) {
  const KeptMemory kept(context, *node);
  const TfLiteStatus status =
      PrepareWithValues(context, node, registration, values);
  return status == kTfLiteOk
             ? absl::OkStatus()
             : absl::InternalError(absl::StrCat(
                   "TFLite's own kernel (builtin code ",
                   registration.builtin_code, ") refuses its inputs"));
}

// Writes the node's outputs if all of them are known.
bool GiveKnown(const TfLiteContext& context, const TfLiteNode& node,
               const TensorValues& values) {
  const std::vector<int> outputs = ReadInts(node.outputs);
  const auto is_known = [&](int id) { return values.contains(id); };
  if (outputs.empty() ||
      !std::all_of(outputs.begin(), outputs.end(), is_known)) {
    return false;
  }
  for (int id : outputs) {
    const TfLiteTensor& t = context.tensors[id];
    const auto bytes = values.at(id).bytes();
    if (IsEmpty(t) || t.data.raw == nullptr) continue;
    std::memcpy(t.data.raw, bytes.data(), std::min(t.bytes, bytes.size()));
  }
  return true;
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
    RETURN_IF_ERROR(find_.Get(context, index, &node, &registration));
    if (registration->invoke == nullptr) {
      return absl::FailedPreconditionError(
          absl::StrCat("node ", index, " has no kernel on the CPU"));
    }
  }
  return absl::OkStatus();
}

absl::Status CpuPartition::Run(TfLiteContext* context, TensorValues* values) {
  for (int id : partition_.inputs) {
    const TfLiteTensor& t = context->tensors[id];
    // The GPU's state is lost with its shapes.
    if (t.is_variable && IsStateOnGpu(MemoryOf(t))) {
      std::memset(t.data.raw, 0, t.bytes);
    }
  }
  ScratchMemory scratch(context, &memory_);
  for (int index : partition_.nodes) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    RETURN_IF_ERROR(find_.Get(context, index, &node, &registration));
    // PropagateShapes() only follows a loop.
    if (IsLoop(*registration) || HasLostTemporary(*context, *node)) {
      RETURN_IF_ERROR(PrepareAgain(context, node, *registration, values));
    }
    scratch.LendToNode(*node, [&](int id) {
      return outputs_.contains(id) && context->tensors[id].data.raw != nullptr;
    });
    // Kernels such as SHAPE's write when they are prepared, not when they run.
    if (GiveKnown(*context, *node, *values)) continue;
    if (registration->invoke(context, node) != kTfLiteOk) {
      return absl::InternalError(
          absl::StrCat("TFLite's own kernel of node ", index, " failed"));
    }
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
