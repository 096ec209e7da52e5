// A plan made real: programs, textures, weights on the GPU, and one pass over
// the commands per Invoke.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_EXECUTOR_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_EXECUTOR_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/cache/cache_store.h"
#include "delegate/plan/memory_plan.h"
#include "delegate/plan/planner.h"
#include "delegate/runtime/command.h"
#include "delegate/runtime/constant_memory.h"
#include "delegate/runtime/host_transfer.h"
#include "delegate/runtime/memory_needs.h"
#include "delegate/runtime/program_cache.h"
#include "delegate/runtime/stage_times.h"
#include "delegate/runtime/validator.h"
#include "egl/context.h"
#include "egl/host_copy.h"
#include "egl/objects.h"

namespace gles_delegate {

// What building took and holds, for the report.
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

// All that an executor is made of.
struct ExecutorParts {
  // Uploads, then the plan's own, then readbacks; each is recorded with the
  // barrier before it. Uploads of later parts of a batch stand among the plan's
  // own (batch_parts.h).
  std::vector<Command> commands;
  size_t uploads = 0;    // commands, at the beginning
  size_t readbacks = 0;  // commands, at the end
  size_t early = 0;      // DeviceChoices::early_dispatches
  // By input and by output of the graph.
  std::vector<HostTransfer> inputs;
  std::vector<HostTransfer> outputs;
  egl::Buffer params;    // the Params blocks of all commands
  egl::Sampler sampler;  // for textures of the app's; none where none is read
  // What the commands bind, kept alive.
  std::vector<egl::Texture> textures;
  std::vector<egl::Buffer> buffers;
  std::vector<ConstantStore::Constant> shared_constants;
  // The barrier before the first command. The last Invoke wrote variables and,
  // where none of its fences was waited for, may still be at work.
  GLbitfield first_barrier = 0;
  GLbitfield final_barrier = 0;          // before the host reads
  std::unique_ptr<Validator> validator;  // null: validation is off
  // Asked whether it was reset before outputs are written; null: not asked.
  const egl::Context* context = nullptr;
  // Each dispatch is a group of GL_KHR_debug (egl/debug.h).
  bool has_debug_groups = false;
  ExecutorStats stats;
};

// Threads: Create, Invoke and destruction run inside context->Run() on one
// thread at a time. Invoke makes no GL object but fences, and after the first
// one takes nothing from the heap (profiling and validation aside). With
// GLES_DELEGATE_VALIDATE=1 in the environment when it is made, an executor
// checks each command as delegate/runtime/validator.h says: Create and Invoke
// then fail with kInternal on a violation.
class Executor {
 public:
  // `dispatches` is the plan of `graph`; the constants of `graph` are uploaded
  // here. `cache` (may be null) gives what an earlier start saved, and saves
  // what it did not have. Errors carry the op's label and the driver's log.
  // kDataLoss: the cache is damaged; Reject() it and create anew.
  // `bound`: inputs and outputs for which UseObjects() brings objects, and
  // memory in which others lie already.
  // `sharing`: where constants may be those of other executors.
  static absl::StatusOr<std::unique_ptr<Executor>> Create(
      const egl::Context& context, ProgramCache* programs, const Graph& graph,
      std::vector<Dispatch> dispatches, const DeviceProfile& profile,
      PartitionCache* cache = nullptr, const BoundTransfers& bound = {},
      const ConstantSharing& sharing = {});

  using Inputs = absl::Span<const absl::Span<const uint8_t>>;
  using Outputs = absl::Span<const absl::Span<uint8_t>>;
  using Clock = std::chrono::steady_clock;

  // Of parts whose commands bind what the parts hold; see Create().
  explicit Executor(ExecutorParts parts);

  // One inference: inputs[i] holds graph.inputs[i], tightly packed BHWC, as
  // floats, or as int32 where the tensor is of integers (bool: 0 or 1), or as
  // bytes where it holds codes;
  // outputs[i] receives graph.outputs[i] likewise. One upload per input, one
  // readback per output. An empty inputs[i] is not uploaded: a variable tensor
  // keeps what the last Invoke left in it.
  // An Invoke that fails has written no output but such as lie in
  // HostTransfer::HostMemory(), and has waited for what it had
  // submitted: the next one may begin. kAborted: the context was reset; make
  // another context and executor. Else what GL said.
  absl::Status Invoke(absl::Span<const absl::Span<const uint8_t>> inputs,
                      absl::Span<const absl::Span<uint8_t>> outputs);

  // Invoke in two halves, between which other executors of the same context may
  // begin and end theirs. BeginInvoke gives the GPU its work and returns true,
  // and EndInvoke, with the same outputs, is due next; or it does all that
  // Invoke does, and returns false: where it is profiled, and where it need not
  // wait (ReturnAtOnce). A half that fails has done what Invoke says of one
  // that fails, and no other half is due.
  absl::StatusOr<bool> BeginInvoke(
      absl::Span<const absl::Span<const uint8_t>> inputs,
      absl::Span<const absl::Span<uint8_t>> outputs);
  absl::Status EndInvoke(absl::Span<const absl::Span<uint8_t>> outputs);

  // The halves of an Invoke that is not profiled, for benches. Submit hands all
  // commands to the driver; Collect waits for all results and copies them.
  // Where either fails, the executor is not to be used any more.
  absl::Status Submit(absl::Span<const absl::Span<const uint8_t>> inputs);
  absl::Status Collect(absl::Span<const absl::Span<uint8_t>> outputs);

