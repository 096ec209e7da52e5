// A plan made real: programs, textures, weights on the GPU, and one pass over
// the commands per Invoke.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_EXECUTOR_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_EXECUTOR_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/cache/cache_store.h"
#include "delegate/plan/memory_plan.h"
#include "delegate/plan/planner.h"
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
  int64_t tensor_bytes = 0;  // textures and buffers, shared by lifetime
  int64_t tensor_bytes_unshared = 0;  // what they would take, one each
  int64_t constant_bytes = 0;
  double compile_ms = 0;
  double upload_ms = 0;
  StageTimes stages;  // where all of the building's time went
};

// Threads: Create, Invoke and destruction run inside context->Run() on one
// thread at a time. Invoke makes no GL object but fences, and after the first
// one takes nothing from the heap (profiling and validation aside). With
// GLES_DELEGATE_VALIDATE=1 in the environment when it is made, an executor
// checks each command as delegate/runtime/validator.h says: Create and Invoke
// then fail with kInternal on a violation.
class Executor {
 public:
  // `graph` is planned already (`dispatches`); its constants are uploaded here.
  // `cache` (may be null) gives what an earlier start saved, and saves what it
  // did not have. Errors carry the op's label and the driver's log; kDataLoss
  // is the cache's: Reject() it and create anew.
  static absl::StatusOr<std::unique_ptr<Executor>> Create(
      const egl::Context& context, ProgramCache* programs, const Graph& graph,
      std::vector<Dispatch> dispatches, const DeviceProfile& profile,
      PartitionCache* cache = nullptr);

  // One inference: inputs[i] holds graph.inputs[i], tightly packed BHWC, as
  // floats, or as int32 where the tensor is of integers (bool: 0 or 1), or as
  // bytes where it holds codes;
  // outputs[i] receives graph.outputs[i] likewise. One upload per input, one
  // readback per output. An empty inputs[i] is not uploaded: a variable tensor
  // keeps what the last Invoke left in it.
  absl::Status Invoke(absl::Span<const absl::Span<const uint8_t>> inputs,
                      absl::Span<const absl::Span<uint8_t>> outputs);

  // The halves of an Invoke that is not profiled, for benches: everything is
  // handed to the driver; the results are waited for and copied.
  absl::Status Submit(absl::Span<const absl::Span<const uint8_t>> inputs);
  absl::Status Collect(absl::Span<const absl::Span<uint8_t>> outputs);

  // How Collect and Invoke wait for the GPU: asleep in the driver (as made), or
  // asking it again and again for up to 2 ms first.
  void WaitActively(bool active) { waits_actively_ = active; }

  const ExecutorStats& stats() const { return stats_; }

  // From here on each Invoke times every command: by timer queries where the
  // driver has them and `gpu_timers` trusts them (llvmpipe's read as zero),
  // else by waiting for the GPU after each. Timer queries do not nest: from the
  // first Invoke that finds one of the app's running, it is by waiting, too,
  // and what was counted before is dropped.
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
  Executor() = default;
  friend class ExecutorBuilder;

  struct Binding {
    gl_shaders::Bindings::Kind kind;
    int unit = 0;
    GLuint object = 0;
    GLenum target = 0;  // of a texture
    GLenum format = 0;  // of an image
    GLenum access = 0;  // of an image
    GLboolean layered = GL_FALSE;
  };

  // What an upload or readback moves: bytes of the buffer of inputs_[tensor] or
  // outputs_[tensor].
  struct Piece {
    int tensor = -1;  // -1: neither an upload nor a readback
    size_t begin = 0;
    size_t end = 0;
    // A readback after which the host is told: it copies the pieces since the
    // last such one while the GPU goes on.
    bool fenced = false;
  };

  struct Command {
    GLuint program = 0;
    GLintptr params_offset = 0;
    GLsizeiptr params_bytes = 0;
    std::vector<Binding> bindings;
    std::array<GLuint, 3> groups = {1, 1, 1};
    GLbitfield barrier = 0;  // before it
    int node = -1;
    std::string label;
    std::string shader;
    Piece piece;  // of an upload or readback
  };

