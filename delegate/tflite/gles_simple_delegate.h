// The delegate: owns the GPU, checks nodes, chooses partitions and makes their
// kernels.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_GLES_SIMPLE_DELEGATE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_GLES_SIMPLE_DELEGATE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/device/device_profile.h"
#include "delegate/runtime/worker_thread.h"
#include "delegate/session/gpu.h"
#include "delegate/tflite/kernel.h"
#include "delegate/tflite/options.h"
#include "delegate/tflite/propagate_shapes.h"
#include "delegate/tflite/reader.h"
#include "delegate/tflite/report.h"
#include "delegate/tflite/runtime.h"
#include "delegate/tflite/simple_delegate.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// --- What a partition gains --------------------------------------------------

// Estimates from arithmetic and bytes whether a partition is worth its
// transfers to the GPU and back.

struct PartitionWorth {
  double cpu_us = 0;       // of its nodes on the CPU
  double crossing_us = 0;  // of inputs, outputs and waiting
  int64_t operations = 0;  // multiplications and additions
  int64_t node_bytes = 0;  // read and written by its nodes
  int64_t crossing_bytes = 0;

  bool pays() const { return cpu_us > crossing_us; }
  // Of a loop that is replaced by the nodes of all its steps: whether that is
  // no worse than leaving it to the runtime. Few steps always are, as the nodes
  // before and after the loop then stay together.
  bool PaysAsLoop(size_t steps) const;
  static double GpuUsOfSteps(size_t steps);
  // "the CPU takes about 12 us for its 3 nodes, and crossing ... 104 us"
  std::string ToString() const;
};

// `partition` belongs to `model`, which has been checked.
PartitionWorth WorthOf(const CheckedModel& model,
                       const ModelPartition& partition);

// Other sizes of the model's free extents than those of the file, which are
// placeholders: LiteRT gives a free extent the size 1 until the app resizes it.
// While it lives, extents of the model's inputs may have other sizes than in
// the file: those that the shape signature marks as free (-1), or else those of
// 1 or less, with or without the last axis (channels).
class TrialShapes {
 public:
  // All must outlive this. `plan`: of the whole model.
  TrialShapes(TfLiteContext* context, const NodeFinder& find,
              const std::vector<int>& plan,
              const Decompositions& decompositions);
  ~TrialShapes();
  TrialShapes(const TrialShapes&) = delete;
  TrialShapes& operator=(const TrialShapes&) = delete;

  // The option input_shapes. kInvalidArgument: an input has other fixed axes,
  // or, with `all`, no input of a name has free ones.
  absl::Status Set(
      absl::Span<const std::pair<std::string, std::vector<int>>> shapes,
      bool all);

  // If there are obstacles at the present shapes (`facts`), tries a few powers
  // of four as the size of these extents, and leaves the model at the first
  // with the fewest, with its `facts`. True: that is another size.
  absl::StatusOr<bool> FindBetter(ShapeFacts* facts);

 private:
  struct Input {
    int id;
    std::vector<int> dims;       // before
    std::vector<int> signature;  // of the file
    char* memory;                // of the runtime
  };
  // Why nodes cannot run at some shapes.
  struct Obstacles {
    int refusals = 0;  // of the runtime's kernels
    int unknown = 0;   // tensors whose shape is not known
    int empty = 0;     // tensors that nodes write, without elements

    int sum() const { return refusals + unknown + empty; }
  };
  using Shapes = std::vector<std::vector<int>>;  // of inputs_
  enum class Free { kBySignature, kOnesButLast, kOnes };
  // nullopt: no extent is free, or the inputs would be too large.
  std::optional<Shapes> WithSize(Free which, int extent) const;
  absl::StatusOr<ShapeFacts> PropagateAt(const Shapes& shapes);
  // All free extents are 1 or less.
  bool ArePlaceholders() const;
  Obstacles ObstaclesOf(const ShapeFacts& facts) const;

  TfLiteContext* context_;
  const NodeFinder& find_;
  const std::vector<int>& plan_;
  const Decompositions& decompositions_;
  std::vector<Input> inputs_;
};

class GlesSimpleDelegate final : public SimpleDelegate {
 public:
  explicit GlesSimpleDelegate(Options options);

  const char* Name() const override { return "TfLiteGlesDelegate"; }
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
  absl::Status BindObject(int tensor, const TfLiteGlesObject* object) override;
  absl::Status CopyFromHandle(TfLiteBufferHandle handle,
                              TfLiteTensor* tensor) override;
  absl::Status CopyToHandle(TfLiteBufferHandle handle,
                            const TfLiteTensor& tensor) override;
  absl::Status UseBuffersOfRuntime(const GlesRuntimeBuffers& buffers) override;
  const char* Report() override;
  std::shared_ptr<WorkerThread> worker() const override { return worker_; }

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

  // Keeps the partition on the CPU, for this reason.
  void Refuse(const ModelPartition& partition, std::string reason);
  // Refuses partitions for which `why` returns a reason.
  void RefuseSome(std::vector<ModelPartition>* partitions,
                  absl::FunctionRef<std::string(const ModelPartition&)> why);
  void RefuseWithoutWork(TfLiteContext* context,
                         std::vector<ModelPartition>* partitions);
  // Leaves loops of many steps that do not pay to the runtime.
  void RefuseLoops(TfLiteContext* context);
  void RefuseWhatDoesNotPay(std::vector<ModelPartition>* partitions);
  // Partitions that cannot be replaced, see ModelPartition::outputs.
  void RefuseAbsentOutputs(std::vector<ModelPartition>* partitions);
  void RefuseSurplus(std::vector<ModelPartition>* partitions);
  absl::StatusOr<std::unique_ptr<GlesKernel>> MakeKernel(
      TfLiteContext* context, const ModelPartition& partition);
  // The partition's kernel: one made while choosing partitions, or a new one.
  absl::StatusOr<std::unique_ptr<GlesKernel>> TakeKernel(
      TfLiteContext* context, const ModelPartition& partition);
  // False, with an entry in the report, if memory_limit_bytes does not allow
  // the partition. Otherwise keeps the kernel with its reservation for
  // TakeKernel().
  bool FitsInMemory(TfLiteContext* context, const ModelPartition& partition);
  // Prepares the kernel for TakeKernel().
  absl::Status Build(TfLiteContext* context, const ModelPartition& partition);
  // Reports that the CPU runs a partition, for this reason.
  void HandBack(const GlesKernel& kernel, std::string why);
  // Counts delegated nodes and partitions for the report.
  void Count(const std::vector<ModelPartition>& partitions);

  // Tells the report which subgraphs are inlined now.
  void NoteDecompositions(TfLiteContext* context);
  // While the delegate is being applied, after choosing partitions.
  void WarnOfUnusedObjects(TfLiteContext* context) const;
  std::string MakeReport();

  SubgraphReport& now() { return reports_.now(); }

  Options options_;
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
  std::optional<TrialShapes> trial_shapes_;        // of its inputs
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
