#include "delegate/device_profile.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "delegate/tuning.h"

namespace gles_delegate {

using egl::DeviceKind;
using gl_shaders::ReadBy;
using gl_shaders::Storage;

namespace {

// Ways of convolutions and transfers that most devices do without.
struct Ways {
  int fused_gate_slices = 0;
  int winograd_min_channels = 0;
  int winograd_band_bytes = 0;
  int unrolled_terms = 0;
  int host_transfers = 0;
};
constexpr Ways kNoWays;
// llvmpipe took 20 ns to store a texel into an image: what is computed anew
// costs less. Weights cost nothing as literals, and its memory is the host's.
constexpr Ways kLlvmpipeWays = {1024, 64, 1 << 20, 160, 1};

// A row of the tuning table. The measurements behind it: docs/performance.md.
struct Row {
  DeviceKind kind;
  Storage storage;
  ReadBy read_by;
  Storage constants;
  int work_group_size;
  int conv_tile_pixels;
  int conv_tile_slices;
  int depthwise_tile_pixels;
  int depthwise_tile_rows;
  int reduction_lanes;
  int simd_lanes;
  int split_target;
  int split_tile_pixels;
  int split_tile_slices;
  int fused_depthwise_work;
  int upload_piece_bytes;
  int readback_piece_bytes;
  int staged_upload_bytes;
  int half_transfers;
  Ways ways;
};

constexpr Row kRows[] = {
    // llvmpipe: imageLoad from 2-D images is five times as fast as texelFetch
    // from arrays; an invocation must do much, as each costs. It runs 8 abreast
    // (256 bits), and a work group costs about 1 us by itself.
    // A store into a buffer costs a tenth of one into an image, a load from its
    // texels as much.
    {DeviceKind::kLlvmpipe, Storage::kTexelBuffer, ReadBy::kImage,
     Storage::kTexture2d, 32, 4, 4, 4, 2, 8, 8, 0, 1, 1, 0, 0, 0, 0, 0,
     kLlvmpipeWays},
    {DeviceKind::kSoftpipe, Storage::kTexture2d, ReadBy::kFetch,
     Storage::kBuffer, 16, 4, 2, 4, 2, 8, 1, 0, 1, 1, 0, 0, 0, 0, 0, kNoWays},
    // H200: sums are split until 49152 invocations share them (conv_shared.cc);
    // texelFetch of 128-bit texels runs at an eighth of what buffers do.
    {DeviceKind::kNvidia, Storage::kBuffer, ReadBy::kFetch, Storage::kBuffer,
     64, 4, 2, 2, 1, 32, 1, 48 << 10, 2, 2, 1200, 256 << 10, 3 << 19, 1 << 20,
     1, kNoWays},
    {DeviceKind::kUnknown, Storage::kTextureArray, ReadBy::kFetch,
     Storage::kBuffer, 64, 4, 1, 4, 1, 32, 1, 0, 1, 1, 0, 0, 0, 0, 0, kNoWays},
};

const Row& RowFor(DeviceKind kind) {
  for (const Row& row : kRows) {
    if (row.kind == kind) return row;
  }
  return kRows[std::size(kRows) - 1];
}

Storage StorageOption(int option, Storage fallback) {
  switch (option) {
    case 1:
      return Storage::kTextureArray;
    case 2:
      return Storage::kTexture2d;
    case 3:
      return Storage::kBuffer;
    default:
      return fallback;
  }
}

}  // namespace

DeviceProfile ProfileFor(const egl::DeviceInfo& device,
                         const ProfileOptions& options) {
  const Row& row = RowFor(device.kind);
  DeviceProfile p;
  p.storage = StorageOption(options.storage, row.storage);
  p.read_by = row.read_by;
  p.constants = row.constants;
  p.half = options.half;
  p.work_group_size = row.work_group_size;
  p.conv_tile_pixels = row.conv_tile_pixels;
  p.conv_tile_slices = row.conv_tile_slices;
  p.depthwise_tile_pixels = row.depthwise_tile_pixels;
  p.depthwise_tile_rows = row.depthwise_tile_rows;
  p.reduction_lanes = row.reduction_lanes;
  p.simd_lanes = row.simd_lanes;
  p.split_target = row.split_target;
  p.split_tile_pixels = row.split_tile_pixels;
  p.split_tile_slices = row.split_tile_slices;
  p.fused_depthwise_work = row.fused_depthwise_work;
  p.upload_piece_bytes = row.upload_piece_bytes;
  p.readback_piece_bytes = row.readback_piece_bytes;
  p.staged_upload_bytes = row.staged_upload_bytes;
  p.half_transfers = row.half_transfers;
  p.unrolled_terms = row.ways.unrolled_terms;
  p.host_transfers = row.ways.host_transfers;
  p.fused_gate_slices = row.ways.fused_gate_slices;
  p.winograd_min_channels = row.ways.winograd_min_channels;
  p.winograd_band_bytes = row.ways.winograd_band_bytes;
  p.max_texture_size = device.max_texture_size;
  p.max_texture_layers = device.max_array_texture_layers;
  p.max_texel_buffer_texels = device.max_texel_buffer_texels;
  // Indices in shaders are 32-bit ints.
  p.max_buffer_bytes = std::min<int64_t>(device.max_ssbo_bytes,
                                         std::numeric_limits<int32_t>::max());
  p.max_images = std::min(device.max_compute_images, device.max_image_units);
  p.max_buffers = device.max_compute_ssbos;
  p.max_textures = device.max_compute_textures;
  p.max_outputs = device.max_combined_shader_outputs;
  p.max_work_group_invocations = device.max_work_group_invocations;
  p.max_work_group_size = device.max_work_group_size;
  p.max_work_group_count = device.max_work_group_count;
  p.max_uniform_block_bytes = device.max_uniform_block_bytes;
  p.max_shared_memory_bytes = device.max_shared_memory_bytes;
  // For finding a new device's row.
  const char* tuning = std::getenv("GLES_DELEGATE_TUNING");
  if (tuning != nullptr) ApplyTuning(tuning, &p);
  return p;
}

}  // namespace gles_delegate
