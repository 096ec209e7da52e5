// How each driver family is used best, within the limits of the device.
#ifndef GLES_DELEGATE_DELEGATE_DEVICE_DEVICE_PROFILE_H_
#define GLES_DELEGATE_DELEGATE_DEVICE_DEVICE_PROFILE_H_

#include <array>
#include <cstdint>

#include "egl/device_info.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// How this device is used best: the one tuning table's row for it, with the
// user's options applied. See device_profile.cc.
struct DeviceProfile {
  gl_shaders::Storage storage = gl_shaders::Storage::kTextureArray;
  gl_shaders::ReadBy read_by = gl_shaders::ReadBy::kFetch;
  gl_shaders::Storage constants =
      gl_shaders::Storage::kBuffer;  // or kTexture2d
  bool half = false;                 // 16-bit storage
  // What is finite and past the largest 16-bit float is stored as that one, not
  // as an infinity.
  bool saturate_halves = false;
  // Register tile of convolutions: pixels by output slices an invocation.
  int conv_tile_pixels = 4;
  int conv_tile_slices = 1;
  // Likewise of depthwise convolutions: pixels of a row by rows.
  int depthwise_tile_pixels = 4;
  int depthwise_tile_rows = 1;
  // Invocations that the device runs abreast, where tiles should leave none of
  // them idle (a processor's vector units); 1: no matter.
  int simd_lanes = 1;
  // Invocations that may share one sum through shared memory; 1: none.
  int reduction_lanes = 32;
  // Invocations that keep the whole device busy: convolutions with fewer output
  // texels split their sums. 0: never split.
  int split_target = 0;
  int split_tile_pixels = 1;  // their tile, as above
  int split_tile_slices = 1;
  // A 1x1 convolution computes the depthwise convolution before it by itself
  // where that one's taps * slices * how often they are made (once for 16
  // output slices of the 1x1) are no more than this; 0: never.
  int fused_depthwise_work = 0;
  // A 1x1 convolution of at most so many output slices multiplies its input by
  // a gate as it reads it, so that no MUL has to; 0: never.
  int fused_gate_slices = 0;
  // Convolutions of 3x3 go by Winograd's F(4x4, 3x3) where input and output
  // have so many channels (delegate/ops/conv/conv_winograd.h); 0: never.
  int winograd_min_channels = 0;
  // Those are made in bands whose tensors between are no larger, so that they
  // stay in a processor's cache; 0: at once.
  int winograd_band_bytes = 0;
  // Convolutions of so many terms (taps * input slices * output slices) at most
  // are spelled out, the weights literals; 0: none.
  int unrolled_terms = 0;
  // 1: the host itself brings inputs into the device's layout and outputs out
  // of it, where they lie in buffers: the device's memory is the host's, and
  // its processors are no faster at it. 0: the device does.
  int host_transfers = 0;
  // Inputs and outputs travel in pieces of about so many bytes, so that the
  // host copies one while the GPU moves the next; 0: whole.
  int upload_piece_bytes = 0;
  int readback_piece_bytes = 0;
  // An input of so many bytes or more is copied to the GPU's own memory first,
  // and the upload reads it there; 0: none is.
  int staged_upload_bytes = 0;
  // With 16-bit storage floats cross the bus as 16 bits, too: 1; else 0.
  int half_transfers = 0;
  // Wanted invocations a work group, within the device's limit.
  int work_group_size = 64;
  // The device's limits that planning checks.
  int max_texture_size = 2048;
  int max_texture_layers = 256;
  int64_t max_buffer_bytes = int64_t{1} << 27;
  int max_texel_buffer_texels = 0;  // 0: the device has no texel buffers
  int max_images = 4;               // image uniforms of a compute shader
  int max_buffers = 4;              // shader storage blocks, two kept for I/O
  int max_textures = 16;            // samplers of a compute shader
  int max_outputs = 4;              // images + buffers together (GLES 3.1, 7.6)
  int max_work_group_invocations = 128;
  std::array<int, 3> max_work_group_size = {128, 128, 64};
  std::array<int, 3> max_work_group_count = {65535, 65535, 65535};
  int max_uniform_block_bytes = 16384;
  int max_shared_memory_bytes = 16384;
};

struct ProfileOptions {
  bool half = false;
  int storage = 0;  // TfLiteGlesStorage
  bool saturate_halves = false;
};

// The table's row for the device, its limits filled in, the options applied.
DeviceProfile ProfileFor(const egl::DeviceInfo& device,
                         const ProfileOptions& options);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_DEVICE_DEVICE_PROFILE_H_
