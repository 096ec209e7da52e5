// From a TfLiteContext to our Graph. TFLite's structs stop here.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_READER_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_READER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"
#include "delegate/tflite/propagate_shapes.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

struct ReadOptions {
  bool enable_quantization = true;
  bool simulate_quantization = true;  // round each output to its codes
  bool half = false;  // 16-bit storage: quantized ranges must fit it
  std::vector<std::pair<int, int>> exclude_nodes;  // inclusive ranges
  // Likewise: nodes whose floats stay in 32 bits.
  std::vector<std::pair<int, int>> float32_nodes;
};

// A node as the model has it, and what became of the check.
struct CheckedNode {
  int index = 0;            // TFLite's node index
  std::string op;           // "CONV_2D", "CUSTOM Foo"
  std::string tensors;      // its inputs and outputs, for messages
  std::vector<int> inputs;  // TFLite's tensor indices, -1: absent
  absl::Status support;     // Ok, or why it stays on the CPU
  // Valid where supported. Ids are TFLite's tensor indices, or past those
  // (hybrid_weights.h).
  Node node;
  bool folded = false;  // its outputs are constants: nothing to run
};

// The whole model. graph.tensors holds TFLite's tensors at TFLite's indices
// (with the constants that nodes fold to), graph.nodes is empty.
struct CheckedModel {
  Graph graph;
  std::vector<CheckedNode> nodes;                // in execution order
  absl::flat_hash_map<int, size_t> position_of;  // by TFLite's node index
};

Tensor ReadTensor(const TfLiteTensor& tensor, int index);

// Which nodes are read.
struct ModelNodes {
  NodeFinder find;
  std::vector<int> plan;     // all of the model, in execution order
  std::vector<int> checked;  // those of `plan` that may be delegated
  UnknownShapes unknown;     // of tensors; whatever has one stays on the CPU
};

// All nodes of the execution plan, no shape unknown. In the delegate's Prepare.
absl::StatusOr<ModelNodes> FindNodes(TfLiteContext* context);

// Reads the model and checks each node of `nodes.checked` by planning it (no GL
// call). The tensors' shapes are taken as the runtime has them now.
absl::StatusOr<CheckedModel> ReadModel(TfLiteContext* context,
                                       const ModelNodes& nodes,
                                       const DeviceProfile& profile,
                                       const ReadOptions& options);
// Likewise, of FindNodes().
absl::StatusOr<CheckedModel> ReadModel(TfLiteContext* context,
                                       const DeviceProfile& profile,
                                       const ReadOptions& options);

// The partition's nodes as a graph of its own, with `inputs` and `outputs`
// (TFLite's tensor indices; constants are left out of the inputs) in order.
// Each tensor keeps its tflite_index. Folded nodes are left out.
Graph ExtractPartition(const CheckedModel& model, absl::Span<const int> nodes,
                       absl::Span<const int> inputs,
                       absl::Span<const int> outputs);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_READER_H_
