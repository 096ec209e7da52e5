// Converts a TfLiteContext to a Graph and checks each node. Only
// delegate/tflite sees TFLite's structs.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_READER_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_READER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash_tables.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/tflite/propagate_shapes.h"
#include "delegate/tflite/read_node.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// A node of the model and the result of its check.
struct CheckedNode {
  int index = 0;                     // TFLite's node index
  std::string op;                    // "CONV_2D", "CUSTOM Foo"
  std::string tensors;               // its inputs and outputs, for messages
  std::vector<int> inputs, outputs;  // TFLite's tensor indices, -1: absent
  absl::Status support;              // Ok, or why it stays on the CPU
  // What runs, if `support` is Ok: the node, or those that a
  // STABLEHLO_COMPOSITE or a WHILE stands for. Their tensors are ids of
  // CheckedModel::graph. Empty if all are folded.
  std::vector<Node> nodes;
  bool folded = false;  // its outputs are constants: nothing to run
  // Its outputs depend only on the shapes of the model's inputs; implies
  // `folded`.
  bool follows_from_shapes = false;
};

// The whole model. graph.tensors has TFLite's tensors at TFLite's indices, then
// those of decompositions (inline_composite.h), then tensors added while
// reading (ReadHybridWeights()); the outputs of folded nodes are constants.
// graph.nodes is empty.
struct CheckedModel {
  Graph graph;
  std::vector<CheckedNode> nodes;    // in execution order
  HashMap<int, size_t> position_of;  // by TFLite's node index
};

// All nodes of the execution plan, with every shape known. Call it in the
// delegate's Prepare.
absl::StatusOr<ModelNodes> FindNodes(TfLiteContext* context);

// Reads the model with its current shapes, and checks each node by planning it,
// without GL calls.
absl::StatusOr<CheckedModel> ReadModel(TfLiteContext* context,
                                       const ModelNodes& nodes,
                                       const DeviceProfile& profile,
                                       const ReadOptions& options);
// The same for the nodes of FindNodes().
absl::StatusOr<CheckedModel> ReadModel(TfLiteContext* context,
                                       const DeviceProfile& profile,
                                       const ReadOptions& options);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_READER_H_
