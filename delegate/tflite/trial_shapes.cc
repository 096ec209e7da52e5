#include "delegate/tflite/trial_shapes.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "delegate/tflite/read_tensor.h"

namespace gles_delegate {
namespace {

constexpr int kSmallest = 4;
constexpr int kLargest = 1 << 14;  // a second of sound

}  // namespace

TrialShapes::TrialShapes(TfLiteContext* context, const NodeFinder& find,
                         const std::vector<int>& plan,
                         const Decompositions& decompositions)
    : context_(context),
      find_(find),
      plan_(plan),
      decompositions_(decompositions) {
  absl::flat_hash_set<int> seen;
  for (int index : plan) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (!find.Get(context, index, &node, &registration).ok()) continue;
    for (int id : ReadInts(node->inputs)) {
      if (id < 0 || !seen.insert(id).second) continue;
      const TfLiteTensor& t = context->tensors[id];
      const std::vector<int> signature = ReadInts(t.dims_signature);
      const std::vector<int> dims = ReadInts(t.dims);
      const bool is_free =
          std::find(signature.begin(), signature.end(), -1) != signature.end();
      if (!is_free || signature.size() != dims.size() ||
          t.allocation_type != kTfLiteArenaRw) {
        continue;
      }
      inputs_.push_back({id, dims, signature});
    }
    // Outputs of nodes are not model inputs.
    for (int id : ReadInts(node->outputs)) seen.insert(id);
  }
}

TrialShapes::~TrialShapes() {
  for (const Input& input : inputs_) {
    ResizeTensor(context_, input.id, input.dims);
  }
}

bool TrialShapes::Resize(Free which, int extent) {
  bool any = false;
  for (const Input& input : inputs_) {
    std::vector<int> dims = input.dims;
    for (size_t i = 0; i < dims.size(); ++i) {
      const bool is_last = i + 1 == dims.size();
      const bool is_free =
          which == Free::kBySignature
              ? i < input.signature.size() && input.signature[i] == -1
              : dims[i] <= 1 && (which == Free::kOnes || !is_last);
      if (is_free) dims[i] = extent;
      any |= is_free;
    }
    if (!ResizeTensor(context_, input.id, dims)) return false;
  }
  return any;
}

std::optional<ShapeFacts> TrialShapes::Find() {
  for (Free which : {Free::kBySignature, Free::kOnesButLast, Free::kOnes}) {
    for (int extent = kSmallest; extent <= kLargest; extent *= 4) {
      if (!Resize(which, extent)) break;
      auto facts = PropagateShapes(context_, find_, plan_, decompositions_);
      if (!facts.ok()) return std::nullopt;
      if (facts->refused.ok()) return *std::move(facts);
    }
  }
  return std::nullopt;
}

}  // namespace gles_delegate
