// One partition's life on the GPU: built, run, moved to the CPU, recovered.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_SESSION_H_
#define GLES_DELEGATE_DELEGATE_SESSION_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/partition/background_build.h"
#include "delegate/partition/partition_builder.h"
#include "delegate/partition/partition_report.h"
#include "delegate/runtime/executor.h"
#include "delegate/session/gpu.h"
#include "delegate/session/host_memory.h"
#include "egl/context.h"
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

// Why a feature is excluded, by the first fact that does so; "": it is not.
std::string WhyNot(bool Exclusion::*excludes, const FeatureFacts& facts);

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

// --- A session ---------------------------------------------------------------

// One input or output of a partition.
// The values of an inference are in one of three places:
//   an app's object   `object` is set: the app's own, or the buffer that is the
//                     tensor's handle in the runtime.
//   a state           on the GPU between inferences; `memory` has a mark
//                     (host_memory.h), or the values of a new state.
//   host memory       `memory`: the runtime's, or memory that the GPU accesses
//                     directly (LendMemory).
// An output that is constant has no slot (host_memory.h).
class IoSlot {
 public:
  // `tensor` as the graph has it; the runtime has it at `index`.
  IoSlot(const Tensor& tensor, int index);

  // Set before each inference; an object also before Session::Prepare(), and
  // if it changes, with Session::NoteObjects().
  HostMemory memory;
  std::optional<AppObject> object;

  int index() const { return index_; }
  bool is_state() const { return is_state_; }
  // Whether the executor's values differ from the runtime's.
  bool converts() const { return host_.converts(); }

  // The values of an input for the executor, valid until the next call; empty
  // for a state that stays on the GPU. `gpu_has_state`: the executor has the
  // one of an earlier inference; a state that is lost starts at zero. Errors as
  // HostTensor::Read().
  absl::StatusOr<absl::Span<const uint8_t>> Read(bool gpu_has_state);
  // The memory for an output of the executor. Errors as HostTensor::Room().
  absl::StatusOr<absl::Span<uint8_t>> Room() { return host_.Room(memory); }
  // After the inference: converts an output, and marks a state.
  void FinishOutput() const { host_.Finish(memory); }
  void FinishInput() const;

 private:
  int index_;
  bool is_state_;
  HostTensor host_;
};

// Functions of the runtime that a session calls.
// Lives as long as one call to a session.
class SessionHost {
 public:
  virtual ~SessionHost() = default;
  virtual void Warn(const std::string& text) = 0;
  // Whether the nodes may run on the CPU if the GPU fails.
  virtual bool MayFallBack() const = 0;
  // The runtime runs the nodes from now on. kFailedPrecondition, with the
  // reason: it cannot.
  virtual absl::Status UseCpu() = 0;
  // kFailedPrecondition: an app's object cannot hold the tensor's values, since
  // another part of the model reads them from the CPU's memory.
  virtual absl::Status CheckMayBind(const Tensor& tensor) = 0;
};

// SetGraph(), then Prepare(), then Submit() and Wait() for each inference.
//
//   Unbuilt --Prepare--> OnGpu --context lost--> Lost --Submit--> OnGpu
//      any state --UseCpu--> OnCpu --SetGraph--> Unbuilt
//
// Threads: as GpuQueue says; one at a time, any for destruction.
class Session {
 public:
  // A partition whose commands hang the GPU does so each time, and each time
  // the whole machine's display may freeze for seconds.
  static constexpr int kMaxGuiltyResets = 3;

  explicit Session(SessionSetup setup);
  ~Session();

  // The shapes have changed: drops the graph and what was built for it.
  void Forget();
  // The partition as read, with the integer path; `original` is the one before
  // that, for the self-check. `outputs`: the runtime's tensors.
  void SetGraph(Graph graph, Graph original, const std::vector<int>& outputs);
  const Graph& graph() const { return graph_; }
  // By graph input and output, until the next SetGraph().
  std::vector<IoSlot>& inputs() { return inputs_; }
  std::vector<IoSlot>& outputs() { return outputs_; }
  // Some slots have other objects now.
  void NoteObjects();

  // The option memory_limit_bytes. Reserves what the graph's plan needs, in
  // place of an earlier reservation, until the session ends or is on the CPU.
  // kResourceExhausted, with the bytes: the limit does not allow it. Otherwise
  // planning errors. Makes no GL call.
  absl::Status Reserve();
  // After a resize: if the limit does not allow the new shapes, the nodes run
  // on the CPU. Not yet if the session is built late.
  absl::Status ReserveAgain(SessionHost* host);

  // Plans, compiles and uploads, unless that is done. The errors of building.
  absl::Status Prepare(SessionHost* host);
  // `prepared`, or if that is an error, and the host allows it or it is a limit
  // of the device (kOutOfRange), the result of UseCpu().
  absl::Status FallBack(SessionHost* host, const absl::Status& prepared);
  // Runs the nodes on the CPU from now on, until Forget().
  // kFailedPrecondition: the runtime cannot.
  absl::Status UseCpu(SessionHost* host, const std::string& why);
  bool is_on_cpu() const { return std::holds_alternative<OnCpu>(state_); }

