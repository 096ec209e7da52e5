// Follows a WHILE step by step while its node is prepared.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_FOLLOW_LOOP_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_FOLLOW_LOOP_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "base/hash_tables.h"
#include "delegate/tflite/decomposition.h"
#include "delegate/tflite/node_finder.h"
#include "delegate/tflite/shape_values.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// A value that a loop hands from one step to the next.
struct LoopState {
  std::vector<int> dims;
  std::optional<ConstantData> value;  // if it is known
};

// The steps of a loop whose number is known before the model runs.
struct LoopSteps {
  // Ok, or why it is not known, or the steps cannot be read. The rest counts
  // only if Ok.
  absl::Status status;
  std::vector<DecomposedGraph> steps;  // the body's tensors in each
  std::vector<LoopState> outputs;
};
using Loops = HashMap<NodeKey, LoopSteps>;

// Asks the loop's condition and prepares its body, with the runtime's own
// kernels, until the condition is false. Counters are values that follow from
// shapes (shape_values.h), as are indices and sizes that the body computes from
// them.
//
// The subgraphs' inputs have no memory afterwards, so that the runtime prepares
// both again before it runs them.
LoopSteps FollowLoop(const TfLiteContext& context, const TfLiteNode& node,
                     const NodeFinder& find, const Decomposition& loop,
                     const TensorValues& values);

// Gives the loop's outputs their shapes, and those that are known to `values`.
void GiveOutputs(TfLiteContext* context, const TfLiteNode& node,
                 const LoopSteps& loop, TensorValues* values);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_FOLLOW_LOOP_H_
