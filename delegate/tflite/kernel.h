// One partition of a model: TFLite's side of a session.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/session/host_memory.h"
#include "delegate/session/session.h"
#include "delegate/tflite/reader.h"
#include "delegate/tflite/runtime_nodes.h"
#include "delegate/tflite/simple_delegate.h"
#include "delegate/tflite/tensor_io.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// The graph of `nodes` (TFLite's node indices, in execution order) with
// `inputs` and `outputs` (TFLite's tensor indices, none absent) in that order.
// Constants are not graph inputs, and folded nodes are omitted. Tensors keep
// their tflite_index.
Graph ExtractPartition(const CheckedModel& model, absl::Span<const int> nodes,
                       absl::Span<const int> inputs,
                       absl::Span<const int> outputs);

// The results of such a partition never change: they are handed over as
// constants.
bool ReadsConstantsAlone(const TfLiteContext& context,
                         const ModelPartition& partition);

// A kernel's share of its delegate: by value, since TFLite may delete the
// delegate first.
struct KernelSetup {
  SessionSetup session;
  ReadOptions read;
  ModelNodes nodes;  // of the model
  ModelPartition partition;
  bool fallback_to_cpu = false;
  std::shared_ptr<const BoundObjects> objects;  // the app's
  std::optional<GlesRuntimeBuffers> runtime_buffers;
  std::shared_ptr<CachePool> caches;         // nullptr: without state_pairs
  std::shared_ptr<WorkerThread> worker;      // nullptr: none
  const SimpleDelegate* delegate = nullptr;  // of tensors' buffer handles
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
  void LendMemory(TfLiteContext* context) override {
    io_.LendMemory(context, nodes_, partition_);
  }
  // Once, after creation: asks the runtime for buffers.
  absl::Status RequireBuffers(TfLiteContext* context) {
    return io_.RequireBuffers(context, nodes_, partition_);
  }
  void TakeMemoryBack(TfLiteContext* context) override {
    io_.TakeMemoryBack(context);
  }

  // The option memory_limit_bytes: reserves the partition's memory until the
  // kernel is deleted or this is called again (Session::Reserve).
  absl::Status ReserveMemory() { return session_.Reserve(); }

  const ModelPartition& partition() const { return partition_; }
  const std::shared_ptr<PartitionReport>& report() const {
    return session_.setup().report;
  }

 private:
  class Host;  // a call by TFLite, for the session

  explicit GlesKernel(KernelSetup setup);

  // From a model that was read for all partitions. kUnimplemented: an output is
  // a constant of an unsupported type.
  absl::Status Read(const TfLiteContext& context, const CheckedModel& model);
  // For the shapes that the inputs have now. Also an error: the runtime's own
  // kernels refuse them.
  absl::Status ReadAgain(TfLiteContext* context, SessionHost* host);
  // The shapes that inputs and outputs have now, and the values of inputs that
  // follow from shapes.
  std::vector<std::vector<int>> BorderShapes(
      const TfLiteContext& context) const;
  // Evaluates the partition's inputs that follow from shapes.
  absl::Status EvaluateInputValues(TfLiteContext* context);
  // Makes the runtime store the outputs that follow from shapes, for CPU nodes
  // that are prepared next.
  absl::Status HoldValues(TfLiteContext* context);
  // Whether HoldValues() stores the output. Values that follow from constants
  // alone are handed over as other constants are.
  bool Holds(const TfLiteContext& context, int output) const;
  // Runs the nodes with TFLite's CPU kernels, after PropagateShapes() has
  // prepared them. TFLite keeps replaced nodes, but allocates memory only for
  // the partition's inputs and outputs. kInternal: a kernel failed and reported
  // why.
  absl::Status RunOnCpu(TfLiteContext* context);

  const bool fallback_to_cpu_;
  const ReadOptions options_;
  ModelNodes nodes_;  // of the model
  const ModelPartition partition_;
  std::vector<std::vector<int>> read_shapes_;  // BorderShapes() as read
  bool cpu_takes_shapes_ = true;               // false: ReadAgain() failed
  Session session_;
  TensorIo io_;
  // Of inner tensors on the CPU; kept between runs, since kernels store data
  // there.
  ScratchMemory::Blocks cpu_memory_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_
