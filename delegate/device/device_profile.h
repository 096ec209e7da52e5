// The device's description for planning, in four parts: the driver's limits
// (DeviceLimits), how the delegate uses the device (DeviceChoices), the user's
// options (PlanningOptions), and the driver's defects (DeviceFaults).
#ifndef GLES_DELEGATE_DELEGATE_DEVICE_DEVICE_PROFILE_H_
#define GLES_DELEGATE_DELEGATE_DEVICE_DEVICE_PROFILE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "egl/device_info.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// The driver's limits, which no plan may exceed. The defaults are the minima of
// OpenGL ES 3.1.
struct DeviceLimits {
  int max_texture_size = 2048;  // texels of a texture's width or height
  int max_texture_layers = 256;
  int64_t max_buffer_bytes = int64_t{1} << 27;  // of a shader storage block
  int max_texel_buffer_texels = 0;  // 0: the device has no texel buffers.
  int max_images = 4;               // image uniforms of a compute shader
  int max_buffers = 4;              // shader storage blocks of a compute shader
  int max_textures = 16;            // samplers of a compute shader
  // Images and shader storage blocks of a compute shader together (OpenGL ES
  // 3.1, section 7.6).
  int max_outputs = 4;
  int max_work_group_invocations = 128;
  std::array<int, 3> max_work_group_size = {128, 128, 64};
  std::array<int, 3> max_work_group_count = {65535, 65535, 65535};
  int max_uniform_block_bytes = 16384;
  int max_shared_memory_bytes = 16384;
};

// How the delegate uses the device: affects speed and, within rounding, nothing
// else. The defaults are for unknown devices; device_profile.cc has a preset
// for each measured driver family, and tuning parameters.h names the tuning
// parameters.
struct DeviceChoices {
  // Storage of tensors if the user chose none.
  gl_shaders::Storage storage = gl_shaders::Storage::kTextureArray;
  // How shaders read tensors in textures.
  gl_shaders::ReadBy read_by = gl_shaders::ReadBy::kFetch;
  // Storage of weights: kBuffer or kTexture2d.
  gl_shaders::Storage constants = gl_shaders::Storage::kBuffer;

  // The register tile of a convolution: pixels of a row by slices.
  int conv_tile_pixels = 4;
  int conv_tile_slices = 1;
  // Maximum conv_tile_pixels of a 1x1 convolution in integers that also applies
  // a function of its result and another tensor, such as the addition of a
  // residual block: requantizing both takes many registers.
  int residual_tile_pixels = 16;
  // The tile of a depthwise convolution: pixels of a row by rows.
  int depthwise_tile_pixels = 4;
  int depthwise_tile_rows = 1;
  // Maximum number of unrolled taps of a depthwise convolution. Larger windows
  // loop over rows, or over the taps of long rows, for one row of outputs at a
  // time. 25: all taps are unrolled.
  int depthwise_unrolled_taps = 25;
  // 1: a depthwise convolution of one row of outputs adds each texel to all of
  // its outputs before reading the next one. 0: it reads the texels of a row
  // first. Compilers differ in which takes fewer registers.
  int depthwise_by_columns = 0;
  // Invocations per work group, within the device's limits.
  int work_group_size = 64;

  // SIMD width in invocations. Convolutions choose tiles that leave fewer lanes
  // idle, and LSTM sums use at most one vector. 1: unknown; no effect.
  int simd_lanes = 1;
  // Maximum number of invocations that compute a sum together, through shared
  // memory; more compute one of few sums if split_k_target is set. 1: each
  // computes its own.
  int reduction_lanes = 32;
  // Maximum number of boxes, or of pairs of a softmax's texels, that an
  // invocation keeps in registers; with more it reads them each time.
  int held_boxes = 8;

  // Number of invocations that keep the device busy. Convolutions and products
  // with fewer output texels split their sums (split-K) up to this number. 0:
  // never split.
  int split_k_target = 0;

  // Fuse a depthwise convolution into the next 1x1 convolution if taps x slices
  // x recomputations <= this; it is recomputed for every 16 output slices. The
  // bound is higher for little work in all and lower for large outputs
  // (passes/convolution_pairs.cc). 0: never.
  int fused_depthwise_work = 0;
  // Fuse a 1x1 convolution with the next depthwise convolution, over whole
  // planes in shared memory, if pixels x input slices <= this and the planes
  // fit. 0: never.
  int fused_plane_work = 0;
  // Fuse a convolution with the 1x1 convolution of its result if the texels of
  // the latter's weights <= this. 0: never.
  int fused_next_texels = 0;
  // 1: convolutions, and readbacks of graph outputs, compute a preceding
  // DEPTH_TO_SPACE, RESIZE_BILINEAR, small MAX_POOL_2D or sums, products and
  // clamps while reading, and convolutions write the rows of a following
  // RESHAPE, without dispatches for these (passes/read_through.cc,
  // convolution_pairs.cc, write_through.cc).
  int read_through = 0;
  // Fuse the mean and matrix products of a squeeze-excite block into one
  // dispatch of one work group if the texels of weights <= this; if the plane's
  // texels exceed it, another dispatch first sums bands of the plane. 0: never.
  int fused_squeeze_texels = 0;

