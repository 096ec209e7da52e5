// One partition on the GPU.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/partition/background_build.h"
#include "delegate/partition/partition_builder.h"
#include "delegate/partition/partition_report.h"
#include "delegate/runtime/executor.h"
#include "delegate/tflite/bound_objects.h"
#include "delegate/tflite/compare_speeds.h"
#include "delegate/tflite/constant_output.h"
#include "delegate/tflite/cpu_partition.h"
#include "delegate/tflite/gpu.h"
#include "delegate/tflite/host_tensor.h"
#include "delegate/tflite/options.h"
#include "delegate/tflite/reader.h"
#include "delegate/tflite/resolve_object.h"
#include "delegate/tflite/simple_delegate.h"
#include "egl/display_fence.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

// What a kernel needs of the delegate that makes it: by value, since TFLite may
// delete the delegate before the kernel.
struct KernelSetup {
  std::shared_ptr<Gpu> gpu;
  DeviceProfile profile;
  Options options;
  quant::CpuKernels cpu_kernels;  // whose codes quantized nodes give
  ReadOptions read_options;
  ModelNodes nodes;  // of the model
  ModelPartition partition;
  std::shared_ptr<PartitionReport> report;      // which the kernel fills in
  std::shared_ptr<const BoundObjects> objects;  // of the app's
};

class GlesKernel final : public SimpleDelegateKernel {
 public:
  // A kernel of `model`'s partition, not prepared yet. kUnimplemented: an
  // output is a constant of a type that is not copied.
  static absl::StatusOr<std::unique_ptr<GlesKernel>> Create(
      const TfLiteContext& context, const CheckedModel& model,
      KernelSetup setup);
  ~GlesKernel() override;

  // Plans, compiles and uploads; nothing where the shapes are those it did so
  // for. Where they have changed, the partition's nodes are read anew first;
  // where one of them cannot run at the new shapes, all of them run on the CPU.
  absl::Status PrepareOnGpu(TfLiteContext* context);
  // PrepareOnGpu(). What fails there, with fallback_to_cpu, has all nodes run
  // on the CPU, unless the runtime's own kernels refuse the shapes.
  absl::Status Prepare(TfLiteContext* context) override;
  // kFailedPrecondition, with both threads and both contexts: where the
  // delegate's context is its own, on another thread than Prepare ran on; where
  // it is the app's, with another context current on another thread.
  // kAborted: the context was lost meanwhile; no output is written but such as
  // lie in the GPU's memory (LendMemory), and the
  // next call builds all of it anew in another context, where the context is
  // the delegate's own. kFailedPrecondition, with the reason: it is the app's,
  // or was lost too often; with fallback_to_cpu the nodes then run on the CPU.
  absl::Status Eval(TfLiteContext* context) override;
  absl::StatusOr<bool> BeginEval(TfLiteContext* context) override;
  absl::Status EndEval(TfLiteContext* context) override;
  // With worker_shares (kernel_order.cc). kFailedPrecondition: Invoke is not to
  // wait, and no context is current here that could.
  absl::Status BeforeEvalOnWorker() override;
  absl::Status AfterEvalOnWorker() override;
  void SetHandleOwner(const void* owner) override { handle_owner_ = owner; }
  // The option zero_copy (kernel_zero_copy.cc).
  void LendMemory(TfLiteContext* context) override;
  void TakeMemoryBack(TfLiteContext* context) override;

  // The option prefer_faster: prepares the kernel and times it beside TFLite's
  // own kernels, unless an earlier start did; the verdict is in the report.
  // Before the partition's nodes are replaced. What fails is no error: the
  // partition then runs on the GPU, where it fails again.
  void CompareWithCpu(TfLiteContext* context);

  // The option memory_limit_bytes: counts what the partition needs among what
  // the delegate's partitions hold, until the kernel is deleted or this is
  // called again. kResourceExhausted, with the bytes: the limit does not allow
  // it. No GL call is made. Else what planning gives.
  absl::Status ReserveMemory();

  const ModelPartition& partition() const { return setup_.partition; }
  const std::shared_ptr<PartitionReport>& report() const {
    return setup_.report;
  }

