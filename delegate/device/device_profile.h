// What planning knows of the device, in four parts: what the driver has
// (DeviceLimits), how this delegate uses it (DeviceChoices), what the user
// asked for (PlanningOptions), and what the driver does wrongly (DeviceFaults).
#ifndef GLES_DELEGATE_DELEGATE_DEVICE_DEVICE_PROFILE_H_
#define GLES_DELEGATE_DELEGATE_DEVICE_DEVICE_PROFILE_H_

#include <array>
#include <cstdint>
#include <optional>

#include "egl/device_info.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// What the driver has: no plan may ask for more. The values here are the
// smallest that OpenGL ES 3.1 allows.
struct DeviceLimits {
  int max_texture_size = 2048;  // texels of a texture's width or height
  int max_texture_layers = 256;
  int64_t max_buffer_bytes = int64_t{1} << 27;  // of a shader storage block
  int max_texel_buffer_texels = 0;  // 0: the device has no texel buffers.
  // Storage buffers are bound from multiples of so many bytes on. 256: no
  // device asks for more (OpenGL ES 3.1, table 20.46).
  int buffer_offset_alignment = 256;
  int max_images = 4;     // image uniforms of a compute shader
  int max_buffers = 4;    // shader storage blocks of a compute shader
  int max_textures = 16;  // samplers of a compute shader
  // Images and shader storage blocks of a compute shader together (OpenGL ES
  // 3.1, section 7.6).
  int max_outputs = 4;
  int max_work_group_invocations = 128;
  std::array<int, 3> max_work_group_size = {128, 128, 64};
  std::array<int, 3> max_work_group_count = {65535, 65535, 65535};
  int max_uniform_block_bytes = 16384;
  int max_shared_memory_bytes = 16384;
};

// How this delegate uses the device: decides how fast a model runs, never what
// it computes but for rounding. The values here are for a device that nobody
// has measured; device_profile.cc has one row for each driver family that was
// measured, and knobs.h names the numbers for tuning.
struct DeviceChoices {
  // How tensors are stored where the user did not ask for a storage.
  gl_shaders::Storage storage = gl_shaders::Storage::kTextureArray;
  // How shaders read a tensor that is stored in a texture.
  gl_shaders::ReadBy read_by = gl_shaders::ReadBy::kFetch;
  // How weights are stored: kBuffer or kTexture2d.
  gl_shaders::Storage constants = gl_shaders::Storage::kBuffer;

  // The outputs that one invocation of a convolution computes: so many pixels
  // of a row times so many slices.
  int conv_tile_pixels = 4;
  int conv_tile_slices = 1;
  // conv_tile_pixels, at most, of a 1x1 convolution on codes that computes a
  // function of its result and another tensor as well, as the addition of a
  // residual block: what rescales both takes many registers.
  int residual_tile_pixels = 16;
  // The outputs that one invocation of a depthwise convolution computes: so
  // many pixels of a row times so many rows.
  int depthwise_tile_pixels = 4;
  int depthwise_tile_rows = 1;
  // Taps that a depthwise convolution has written out at most. Of a window with
  // more, the rows, or the taps of rows with more, are read in a loop that no
  // compiler unrolls, for one row of outputs at a time. 25: every tap is.
  int depthwise_unrolled_taps = 25;
  // 1: where a depthwise convolution computes one row of outputs at a time,
  // each texel is added to all of its outputs before the next one is read. 0:
  // the texels of a row are read first. Compilers differ in how many registers
  // the one or the other takes.
  int depthwise_by_columns = 0;
  // The work groups are made of so many invocations where the device's limits
  // allow it.
  int work_group_size = 64;

  // A processor runs so many invocations in one vector. A convolution takes
  // smaller tiles where larger ones leave part of the vector idle, and an
  // LSTM's sums are shared by no more lanes than fill it. 1: not known; tiles
  // and lanes are as if there were no vectors.
  int simd_lanes = 1;
  // At most so many invocations of a work group compute one sum together,
  // through shared memory. 1: each invocation computes its own sums.
  int reduction_lanes = 32;
  // At most so many invocations are the work group that reduces a plane or a
  // row, or chooses among boxes. A compiler may leave fewer registers to each
  // invocation of a larger one.
  int reduction_threads = 256;
  // At most so many rows of a matrix product are computed by one invocation.
  int product_tile_rows = 4;
  // An invocation that chooses among boxes holds its boxes in registers, where
  // they are no more than this; else it reads them again for each choice.
  int held_boxes = 8;

