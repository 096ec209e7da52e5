// Batches of independent matrix products by tiled GEMM in shared memory. (For
// convolutions see kConvShared of conv_strategies.h.)
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SHARED_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SHARED_H_

#include <cstdint>
#include <optional>

#include "delegate/device/device_profile.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Each returns the one dispatch; nullopt if the profile never splits
// (split_k_target) or no tile fits the device.
std::optional<Dispatch> ProductsShared(const MatrixProducts& products,
                                       const Planner& planner);
std::optional<Dispatch> MatricesShared(const MatrixPairs& pairs,
                                       const Planner& planner);

// --- How a work group divides its tile ---------------------------------------

// The tiling of conv_shared.comp: tiles in the shared memory of work groups,
// with enough groups to fill the device.

// The size of a dispatch's work: equal matrix products.
struct SharedWork {
  int pixels = 1;
  int slices = 1;  // of the output
  int terms = 1;
  int products = 1;
  bool fused = false;   // with a depthwise convolution
  bool halves = false;  // multiplied in 16 bits
  bool padded = false;  // SharedTiling::padded
  int next_slices = 0;  // of the next convolution's output; 0: there is none
};

// How a work group divides its part of the output.
struct SharedTiling {
  int cells_x = 8;  // invocations along pixels, slices, and of one sum
  int cells_y = 4;
  int lanes = 1;
  int pixels = 2;  // of an invocation
  int slices = 2;
  int chunk_terms = 1;  // that a lane takes from each chunk
  bool halves = false;  // shared memory holds pairs of texels in 16 bits
  bool padded = false;  // one more texel in each row of weights (kStride)
  int next_pixels = 0;  // of an invocation, of the next convolution

  int cells() const { return cells_x * cells_y; }
  int group_pixels() const { return cells_x * pixels; }
  int group_slices() const { return cells_y * slices; }
  int64_t groups(const SharedWork& work) const {
    return int64_t{DivideUp(work.pixels, group_pixels())} *
           DivideUp(work.slices, group_slices()) * work.products;
  }
};

// The tiling and the number of work groups.
struct SharedGrid {
  SharedTiling tiling;
  int x = 1;
  int y = 1;
};

// The large work groups that the device runs at once, one for each of its
// processors; 0 if it does not profit from shared memory.
int64_t GroupsAtOnce(const DeviceProfile& profile);
// The rounds that this many take.
int64_t RoundsOf(int64_t groups, const DeviceProfile& profile);

// True if all chunks are full and all invocations load equally much.
bool WholeChunks(const SharedTiling& t, int terms);

// Shared memory bytes per work group.
int TilingSharedBytes(const SharedTiling& t);

// nullopt if no tile fits the device.
std::optional<SharedGrid> ChooseSharedGrid(const SharedWork& work,
                                           const DeviceProfile& profile);

// The same tile with twice as many lanes per sum, if the device has room: only
// the number of partial sums changes. nullopt: not possible, or too expensive.
std::optional<SharedGrid> WithMoreLanes(const SharedGrid& grid,
                                        const SharedWork& work,
                                        const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_SHARED_H_