  // Host-visible memory of one graph input or output.
  struct HostBuffer {
    egl::Buffer buffer;  // none where `texels`
    size_t bytes = 0;
    // For the validator: `buffer` (of `texels`, the tensor's slot), `staging`.
    int resource = -1;
    int staging_resource = -1;
    TensorId tensor = kNoTensor;
    // Holds float16 of the tensor's floats (DeviceChoices::half_transfers).
    bool halves = false;
    // Of the GPU: what the upload reads, where it does not read `buffer` itself
    // (DeviceChoices::staged_upload_bytes).
    egl::Buffer staging;
    bool is_staged() const { return staging.id() != 0; }
    GLuint shader_side() const {
      return is_staged() ? staging.id() : buffer.id();
    }
    // The tensor itself, mapped: the host packs and unpacks it
    // (DeviceChoices::host_transfers).
    uint8_t* texels = nullptr;
    Shape shape;
  };

  using Inputs = absl::Span<const absl::Span<const uint8_t>>;
  using Outputs = absl::Span<const absl::Span<uint8_t>>;

  // The upload of a tensor that keeps what it holds.
  bool IsSkipped(size_t command) const {
    return command < uploads_ && skip_[commands_[command].piece.tensor];
  }
  void Record(const Command& command, GLuint* program);
  void Barrier(GLbitfield bits);
  void Begin(Inputs inputs);
  // What GL says, and what the validator does.
  absl::Status Outcome() const;
  absl::Status RecordTimed();
  // Packs the inputs whose `texels` the host reaches; waits, and unpacks such
  // outputs.
  void PackInputs(Inputs inputs);
  absl::Status UnpackOutputs(Outputs outputs);
  static bool AnyPacked(const std::vector<HostBuffer>& buffers);
  using Clock = std::chrono::steady_clock;
  // Adds the time since `start` to an entry of the profile.
  void CountTime(size_t entry, Clock::time_point start);
  absl::Status InvokeTimed(Inputs inputs, Outputs outputs);
  // Commands [begin, end) are the uploads, what runs between, or the readbacks.
  size_t uploads_end() const { return uploads_; }
  size_t readbacks_begin() const { return commands_.size() - readbacks_; }
  // Bytes [begin, end) of the buffer, from or to the whole tensor.
  static void FillHost(const HostBuffer& input, absl::Span<const uint8_t> from,
                       size_t begin, size_t end);
  static void TakeFromHost(const HostBuffer& output, absl::Span<uint8_t> to,
                           size_t begin, size_t end);
  // From `buffer`, where there is a `staging`.
  void MoveToStaging(const Piece& piece);
  absl::Status CopyIn(const Piece& piece, Inputs inputs);
  absl::Status CopyOut(const Piece& piece, Outputs outputs);
  // Copies what several uploads, commands [first, end), bring of one input, and
  // records each.
  void RecordInPieces(size_t first, size_t end, absl::Span<const uint8_t> from,
                      GLuint* program);
  // Copies each piece and records its upload.
  absl::Status RecordUploads(Inputs inputs, GLuint* program);
  absl::Status RecordReadbacks(GLuint* program);
  absl::Status Await(const egl::Fence& fence);
  // Waits for each piece and copies it.
  absl::Status FinishReadbacks(Outputs outputs);

  egl::Buffer params_;
  std::vector<egl::Texture> textures_;
  std::vector<egl::Buffer> buffers_;
  std::vector<HostBuffer> inputs_;
  std::vector<bool> skip_;  // by input: not uploaded in this Invoke
  std::vector<HostBuffer> outputs_;
  egl::HostCopier copier_;
  std::vector<Command> commands_;
  size_t uploads_ = 0;              // commands, at the beginning
  size_t readbacks_ = 0;            // commands, at the end
  std::vector<egl::Fence> fences_;  // of the readbacks under way
  // For what the last Invoke left in variables, and, where it was not waited
  // for, may still be doing.
  GLbitfield first_barrier_ = 0;
  GLbitfield final_barrier_ = 0;
  bool mapped_ = false;  // inputs_ and outputs_ stay mapped
  bool waits_actively_ = false;
  ExecutorStats stats_;
  // By command, and what the host does before and after; empty: not profiling.
  std::vector<ProfileEntry> profile_;
  size_t first_command_entry_ = 0;
  std::vector<egl::TimerQuery> queries_;  // by command
  std::unique_ptr<Validator> validator_;  // null: validation is off
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_EXECUTOR_H_
