// Executes a plan: owns programs, textures and weights on the GPU, and issues
// the commands of each Invoke.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_EXECUTOR_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_EXECUTOR_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/cache/cache_store.h"
#include "delegate/plan/memory_plan.h"
#include "delegate/plan/planner.h"
#include "delegate/runtime/gpu_memory.h"
#include "delegate/runtime/host_transfer.h"
#include "delegate/runtime/program_cache.h"
#include "delegate/runtime/schedule.h"
#include "delegate/runtime/validator.h"
#include "egl/context.h"
#include "egl/host_copy.h"
#include "egl/objects.h"

namespace gles_delegate {

// The times of a command in a profile, or of a step on the host.
// Microseconds; starts are those of steady_clock.
struct TimedRun {
  double start_us = 0;
  double us = 0;
};

inline double NowUs() {
  return std::chrono::duration<double, std::micro>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// The last kKept runs, and how many there have been.
class TimedRuns {
 public:
  static constexpr size_t kKept = 64;
  void Add(TimedRun run);
  int count() const { return count_; }
  double MedianUs() const;  // 0 without runs
  double LastUs() const { return runs_.empty() ? 0 : runs_.back().us; }
  // The last `most` runs or fewer, the oldest first.
  std::vector<TimedRun> Last(size_t most) const {
    return {runs_.end() - std::min(most, runs_.size()), runs_.end()};
  }

 private:
  std::deque<TimedRun> runs_;
  int count_ = 0;
};

// --- Start-up times by stage, for the report ---------------------------------

// Milliseconds by stage, in order of first appearance.
class StageTimes {
 public:
  void Add(const std::string& stage, double ms) {
    for (auto& [name, total] : stages_) {
      if (name == stage) {
        total += ms;
        return;
      }
    }
    stages_.emplace_back(stage, ms);
  }
  void Add(const StageTimes& other) {
    for (const auto& [name, ms] : other.stages_) Add(name, ms);
  }
  // 0 for an unknown stage.
  double Of(const std::string& stage) const {
    for (const auto& [name, total] : stages_) {
      if (name == stage) return total;
    }
    return 0;
  }
  const std::vector<std::pair<std::string, double>>& stages() const {
    return stages_;
  }

 private:
  std::vector<std::pair<std::string, double>> stages_;
};

// A stopwatch. Lap() adds the time since the last Lap(), or since construction,
// to a stage. `times` must outlive it.
class StageTimer {
 public:
  explicit StageTimer(StageTimes* times) : times_(times) {}
  void Lap(const char* stage) {
    const double now = NowUs();
    times_->Add(stage, (now - last_us_) / 1000);
    last_us_ = now;
  }

 private:
  StageTimes* times_;
  double last_us_ = NowUs();
};

// --- Executors ---------------------------------------------------------------

// Statistics of construction and memory, for the report.
struct ExecutorStats {
  int dispatches = 0;
  int barriers = 0;
  int programs = 0;
  GpuMemoryUse memory;
  int64_t tensor_bytes_unshared = 0;  // what tensors would take, one each
  double compile_ms = 0;
  double upload_ms = 0;
  StageTimes stages;  // where all of the building's time went
};

// The parts of an executor.
struct ExecutorParts {
  // Uploads, then the plan's dispatches, then readbacks; each is recorded after
  // its barrier.
  std::vector<Command> commands;
  size_t uploads = 0;    // commands, at the beginning
  size_t readbacks = 0;  // commands, at the end
  size_t early = 0;      // BusTransfers::early_dispatches
  // By graph input and output.
  std::vector<HostTransfer> inputs;
  std::vector<HostTransfer> outputs;
  std::vector<BoundCache> caches;
  egl::Buffer params;    // the Params blocks of all commands
  egl::Sampler sampler;  // for the app's textures, if any are read
  // Objects that the commands bind, to keep them alive.
  std::vector<egl::Texture> textures;
  std::vector<egl::Buffer> buffers;
  std::vector<ConstantStore::Constant> shared_constants;
  // The barrier before the first command. The last Invoke wrote variables and,
  // if it has not been waited for, may still be running.
  GLbitfield first_barrier = 0;
  GLbitfield final_barrier = 0;          // before the host reads
  std::unique_ptr<Validator> validator;  // null: validation is off
  // Checked for resets before outputs are written; null: unchecked.
  const egl::Context* context = nullptr;
  // Wraps each dispatch in a KHR_debug group (egl/gl_api.h).
  bool has_debug_groups = false;
  ExecutorStats stats;
};

// Threads: Create, Invoke and destruction run inside context->Run(), on one
// thread at a time. Invoke makes no GL objects except fences, and does not
// allocate after the first one, unless it is profiled or validated. If
// GLES_DELEGATE_DEBUG=validate is set at construction, each command is checked
// (delegate/runtime/validator.h), and Create and Invoke fail with kInternal on
// a violation.
class Executor {
 public:
  // `dispatches` is the plan of `graph`, whose constants are uploaded here.
  // `cache` (may be null) provides what an earlier start saved, and saves the
  // rest. Errors have the op's label and the driver's log. kDataLoss: the cache
  // is damaged; Reject() it and try again. `bound`: inputs and outputs that get
  // objects by UseObjects(), and existing memory of others. `sharing`:
  // constants shared with other executors.
  static absl::StatusOr<std::unique_ptr<Executor>> Create(
      const egl::Context& context, ProgramCache* programs, const Graph& graph,
      std::vector<Dispatch> dispatches, const DeviceProfile& profile,
      PartitionCache* cache = nullptr, const BoundTransfers& bound = {},
      const ConstantSharing& sharing = {});

  using Inputs = absl::Span<const absl::Span<const uint8_t>>;
  using Outputs = absl::Span<const absl::Span<uint8_t>>;
  using Clock = std::chrono::steady_clock;

  // From parts whose commands bind only objects of the parts; see Create().
  explicit Executor(ExecutorParts parts);

  // One inference. inputs[i] holds graph.inputs[i] in packed BHWC order, as
  // float32, int32 (bool: 0 or 1) or, for quantized values, bytes; outputs[i]
  // receives graph.outputs[i] in the same form. One upload per input, one
  // readback per output. An empty inputs[i] is not uploaded: a variable tensor
  // keeps its value.
  //
  // On failure no output is written, except those in
  // HostTransfer::HostMemory(), and submitted work has finished, so that the
  // next Invoke may start. kAborted: the context was reset; make a new context
  // and executor. Otherwise GL's error.
  absl::Status Invoke(Inputs inputs, Outputs outputs);

  // Invoke in two steps, between which other executors of the context may run.
  // SubmitInvoke submits the work and returns true, and WaitInvoke must follow
  // with the same outputs; or it does everything and returns false, if
  // profiling or if it need not wait (ReturnAtOnce). On failure, as for Invoke,
  // there is no second step.
  absl::StatusOr<bool> SubmitInvoke(Inputs inputs, Outputs outputs);
  absl::Status WaitInvoke(Outputs outputs);

  // The two steps without profiling, for benches. Submit passes all commands to
  // the driver; Collect waits for all results and copies them. If either fails,
  // the executor must not be used again.
  absl::Status Submit(Inputs inputs);
  absl::Status Collect(Outputs outputs);

  // Sets the app's textures and buffers of bound inputs and outputs, by
  // position, from the next Invoke on; entries of others, and Invoke's spans
  // for bound ones, are ignored. Each object must have the form given to
  // Create(), and the buffer of a cache's output must be of no other tensor but
  // its input. The app's earlier commands in the same context are visible to
  // the executor, and its results to the app's later commands.
  absl::Status UseObjects(absl::Span<const UsedObject> inputs,
                          absl::Span<const UsedObject> outputs);

  // Sets the buffers in which the host's tensors are, by position, from the
  // next Invoke on (HostTransfer::UseMemory). Invoke's spans of these are their
  // mapped memory.
  void UseMemory(absl::Span<const GLuint> inputs,
                 absl::Span<const GLuint> outputs);

  // From now on the executor runs in `context`, which shares objects with the
  // one that it was made in.
  void MoveTo(const egl::Context& context) { parts_.context = &context; }

  // For an executor that was made in another context, before its first use in
  // this one: some drivers compile a program again when a context first
  // dispatches it (NVIDIA's, 20 to 100 ms). Runs the commands with `inputs`, as
  // in Invoke, up to the first program not yet dispatched here, continues until
  // `budget` has passed, and waits. True: all programs are ready. Writes no
  // output, except those in HostTransfer::HostMemory(). Errors as Invoke.
  absl::StatusOr<bool> WarmUp(Inputs inputs, Clock::duration budget);

  // How Collect and Invoke wait for the GPU; passive by default.
  void WaitBy(egl::Waiting how) { waiting_ = how; }
  // true: Invoke does not wait for its own end if all outputs are bound and
  // nothing is timed. If the host writes inputs, it first waits for the last
  // Invoke. Errors are reported by an Invoke that waits, or later.
  void ReturnAtOnce(bool at_once) { returns_at_once_ = at_once; }

  const ExecutorStats& stats() const { return parts_.stats; }
  // How each graph input and output is transferred.
  absl::Span<const HostTransfer> inputs() const { return parts_.inputs; }
  absl::Span<const HostTransfer> outputs() const { return parts_.outputs; }
  // The outputs whose objects are their tensors' memory.
  absl::Span<const BoundCache> caches() const { return parts_.caches; }

  // From now on each Invoke times every command: by timer queries if the driver
  // has them and `gpu_timers` allows it (llvmpipe's read as zero), else by
  // waiting for the GPU after each command. Without timestamps, queries do not
  // nest: an Invoke that finds an app's query running discards earlier times,
  // and commands are timed by waiting from then on.
  absl::Status EnableProfiling(bool gpu_timers);
  struct ProfileEntry {
    std::string label;   // "CONV_2D 12"
    std::string shader;  // "conv_1x1"
    int node = -1;       // TFLite's index; -1: an upload or readback, of the
                         // GPU or by the host alone
    std::array<GLuint, 3> groups = {};
    TimedRuns runs = {};
  };
  enum class ProfileClock {
    kHost,           // waits for the GPU after each command
    kGpuTimers,      // how long on the GPU; starts are the submissions
    kGpuTimestamps,  // when and how long on the GPU
  };
  const std::vector<ProfileEntry>& profile() const { return profile_; }
  // The steps of Invoke on the host, one after the other.
  const std::vector<ProfileEntry>& host_profile() const {
    return host_profile_;
  }
  ProfileClock profile_clock() const;

 private:
  Validator* validator() const { return parts_.validator.get(); }
  // Commands [0, uploads_end) upload, and [readbacks_begin, end) read back.
  // Pieces among the others upload, too.
  size_t uploads_end() const { return parts_.uploads; }
  size_t readbacks_begin() const {
    return parts_.commands.size() - parts_.readbacks;
  }
  // The input or output that a command uploads or reads back, or nullptr.
  HostTransfer* TransferOf(size_t command);
  // Whether a command uploads a tensor that keeps its value.
  bool IsSkipped(size_t command) const {
    return command < uploads_end() &&
           skip_[parts_.commands[command].piece.index];
  }
  void Record(const Command& command, GLuint* program);
  void Barrier(GLbitfield bits);
  void Begin(Inputs inputs);
  // The status of GL and the validator for this Invoke.
  absl::Status Outcome() const;
  // Outcome(), and whether the context survived.
  absl::Status CheckResults() const;
  // Waits for everything that a failed Invoke submitted, since the next one
  // uses the same buffers.
  void Abandon();
  void NameHostSteps();
  void RecordTimed();
  // `gpu_start_us`: the time of steady_clock when the GPU's clock was 0.
  absl::Status ReadTimers(double gpu_start_us);
  absl::Status InvokeTimed(Inputs inputs, Outputs outputs);

  // Packs inputs and unpacks outputs that the host handles, the latter after
  // FinishReadbacks().
  void PackInputs(Inputs inputs);
  void UnpackOutputs(Outputs outputs);
  absl::Status CopyIn(const Piece& piece, Inputs inputs);
  absl::Status CopyOut(const Piece& piece, Outputs outputs);
  // Copies one input for several uploads, commands [first, end), and records
  // each.
  void RecordInPieces(size_t first, size_t end, absl::Span<const uint8_t> from,
                      GLuint* program);
  // Copies each piece and records its upload.
  absl::Status RecordUploads(Inputs inputs, GLuint* program);
  // Ends with a fence if anything runs.
  absl::Status RecordReadbacks(GLuint* program);
  absl::Status InsertFence();
  // Waits for the fence, then checks the results.
  absl::Status Await(const egl::Fence& fence);
  // Waits for all pieces before copying any, so that no output has been written
  // if the context is lost during the last one.
  absl::Status FinishReadbacks(Outputs outputs);
  // Waits for work that the last Invoke left running.
  absl::Status AwaitLast();
  // Makes `outputs`, by position, the caches' memory, and rewrites the
  // commands' bindings.
  void UseBuffers(absl::Span<const UsedObject> inputs,
                  absl::Span<const UsedObject> outputs);

  ExecutorParts parts_;
  egl::HostCopier copier_;
  std::vector<bool> skip_;          // by input: not uploaded in this Invoke
  HashSet<GLuint> warm_;            // programs that WarmUp() has dispatched
  std::vector<egl::Fence> fences_;  // of pending readbacks
  egl::Waiting waiting_ = egl::Waiting::kPassive;
  bool returns_at_once_ = false;
  // By command, then host work before and after; empty: not profiling.
  std::vector<ProfileEntry> profile_;
  size_t first_command_entry_ = 0;
  std::vector<ProfileEntry> host_profile_;
  std::vector<egl::TimerQuery> queries_;  // by command
  std::vector<double> submitted_us_;      // by query
};

// --- What others need of Create() --------------------------------------------

// SpecOf() with the values of constants that the shader's text holds.
gl_shaders::ShaderSpec WholeSpecOf(const Graph& graph, const Dispatch& d,
                                   const DeviceProfile& profile);

// Bytes of a Params block in the buffer of all blocks, rounded up to the
// alignment of the next one.
size_t AlignedParamsBytes(const UniformBlock& block,
                          const egl::DeviceInfo& device);

// Whether a dispatch is within the limits of `device` and, since the context
// may be an app's, the binding points that egl/context.h saves. `bindings`: of
// its tensors and constants; `buffers` include host buffers. kInternal, with
// the limit.
absl::Status CheckDeviceLimits(const Dispatch& dispatch,
                               const gl_shaders::Bindings& bindings,
                               int64_t params_bytes, int64_t params_offset,
                               const egl::DeviceInfo& device);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_EXECUTOR_H_
