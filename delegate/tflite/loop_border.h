// The tensors that a WHILE exchanges with its condition and its body.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_LOOP_BORDER_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_LOOP_BORDER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/tflite/node_finder.h"
#include "delegate/tflite/subgraph_border.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// The subgraph that a WHILE asks before each step.
struct LoopCondition {
  TfLiteContext* context = nullptr;
  std::vector<int> plan;                      // in execution order
  std::vector<SubgraphBorder::Input> inputs;  // those that it reads
  int output = -1;
};

// The border of the body; all inputs are in it, and an output that the body
// does not change is the input. Fills in `condition`'s, whose `context` and
// `plan` are known.
//
// Found as BorderOf() finds a composite's, with one difference: the kernel of
// WHILE copies no shapes from the body's outputs. But it compares them with
// those of the inputs, one by one, and makes its own outputs dynamic if any
// differ. So this gives one input and one tensor of the body a shape, all
// others another, and prepares the kernel: if its outputs are not dynamic, that
// tensor is that input's next value, and no other's.
//
// `node`: the WHILE's index. `plan`: the nodes of `body`. The shapes in both
// subgraphs are wrong until the WHILE is prepared again.
absl::StatusOr<SubgraphBorder> LoopBorderOf(TfLiteContext* context, int node,
                                            TfLiteContext* body,
                                            absl::Span<const int> plan,
                                            const NodeFinder& find,
                                            LoopCondition* condition);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_LOOP_BORDER_H_
