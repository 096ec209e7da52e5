#include "delegate/ops/conv/conv_tile.h"

#include <algorithm>

#include "absl/types/span.h"

namespace gles_delegate {
namespace {

// Multiply-adds of a program whose wide tiles pay. A tile of 16 pixels computes
// 7 to 13% faster than one of 8, and LLVM takes 0.1 to 0.16 s more for it. This
// much work takes 11 ms of processor time in an inference (llvmpipe), so that
// the first hundred inferences make up for the time.
constexpr int64_t kMuchWork = 150'000'000;
// A convolution with less, as a detector's head, leaves the wide tiles to the
// others of its program.
constexpr int64_t kPartOfMuchWork = kMuchWork / 64;
// A convolution with less work takes less than a tenth of a millisecond, so a
// separate program would only pay after a thousand inferences.
constexpr int64_t kLight = 1'600'000;
// A convolution with less does not pay for a program with fewer slices, though
// up to a third of its work is on slices that are not there.
constexpr int64_t kHeavy = 100'000'000;

// Pixels that `rows` rows of tiles have in the vectors of `lanes` lanes.
struct FlatPixels {
  int count = 0;
  int rows = 1;
  int lanes = 1;

  // The work of all lanes in tiles of `tile`, idle lanes included. A tile's
  // weights cost as much as four of its pixels (llvmpipe; a load and 32
  // multiply-adds are 40 to 50 instructions each).
  int64_t CostIn(int tile) const {
    constexpr int kWeightPixels = 4;
    const int64_t tiles = int64_t{DivideUp(count, tile)} * rows;
    return (tiles + lanes - 1) / lanes * (tile + kWeightPixels);
  }
};

int MaxFlatPixels(const TileWork& work, const DeviceChoices& choices) {
  const bool wide =
      work.program >= kMuchWork && work.convolution >= kPartOfMuchWork;
  return (wide ? 4 : 2) * choices.conv_tile_pixels;
}

// The best size, or one of at most `most` pixels that other layers have, so
// that they share a program, which takes LLVM a tenth of a second or more to
// compile. Accepts up to a fifth of extra cost for it, or twice the cost for a
// light convolution. Images of 7x7 pixels and multiples fill tiles of 7 and 14.
int SharedPixels(const FlatPixels& pixels, int best, int max, bool light) {
  static constexpr int kOfSevens[] = {14, 7};
  static constexpr int kOfOthers[] = {16, 14, 8};
  const absl::Span<const int> sizes = pixels.count % 49 == 0
                                          ? absl::MakeConstSpan(kOfSevens)
                                          : absl::MakeConstSpan(kOfOthers);
  const int64_t fifths = light ? 10 : 6;
  for (int t : sizes) {
    if (t <= max && pixels.CostIn(t) * 5 <= pixels.CostIn(best) * fifths) {
      return t;
    }
  }
  return best;
}

}  // namespace

ConvTile ChooseConvTile(int pixels, int slices, const DeviceChoices& choices) {
  return {Even(pixels, choices.conv_tile_pixels),
          Even(slices, choices.conv_tile_slices)};
}

ConvTile ChooseFlatTile(int pixels, int slices, const TileWork& work,
                        const DeviceChoices& choices) {
  ConvTile tile = ChooseConvTile(pixels, slices, choices);
  const FlatPixels all = {pixels, work.rows, choices.simd_lanes};
  if (all.lanes == 1 || pixels < choices.conv_tile_pixels) return tile;
  const int max = MaxFlatPixels(work, choices);
  for (int t = 1; t <= max; ++t) {
    if (all.CostIn(t) < all.CostIn(tile.pixels)) tile.pixels = t;
  }
  tile.pixels = SharedPixels(all, tile.pixels, max, work.convolution < kLight);
  if (work.convolution < kHeavy) {
    tile.slices = std::min(slices, choices.conv_tile_slices);
  }
  return tile;
}

}  // namespace gles_delegate
