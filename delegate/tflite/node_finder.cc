#include "delegate/tflite/node_finder.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

// The first tensor that the node names and the runtime does not have; -1: none.
int UnknownTensor(const TfLiteContext& context, const TfLiteNode& node) {
  for (const TfLiteIntArray* list : {node.inputs, node.outputs}) {
    for (int i = 0; i < list->size; ++i) {
      const int id = list->data[i];
      if (id != kTfLiteOptionalTensor && !HasTensor(context, id)) return id;
    }
  }
  return kTfLiteOptionalTensor;
}

}  // namespace

absl::Status NodeFinder::Get(TfLiteContext* context, int index,
                             TfLiteNode** node,
                             TfLiteRegistration** registration) const {
  if (get_ == nullptr ||
      get_(context, index, node, registration) != kTfLiteOk) {
    return absl::InternalError(absl::StrCat("the runtime has no node ", index));
  }
  const int unknown = UnknownTensor(*context, **node);
  if (unknown == kTfLiteOptionalTensor) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("node ", index, " names tensor ",
                                          unknown, ", and the model has ",
                                          context->tensors_size, " tensors"));
}

bool ResizeTensor(TfLiteContext* context, int id,
                  const std::vector<int>& dims) {
  // The runtime frees the array that it is given.
  auto* array = static_cast<TfLiteIntArray*>(
      std::malloc(sizeof(int) * (dims.size() + 1)));
  if (array == nullptr) return false;
  array->size = static_cast<int>(dims.size());
  std::copy(dims.begin(), dims.end(), array->data);
  return context->ResizeTensor(context, &context->tensors[id], array) ==
         kTfLiteOk;
}

}  // namespace gles_delegate