  // The device is busy with so many invocations. A convolution with fewer
  // output texels splits its sums among more invocations, until there are so
  // many. 0: never split.
  int split_target = 0;
  // The tile of a convolution whose sums are split, as conv_tile_pixels and
  // conv_tile_slices.
  int split_tile_pixels = 1;
  int split_tile_slices = 1;

  // A 1x1 convolution computes the depthwise convolution before it by itself.
  // Fuse when taps x slices x recomputations <= this, where the depthwise
  // convolution is computed once for every 16 output slices of the 1x1
  // convolution; more where there is little of it in all, less where the
  // output is large (passes/fuse_depthwise.cc). 0: never fuse.
  int fused_depthwise_work = 0;
  // One work group computes whole planes of a 1x1 convolution and, from those,
  // of the depthwise convolution behind it. Fuse when pixels x input slices of
  // the 1x1 convolution <= this, and the planes fit shared memory. 0: never.
  int fused_plane_work = 0;
  // A convolution computes the 1x1 convolution of its result as well. Fuse when
  // texels of the 1x1 convolution's weights <= this. 0: never fuse.
  int fused_next_texels = 0;
  // 1: convolutions, and readbacks of the graph's outputs, read the source of a
  // DEPTH_TO_SPACE, a RESIZE_BILINEAR or a small MAX_POOL_2D in its place, and
  // convolutions write the rows that a RESHAPE behind them makes, so that none
  // of these is dispatched (passes/read_through.h, write_through.h).
  int read_through = 0;
  // A 1x1 convolution multiplies its input by a gate as it reads the input, so
  // that no MUL is dispatched. Fuse when output slices <= this. 0: never fuse.
  int fused_gate_slices = 0;
  // A mean over the plane and the products of matrices behind it (the gate of a
  // squeeze-excite block) are one dispatch of one work group. Fuse when texels
  // of the weights <= this; where the plane's texels bring it past this,
  // another dispatch adds up bands of the plane before. 0: never fuse.
  int fused_squeeze_texels = 0;

  // 1: an LSTM computes the sums of one gate after the other, so that one
  // gate's are in registers, and reads its data once for each gate. 0: all
  // gates' at once.
  int lstm_gates_in_turn = 0;

  // A 3x3 convolution goes by Winograd's F(4x4, 3x3)
  // (delegate/ops/conv/conv_winograd.h) when both its input channels and its
  // output channels >= this. 0: never.
  int winograd_min_channels = 0;
  // Winograd's intermediate tensors are computed in bands of rows, so that the
  // tensors of a band take no more bytes than this and stay in a processor's
  // cache. 0: all rows are one band.
  int winograd_band_bytes = 0;

  // Dispatches of a partition that differ by what Params can say have one
  // program, where a driver takes long to compile (plan/share_programs.h). 1:
  // by what is done outside of loops alone: post-ops, places of outputs. 2: by
  // loads with and without bounds as well, all of which then have bounds. 3: by
  // tilings, too, of which a layer takes one that costs it little more. 4: at
  // any price for an inference, as a stand-in has them (device/stand_in.h):
  // transfers whatever their channels, work groups whatever their grids,
  // reductions whatever their sizes, depthwise convolutions of one output an
  // invocation whatever their windows. 0: never. From 1 on shaders have what is
  // done with an output once.
  int share_programs = 0;

  // A convolution is written out term by term, its weights as literals of the
  // shader, when taps x input slices x output slices <= this. 0: never.
  int unrolled_terms = 0;

  // 1: no texture's width or height and no texel buffer's bytes are a power of
  // two, so that all of them are alike to a driver that makes a program's
  // machine code anew for each combination of such sizes. 0: sizes as planned.
  int uneven_sizes = 0;

