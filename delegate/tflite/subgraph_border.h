// The tensors that a STABLEHLO_COMPOSITE exchanges with its decomposition.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_SUBGRAPH_BORDER_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_SUBGRAPH_BORDER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/tflite/node_finder.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// By TFLite's index in the subgraph.
struct SubgraphBorder {
  struct Input {
    int id;
    int position;  // in the composite's inputs
  };
  std::vector<Input> inputs;  // those that are used
  std::vector<int> outputs;   // as many as the composite has
};

// No function of the context has the inputs and outputs of a subgraph, but the
// composite's own kernel, as it is prepared, copies shapes to the inputs and
// from the outputs. So this prepares it with shapes that tell the tensors
// apart, while a function that only sets such shapes replaces the prepare
// functions of the subgraph's kernels. The subgraph's shapes are wrong until
// the composite is prepared again.
//
// `node`: the composite's index. `plan`: the nodes of `subgraph`.
absl::StatusOr<SubgraphBorder> BorderOf(TfLiteContext* context, int node,
                                        TfLiteContext* subgraph,
                                        absl::Span<const int> plan,
                                        const NodeFinder& find);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_SUBGRAPH_BORDER_H_
