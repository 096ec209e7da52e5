// The delegate itself: the context, the check of each node, the choice of
// partitions, the report.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_GLES_SIMPLE_DELEGATE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_GLES_SIMPLE_DELEGATE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "delegate/cache/cache_store.h"
#include "delegate/device/device_profile.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/program_cache.h"
#include "delegate/partition/self_check.h"
#include "delegate/runtime/stage_times.h"
#include "delegate/tflite/options.h"
#include "delegate/tflite/reader.h"
#include "delegate/tflite/runtime.h"
#include "delegate/tflite/simple_delegate.h"
#include "egl/context.h"

namespace gles_delegate {

// The context with what lives in it; shared by the delegate and its kernels,
// gone with the last of them.
struct Gpu {
  ~Gpu();
  std::unique_ptr<egl::Context> context;
  ProgramCache programs;  // emptied inside the context
};

// What one applied partition came to, for the report.
struct PartitionReport {
  int nodes = 0;
  int nodes_after_passes = 0;
  int nodes_on_codes = 0;      // in TFLite's integer arithmetic
  std::string passes_dropped;  // why it runs without the passes; empty: it
                               // runs with them
  ExecutorStats stats;
  CacheReport cache;
  StageTimes stages;
  // "off"; "right"; "cached": an earlier start found it right; "plain": planned
  // again, with plainer programs; "wrong": not run; "none": it could not be
  // done.
  std::string self_check = "off";
  SelfCheckResult self_check_result;           // of the last plan
  std::vector<std::string> self_check_faults;  // of all plans, one each
  std::string tuning;           // what the search found; empty: none
  double tuning_before_ms = 0;  // 0: an earlier start searched
  double tuning_after_ms = 0;
  const Executor* executor =
      nullptr;  // while the kernel lives: for its profile
};

class GlesSimpleDelegate final : public SimpleDelegate {
 public:
  explicit GlesSimpleDelegate(Options options) : options_(std::move(options)) {}

  const char* Name() const override { return "TfLiteGlesDelegate"; }
  absl::Status Initialize(TfLiteContext* context) override;
  absl::Status IsNodeSupported(int node_index) override;
  std::vector<std::vector<int>> ChoosePartitions(
      std::vector<std::vector<int>> partitions) override;
  std::unique_ptr<SimpleDelegateKernel> CreateKernel() override;
  void Finish(TfLiteContext* context) override;
  bool FallsBackToCpu() const override { return options_.fallback_to_cpu; }

  const char* Report() override;

  const Options& options() const { return options_; }
  const std::shared_ptr<Gpu>& gpu() const { return gpu_; }
  const DeviceProfile& profile() const { return profile_; }
  // Whose codes quantized nodes are to give; known once Initialize() has run.
  quant::CpuKernels cpu_kernels() const {
    return options_.integer_rounding.value_or(CpuKernelsOf(runtime_));
  }
  // While the delegate is being applied, else nullptr: the model being read.
  const CheckedModel* model() const { return model_ ? &*model_ : nullptr; }
  const ModelNodes& nodes() const { return nodes_; }
  ReadOptions read_options() const;
  // Shared with the kernel, which fills it in as it prepares.
  std::shared_ptr<PartitionReport> AddPartition();

 private:
  absl::Status EnsureContext(TfLiteContext* context);
  void KeepUnusedConstantsOnCpu();
  void WarnAboutRefusals(TfLiteContext* context) const;
  CacheReport TotalCache() const;
  // Of all subgraphs.
  std::vector<std::shared_ptr<PartitionReport>> Partitions() const;

  struct Refusal {
    std::string op;
    std::string reason;
    std::string tensors;  // of the first such node
    std::vector<int> nodes;
  };
  std::vector<Refusal> GroupRefusals() const;

  Options options_;
  std::shared_ptr<Gpu> gpu_;
  DeviceProfile profile_;
  std::optional<CheckedModel> model_;
  Runtime runtime_;
  ModelNodes nodes_;  // of the model applied last

  // What became of one subgraph the last time that the delegate was applied to
  // it, for the report. TFLite applies a delegate to each subgraph of a model,
  // one after the other (the branches of IF, the bodies of WHILE).
  struct Applied {
    const void* interpreter = nullptr;  // both to tell them apart alone
    const void* subgraph = nullptr;
    int nodes_total = 0;
    int nodes_delegated = 0;
    std::vector<std::vector<int>> chosen;
    std::vector<Refusal> refusals;
    StageTimes stages;  // before the partitions'
    std::vector<std::shared_ptr<PartitionReport>> partitions;
  };
  static bool IsGone(const Applied& a);
  // The entry of this subgraph, emptied. Those of another interpreter go.
  void BeginSubgraph(TfLiteContext* context);
  Applied& now() { return applied_[current_]; }
  const Applied& now() const { return applied_[current_]; }

  std::vector<Applied> applied_ = std::vector<Applied>(1);
  size_t current_ = 0;
  Applied previous_;  // what the entry was before this application
  bool memory_plan_is_old_ = false;
  std::string report_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_GLES_SIMPLE_DELEGATE_H_
