// Access to the runtime's nodes and tensors by index.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_NODE_FINDER_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_NODE_FINDER_H_

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Finds nodes by index. TFLite provides the function only in a delegate's
// Prepare, but it works as long as the interpreter lives, for the nodes of all
// subgraphs, and also finds replaced nodes, which TFLite keeps.
class NodeFinder {
 public:
  NodeFinder() = default;
  // `context` as a delegate's Prepare gets it.
  explicit NodeFinder(const TfLiteContext& context)
      : get_(context.GetNodeAndRegistration) {}

  // kInternal: no such node, or one with inputs or outputs that are not tensors
  // (-1 means absent). The pointers are valid until nodes are added (a delegate
  // is applied).
  absl::Status Get(TfLiteContext* context, int index, TfLiteNode** node,
                   TfLiteRegistration** registration) const;

 private:
  TfLiteStatus (*get_)(TfLiteContext*, int, TfLiteNode**,
                       TfLiteRegistration**) = nullptr;
};

// Whether the runtime has the tensor. A node's inputs, outputs, intermediates
// and temporaries, and a model's outputs, may be -1.
inline bool HasTensor(const TfLiteContext& context, int id) {
  return id >= 0 && static_cast<size_t>(id) < context.tensors_size;
}

// False: the runtime refuses.
bool ResizeTensor(TfLiteContext* context, int id, const std::vector<int>& dims);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_NODE_FINDER_H_
