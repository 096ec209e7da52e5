// The device's description for planning, in four parts: the driver's limits
// (DeviceLimits), how the delegate uses the device (DeviceChoices), the user's
// options (PlanningOptions), and the driver's defects (DeviceFaults).
#ifndef GLES_DELEGATE_DELEGATE_DEVICE_DEVICE_PROFILE_H_
#define GLES_DELEGATE_DELEGATE_DEVICE_DEVICE_PROFILE_H_

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "egl/device_info.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

using egl::DeviceLimits;

// The maximum of share_programs.
inline constexpr int kMaxSharing = 2;

// How the delegate uses the device, by default as an unknown device;
// device_profile.cc has a preset for each measured driver family.
struct DeviceChoices {
  using Storage = gl_shaders::Storage;
  using ReadBy = gl_shaders::ReadBy;
#define TUNING(type, name, value, ...) type name = value;
#include "delegate/device/tuning.inc"
  // The default of the option zero_copy, which is no tuning parameter. 1: the
  // model's inputs and outputs are in memory that the device accesses, without
  // copies on the host (session/host_memory.h). 0: in the runtime's memory.
  int zero_copy = 0;
};

// --- Tuning parameters: members of DeviceChoices by name (tuning.inc) --------

// One member of DeviceChoices: an integer, or an enum by its number.
struct TuningParameter {
  using Member =
      std::variant<int DeviceChoices::*, gl_shaders::Storage DeviceChoices::*,
                   gl_shaders::ReadBy DeviceChoices::*>;
  absl::string_view name;
  Member member;
  int min;
  int max;
  std::vector<int> candidates;  // Tried by the search; may be empty.

  int Get(const DeviceChoices& choices) const;
  // Requires `value` to be in range.
  void Set(int value, DeviceChoices* choices) const;
};

// All members of DeviceChoices, each once, except the defaults of options.
const std::vector<TuningParameter>& TuningParameters();

// The choices of a baseline plan, which a partition runs until the programs of
// its optimized plan are compiled, for drivers that compile slowly: the fewest
// and simplest programs, one output per invocation, nothing fused, split or
// unrolled, programs shared as much as possible. Storage and transfers stay as
// they are, so that a partition can switch plans and keep the memory of its
// inputs and outputs.
DeviceChoices BaselineChoices(DeviceChoices choices);

// "storage=2,conv_tile_pixels=4,...", with all values. Choices with
// equal texts differ at most in the defaults of options.
std::string TuningText(const DeviceChoices& choices);
// Sets the parameters in `text`, "name=value,..."; the last of repeated names
// counts. kInvalidArgument, with `*choices` unchanged: a name is unknown, a
// value is out of range or no integer, or an item has no value.
absl::Status ApplyTuning(absl::string_view text, DeviceChoices* choices);

// --- What follows from the choices -------------------------------------------

// Whether programs are shared regardless of inference time: their text should
// not depend on the sizes of tensors.
inline bool SharesAll(const DeviceChoices& choices) {
  return choices.share_programs == kMaxSharing;
}

// Maximum work group size for reducing a plane or row and for selecting boxes.
// Compilers may allocate fewer registers per invocation for larger groups.
int ReductionThreads(const DeviceChoices& choices);

// How many invocations' sums one of them adds between two barriers. Many on a
// GPU that a dispatch of few rows leaves idle: loads that do not wait for one
// another instead of barriers. They take registers, which other compilers spill
// (Mesa's for Adreno and Apple).
inline int SumsAtOnce(const DeviceChoices& choices) {
  return choices.split_k_target > 0 ? 8 : 2;
}