 private:
  explicit GlesKernel(KernelSetup setup);
  absl::Status CheckCaller() const;
  // Makes of the model what runs: the graph, its inputs and outputs.
  absl::Status Read(const TfLiteContext& context, const CheckedModel& model);
  // The shapes of the partition's inputs and outputs, as the runtime has them,
  // and the values of inputs that follow from shapes.
  std::vector<std::vector<int>> BorderShapes(
      const TfLiteContext& context) const;
  // Takes the values of the partition's inputs that follow from shapes.
  absl::Status EvaluateInputValues(TfLiteContext* context);
  // Has the runtime hold those of its outputs, so that CPU nodes behind it,
  // which are prepared next, find them.
  absl::Status HoldValues(TfLiteContext* context);
  absl::Status ReadAgain(TfLiteContext* context);
  absl::Status MoveToCpu(TfLiteContext* context, const CheckedNode& refused);
  absl::Status Build();
  // Build(), while nobody else builds that shares objects with it.
  absl::Status BuildAlone();
  BuildOptions BuildOptionsOfPartition() const;
  // The executor that runs from here on.
  void UseExecutor(std::unique_ptr<Executor> executor);
  // The option background_compilation (kernel_background.cc). Why the partition
  // may not begin with a stand-in where that is on; "": it may.
  std::string WhyNoStandIn() const;
  // Build() of the stand-in. False: there is none, and the plan proper is to be
  // built.
  bool BuildStandIn();
  // Once the stand-in has given its first answer: builds the partition by its
  // plan proper in the background.
  void StartBackground(TfLiteContext* context);
  // Where the background has built it: has it ready for the context, a few
  // programs in each inference, and then run in the stand-in's place.
  void TakeOver(TfLiteContext* context);
  // Once the background has ended: takes what it has built, or says why not.
  void TakeResult(TfLiteContext* context);
  // The partition stays with its stand-in.
  void KeepStandIn(TfLiteContext* context, const absl::Status& why);
  // Ends the background, and drops what it has built.
  void StopBackground();
  // Reports what the builders have to tell the user.
  void TellWarnings(TfLiteContext* context,
                    const std::vector<std::string>& lines);
  // `prepared`, or where that is an error and fallback_to_cpu is set what
  // UseCpu() gives.
  absl::Status FallBack(TfLiteContext* context, const absl::Status& prepared);
  // Runs the partition's nodes on the CPU from here on, until the shapes
  // change.
  absl::Status UseCpu(TfLiteContext* context, const std::string& why);
  // After a resize: where the limit does not allow the new shapes, the nodes
  // run on the CPU.
  absl::Status ReserveMemoryAnew(TfLiteContext* context);
  void ReleaseMemory();
  // Takes what is bound since the last call (kernel_objects.cc): builds anew
  // where other tensors are bound than before, or in another form.
  // kFailedPrecondition: one of them cannot be.
  absl::Status UpdateObjects(TfLiteContext* context);
  // What is bound to the graph's inputs and outputs; of what cannot be, the
  // first reason. Inside the context.
  struct ResolvedObjects {
    std::vector<ResolvedObject> inputs, outputs;
    absl::Status status;
  };
  ResolvedObjects ResolveObjects() const;
  // Takes note of the buffer handles that TFLite's tensors have by now
  // (TfLiteInterpreterSetBufferHandle).
  void TakeHandles(TfLiteContext* context);
  // What stands in for the tensor: what TfLiteGlesDelegateBindObject() has
  // bound, or else the buffer that is its handle. nullptr: nothing.
  const TfLiteGlesObject* ObjectOf(int tensor) const;
  // Another number after each change of what ObjectOf() gives; never -1.
  int ObjectsVersion() const {
    return setup_.objects->version() + handles_.version();
  }
  static BoundTransfers FormsOf(const ResolvedObjects& objects);
  absl::Status CheckBound(TfLiteContext* context, TensorId id) const;
  // kFailedPrecondition where Invoke is not to wait, and an output travels to
  // the CPU.
  absl::Status CheckMayReturnAtOnce() const;
  // Whether executor_ may run: its context is the delegate's, and not lost.
  bool IsBuilt() const;
  void DropExecutor();
  // Builds anew what was lost with its context, or gives up (kernel_loss.cc).
  absl::Status Recover(TfLiteContext* context);
  absl::Status GiveUp(TfLiteContext* context);
  // Counts what Recover() goes by: how an inference in that context ended.
  void NoteOutcome(const absl::Status& status, const egl::Context& context);
  // Eval() or BeginEval(), but for the count of resets.
  absl::StatusOr<bool> RunOrBegin(TfLiteContext* context, bool in_halves);
  absl::Status EvalOnCpu(TfLiteContext* context);
  absl::Status EvalOnGpu(TfLiteContext* context);
  // The halves of EvalOnGpu(), as BeginEval() and EndEval() are.
  absl::StatusOr<bool> BeginOnGpu(TfLiteContext* context);
  absl::Status EndOnGpu(TfLiteContext* context);
  // Within executor_context_: its commands from here on wait for the caller's;
  // and the caller's will wait for those so far, where Invoke does not wait.
  absl::Status AwaitCaller();
  absl::Status LetCallerAwait();
  // Fills input_values_ and output_room_ from TFLite's tensors.
  absl::Status CollectTensors(TfLiteContext* context);
  // After the executor's Invoke: what TFLite's tensors need besides.
  absl::Status FinishTensors(TfLiteContext* context);
  // The values of input i for the executor; none where it is a state that the
  // GPU holds.
  absl::StatusOr<absl::Span<const uint8_t>> ReadInput(TfLiteContext* context,
                                                      size_t i);
  // Why CompareWithCpu() measures nothing.
  absl::Status CheckMeasurable(TfLiteContext* context) const;
  absl::StatusOr<Speeds> Measure(TfLiteContext* context);

