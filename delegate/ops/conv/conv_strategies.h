// All algorithms for convolutions and products of matrices, in one table.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_STRATEGIES_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_STRATEGIES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// One algorithm for convolutions.
struct ConvStrategy {
  absl::string_view name;
  // True if the strategy can compute `conv` and is worthwhile for the planner's
  // device profile. Does not change the plan. Takes the planner since
  // conv_unrolled needs the weights' values and the number of dispatches with
  // literals.
  bool (*applies)(const Convolution& conv, const Planner& planner);
  // Adds the dispatches of `conv`; requires `applies`.
  absl::Status (*plan)(const Convolution& conv, Planner* planner);
  // Whether it also computes Convolution::next. Otherwise it is skipped for
  // convolutions that have one.
  bool takes_next = false;
  // The same for Convolution::norm and Convolution::gate.
  bool takes_row_stages = false;
};

// CONV_2D with a 3x3 window and many channels by Winograd's F(4x4, 3x3):
// conv_winograd.cc. For at least winograd_min_channels channels. Not for
// quantized values, 8-bit tensors, or weights computed at run time.
extern const ConvStrategy kConvWinograd;
// G g G^T of each filter of `filter` (OHWI, 3x3): [36][O][I], by the row and
// column of the result.
std::vector<float> WinogradFilter(absl::Span<const float> filter, int outputs,
                                  int inputs);

// Tiled GEMM in shared memory, for devices that profit from it (split_k_target
// of the profile). Only for constant weights of one group. The only strategy
// that fuses a depthwise convolution before, or a 1x1 convolution after it.
extern const ConvStrategy kConvShared;

// GEMV with one output slice per invocation, for SIMD devices (simd_lanes) with
// enough slices: no shared sums, and neighbours read adjacent weights. Constant
// weights, few rows.
extern const ConvStrategy kGemvBySlices;

// GEMV for few rows, or rows that are not pixels: lanes of a work group share
// each sum.
extern const ConvStrategy kGemvByLanes;

// kDepthwiseTiled for SIMD devices (simd_lanes): an invocation goes down a
// strip of rows and reads each input row once.
extern const ConvStrategy kDepthwiseRows;

// DEPTHWISE_CONV_2D with multiplier 1 and a small window whose taps overlap
// those of neighbouring outputs: a tile of columns stays in registers.
extern const ConvStrategy kDepthwiseTiled;

// Any DEPTHWISE_CONV_2D.
extern const ConvStrategy kDepthwiseDirect;

// TRANSPOSE_CONV with few finite constant weights, many pixels and adjacent
// windows: the weights are literals, as for conv_unrolled.
extern const ConvStrategy kTransposeUnrolled;

// Any TRANSPOSE_CONV.
extern const ConvStrategy kTransposeDirect;

// kPointwiseDepthwise, over whole planes in shared memory.
extern const ConvStrategy kPointwiseDepthwise;

// A dispatch that reads the convolution's "src" and writes its "dst".
Dispatch ConvDispatch(absl::string_view shader, const Convolution& conv);

// All strategies, in order of precedence.
absl::Span<const ConvStrategy* const> ConvStrategies();

// The first strategy that applies. nullptr only for fused convolutions, if the
// device has no room for a tile.
const ConvStrategy* ChooseConvStrategy(const Convolution& conv,
                                       const Planner& planner);

// Adds the dispatches of `conv` with the first strategy that applies.
// kResourceExhausted: none does.
absl::Status PlanConvolution(const Convolution& conv, Planner* planner);

// The same for a node of one of the four ops (Convolution::Of).
absl::Status PlanConvNode(const Node& node, Planner* planner);

// --- Register tiles ----------------------------------------------------------

// The outputs of one invocation: `pixels` by `slices` texels. Larger tiles
// reuse loads more often, smaller ones give more invocations.
struct ConvTile {
  int pixels = 1;
  int slices = 1;
};

// For non-negative numbers; avoids overflow for large extents.
constexpr int DivideUp(int a, int b) { return a / b + (a % b != 0 ? 1 : 0); }

// Calls of a shader's function: "add_row(0); add_row(1); " for "add_row("
// and 2.
std::string Calls(absl::string_view call, int count);

// The smallest tile size, at most `most`, with the same number of tiles.
constexpr int Even(int extent, int max) {
  return DivideUp(extent, DivideUp(extent, max));
}

// The tile of `choices` (conv_tile_*), balanced so that the last tile is as
// full as the others: 6 slices with a limit of 4 make two tiles of 3.
ConvTile ChooseConvTile(int pixels, int slices, const DeviceChoices& choices);

// Multiply-adds of a convolution, and of all convolutions in the graph that
// share its program, itself included.
struct TileWork {
  int64_t convolution = 0;
  int64_t program = 0;
  // Rows of tiles that share SIMD vectors: only after the last are lanes idle.
  int rows = 1;
};

// The same for flat pixels. On a device with simd_lanes a tile may have up to
// twice as many pixels, or four times for programs with much work. It does if
// fewer lanes are idle (for 49 pixels, tiles of 4 keep 13 of 16 lanes busy,
// tiles of 7 keep 7 of 8) or weights are loaded less often. Prefers sizes that
// other layers use if that costs little.
ConvTile ChooseFlatTile(int pixels, int slices, const TileWork& work,
                        const DeviceChoices& choices);

// --- Tiled GEMM in shared memory ---------------------------------------------

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

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_STRATEGIES_H_
