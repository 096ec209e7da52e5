// Reads one partition of the model, again whenever shapes change.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_PARTITION_READER_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_PARTITION_READER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/partition/plan_dump.h"
#include "delegate/session/constant_output.h"
#include "delegate/tflite/reader.h"
#include "delegate/tflite/simple_delegate.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

// How a partition is read.
struct PartitionReadOptions {
  DeviceProfile profile;
  quant::CpuKernels cpu_kernels;  // that quantized nodes must match
  ReadOptions read;
  bool uses_integer_path = true;
};

struct ReadPartition {
  Graph graph;     // with the integer path
  Graph original;  // as read, on real values
  int nodes_on_integer_path = 0;
  std::vector<int> outputs;  // the runtime's tensors of graph.outputs
  std::vector<ConstantOutput> constants;  // the partition's other outputs
  // Why a node cannot run on the GPU at these shapes; "": all can. Then the
  // rest is empty.
  std::string refused;
};

// The results of such a partition never change: they are handed over as
// constants.
bool ReadsConstantsAlone(const TfLiteContext& context,
                         const ModelPartition& partition);

// Threads: one at a time.
class PartitionReader {
 public:
  PartitionReader(PartitionReadOptions options, ModelNodes nodes,
                  ModelPartition partition);

  // From a model that was read for all partitions. kUnimplemented: an output is
  // a constant of an unsupported type.
  absl::StatusOr<ReadPartition> Read(const TfLiteContext& context,
                                     const CheckedModel& model, PlanDump* dump);
  // Whether the partition's inputs and outputs have other shapes, or its inputs
  // other values that follow from shapes, than when they were read or noted.
  bool HasNewShapes(const TfLiteContext& context) const;
  void NoteShapes(const TfLiteContext& context);
  // For the shapes that the inputs have now. Also an error: the runtime's own
  // kernels refuse them.
  absl::StatusOr<ReadPartition> ReadAgain(TfLiteContext* context,
                                          PlanDump* dump);
  // False after that error.
  bool cpu_takes_shapes() const { return cpu_takes_shapes_; }

  // While the delegate is applied, shapes may be placeholders: there is nothing
  // to plan for yet. TakeShapes(): the runtime prepares the node, so they are
  // real.
  bool has_placeholders() const { return nodes_.shapes_are_placeholders; }
  void TakeShapes();
  // Evaluates the partition's inputs that follow from shapes.
  absl::Status EvaluateInputValues(TfLiteContext* context);
  // Makes the runtime store the outputs that follow from shapes, for CPU nodes
  // that are prepared next.
  absl::Status HoldValues(TfLiteContext* context);

  const ModelPartition& partition() const { return partition_; }
  const ModelNodes& nodes() const { return nodes_; }
  TensorValues& values() { return nodes_.shapes.values; }

 private:
  // The current shapes of the partition's inputs and outputs, and the values of
  // inputs that follow from shapes.
  std::vector<std::vector<int>> BorderShapes(
      const TfLiteContext& context) const;

  // Whether HoldValues() stores the output. Values that follow from constants
  // alone are handed over as other constants are.
  bool Holds(const TfLiteContext& context, int output) const;

  PartitionReadOptions options_;
  ModelNodes nodes_;  // of the model
  ModelPartition partition_;
  std::vector<std::vector<int>> read_shapes_;  // BorderShapes() as read
  bool cpu_takes_shapes_ = true;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_PARTITION_READER_H_
