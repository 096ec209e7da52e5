// How conv_shared.comp shares out its sums: tiles in the shared memory of work
// groups, as many groups as fill the device.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SHARED_TILING_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SHARED_TILING_H_

#include <cstdint>
#include <optional>

#include "delegate/device/device_profile.h"
#include "delegate/ops/conv/conv_tile.h"

namespace gles_delegate {

// What a dispatch computes: so many products of one size.
struct SharedWork {
  int pixels = 1;
  int slices = 1;  // of the output
  int terms = 1;
  int products = 1;
  bool fused = false;    // with a depthwise convolution
  bool halves = false;   // multiplied in 16 bits
  int next_slices = 0;   // of the next convolution's output; 0: there is none
  int batch_pixels = 0;  // of one batch; 0: it cannot be computed by itself
};

// How a work group's part of the output is shared out.
struct SharedTiling {
  int cells_x = 8;  // invocations along pixels, slices, and of one sum
  int cells_y = 4;
  int lanes = 1;
  int pixels = 2;  // of an invocation
  int slices = 2;
  int chunk_terms = 1;  // that a lane takes from each chunk
  bool halves = false;  // shared memory holds pairs of texels in 16 bits
  int next_pixels = 0;  // of an invocation, of the next convolution

  int cells() const { return cells_x * cells_y; }
  int group_pixels() const { return cells_x * pixels; }
  int group_slices() const { return cells_y * slices; }
  int64_t groups(const SharedWork& work) const {
    return int64_t{DivideUp(work.pixels, group_pixels())} *
           DivideUp(work.slices, group_slices()) * work.products;
  }
};

// The output's part of each work group, and how many of those there are.
struct SharedGrid {
  SharedTiling tiling;
  int x = 1;
  int y = 1;
};

// True where all chunks are full, and each invocation brings as much of one.
bool WholeChunks(const SharedTiling& t, int terms);

// Shared memory that a work group takes.
int TilingSharedBytes(const SharedTiling& t);

// nullopt where no tile fits the device.
std::optional<SharedGrid> ChooseSharedGrid(const SharedWork& work,
                                           const DeviceProfile& profile);

// The same with twice as many lanes to a sum, where the device has room for
// them: more for each sum's lanes to add up, and no other tile. nullopt: there
// is none, or it would cost more than a little.
std::optional<SharedGrid> WithMoreLanes(const SharedGrid& grid,
                                        const SharedWork& work,
                                        const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SHARED_TILING_H_
