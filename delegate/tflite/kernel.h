// One partition on the GPU.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "delegate/cache/cache_store.h"
#include "delegate/runtime/executor.h"
#include "delegate/graph/graph.h"
#include "delegate/tflite/cpu_partition.h"
#include "delegate/tflite/gles_simple_delegate.h"
#include "delegate/tflite/host_tensor.h"
#include "delegate/tflite/reader.h"
#include "delegate/tflite/simple_delegate.h"

namespace gles_delegate {

class GlesKernel final : public SimpleDelegateKernel {
 public:
  explicit GlesKernel(GlesSimpleDelegate& delegate);
  ~GlesKernel() override;

  absl::Status Init(TfLiteContext* context,
                    const TfLiteDelegateParams* params) override;
  // Plans, compiles and uploads; nothing where the shapes are those it did so
  // for. Where they have changed, the partition's nodes are read anew first;
  // where one of them cannot run at the new shapes, all of them run on the CPU.
  absl::Status Prepare(TfLiteContext* context, TfLiteNode* node) override;
  // kFailedPrecondition, with both threads and both contexts: where the
  // delegate's context is its own, on another thread than Prepare ran on; where
  // it is the app's, with another context current on another thread.
  absl::Status Eval(TfLiteContext* context, TfLiteNode* node) override;

 private:
  // A partition output that passes found to be constant: copied each time.
  struct ConstantOutput {
    int tensor = 0;  // TFLite's index
    std::vector<uint8_t> bytes;
  };

  absl::Status CheckCaller() const;
  // What Init() and ReadAgain() make of the model: the graph, its inputs and
  // outputs.
  absl::Status Read(const TfLiteContext& context, const CheckedModel& model);
  // The shapes of the partition's inputs and outputs, as the runtime has them.
  std::vector<std::vector<int>> BorderShapes(
      const TfLiteContext& context) const;
  absl::Status ReadAgain(TfLiteContext* context);
  absl::Status EvalOnCpu(TfLiteContext* context);
  absl::Status Build();
  absl::Status Tune();
  // Plans and builds the partition by profile_.
  absl::Status BuildByProfile(StageTimer* timer);
  // Holds the programs of what is to run against the host. kInternal: they
  // answer wrongly, and wrong_answer_ says how.
  absl::Status CheckPrograms(const Graph& graph,
                             const std::vector<Dispatch>& dispatches);
  // kInternal, where an earlier start found that.
  absl::Status CheckMark(const Graph& graph,
                         const std::vector<Dispatch>& dispatches);
  // The values of input i for the executor; none where it is a state that the
  // GPU holds.
  absl::StatusOr<absl::Span<const uint8_t>> ReadInput(TfLiteContext* context,
                                                      size_t i);
  absl::StatusOr<std::unique_ptr<Executor>> MakeExecutor(
      const Graph& graph, const std::vector<Dispatch>& dispatches);
  std::unique_ptr<PartitionCache> OpenCache(
      const Graph& graph, const std::vector<Dispatch>& dispatches) const;

  GlesSimpleDelegate&
      delegate_;  // during Init only: it may be deleted before us
  std::shared_ptr<Gpu> gpu_;
  DeviceProfile profile_;
  bool profiling_ = false;
  bool waits_actively_ = false;
  int verbosity_ = 1;
  CacheOptions cache_options_;
  bool checks_itself_ = false;
  bool tunes_ = false;  // by measurement, at the next Build()
  bool may_change_storage_ = true;
  bool computes_on_codes_ = false;
  quant::CpuKernels cpu_kernels_;  // whose codes quantized nodes give
  ReadOptions read_options_;
  ModelNodes nodes_;            // of the model
  std::vector<int> partition_;  // of those, in execution order
  struct {
    std::vector<int> inputs, outputs;  // TFLite's indices, constants too
  } borders_;
  std::vector<std::vector<int>> read_shapes_;  // BorderShapes() of the graph
  bool built_ = false;                         // executor_ is of the graph
  // Where a node cannot run at the shapes that came later; else nullptr.
  std::unique_ptr<CpuPartition> on_cpu_;
  std::string cache_warning_;       // of the last Build(), not told yet
  std::string wrong_answer_;        // of the last plan; empty: none
  std::string self_check_warning_;  // not told yet
  Graph original_;  // as read, before codes: what the self-check goes by
  bool invoked_ = false;
  bool has_state_ = false;  // executor_ holds the states of an earlier Invoke
  std::shared_ptr<PartitionReport> report_;
  Graph graph_;                     // as read; Build() works on a copy
  std::vector<int> input_tensors_;  // TFLite's indices, in the graph's order
  std::vector<int> output_tensors_;
  std::vector<ConstantOutput> constant_outputs_;
  std::vector<HostTensor> inputs_;   // by input_tensors_
  std::vector<HostTensor> outputs_;  // by output_tensors_
  // Of the Invoke under way; kept, so that it takes nothing from the heap.
  std::vector<absl::Span<const uint8_t>> input_values_;
  std::vector<absl::Span<uint8_t>> output_room_;
  std::unique_ptr<Executor> executor_;
  std::thread::id thread_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_KERNEL_H_
