// One partition on the GPU.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/partition/partition_builder.h"
#include "delegate/partition/partition_report.h"
#include "delegate/runtime/executor.h"
#include "delegate/session/bound_objects.h"
#include "delegate/session/constant_output.h"
#include "delegate/session/executor_source.h"
#include "delegate/session/gpu.h"
#include "delegate/session/gpu_queue.h"
#include "delegate/session/host_tensor.h"
#include "delegate/session/recovery.h"
#include "delegate/session/resolve_object.h"
#include "delegate/tflite/cpu_partition.h"
#include "delegate/tflite/options.h"
#include "delegate/tflite/reader.h"
#include "delegate/tflite/simple_delegate.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

// A kernel's share of its delegate: by value, since TFLite may delete the
// delegate first.
struct KernelSetup {
  std::shared_ptr<Gpu> gpu;
  DeviceProfile profile;
  Options options;
  quant::CpuKernels cpu_kernels;  // that quantized nodes must match
  ReadOptions read_options;
  ModelNodes nodes;  // of the model
  ModelPartition partition;
  // Nothing is expected to run the partition: it is built when something does.
  bool builds_late = false;
  std::shared_ptr<PartitionReport> report;      // filled in by the kernel
  std::shared_ptr<const BoundObjects> objects;  // the app's
};

class GlesKernel final : public SimpleDelegateKernel {
 public:
  // A kernel for `model`'s partition, not yet prepared. kUnimplemented: an
  // output is a constant of an unsupported type.
  static absl::StatusOr<std::unique_ptr<GlesKernel>> Create(
      const TfLiteContext& context, const CheckedModel& model,
      KernelSetup setup);
  ~GlesKernel() override;

  // Plans, compiles and uploads, unless already done for these shapes. If
  // shapes have changed, reads the partition's nodes again first; if one of
  // them cannot run at the new shapes, all run on the CPU.
  absl::Status PrepareOnGpu(TfLiteContext* context);
  // PrepareOnGpu(). If that fails, with fallback_to_cpu all nodes run on the
  // CPU, unless the runtime's own kernels refuse the shapes.
  absl::Status Prepare(TfLiteContext* context) override;
  // kFailedPrecondition, with threads and contexts: for the delegate's own
  // context, on another thread than Prepare's; for an app's, if another one is
  // current on another thread. kAborted: the context was lost. No output is
  // written, except those in GPU memory (LendMemory), and if the context is the
  // delegate's own, the next call rebuilds everything in a new one.
  // kFailedPrecondition, with the reason: the app's context was lost, or the
  // own one too often; with fallback_to_cpu the nodes then run on the CPU.
  absl::Status Eval(TfLiteContext* context) override;
  absl::StatusOr<bool> BeginEval(TfLiteContext* context) override;
  absl::Status EndEval(TfLiteContext* context) override;
  absl::Status BeforeEvalOnWorker() override { return queue_.BeforeSubmit(); }
  absl::Status AfterEvalOnWorker() override { return queue_.AfterWait(); }
  void SetHandleOwner(const void* owner) override { handle_owner_ = owner; }
  // The option zero_copy (kernel_zero_copy.cc).
  void LendMemory(TfLiteContext* context) override;
  void TakeMemoryBack(TfLiteContext* context) override;

  // The option memory_limit_bytes: reserves the partition's memory until the
  // kernel is deleted or this is called again. kResourceExhausted, with the
  // bytes: the limit does not allow it. Otherwise planning errors. Makes no GL
  // call.
  absl::Status ReserveMemory();

  const ModelPartition& partition() const { return setup_.partition; }
  const std::shared_ptr<PartitionReport>& report() const {
    return setup_.report;
  }

