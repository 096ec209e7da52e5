// The state of one partition, for the delegate's report.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_PARTITION_REPORT_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_PARTITION_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "delegate/cache/cache_store.h"
#include "delegate/graph/graph.h"
#include "delegate/partition/self_check.h"
#include "delegate/plan/dispatch.h"
#include "delegate/runtime/executor.h"

namespace gles_delegate {

// --- What became of the nodes ------------------------------------------------

constexpr int kNoNode = -1;

// The node whose dispatches compute a node of the model. Both are TFLite's
// indices.
struct NodeFate {
  int node = kNoNode;
  // `node` itself; or the node into which passes fused it; kNoNode: no
  // dispatch, since its values are constant or unused.
  int computed_by = kNoNode;
  std::string composite;  // its name, if the node is one
  // With 16-bit storage: why it is in 32 bits; "": it is not.
  std::string float32;
};

// The fates of `nodes`, a partition's nodes. `before` is the partition as read,
// after folding; `after` is the same partition after the passes, with the same
// tensor ids. A removed node is computed by the node that now writes its
// output, or part of it in place; if there is none, by the first reader of its
// output. Linear time.
std::vector<NodeFate> FatesOfNodes(absl::Span<const int> nodes,
                                   const Graph& before, const Graph& after);

// A dispatch's description for the report.
struct DispatchReport {
  int node = kNoNode;   // TFLite's index
  std::string label;    // "CONV_2D 12"
  std::string shader;   // gl_shaders/**/<shader>.comp
  std::string defines;  // "TILE_ROWS=3 TILE_SLICES=2"
};

std::vector<DispatchReport> ReportsOf(absl::Span<const Dispatch> dispatches);

// --- What building and running tell ------------------------------------------

// The estimated worth of the partition (delegate/tflite/choose_partitions.cc).
struct WorthReport {
  double cpu_us = 0;       // of its nodes on the CPU
  double crossing_us = 0;  // of transfers to the GPU and back
};

// The result of building the partition, filled in by PartitionBuilder.
struct BuildReport {
  int nodes_after_passes = 0;
  // Why the passes were not applied; empty: they were.
  std::string passes_dropped;
  std::vector<NodeFate> fates;             // of the partition's nodes, in order
  std::vector<DispatchReport> dispatches;  // in the order in which they run
  ExecutorStats stats;
  CacheReport cache;
  StageTimes stages;
  // The result: "right": all programs passed; "partly checked": those that have
  // a reference passed; "not checked": none has one; "cached": an earlier start
  // passed. "host packs": after an error in a program that moves inputs or
  // outputs, the host does it. "fallback": after an error, planned again with
  // simpler programs that passed; "wrong": not run; "none": the check failed to
  // run, with the reason; "off".
  std::string self_check = "off";
  SelfCheckResult self_check_result;           // of the last plan
  std::vector<std::string> self_check_faults;  // of all plans, one each
};

// Progress from the baseline plan (device/device_profile.h) to the optimized
// plan.
struct BackgroundReport {
  // - "off": there is no baseline plan. If the options ask for one, `reason`
  //   says why.
  // - "waiting": for the first inference.
  // - "running": the optimized plan is being built, or is not yet ready for the
  //   context.
  // - "done": the optimized plan is in use.
  // - "stopped": the partition was deleted or moved to the CPU before.
  // - "failed": the baseline plan stays, for `reason`.
  std::string state = "off";
  std::string reason;
  int baseline_programs = 0;
  int64_t baseline_inferences = 0;
  double ms = 0;  // of building in the background
};

// Filled in by the kernel that builds and runs the partition.
struct PartitionReport : BuildReport {
  std::vector<int> nodes;         // of the model, TFLite's indices
  int nodes_on_integer_path = 0;  // on the integer path
  // Why its nodes now run on the CPU although they were delegated; "": they do
  // not.
  std::string on_cpu;
  BackgroundReport background;
  WorthReport worth;
  // TFLite's indices of the tensors in memory that the GPU accesses directly.
  std::vector<int> zero_copy_tensors;
  // In buffers of the runtime that keep their values on the GPU.
  std::vector<int> tensors_kept_on_gpu;
  bool was_built = false;  // it has, or had, an executor
  // Valid while the kernel lives, for the profile; else nullptr.
  const Executor* executor = nullptr;
  // The profile at the last KeepProfile(), which outlives the kernel.
  std::vector<Executor::ProfileEntry> profile, host_profile;
  Executor::ProfileClock profile_clock = Executor::ProfileClock::kHost;

  // Copies the executor's profile, if there is an executor.
  void KeepProfile() {
    if (executor == nullptr) return;
    profile = executor->profile();
    host_profile = executor->host_profile();
    profile_clock = executor->profile_clock();
  }
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_PARTITION_REPORT_H_
