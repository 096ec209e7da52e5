// A node that the runtime has in another subgraph, or does not have.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_INLINED_NODE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_INLINED_NODE_H_

#include <algorithm>
#include <memory>
#include <vector>

#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Its inputs and outputs are ids of the graph that the model is read into.
class InlinedNode {
 public:
  // `registration` must outlive it, as must what `node` points to, except its
  // inputs and outputs.
  InlinedNode(const TfLiteNode& node, const TfLiteRegistration& registration,
              const std::vector<int>& inputs, const std::vector<int>& outputs)
      : node_(node),
        registration_(&registration),
        inputs_(ArrayOf(inputs)),
        outputs_(ArrayOf(outputs)) {
    node_.inputs = reinterpret_cast<TfLiteIntArray*>(inputs_.get());
    node_.outputs = reinterpret_cast<TfLiteIntArray*>(outputs_.get());
  }
  const TfLiteNode& node() const { return node_; }
  const TfLiteRegistration& registration() const { return *registration_; }

 private:
  // TfLiteIntArray is {int size; int data[]}.
  static std::unique_ptr<int[]> ArrayOf(const std::vector<int>& values) {
    auto array = std::make_unique<int[]>(values.size() + 1);
    array[0] = static_cast<int>(values.size());
    std::copy(values.begin(), values.end(), array.get() + 1);
    return array;
  }

  TfLiteNode node_;
  const TfLiteRegistration* registration_;
  std::unique_ptr<int[]> inputs_, outputs_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_INLINED_NODE_H_
