// CONV_2D with a 3x3 window by Winograd's F(4x4, 3x3) (Lavin & Gray 2015, "Fast
// Algorithms for Convolutional Neural Networks"): computes tiles of 4x4 outputs
// from 6x6 inputs d with 36 multiplications per pair of channels instead of
// 144,
//
//     Y = A^T [ (G g G^T) * (B^T d B) ] A,
//
// in three dispatches: B^T d B of every tile, 36 matrix products over the
// channels (one per element), and A^T [ ] A with bias and post-ops. The CPU
// computes the filter's G g G^T once, in double precision.
//
// Accuracy depends on the interpolation points (Vincent et al. 2017, "On
// improving the numerical stability of Winograd convolutions"). Lavin's points
// 0, +-1, +-2 err by up to 43 * 2^-24 of the sum of the terms' magnitudes at C
// = 16; 0, +-3/4, +-3/2, used here, by 7 (a plain float32 sum by 4), and all
// entries of A and B are exact in float32. That is within the tolerance for
// sums of 9 C terms, (4 sqrt(9 C) + 4) * 2^-24 (tests/testing/single_op.h).
// Errors are relative to the largest terms of the whole tile, so one infinity
// or NaN reaches all of its 16 outputs.
//
// Never with 16-bit storage: B^T d B is up to 32 times d, most of which A^T
// cancels, so that halves would lose 5 of their 11 bits, and planes of floats
// cost more than halves save.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

constexpr int kTile = 4;    // outputs of a tile, each way
constexpr int kPoints = 6;  // 0, +-3/4, +-3/2, infinity: inputs of a tile
constexpr int kPlanes = kPoints * kPoints;
constexpr int kWindow = 3;
// Minimum reduction of multiplications: tiles that extend past small images
// waste some.
constexpr int kMinSaving = 2;

// How the output is cut into tiles.
struct Tiles {
  int x = 1;  // in a row
  int y = 1;  // rows of an image
  int all = 1;
};

Tiles TilesOf(const Shape& dst) {
  Tiles tiles;
  tiles.x = DivideUp(dst.w, kTile);
  tiles.y = DivideUp(dst.h, kTile);
  tiles.all = dst.b * tiles.x * tiles.y;
  return tiles;
}

// A tensor between two dispatches: the tiles in a row, a row for each of the 36
// elements that a tile has.
Shape PlanesOf(int tiles, int channels) {
  return {1, kPlanes, tiles, channels};
}

// Number of tiles at a time: as many as the profile allows, in bands of similar
// size and of whole groups of lanes.
int BandTiles(int tiles, const Shape& src, const Shape& dst,
              const DeviceProfile& profile) {
  constexpr int kTexelBytes = 16;
  constexpr int kGroup = 8;
  int64_t max = profile.limits.max_texture_size;
  if (profile.choices.winograd_band_bytes > 0) {
    const int slices = std::max(src.slices(), dst.slices());
    max = std::min<int64_t>(max, profile.choices.winograd_band_bytes /
                                     (int64_t{kPlanes} * slices * kTexelBytes));
  }
  max = std::max<int64_t>(max / kGroup * kGroup, kGroup);
  if (tiles <= max) return tiles;
  const int bands = DivideUp(tiles, static_cast<int>(max));
  return DivideUp(DivideUp(tiles, bands), kGroup) * kGroup;
}

bool PlanesFit(const Shape& planes, const DeviceProfile& profile) {
  const auto storage =
      StorageFor(planes, gl_shaders::Format::kRgba32f, profile);
  return storage.ok() && *storage == profile.choices.storage;
}

bool Pays(const Shape& src, const Shape& dst, const DeviceProfile& profile) {
  const Tiles tiles = TilesOf(dst);
  const int64_t direct = int64_t{dst.b} * dst.h * dst.w * kWindow * kWindow;
  const int band = BandTiles(tiles.all, src, dst, profile);
  return profile.choices.winograd_min_channels > 0 && !profile.options.half &&
         std::min(src.c, dst.c) >= profile.choices.winograd_min_channels &&
         direct >= int64_t{kMinSaving} * kPlanes * tiles.all &&
         PlanesFit(PlanesOf(band, src.c), profile) &&
         PlanesFit(PlanesOf(band, dst.c), profile);
}

// An invocation for each column of a tile, if there are few tiles for the
// device.
constexpr int kLanes = kPoints;
constexpr int kLaneTiles = 16;  // of a work group

void SetGrid(const Shape& planes, const DeviceProfile& profile, Dispatch* d) {
  constexpr int kSharedBytes = kLaneTiles * kPlanes * 16;
  const bool fits =
      kLaneTiles * kLanes <= profile.limits.max_work_group_invocations &&
      kSharedBytes <= profile.limits.max_shared_memory_bytes;
  const bool few =
      int64_t{planes.w} * planes.slices() < profile.choices.split_k_target;
  const int lanes = few && fits ? kLanes : 1;
  d->Define("LANES", lanes).Grid(planes.w, planes.slices(), lanes);
  if (lanes > 1) {
    d->WorkGroup(kLaneTiles, 1, lanes).SharedMemory(kSharedBytes);
  }
}