  // One inference with the slots' memory and objects. kSubmitted, if
  // `may_split`: call Wait() for the results; other sessions may run before.
  // kOnCpu: the runtime has to run the nodes. Errors:
  // - kFailedPrecondition, of the thread rule (GpuQueue::CheckCaller).
  // - kAborted: the context was lost. No output is written, except those in
  //   lent memory. If the context is the delegate's own, the next call builds
  //   everything in a new one.
  // - kFailedPrecondition, with the reason: the app's context was lost, or the
  //   own one too often; if the host allows it, the nodes then run on the CPU.
  enum class Ran { kDone, kSubmitted, kOnCpu };
  absl::StatusOr<Ran> Submit(SessionHost* host, bool may_split);
  absl::Status Wait(SessionHost* host);

  // Fences around Submit() and Wait(), for the thread that calls Invoke.
  GpuQueue& queue() { return queue_; }

  // The option zero_copy: the runtime's tensors that may be in memory that the
  // GPU accesses (HostMemory::buffer).
  std::vector<int> ZeroCopyTensors() const;
  // The same option: the memory in which the runtime may place the tensor
  // of an input or output, of that many bytes. nullptr: none.
  bool LendsMemory() const;
  std::shared_ptr<char> Lend(bool is_input, size_t i, size_t bytes,
                             bool has_custom_memory);

  PlanDump* dump() { return builder_.dump(); }
  const SessionSetup& setup() const { return setup_; }

 private:
  struct Unbuilt {};
  struct OnCpu {};
  struct OnGpu {
    std::shared_ptr<egl::Context> context;
    std::unique_ptr<ExecutorSource> source;
    BoundTransfers bound;
    bool has_objects = false;  // the executor has those of the slots
    bool has_state = false;    // of an earlier inference
  };
  struct Lost {};  // the context of OnGpu
  struct UsedObjects {
    std::vector<UsedObject> inputs, outputs;
    absl::Status status;  // the first error
  };

  OnGpu* on_gpu() { return std::get_if<OnGpu>(&state_); }
  const OnGpu* on_gpu() const { return std::get_if<OnGpu>(&state_); }
  // Leaves OnGpu for Lost if its context was lost or replaced.
  void NoteLoss();
  // Leaves OnGpu for Unbuilt, and deletes what was built.
  void Drop();
  void ReleaseReservation();
  absl::Status Build(SessionHost* host);
  absl::Status BuildInContext();
  // Builds for the first inference, or again, or gives up.
  absl::Status BuildToRun(SessionHost* host);
  // How an inference in the context ended.
  void NoteEnd(const absl::Status& status, const egl::Context& context);
  absl::Status Recover(SessionHost* host);
  absl::Status GiveUp(SessionHost* host);
  void TellWarnings(SessionHost* host);

  // The app's objects.
  UsedObjects ResolveObjects() const;
  absl::Status CheckBound(SessionHost* host, const AppObject& object,
                          const Tensor& tensor) const;
  absl::Status CheckCaches(const UsedObjects& objects) const;
  absl::Status CheckMayReturnAtOnce(const BoundTransfers& bound) const;
  absl::Status UpdateObjects(SessionHost* host);

  // An inference.
  absl::StatusOr<Ran> SubmitOrBuild(SessionHost* host, bool may_split);
  absl::StatusOr<Ran> Run(bool may_split);
  absl::Status Collect();
  void UseMemory();
  void Advance(SessionHost* host);
  void Finish();
  void NoteInference(SessionHost* host);
  bool MayBeZeroCopy(const IoSlot& slot, bool is_bound,
                     bool has_custom_memory) const;

  SessionSetup setup_;
  GpuQueue queue_;
  PartitionBuilder builder_;
  int64_t reserved_bytes_ = 0;  // of those of the Gpu
  // Consecutive inferences that ended with a reset which their own commands may
  // have caused.
  int guilty_resets_ = 0;
  bool has_graph_ = false;
  Graph graph_;
  Graph original_;
  std::vector<IoSlot> inputs_;
  std::vector<IoSlot> outputs_;
  // For the current inference; members, so that it does not allocate.
  std::vector<absl::Span<const uint8_t>> input_values_;
  std::vector<absl::Span<uint8_t>> output_room_;
  std::vector<GLuint> input_memory_, output_memory_;  // HostMemory::buffer
  // The context in which the optimized plan was built last, and which has its
  // programs.
  std::weak_ptr<egl::Context> compiled_in_;
  bool has_run_ = false;  // ever, on the GPU
  std::variant<Unbuilt, OnCpu, OnGpu, Lost> state_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_SESSION_H_