  // The app's textures and buffers of the inputs and outputs that are bound, by
  // position, from the next Invoke on; those of others are not looked at, nor
  // is what the spans of Invoke hold for bound ones. Each object has the form
  // that Create() was given. The executor reads what the app's commands of the
  // same context wrote before, and whatever the app does after Invoke sees what
  // it wrote.
  absl::Status UseObjects(absl::Span<const UsedObject> inputs,
                          absl::Span<const UsedObject> outputs);

  // From here on the executor runs in `context`, which shares objects with the
  // one that it was made in.
  void MoveTo(const egl::Context& context) { parts_.context = &context; }

  // For an executor that was made in another context, before it runs in this
  // one: drivers may compile a program again where a context first dispatches
  // it (NVIDIA's, 20 to 100 ms each). Runs the commands with `inputs`, as
  // Invoke takes them, up to the first whose program was not dispatched here
  // yet, and on until `budget` has passed; waits for them. True: all programs
  // were. No output is written but such as lie in HostTransfer::HostMemory().
  // Errors: as of Invoke.
  absl::StatusOr<bool> WarmUp(Inputs inputs, Clock::duration budget);

  // How Collect and Invoke wait for the GPU; by default asleep.
  void WaitBy(egl::Waiting how) { waiting_ = how; }
  // true: Invoke does not wait for its own end where all outputs are bound and
  // nothing is timed. Where the host writes its inputs, Invoke first waits for
  // the last one's end. Errors are told by the Invoke that waits, or later.
  void ReturnAtOnce(bool at_once) { returns_at_once_ = at_once; }

  const ExecutorStats& stats() const { return parts_.stats; }
  // How each input and output of the graph travels.
  absl::Span<const HostTransfer> inputs() const { return parts_.inputs; }
  absl::Span<const HostTransfer> outputs() const { return parts_.outputs; }

  // From here on each Invoke times every command: by timer queries where the
  // driver has them and `gpu_timers` trusts them (llvmpipe's read as zero),
  // else by waiting for the GPU after each command. Timer queries do not nest:
  // the first Invoke that finds a query of the app's running drops what was
  // counted before, and from then on commands are timed by waiting.
  absl::Status EnableProfiling(bool gpu_timers);
  struct ProfileEntry {
    std::string label;   // "CONV_2D 12"
    std::string shader;  // "conv_1x1"
    int node = -1;       // TFLite's index; -1: an upload or readback, of the
                         // GPU or by the host alone
    std::array<GLuint, 3> groups = {};
    double total_us = 0;  // of `count` runs
    int count = 0;
  };
  const std::vector<ProfileEntry>& profile() const { return profile_; }
  bool profiled_by_gpu() const { return !queries_.empty(); }

 private:
  Validator* validator() const { return parts_.validator.get(); }
  // Commands [0, uploads_end) upload, and [readbacks_begin, end) read back. Of
  // those between, the ones that are pieces upload, too.
  size_t uploads_end() const { return parts_.uploads; }
  size_t readbacks_begin() const {
    return parts_.commands.size() - parts_.readbacks;
  }
  // Whether a command uploads a tensor that keeps what it holds.
  bool IsSkipped(size_t command) const {
    return command < uploads_end() &&
           skip_[parts_.commands[command].piece.index];
  }
  void Record(const Command& command, GLuint* program);
  void Barrier(GLbitfield bits);
  void Begin(Inputs inputs);
  // What GL says of the Invoke, and what the validator does.
  absl::Status Outcome() const;
  // Outcome(), and whether what the GPU wrote is an answer at all.
  absl::Status CheckResults() const;
  // Waits for whatever a failed Invoke has submitted: buffers that it reads or
  // writes are the next one's, too.
  void Abandon();
  absl::Status RecordTimed();
  // Adds the time since `start` to an entry of the profile.
  void CountTime(size_t entry, Clock::time_point start);
  absl::Status InvokeTimed(Inputs inputs, Outputs outputs);

  // Packs the inputs that the host packs, and unpacks the outputs that the host
  // unpacks, after FinishReadbacks().
  void PackInputs(Inputs inputs);
  void UnpackOutputs(Outputs outputs);
  absl::Status CopyIn(const Piece& piece, Inputs inputs);
  absl::Status CopyOut(const Piece& piece, Outputs outputs);
  // Copies what several uploads, commands [first, end), bring of one input, and
  // records each of them.
  void RecordInPieces(size_t first, size_t end, absl::Span<const uint8_t> from,
                      GLuint* program);
  // Copies each piece and records its upload.
  absl::Status RecordUploads(Inputs inputs, GLuint* program);
  // Ends with a fence, where anything runs.
  absl::Status RecordReadbacks(GLuint* program);
  absl::Status InsertFence();
  // Waits for the fence, then checks the results.
  absl::Status Await(const egl::Fence& fence);
  // Waits for all pieces, then copies them: where a context is lost while the
  // last one travels, no output has been written.
  absl::Status FinishReadbacks(Outputs outputs);
  // Waits for what the last Invoke left running.
  absl::Status AwaitLast();

  ExecutorParts parts_;
  egl::HostCopier copier_;
  std::vector<bool> skip_;            // by input: not uploaded in this Invoke
  absl::flat_hash_set<GLuint> warm_;  // programs that WarmUp() has dispatched
  std::vector<egl::Fence> fences_;    // of the readbacks under way
  egl::Waiting waiting_ = egl::Waiting::kPassive;
  bool returns_at_once_ = false;
  // By command, and what the host does before and after; empty: not profiling.
  std::vector<ProfileEntry> profile_;
  size_t first_command_entry_ = 0;
  std::vector<egl::TimerQuery> queries_;  // by command
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_EXECUTOR_H_