// How inputs and outputs cross a bus (DeviceChoices::across_bus). By default
// none of it is done.
struct BusTransfers {
  // Maximum bytes of an output that the last dispatch writes directly to host
  // memory, to be unpacked by the host. 0: none.
  int host_output_bytes = 0;
  // Approximate bytes of the pieces in which inputs and outputs are
  // transferred, so that host and GPU copies overlap. 0: one piece.
  int upload_piece_bytes = 0;
  int readback_piece_bytes = 0;
  // Minimum bytes of an input that is copied to GPU memory before a shader
  // packs it, and of a new buffer that is filled through mapped memory. 0:
  // shaders read host memory, and the driver fills buffers.
  int staged_upload_bytes = 0;
  // Number of dispatches after the uploads that are flushed early, so that the
  // GPU starts while the rest is recorded. 0: the driver decides.
  int early_dispatches = 0;
  // With 16-bit storage, inputs and outputs copied by the host cross as 16-bit
  // floats.
  bool half_transfers = false;
};

// The part of a plan that a run of the self-check tests. Each tensor then has
// its own memory, filled with poison, and the host packs and unpacks tensors
// wherever it reaches them, so that no other program takes part.
enum class SelfCheckRun {
  kNone,       // a partition's own run
  kNodes,      // inputs and outputs are the host's
  kUploads,    // only outputs are the host's
  kReadbacks,  // only inputs are the host's
};
// Whether inputs (uploads) or outputs are the host's.
inline bool IsHosts(SelfCheckRun run, bool is_upload) {
  return run == SelfCheckRun::kNodes ||
         run == (is_upload ? SelfCheckRun::kReadbacks : SelfCheckRun::kUploads);
}

// Which plan partitions run first, as the option `startup`. If the device
// preset shares no programs, so that its driver compiles fast, ProfileFor()
// replaces all but kTiered by kDirect.
enum class Startup {
  kDirect,
  // A baseline plan (BaselineChoices()), until a background thread has
  // built the optimized plan.
  kTiered,
  kBaseline,  // the baseline plan's choices for good
  kAuto,      // kTiered
};

// The user's options that affect planning.
struct PlanningOptions {
  bool half = false;  // Floats are stored in 16 bits.
  // Storage for all tensors that it fits; nullopt: as in DeviceChoices, which
  // ProfileFor() updates.
  std::optional<gl_shaders::Storage> storage;
  // With 16-bit storage: store finite values above 65504 as 65504, not as
  // infinity.
  bool saturate_halves = true;
  // DeviceChoices::zero_copy; nullopt: the device preset's.
  std::optional<bool> zero_copy;
  Startup startup = Startup::kDirect;
  // Tuning parameters in place of the preset's, "name=value,..."
  // (ApplyTuning()), already checked; GLES_DELEGATE_TUNING overrides
  // them.
  std::string tuning;
  SelfCheckRun self_check = SelfCheckRun::kNone;
};

// The driver's defects that the delegate works around. No dispatch of a plan
// depends on them.
struct DeviceFaults {
  // Stores a 16-bit infinity as NaN.
  bool infinite_halves_are_nan = false;
  // Links programs with unpackHalf2x16, but cannot compile them.
  bool unpack_half_fails = false;
  // Compiles a program again for each combination of texture sizes and texel
  // buffer bytes that are powers of two and that are not: it gets only the
  // latter.
  bool compiles_by_sizes = false;
  // Compiles programs one after the other although it reports using all
  // compiler threads (KHR_parallel_shader_compile), until their number is set.
  bool compiles_in_turn = false;
};

struct DeviceProfile {
  DeviceLimits limits;  // which no plan may exceed
  DeviceChoices choices;
  PlanningOptions options;
  DeviceFaults faults = {};
  BusTransfers bus = {};  // of these choices
};

// The storage for a TfLiteGlesStorage; nullopt for kTfLiteGlesStorageAuto.
std::optional<gl_shaders::Storage> StorageOption(int option);

// kInvalidArgument, with the variable's name: GLES_DELEGATE_TUNING is wrong.
absl::Status CheckTuningVariable();

// The device's limits, its preset with GLES_DELEGATE_TUNING applied unless it
// is wrong, the options, and the driver's defects.
DeviceProfile ProfileFor(const egl::DeviceInfo& device,
                         const PlanningOptions& options);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_DEVICE_DEVICE_PROFILE_H_
