// What became of one partition, for the delegate's report.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_PARTITION_REPORT_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_PARTITION_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "delegate/cache/cache_store.h"
#include "delegate/partition/node_fates.h"
#include "delegate/partition/self_check.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/stage_times.h"

namespace gles_delegate {

// The comparison that the option prefer_faster asks for.
struct SpeedReport {
  // "": the option is off. "gpu" or "cpu": where the partition runs.
  std::string chosen;
  // "measured"; "cached": an earlier start measured; else why nothing was
  // measured: the partition then runs on the GPU.
  std::string source;
  double gpu_ms = 0;  // medians of an inference, host copies included; 0: none
  double cpu_ms = 0;
};

// What the partition is worth, by delegate/tflite/partition_worth.h.
struct WorthReport {
  double cpu_us = 0;       // that the CPU would take for its nodes
  double crossing_us = 0;  // that going to the GPU and back takes
};

// What building the partition came to: PartitionBuilder fills it in.
struct BuildReport {
  int nodes_after_passes = 0;
  // Why the partition runs without the passes; empty: it runs with them.
  std::string passes_dropped;
  std::vector<NodeFate> fates;             // of the partition's nodes, in order
  std::vector<DispatchReport> dispatches;  // in the order in which they run
  ExecutorStats stats;
  CacheReport cache;
  StageTimes stages;
  // "off"; "right": all programs; "partly checked": nothing wrong in those that
  // have a reference; "not checked": none has; "cached": an earlier start found
  // nothing wrong; "plain": planned again, with plainer programs, in which
  // nothing wrong was found; "wrong": not run; "none": the check could not be
  // done, with the reason.
  std::string self_check = "off";
  SelfCheckResult self_check_result;           // of the last plan
  std::vector<std::string> self_check_faults;  // of all plans, one each
  std::string tuning;           // what the search found; empty: no search
  double tuning_before_ms = 0;  // 0: an earlier start searched
  double tuning_after_ms = 0;
};

// The partition's way from a stand-in (device/stand_in.h) to its plan proper.
struct BackgroundReport {
  // "off": there is no stand-in, and where background_compilation is on
  // `reason` says why; "waiting": for the first inference; "running":
  // the plan proper is being built, or is not ready for the context yet;
  // "done": the partition runs by it; "stopped": the partition went, or moved
  // to the CPU, before that; "failed": it stays with the stand-in, and `reason`
  // says why.
  std::string state = "off";
  std::string reason;
  int stand_in_programs = 0;
  int64_t stand_in_inferences = 0;
  double ms = 0;  // that building in the background took
};

// The kernel that builds and runs the partition fills it in.
struct PartitionReport : BuildReport {
  std::vector<int> nodes;  // of the model, TFLite's indices
  int nodes_on_codes = 0;  // in TFLite's integer arithmetic
  // Why its nodes run on the CPU now, after they were delegated; "": they do
  // not.
  std::string on_cpu;
  BackgroundReport background;
  SpeedReport speed;
  WorthReport worth;
  // TFLite's indices of the tensors that lie in memory which the GPU reads and
  // writes.
  std::vector<int> zero_copy_tensors;
  // While the kernel lives, for the profile; else nullptr.
  const Executor* executor = nullptr;
  // The profile up to the last KeepProfile(), which outlives the kernel.
  std::vector<Executor::ProfileEntry> profile;
  bool profiled_by_gpu = false;

  // Copies the executor's profile, where there is an executor.
  void KeepProfile() {
    if (executor == nullptr) return;
    profile = executor->profile();
    profiled_by_gpu = executor->profiled_by_gpu();
  }
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_PARTITION_REPORT_H_
