#include "delegate/tflite/replaced_prepare.h"

#include "base/status_macros.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/tflite/read_tensor.h"

namespace gles_delegate {

ReplacedPrepare::ReplacedPrepare(TfLiteContext* subgraph,
                                 absl::Span<const int> plan,
                                 const NodeFinder& find, Prepare prepare)
    : ReplacedPrepare(subgraph, find) {
  for (int index : plan) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = Find(index, &node);
    if (registration == nullptr) continue;
    replaced_.emplace_back(index, registration->prepare);
    registration->prepare = prepare;
    for (int id : ReadInts(node->outputs)) {
      if (!HasTensor(*subgraph, id)) continue;
      dims_.emplace_back(id, ReadInts(subgraph->tensors[id].dims));
    }
  }
}

ReplacedPrepare::~ReplacedPrepare() {
  for (const auto& [index, prepare] : replaced_) {
    // The runtime may have moved it.
    TfLiteNode* node = nullptr;
    if (TfLiteRegistration* r = Find(index, &node)) r->prepare = prepare;
  }
  for (const auto& [id, dims] : dims_) ResizeTensor(subgraph_, id, dims);
}

TfLiteRegistration* ReplacedPrepare::Find(int index, TfLiteNode** node) const {
  TfLiteRegistration* registration = nullptr;
  const bool found = find_.Get(subgraph_, index, node, &registration).ok();
  return found ? registration : nullptr;
}

absl::StatusOr<SubgraphTensors> TensorsOf(TfLiteContext* subgraph,
                                          absl::Span<const int> plan,
                                          const NodeFinder& find) {
  SubgraphTensors tensors;
  for (int index : plan) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    RETURN_IF_ERROR(find.Get(subgraph, index, &node, &registration));
    if (registration->builtin_code == BuiltinOperator_DELEGATE) {
      return absl::UnimplementedError(
          "another delegate has taken nodes of its subgraph");
    }
    for (int id : ReadInts(node->inputs)) {
      if (id < 0) continue;
      const TfLiteTensor& tensor = subgraph->tensors[id];
      const bool is_constant = tensor.allocation_type == kTfLiteMmapRo;
      if (!is_constant && !tensor.is_variable) tensors.read.insert(id);
    }
    for (int id : ReadInts(node->outputs)) tensors.written.insert(id);
  }
  return tensors;
}

}  // namespace gles_delegate