  // 1: invocations have few registers. An LSTM computes its gates one after the
  // other, which reads the data once per gate. A matrix product has at most 2
  // rows. 2: also at most 64 invocations reduce a plane or row, since larger
  // work groups have fewer registers. 0: all gates together, and up to 4 rows.
  int few_registers = 0;

  // Use Winograd's F(4x4, 3x3) (delegate/ops/conv/conv_winograd.h) for 3x3
  // convolutions with at least this many input and output channels. 0: never.
  int winograd_min_channels = 0;
  // Maximum bytes of Winograd's intermediate tensors, to fit a CPU's cache:
  // computes bands of rows. 0: all rows at once.
  int winograd_band_bytes = 0;

  // How far dispatches of a partition share programs, for drivers that compile
  // slowly (plan/share_programs.h). 0: not at all. 1: if it costs inferences
  // little; shaders then contain the code for an output only once. 2:
  // regardless of inference time, as in baseline plans (device/baseline.h).
  // Transfers then suit any channels, work groups any grids, reductions any
  // sizes, and depthwise convolutions, with one output per invocation, any
  // windows.
  int share_programs = 0;

  // Use literal weights in a fully unrolled shader if taps x input slices x
  // output slices <= this. 0: never.
  int unrolled_terms = 0;

  // 1: the host packs inputs and unpacks outputs in mapped tensor buffers. For
  // devices that share the host's memory and pack no faster. 0: shaders do it.
  int host_transfers = 0;
  // 1: 1x1 convolutions of 16-bit tensors, others with split-K, and
  // products of two computed matrices multiply in 16 bits and sum 16 products
  // in 16 bits; these sums are added in 32 bits. 0: all in 32 bits.
  int half_arithmetic = 0;
  // 1: the device's memory is across a bus from the host's, so BusTransfers
  // apply. 0: transfers have one piece, in host memory that shaders access.
  int across_bus = 0;

  // The defaults of options, which say the same: no tuning parameters.

  // 1: the model's inputs and outputs are in memory that the device accesses,
  // without copies on the host (session/lent_memory.h). 0: in the
  // runtime's memory.
  int zero_copy = 0;
};

// The maximum of share_programs.
inline constexpr int kMaxSharing = 2;

// Whether programs are shared regardless of inference time: their text should
// not depend on the sizes of tensors.
inline bool SharesAll(const DeviceChoices& choices) {
  return choices.share_programs == kMaxSharing;
}

// Maximum work group size for reducing a plane or row and for selecting boxes.
// Compilers may allocate fewer registers per invocation for larger groups.
int ReductionThreads(const DeviceChoices& choices);

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

// Those of these choices.
BusTransfers BusTransfersOf(const DeviceChoices& choices);

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
  // Partitions run a baseline plan (device/baseline.h) until a background
  // thread has built the optimized plan.
  bool tiered_start = false;
  // Prefer the first answer: if the device preset shares programs, ProfileFor()
  // selects the baseline plan's choices permanently (device/baseline.h).
  bool fast_start = false;
  // Tuning parameters in place of the preset's, "name=value,..."
  // (tuning_parameters.h), already checked; GLES_DELEGATE_TUNING overrides
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
  DeviceLimits limits;
  DeviceChoices choices;
  PlanningOptions options;
  DeviceFaults faults = {};
  BusTransfers bus = {};  // BusTransfersOf(choices)
};

// The storage for a TfLiteGlesStorage; nullopt for kTfLiteGlesStorageAuto.
std::optional<gl_shaders::Storage> StorageOption(int option);

// Limits do not exceed what the delegate saves of an app's context
// (egl/gl_state.h).
DeviceLimits LimitsOf(const egl::DeviceInfo& device);

// docs/drivers.md lists the shader defects, each with a shader that shows it;
// docs/cold_start.md describes compiler threads.
DeviceFaults FaultsOf(const egl::DeviceInfo& device);

// kInvalidArgument, with the variable's name: GLES_DELEGATE_TUNING is wrong.
absl::Status CheckTuningVariable();

// The device's limits, its preset with GLES_DELEGATE_TUNING applied unless it
// is wrong, the options, and the driver's defects.
DeviceProfile ProfileFor(const egl::DeviceInfo& device,
                         const PlanningOptions& options);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_DEVICE_DEVICE_PROFILE_H_