 private:
  explicit GlesKernel(KernelSetup setup);
  // Sets the graph, its inputs and outputs from the model.
  absl::Status Read(const TfLiteContext& context, const CheckedModel& model);
  // The current shapes of the partition's inputs and outputs, and the values of
  // inputs that follow from shapes.
  std::vector<std::vector<int>> BorderShapes(
      const TfLiteContext& context) const;
  // Evaluates the partition's inputs that follow from shapes.
  absl::Status EvaluateInputValues(TfLiteContext* context);
  // Makes the runtime store the outputs that follow from shapes, for CPU nodes
  // that are prepared next.
  absl::Status HoldValues(TfLiteContext* context);
  absl::Status ReadAgain(TfLiteContext* context);
  absl::Status MoveToCpu(TfLiteContext* context, const CheckedNode& refused);
  absl::Status Build();
  // Switches to another executor, if one is ready (ExecutorSource).
  void Advance(TfLiteContext* context);
  // After an inference on the GPU.
  void NoteInference(TfLiteContext* context);
  // Reports the builders' warnings.
  void TellWarnings(TfLiteContext* context);
  // `prepared`, or if that is an error and fallback_to_cpu is set, the result
  // of UseCpu().
  absl::Status FallBack(TfLiteContext* context, const absl::Status& prepared);
  // Runs the partition's nodes on the CPU from now on, until the shapes change.
  absl::Status UseCpu(TfLiteContext* context, const std::string& why);
  // After a resize: if the limit does not allow the new shapes, the nodes run
  // on the CPU.
  absl::Status ReserveMemoryAgain(TfLiteContext* context);
  void ReleaseMemory();
  // Applies changed bindings (kernel_objects.cc): rebuilds if other tensors or
  // forms are bound. kFailedPrecondition: one of them cannot be used.
  absl::Status UpdateObjects(TfLiteContext* context);
  // The objects bound to the graph's inputs and outputs, and the first error.
  // Inside the context.
  struct ResolvedObjects {
    std::vector<ResolvedObject> inputs, outputs;
    absl::Status status;
  };
  ResolvedObjects ResolveObjects() const;
  // Reads the buffer handles of TFLite's tensors
  // (TfLiteInterpreterSetBufferHandle).
  void TakeHandles(TfLiteContext* context);
  // The object bound to the tensor by TfLiteGlesDelegateBindObject(), or else
  // the buffer that is its handle. nullptr: neither.
  const AppObject* ObjectOf(int tensor) const;
  // Changes with ObjectOf()'s results; never -1.
  int ObjectsVersion() const {
    return setup_.objects->version() + handles_.version();
  }
  static BoundTransfers FormsOf(const ResolvedObjects& objects);
  absl::Status CheckBound(TfLiteContext* context, TensorId id) const;
  // kFailedPrecondition if Invoke must not wait but an output goes to the CPU.
  absl::Status CheckMayReturnAtOnce() const;
  // Whether source_ can run: its context is the delegate's, and not lost.
  bool IsBuilt() const;
  void DropExecutor();
  // With builds_late: builds before the first inference.
  absl::Status BuildLate(TfLiteContext* context);
  // Rebuilds after a context loss, or gives up (kernel_loss.cc).
  absl::Status Recover(TfLiteContext* context);
  absl::Status GiveUp(TfLiteContext* context);
  // Eval() or BeginEval(), without counting resets.
  absl::StatusOr<bool> RunOrBegin(TfLiteContext* context, bool in_halves);
  absl::Status EvalOnCpu(TfLiteContext* context);
  absl::Status EvalOnGpu(TfLiteContext* context);
  // The two steps of EvalOnGpu(), as BeginEval() and EndEval().
  absl::StatusOr<bool> BeginOnGpu(TfLiteContext* context);
  absl::Status EndOnGpu(TfLiteContext* context);
  // Sets input_values_ and output_room_ from TFLite's tensors.
  absl::Status CollectTensors(TfLiteContext* context);
  // Completes TFLite's tensors after the executor's Invoke.
  absl::Status FinishTensors(TfLiteContext* context);
  // The values of input i for the executor; empty for a state held by the GPU.
  absl::StatusOr<absl::Span<const uint8_t>> ReadInput(TfLiteContext* context,
                                                      size_t i);

  // GPU memory in which a tensor of the runtime is placed. It stays when the
  // executor is rebuilt, since the app may hold its address; data is then
  // copied.
  struct LentMemory {
    int tensor;
    std::shared_ptr<egl::Context> context;  // of the buffer
    std::shared_ptr<egl::Buffer> buffer;
  };
  // Places the tensor in the memory of `transfer`, if possible.
  void Lend(TfLiteContext* context, int tensor, const HostTransfer& transfer);

  KernelSetup setup_;
  const SessionOptions options_;
  GpuQueue queue_;
  PartitionBuilder builder_;
  std::vector<std::vector<int>> read_shapes_;  // BorderShapes() of graph_
  bool built_ = false;                         // source_ is, or was, of graph_
  // Whether the runtime's own kernels have accepted the shapes.
  bool cpu_takes_shapes_ = true;
  // Set while the GPU cannot run the nodes; else nullptr.
  std::unique_ptr<CpuPartition> on_cpu_;
  bool invoked_ = false;
  bool has_state_ = false;  // source_ has the states of an earlier Invoke
  Graph original_;          // as read, on real values: for the self-check
  Graph graph_;             // as read, with the integer path
  std::vector<int> input_tensors_;  // TFLite's indices, in the graph's order
  std::vector<int> output_tensors_;
  std::vector<ConstantOutput> constant_outputs_;
  std::vector<HostTensor> inputs_;   // by input_tensors_
  std::vector<HostTensor> outputs_;  // by output_tensors_
  // For the current Invoke; members, so that it does not allocate.
  std::vector<absl::Span<const uint8_t>> input_values_;
  std::vector<absl::Span<uint8_t>> output_room_;
  std::shared_ptr<egl::Context> executor_context_;  // of source_
  std::unique_ptr<ExecutorSource> source_;          // nullptr: not built
  // The context in which the optimized plan was built last, and which has its
  // programs.
  std::weak_ptr<egl::Context> compiled_in_;
  Recovery recovery_;
  BoundTransfers bound_;                // for which source_ was built
  BoundObjects handles_;                // buffers that are tensors' handles
  const void* handle_owner_ = nullptr;  // as SetHandleOwner() has it
  int objects_version_ = -1;            // used by source_; -1: none yet
  int64_t reserved_bytes_ = 0;          // of setup_.gpu's
  std::vector<LentMemory> lent_;        // since TFLite prepared the node
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_
