// The delegate: owns the GPU, checks nodes, chooses partitions and makes their
// kernels.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_GLES_SIMPLE_DELEGATE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_GLES_SIMPLE_DELEGATE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash_tables.h"
#include "delegate/device/device_profile.h"
#include "delegate/runtime/worker_thread.h"
#include "delegate/session/gpu.h"
#include "delegate/tflite/kernel.h"
#include "delegate/tflite/options.h"
#include "delegate/tflite/reader.h"
#include "delegate/tflite/report.h"
#include "delegate/tflite/runtime.h"
#include "delegate/tflite/simple_delegate.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

class TrialShapes;

class GlesSimpleDelegate final : public SimpleDelegate {
 public:
  // `refusal`, unless Ok: it cannot be applied, for callers that cannot handle
  // NULL. Each attempt reports this reason, and the interpreter runs on the
  // CPU.
  explicit GlesSimpleDelegate(Options options,
                              absl::Status refusal = absl::OkStatus());
  ~GlesSimpleDelegate() override;

  ContextOrError ContextOfCaller() const override;
  absl::Status Initialize(TfLiteContext* context,
                          const ContextOrError& of_caller) override;
  absl::Status IsNodeSupported(int node_index) override;
  std::vector<ModelPartition> ChoosePartitions(
      TfLiteContext* context, std::vector<ModelPartition> partitions) override;
  absl::StatusOr<std::vector<ModelPartition>> BuildPartitions(
      TfLiteContext* context, std::vector<ModelPartition> partitions) override;
  absl::StatusOr<std::unique_ptr<SimpleDelegateKernel>> CreateKernel(
      TfLiteContext* context, const ModelPartition& partition) override;
  void Finish(TfLiteContext* context, const absl::Status& applied) override;
  absl::Status WriteReport(ReportTime time) override;
  bool FallsBackToCpu() const override { return options_.fallback_to_cpu; }
  absl::Status CopyFromHandle(TfLiteBufferHandle handle,
                              TfLiteTensor& tensor) override;
  absl::Status CopyToHandle(TfLiteBufferHandle handle,
                            TfLiteTensor& tensor) override;
  std::shared_ptr<WorkerThread> worker() const override { return worker_; }

  // Binds an app's object to TFLite's tensor; nullptr unbinds.
  // kFailedPrecondition, with the reason: it can never work.
  absl::Status BindObject(int tensor, const TfLiteGlesObject* object);
  // Makes kernels use a runtime's own buffers. kInternal: the delegate was
  // applied before.
  absl::Status UseBuffersOfRuntime(const GlesRuntimeBuffers& buffers);
  // The report as a JSON object; valid until the next call.
  const char* Report();

 private:
  absl::Status EnsureGpu(TfLiteContext* context,
                         const ContextOrError& of_caller);
  void BeginSubgraph(TfLiteContext* context);
  absl::Status FindShapes(TfLiteContext* context);
  // Keeps all nodes on the CPU, for this reason.
  absl::Status RefuseAll(TfLiteContext* context, const absl::Status& why);
  // The kernels that quantized nodes must match; known after Initialize().
  quant::CpuKernels cpu_kernels() const {
    return options_.integer_rounding.value_or(CpuKernelsOf(runtime_));
  }

  // The estimate of what the partition costs.
  WorthReport WorthOf(const ModelPartition& partition) const;
  // Keeps the partition on the CPU, for this reason.
  void Refuse(const ModelPartition& partition, std::string reason);
  // Refuses partitions for which `why` returns a reason.
  void RefuseSome(std::vector<ModelPartition>* partitions,
                  absl::FunctionRef<std::string(const ModelPartition&)> why);
  // Leaves loops of many steps that do not pay to the runtime.
  void RefuseLoops(TfLiteContext* context);
  // Why the partition stays on the CPU; "": for no such reason.
  std::string WhyIdle(const TfLiteContext& context,
                      const ModelPartition& partition) const;
  std::string WhyNoGain(const ModelPartition& partition);
  // The option memory_limit_bytes. Otherwise keeps the kernel with its
  // reservation for TakeKernel().
  std::string WhyNoMemory(TfLiteContext* context,
                          const ModelPartition& partition);
  absl::StatusOr<std::unique_ptr<GlesKernel>> MakeKernel(
      TfLiteContext* context, const ModelPartition& partition);
  // The partition's kernel: one made while choosing partitions, or a new one.
  absl::StatusOr<std::unique_ptr<GlesKernel>> TakeKernel(
      TfLiteContext* context, const ModelPartition& partition);

  // Tells the report which subgraphs are inlined now.
  void NoteDecompositions(TfLiteContext* context);
  // While the delegate is being applied, after choosing partitions.
  void WarnOfUnusedObjects(TfLiteContext* context) const;
  std::string MakeReport();

  SubgraphReport& now() { return reports_.now(); }

  Options options_;
  const absl::Status refusal_;
  const std::shared_ptr<WorkerThread> worker_;
  const std::shared_ptr<BoundObjects> objects_ =
      std::make_shared<BoundObjects>();
  std::optional<GlesRuntimeBuffers> runtime_buffers_;
  const std::shared_ptr<CachePool> caches_ = std::make_shared<CachePool>();
  std::shared_ptr<Gpu> gpu_;  // nullptr: never applied
  DeviceProfile profile_;
  Runtime runtime_;
  // While the delegate is being applied: the model being read.
  std::optional<CheckedModel> model_;
  ModelNodes nodes_;                               // of that model
  std::unique_ptr<TrialShapes> trial_shapes_;      // of its inputs
  std::vector<std::unique_ptr<GlesKernel>> made_;  // not yet taken
  bool memory_plan_is_old_ = false;
  // Subgraphs of the interpreter to which the delegate is being applied.
  HashSet<const TfLiteContext*> called_;

  InterpreterReports reports_;
  std::string report_;            // the last text of Report()
  size_t subgraphs_written_ = 0;  // of the last WriteReport()
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_GLES_SIMPLE_DELEGATE_H_