Dispatch InputTransform(const Convolution& conv, const Tiles& tiles, int first,
                        TensorId planes, const Planner& planner) {
  Dispatch d("winograd_input");
  d.Read("src", conv.src).Write("planes", planes);
  SetGrid(planner.shape(planes), planner.profile(), &d);
  d.uniforms.Int4("tiles", tiles.x, tiles.y, first, 0);
  d.uniforms.Int2("pad", conv.window.pad_left, conv.window.pad_top);
  return d;
}

PackedConstant PackBias(const Tensor* bias, int slices) {
  PackedConstant packed("bias", slices);
  packed.cacheable = true;
  packed.fill = [bias = bias == nullptr ? Tensor()
                                        : *bias](absl::Span<float> out) {
    const auto values = ConstantFloats(bias);
    if (values.ok()) std::copy(values->begin(), values->end(), out.begin());
  };
  return packed;
}

Dispatch OutputTransform(const Convolution& conv, const Tiles& tiles, int first,
                         TensorId planes, int bias_id, const Planner& planner) {
  const Shape& shape = planner.shape(planes);
  PackedConstant bias =
      PackBias(conv.weights.Bias(planner.graph()), shape.slices());
  bias.shared_id = bias_id;
  Dispatch d("winograd_output");
  d.Read("planes", planes).Write("dst", conv.dst).Constant(std::move(bias));
  SetGrid(shape, planner.profile(), &d);
  d.uniforms.Int4("tiles", tiles.x, tiles.y, first, 0);
  return d;
}

FilterValues WinogradFilterOf(const Tensor& filter) {
  return [filter](std::vector<float>* room) {
    std::vector<float> own;
    *room =
        WinogradFilter(ValuesOf(filter)(&own), filter.shape.b, filter.shape.c);
    return absl::MakeConstSpan(*room);
  };
}

bool AppliesConvWinograd(const Convolution& conv, const Planner& planner) {
  return conv.kind == Convolution::Kind::kWindow && conv.window_h == kWindow &&
         conv.window_w == kWindow && conv.window.HasUnitStride() &&
         !conv.window.IsDilated() && conv.filter.groups == 1 &&
         !conv.quantized && conv.constant_weights &&
         Pays(conv.src_shape, conv.dst_shape, planner.profile());
}

absl::Status PlanConvWinograd(const Convolution& conv, Planner* planner) {
  const Tiles tiles = TilesOf(conv.dst_shape);
  const int band =
      BandTiles(tiles.all, conv.src_shape, conv.dst_shape, planner->profile());
  const FilterValues weights =
      WinogradFilterOf(planner->tensor(conv.weights.weights));
  std::array<TensorId, 2> ids = {};
  for (int first = 0; first < tiles.all; first += band) {
    const int count = std::min(band, tiles.all - first);
    const TensorId inputs = planner->AddTemporary(
        "winograd input", PlanesOf(count, conv.src_shape.c));
    const TensorId outputs = planner->AddTemporary(
        "winograd output", PlanesOf(count, conv.dst_shape.c));
    // The bands share their constants, under ids that nothing else has.
    if (first == 0) ids = {inputs, outputs};
    RETURN_IF_ERROR(
        planner->Add(InputTransform(conv, tiles, first, inputs, *planner)));
    RETURN_IF_ERROR(
        PlanMatrixProducts({inputs, outputs, weights, ids[0]}, planner));
    RETURN_IF_ERROR(planner->Add(
        OutputTransform(conv, tiles, first, outputs, ids[1], *planner)));
  }
  return absl::OkStatus();
}

}  // namespace

const ConvStrategy kConvWinograd = {"conv_winograd", AppliesConvWinograd,
                                    PlanConvWinograd};

std::vector<float> WinogradFilter(absl::Span<const float> filter, int outputs,
                                  int inputs) {
  // Row k is (1, x, x^2) / (the product of x - y over the other points y); the
  // last that of infinity.
  constexpr double kG[kPoints][kWindow] = {
      {64.0 / 81, 0, 0},
      {-128.0 / 243, -32.0 / 81, -8.0 / 27},
      {-128.0 / 243, 32.0 / 81, -8.0 / 27},
      {32.0 / 243, 16.0 / 81, 8.0 / 27},
      {32.0 / 243, -16.0 / 81, 8.0 / 27},
      {0, 0, 1}};
  std::vector<float> transformed(size_t{kPlanes} * outputs * inputs);
  for (int o = 0; o < outputs; ++o) {
    for (int i = 0; i < inputs; ++i) {
      double rows[kPoints][kWindow] = {};
      const auto at = [&](int y, int x) {
        return filter[((size_t{1} * o * kWindow + y) * kWindow + x) * inputs +
                      i];
      };
      for (int k = 0; k < kPoints; ++k) {
        for (int y = 0; y < kWindow; ++y) {
          for (int x = 0; x < kWindow; ++x) rows[k][x] += kG[k][y] * at(y, x);
        }
      }
      for (int plane = 0; plane < kPlanes; ++plane) {
        const double* row = rows[plane / kPoints];
        const double* g = kG[plane % kPoints];
        transformed[(size_t{1} * plane * outputs + o) * inputs + i] =
            static_cast<float>(row[0] * g[0] + row[1] * g[1] + row[2] * g[2]);
      }
    }
  }
  return transformed;
}

}  // namespace gles_delegate