  // Memory of the GPU's in which a tensor of the runtime's lies. It stays where
  // the executor is built anew meanwhile, since the app may hold its address;
  // then it is copied from and to.
  struct LentMemory {
    int tensor;
    std::shared_ptr<egl::Context> context;  // that the buffer is of
    std::shared_ptr<egl::Buffer> buffer;
  };
  // Has the tensor lie in the memory of `transfer`, where that can be.
  void Lend(TfLiteContext* context, int tensor, const HostTransfer& transfer);

  KernelSetup setup_;
  PartitionBuilder builder_;
  std::vector<std::vector<int>> read_shapes_;  // BorderShapes() of graph_
  bool built_ = false;  // executor_ is, or was, of graph_
  // Whether the runtime's own kernels have taken the shapes.
  bool cpu_takes_shapes_ = true;
  // Where the GPU cannot run the nodes as things are now; else nullptr.
  std::unique_ptr<CpuPartition> on_cpu_;
  bool invoked_ = false;
  bool has_state_ = false;  // executor_ holds the states of an earlier Invoke
  Graph original_;          // as read, before codes: for the self-check
  Graph graph_;             // as read, on codes
  std::vector<int> input_tensors_;  // TFLite's indices, in the graph's order
  std::vector<int> output_tensors_;
  std::vector<ConstantOutput> constant_outputs_;
  std::vector<HostTensor> inputs_;   // by input_tensors_
  std::vector<HostTensor> outputs_;  // by output_tensors_
  // Of the Invoke under way; kept, so that it takes nothing from the heap.
  std::vector<absl::Span<const uint8_t>> input_values_;
  std::vector<absl::Span<uint8_t>> output_room_;
  std::shared_ptr<egl::Context> executor_context_;  // that executor_ is of
  std::unique_ptr<Executor> executor_;
  // What builds the partition while executor_ is its stand-in; else nullptr.
  std::unique_ptr<BackgroundBuild> background_;
  // What the background has built and executor_ is not yet.
  std::optional<BackgroundBuild::Result> built_in_background_;
  // The context in which the partition was built by its plan proper, so that
  // its programs are there.
  std::weak_ptr<egl::Context> compiled_in_;
  std::vector<std::string> stand_in_warnings_;  // not told yet
  // Invokes in a row that ended with a reset which may be the partition's own
  // fault.
  int guilty_resets_ = 0;
  // Of the Invoke under way, between the caller's context and the worker's.
  egl::DisplayFence callers_commands_, own_commands_;
  BoundTransfers bound_;                // that executor_ was built for
  BoundObjects handles_;                // buffers that are tensors' handles
  const void* handle_owner_ = nullptr;  // as SetHandleOwner() has it
  int objects_version_ = -1;            // that executor_ uses; -1: none yet
  int64_t reserved_bytes_ = 0;          // of setup_.gpu's
  std::thread::id thread_;              // that prepared the kernel
  std::vector<LentMemory> lent_;        // since TFLite prepared the node
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_
