// One partition of a model: TFLite's side of a session.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/partition/plan_dump.h"
#include "delegate/session/constant_output.h"
#include "delegate/session/session.h"
#include "delegate/tflite/propagate_shapes.h"
#include "delegate/tflite/reader.h"
#include "delegate/tflite/runtime_nodes.h"
#include "delegate/tflite/simple_delegate.h"
#include "delegate/tflite/tensor_io.h"
#include "quant/cpu_kernels.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// --- Extraction --------------------------------------------------------------

// Extracts a partition of the model as a graph.

// The graph of `nodes` (TFLite's node indices, in execution order) with
// `inputs` and `outputs` (TFLite's tensor indices, none absent) in that order.
// Constants are not graph inputs, and folded nodes are omitted. Tensors keep
// their tflite_index.
Graph ExtractPartition(const CheckedModel& model, absl::Span<const int> nodes,
                       absl::Span<const int> inputs,
                       absl::Span<const int> outputs);

// Runs a partition's nodes with TFLite's CPU kernels, inside the delegate, if
// the GPU does not support shapes set after the delegate was applied. TFLite
// keeps replaced nodes, but allocates no memory for their inner tensors.
class CpuPartition {
 public:
  CpuPartition(const NodeFinder& find, ModelPartition partition);

  // kFailedPrecondition: a node has no kernel (an unregistered custom op).
  absl::Status Check(TfLiteContext* context) const;

  // Runs the nodes in order, after PropagateShapes() has prepared them. Uses
  // the runtime's memory for the partition's inputs and outputs and its own for
  // all other tensors. `values`: those of tensors that follow from shapes.
  // kInternal: a kernel failed and reported why.
  absl::Status Run(TfLiteContext* context, TensorValues* values);

 private:
  NodeFinder find_;
  ModelPartition partition_;
  HashSet<int> outputs_;  // of the partition
  // Kept between runs, since kernels store data there.
  ScratchMemory::Blocks memory_;
};

// --- A partition's reader ----------------------------------------------------

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
  // The shapes that inputs and outputs have now, and the values of inputs that
  // follow from shapes.
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

// The results of such a partition never change: they are handed over as
// constants.
bool ReadsConstantsAlone(const TfLiteContext& context,
                         const ModelPartition& partition);

// A kernel's share of its delegate: by value, since TFLite may delete the
// delegate first.
struct KernelSetup {
  SessionSetup session;
  PartitionReadOptions read;
  ModelNodes nodes;  // of the model
  ModelPartition partition;
  bool fallback_to_cpu = false;
  std::shared_ptr<const BoundObjects> objects;  // the app's
  std::optional<GlesRuntimeBuffers> runtime_buffers;
  std::shared_ptr<CachePool> caches;     // nullptr: without state_pairs
  std::shared_ptr<WorkerThread> worker;  // nullptr: none
};

class GlesKernel final : public SimpleDelegateKernel {
 public:
  // A kernel for `model`'s partition, not yet prepared. kUnimplemented: an
  // output is a constant of an unsupported type.
  static absl::StatusOr<std::unique_ptr<GlesKernel>> Create(
      const TfLiteContext& context, const CheckedModel& model,
      KernelSetup setup);

  // Plans, compiles and uploads, unless already done for these shapes. If
  // shapes have changed, reads the partition's nodes again first; if one of
  // them cannot run at the new shapes, all run on the CPU.
  absl::Status PrepareOnGpu(TfLiteContext* context);
  // PrepareOnGpu(). If that fails, with fallback_to_cpu all nodes run on the
  // CPU, unless the runtime's own kernels refuse the shapes.
  absl::Status Prepare(TfLiteContext* context) override;
  // Errors as Session::Submit().
  absl::StatusOr<bool> Submit(TfLiteContext* context, bool may_split) override;
  absl::Status Wait(TfLiteContext* context) override;
  GpuQueue* queue() override { return &session_.queue(); }
  void SetHandleOwner(const void* owner) override;
  void LendMemory(TfLiteContext* context) override;
  // Once, after creation: asks the runtime for buffers.
  absl::Status RequireBuffers(TfLiteContext* context) {
    return io_.RequireBuffers(context, reader_.nodes(), reader_.partition());
  }
  void TakeMemoryBack(TfLiteContext* context) override;

  // The option memory_limit_bytes: reserves the partition's memory until the
  // kernel is deleted or this is called again (MemoryReservation::Reserve).
  absl::Status ReserveMemory() { return session_.Reserve(); }

  const ModelPartition& partition() const { return reader_.partition(); }
  const std::shared_ptr<PartitionReport>& report() const {
    return session_.setup().report;
  }

 private:
  class Host;  // a call by TFLite, for the session

  explicit GlesKernel(KernelSetup setup);
  absl::Status ReadAgain(TfLiteContext* context, SessionHost* host);
  absl::Status TakeGraph(absl::StatusOr<ReadPartition> read, SessionHost* host);

  const bool fallback_to_cpu_;
  PartitionReader reader_;
  Session session_;
  TensorIo io_;
  // Runs the nodes while the session is on the CPU.
  std::unique_ptr<CpuPartition> on_cpu_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_
