// Which executor runs a partition's next inference.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_EXECUTOR_SOURCE_H_
#define GLES_DELEGATE_DELEGATE_SESSION_EXECUTOR_SOURCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/partition/background_build.h"
#include "delegate/partition/partition_builder.h"
#include "delegate/partition/partition_report.h"
#include "delegate/runtime/executor.h"
#include "delegate/session/gpu.h"
#include "egl/objects.h"

namespace gles_delegate {

// --- Options that exclude one another ----------------------------------------

// Facts about a partition, or for zero_copy about one of its inputs or outputs,
// each of which may rule out a feature.
struct FeatureFacts {
  bool profiles = false;       // enable_op_profiling
  bool limits_memory = false;  // memory_limit_bytes
  bool dumps_plans = false;    // GLES_DELEGATE_DEBUG=plan
  bool borrows_context = false;
  bool shares_by_key = false;  // share_key
  bool does_not_wait = false;  // wait_type
  bool has_bound_object = false;
  bool has_variable = false;
  bool has_custom_memory = false;  // that the app has given to the runtime
  // The optimized plan was built before, in the same context.
  bool was_compiled = false;
};

struct Exclusion {
  bool FeatureFacts::*fact;
  // Its name in the public header's comment on the feature; nullptr: an app has
  // no influence on it.
  const char* name;
  const char* why;
  bool excludes_baseline;   // Startup::kTiered
  bool excludes_zero_copy;  // of the input or output
};
absl::Span<const Exclusion> Exclusions();

// The first reason why a partition has no baseline plan, or an input or output
// is copied; "": none.
std::string WhyNoBaseline(const FeatureFacts& facts);
std::string WhyNoZeroCopy(const FeatureFacts& facts);

// --- The options of how a session builds and runs its partition --------------

struct SessionOptions {
  BuildOptions build;
  egl::Waiting waiting = egl::Waiting::kPassive;
  bool does_not_wait = false;      // Invoke returns before the GPU has finished
  bool profiles = false;           // each dispatch is timed
  int64_t memory_limit_bytes = 0;  // of all partitions of a Gpu; 0: no limit
};

struct SessionSetup {
  std::shared_ptr<Gpu> gpu;
  DeviceProfile profile;
  SessionOptions options;
  std::vector<int> nodes;  // of the partition, the model's indices
  // Nothing is expected to run the partition: it is built when something does.
  bool builds_late = false;
  std::shared_ptr<PartitionReport> report;  // filled in by the session
};

// Everything that it refers to must outlive the source; the graphs must not
// change before Stop().
struct ExecutorSetup {
  const SessionSetup& session;
  const Graph& graph;  // as PartitionBuilder::Build() takes them
  const Graph& original;
  PartitionBuilder* builder;  // of the optimized plan
  BoundTransfers bound;
  // An earlier source built the optimized plan in the same context.
  bool was_compiled = false;
};

// Runs the optimized plan; or with Startup::kTiered a baseline plan
// of few, simple programs (device/device_profile.h) first. After the first
// inference with that, the optimized plan is built in the background. Later
// inferences warm up a few of its programs each, and the one that finds all of
// them ready switches. If the build fails, the baseline plan stays, with a
// warning. Threads: one at a time. Destroyed inside the context, after Stop().
class ExecutorSource {
 public:
  // Builds what runs the first inference, inside the context of the session's
  // Gpu; other builders of its objects wait. If there is no baseline plan, the
  // report says why. Errors are those of PartitionBuilder::Build().
  static absl::StatusOr<std::unique_ptr<ExecutorSource>> Make(
      const ExecutorSetup& setup);

  Executor& executor() { return *executor_; }
  // Whether that is the optimized plan's.
  bool is_optimized() const { return is_optimized_; }

  // Before an inference: whether another executor is about to take over, and
  // Advance() should be called.
  bool HasNext();
  // Prepares the next executor with the inference's inputs, outside the
  // context. True: executor() is another one now, without the app's objects.
  bool Advance(Executor::Inputs inputs);
  // After each inference that succeeded.
  void NoteInference();
  // Stops building and drops what is not in use; executor() stays.
  void Stop();
  // Waits for the build that writes the start-up cache.
  void AwaitCache();

  // Returns and clears the warnings so far.
  std::vector<std::string> TakeWarnings() {
    return std::exchange(warnings_, {});
  }

 private:
  explicit ExecutorSource(const ExecutorSetup& setup);

  const SessionSetup& session() const { return setup_.session; }
  BackgroundReport& report() { return session().report->background; }
  // False: there is no baseline plan.
  bool StartWithBaseline();
  absl::Status StartOptimized();
  // Makes `executor` the current one.
  void Use(std::unique_ptr<Executor> executor);
  void Warn(std::vector<std::string> lines);
  void StartBackground();
  void KeepBaseline(const absl::Status& why);

  const ExecutorSetup setup_;
  const std::shared_ptr<egl::Context> context_;
  std::unique_ptr<Executor> executor_;
  bool is_optimized_ = false;
  std::vector<std::string> warnings_;
  // Builds the optimized plan; else nullptr.
  std::unique_ptr<BackgroundBuild> background_;
  // Its result, not yet in use.
  std::optional<BackgroundBuild::Result> built_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_EXECUTOR_SOURCE_H_