  // 1: the host packs inputs into the tensors' layout and unpacks outputs,
  // where these tensors lie in buffers that the host can map. That is for a
  // device whose memory is the host's and whose processors pack no faster than
  // the host. 0: shaders pack and unpack.
  int host_transfers = 0;
  // Where the host's memory is across a bus: an output whose texels take at
  // most so many bytes lies in that memory all the same. The last dispatch
  // writes it there, no other follows, and the host unpacks it. 0: none does.
  int host_output_bytes = 0;
  // Inputs and outputs are moved in pieces of about so many bytes, so that the
  // host copies one piece while the GPU moves another. 0: in one piece.
  int upload_piece_bytes = 0;
  int readback_piece_bytes = 0;
  // The first dispatches of a batch run for one half of it while the other half
  // is uploaded, where a half of the input has at least so many bytes
  // (runtime/batch_parts.h). 0: never.
  int batch_part_bytes = 0;
  // An input of at least so many bytes is first copied to the GPU's own memory,
  // and the shader that packs the input reads it there. 0: inputs are read from
  // the host's memory.
  int staged_upload_bytes = 0;
  // 1: the model's inputs and outputs lie in memory that the device reads and
  // writes, so that nothing copies them on the host
  // (tflite/kernel_zero_copy.cc). 0: they lie in the runtime's own.
  int zero_copy = 0;
  // So many dispatches behind the uploads are sent to the GPU before the others
  // are recorded, so that it computes meanwhile. 0: the driver sends dispatches
  // when it likes to.
  int early_dispatches = 0;
  // 1: with 16-bit storage, inputs and outputs that the host copies cross the
  // bus as 16-bit floats. 0: as 32-bit floats.
  int half_transfers = 0;
  // 1: convolutions of tensors that are stored in 16 bits multiply in 16 bits,
  // and add 16 such products in 16 bits; these sums are added in 32 bits. 0:
  // all arithmetic is in 32 bits.
  int half_arithmetic = 0;
  // 1: a partition runs by a stand-in (device/stand_in.h) until a thread of the
  // delegate's has built it by its plan proper, where a driver takes long to
  // compile. 0: it is built by that plan before it runs.
  int background_compilation = 0;
};

// The most of share_programs.
inline constexpr int kMostSharing = 4;

// Whether programs are shared at any price for an inference: their text does
// not depend on the sizes of what a dispatch reads and writes where it need
// not.
inline bool SharesAll(const DeviceChoices& choices) {
  return choices.share_programs == kMostSharing;
}

// The user's options that planning sees.
struct PlanningOptions {
  bool half = false;  // Floats are stored in 16 bits.
  // Every tensor is stored this way where it fits; nullopt: as DeviceChoices
  // says. ProfileFor() writes it into the choices.
  std::optional<gl_shaders::Storage> storage;
  // With 16-bit storage: a finite value past 65504 is stored as 65504, and not
  // as an infinity.
  bool saturate_halves = false;
  // DeviceChoices::half_arithmetic; nullopt: as the device's row says.
  // ProfileFor() writes it into the choices.
  std::optional<bool> half_arithmetic;
  // DeviceChoices::zero_copy; nullopt: as the device's row says. ProfileFor()
  // writes it into the choices.
  std::optional<bool> zero_copy;
  // DeviceChoices::background_compilation; nullopt: as the device's row says.
  // ProfileFor() writes it into the choices.
  std::optional<bool> background_compilation;
  // The first answer matters more than the others: where the device's row
  // shares programs, the choices are those of the stand-in
  // (device/stand_in.h), for good. ProfileFor() writes them.
  bool fast_start = false;
  // What is planned runs once. Its transfers have one work group, whatever
  // their grids, and so fewer programs: each takes longer to compile than idle
  // invocations take to run.
  bool runs_once = false;
};

// What the driver does wrongly and shaders go around. No plan depends on it.
struct DeviceFaults {
  // An infinity that is stored in 16 bits becomes a NaN.
  bool infinite_halves_are_nan = false;
  // A program with unpackHalf2x16 links, but cannot be compiled.
  bool unpack_half_fails = false;
  // Programs are compiled one after the other, although the driver says that it
  // uses all compiler threads (KHR_parallel_shader_compile), until it is told.
  bool compiles_in_turn = false;
};

struct DeviceProfile {
  DeviceLimits limits;
  DeviceChoices choices;
  PlanningOptions options;
  DeviceFaults faults = {};
};

// The storage that a TfLiteGlesStorage names; nullopt for
// kTfLiteGlesStorageAuto.
std::optional<gl_shaders::Storage> StorageOption(int option);

// Limits are no larger than what the delegate saves of an app's context
// (egl/gl_state.h).
DeviceLimits LimitsOf(const egl::DeviceInfo& device);

// Those of shaders are in docs/drivers.md with the shader that shows each; the
// compiler's threads are in docs/cold_start.md.
DeviceFaults FaultsOf(const egl::DeviceInfo& device);

// The device's limits, the choices of its row with the environment's
// GLES_DELEGATE_TUNING applied, the options, and the faults of the driver.
DeviceProfile ProfileFor(const egl::DeviceInfo& device,
                         const PlanningOptions& options);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_DEVICE_DEVICE_PROFILE_H_
