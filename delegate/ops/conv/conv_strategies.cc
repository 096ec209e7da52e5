#include "delegate/ops/conv/conv_strategies.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/dispatches.h"
#include "delegate/plan/storage.h"

namespace gles_delegate {

namespace {

bool AppliesConvDirect(const Convolution& conv, const Planner&) {
  return conv.kind == Convolution::Kind::kWindow;
}

absl::Status PlanConvDirect(const Convolution& conv, Planner* planner) {
  const Filter& filter = conv.filter;
  const Shape& dst = conv.dst_shape;
  ConvTile tile = ChooseConvTile(dst.w, dst.slices(), planner->choices());
  // Slices that the outputs of one group take.
  int group_outputs = dst.slices();
  if (filter.groups > 1 && filter.groups_packed_apart()) {
    group_outputs = filter.outputs_per_group() / 4;
    while (group_outputs % tile.slices != 0) --tile.slices;
  }
  const int tiles_x = DivideUp(dst.w, tile.pixels);
  Dispatch d = ConvDispatch("conv_2d", conv);
  d.Define("TILE_PIXELS", tile.pixels)
      .Define("TILE_SLICES", tile.slices)
      .Grid(tiles_x * dst.h, DivideUp(dst.slices(), tile.slices), dst.b);
  RETURN_IF_ERROR(BindFilter(conv, planner, &d));
  BindWindow(conv, &d);
  d.uniforms.Int4("group", filter.packed_input_slices(), group_outputs, tiles_x,
                  0);
  return planner->Add(std::move(d));
}

// Any CONV_2D.
constexpr ConvStrategy kConvDirect = {"conv_direct", AppliesConvDirect,
                                      PlanConvDirect};

// Limits of the unrolled shader.
constexpr int kMaxUnrolledWindow = 5;
constexpr int kMaxSrcSlices = 8;
constexpr int kMaxSlices = 8;

bool IsConvSpelledOut(const Convolution& conv) {
  // Undilated, so that the taps of neighbouring pixels meet.
  return conv.window_w <= kMaxUnrolledWindow &&
         conv.window_h <= kMaxUnrolledWindow && conv.window.dilation_w == 1 &&
         conv.src_shape.slices() <= kMaxSrcSlices &&
         conv.dst_shape.slices() <= kMaxSlices;
}

bool AppliesConvUnrolled(const Convolution& conv, const Planner& planner) {
  return conv.kind == Convolution::Kind::kWindow && conv.filter.groups == 1 &&
         conv.input_stage.empty() && IsConvSpelledOut(conv) &&
         PaysAsLiterals(conv, planner);
}

absl::Status PlanConvUnrolled(const Convolution& conv, Planner* planner) {
  const DeviceProfile& profile = planner->profile();
  const Shape& src = conv.src_shape;
  const Shape& dst = conv.dst_shape;
  const SlidingWindow& window = conv.window;
  // More pixels save little here, and the text grows with each.
  const int pixels = Even(
      dst.w, std::clamp(profile.choices.unrolled_terms / (2 * BlocksOf(conv)),
                        1, profile.choices.conv_tile_pixels));
  const int tiles_x = DivideUp(dst.w, pixels);
  Dispatch d = ConvDispatch("conv_unrolled", conv);
  if (conv.ReadsOutside()) d.Define("PADDED");
  d.Define("TILE_PIXELS", pixels)
      .Define("SLICES", dst.slices())
      .Define("SRC_SLICES", src.slices())
      .Define("LAST_CHANNELS", src.c - 4 * (src.slices() - 1))
      .Define("KERNEL_W", conv.window_w)
      .Define("KERNEL_H", conv.window_h)
      .Define("STRIDE_W", window.stride_w)
      .Define("ADD_SLICES", Calls("add_slice(", src.slices()))
      .Define("ADD_ROWS", Calls("add_row(s, ", conv.window_h))
      .Define("ADD_TAPS", Calls("add_tap(s, ky, ", conv.window_w))
      .Grid(tiles_x * dst.h, 1, dst.b);
  RETURN_IF_ERROR(BindFilter(conv, planner, &d));
  d.constants.back().literal = true;
  d.uniforms.Int4("step_pad", window.dilation_w, window.dilation_h,
                  window.pad_left, window.pad_top);
  d.uniforms.Int4("tiling", window.stride_h, tiles_x, 0, 0);
  return planner->Add(std::move(d));
}

// CONV_2D with few finite constant weights and many pixels: the weights are
// literals in the shader, for SIMD processors (unrolled_terms of the profile).
// Not for windows dilated along rows, nor if the shader would become too long.
constexpr ConvStrategy kConvUnrolled = {"conv_unrolled", AppliesConvUnrolled,
                                        PlanConvUnrolled};

// Invocations along pixels and slices of a work group, 32 together: the slices'
// weights are shared by the pixels, the pixels' inputs by the slices.
constexpr int kGroupPixels = 8;
constexpr int kGroupSlices = 4;
constexpr int kCells = kGroupPixels * kGroupSlices;
// Outputs of an invocation, chosen on NVIDIA's GPUs; no other preset uses
// split-K.
constexpr int kMaxTilePixels = 2;
constexpr int kMaxTileSlices = 2;
constexpr int kMinTermsALane = 4;
constexpr int kMaxSplitLanes = 16;

struct Split {
  ConvTile tile;
  int lanes = 1;
};

int64_t SplitSharedBytes(const Split& s) {
  return int64_t{16} * kCells * s.lanes * s.tile.pixels * s.tile.slices;
}

bool SplitFits(const Split& s, const DeviceLimits& limits) {
  return s.lanes <= limits.max_work_group_size[2] &&
         kCells * s.lanes <= limits.max_work_group_invocations &&
         SplitSharedBytes(s) <= limits.max_shared_memory_bytes;
}

// The fewest lanes that fill the device with sums of `terms`, `tiles` of them.
int LanesFor(int64_t tiles, int terms, const ConvTile& tile,
             const DeviceProfile& profile) {
  int lanes = 1;
  while (lanes * 2 <= kMaxSplitLanes &&
         tiles * lanes < profile.choices.split_k_target &&
         terms / (lanes * 2) >= kMinTermsALane &&
         SplitFits({tile, lanes * 2}, profile.limits)) {
    lanes *= 2;
  }
  return lanes;
}

Split Choose(const Convolution& conv, const DeviceProfile& profile) {
  const int pixels = conv.pixels();
  const int slices = conv.dst_shape.slices();
  const ConvTile tile = {std::min(kMaxTilePixels, pixels),
                         std::min(kMaxTileSlices, slices)};
  const int64_t tiles =
      int64_t{DivideUp(pixels, tile.pixels)} * DivideUp(slices, tile.slices);
  return {tile, LanesFor(tiles, conv.term_texels(), tile, profile)};
}

// Does not apply if the output nearly fills the device: one lane per sum then.
bool AppliesConvSplitK(const Convolution& conv, const Planner& planner) {
  return planner.choices().split_k_target > 0 && conv.IsTiled() &&
         conv.input_stage.empty() && !conv.quantized_rows &&
         Choose(conv, planner.profile()).lanes > 1;
}

absl::Status PlanConvSplitK(const Convolution& conv, Planner* planner) {
  const Split split = Choose(conv, planner->profile());
  Dispatch d = ConvDispatch("conv_split_k", conv);
  if (conv.IsPointwise()) d.Define("POINTWISE");
  d.Define("LANES", split.lanes)
      .Define("TILE_PIXELS", split.tile.pixels)
      .Define("TILE_SLICES", split.tile.slices)
      .Grid(DivideUp(conv.pixels(), split.tile.pixels),
            DivideUp(conv.dst_shape.slices(), split.tile.slices), split.lanes)
      .WorkGroup(kGroupPixels, kGroupSlices, split.lanes)
      .SharedMemory(SplitSharedBytes(split));
  RETURN_IF_ERROR(BindFilter(conv, planner, &d));
  BindWindow(conv, &d);
  d.uniforms.Int4("sum_shape", conv.pixels(), conv.term_texels(),
                  conv.src_shape.slices(), 0);
  return planner->Add(std::move(d));
}

// Split-K within a work group, for outputs too small to fill a big GPU
// (split_k_target). Weights of one group, constant or not; no input stage.
constexpr ConvStrategy kConvSplitK = {"conv_split_k", AppliesConvSplitK,
                                      PlanConvSplitK};

bool AppliesConv1x1(const Convolution& conv, const Planner& planner) {
  return IsRowProduct(conv, planner.choices()) && conv.RowsArePixels() &&
         conv.HasManyPixels();
}

int64_t MultiplyAddsOf(const Convolution& conv) {
  constexpr int kOfTwoTexels = 16;
  return int64_t{conv.pixels()} * conv.term_texels() * conv.dst_shape.slices() *
         kOfTwoTexels;
}

bool SameFunctions(const std::vector<PostOp>& a, const std::vector<PostOp>& b) {
  return absl::c_equal(a, b, [](const PostOp& x, const PostOp& y) {
    return x.function == y.function;
  });
}

// True if the shader reads and writes both convolutions in the same way. With
// equal functions and tiles they share a program.
bool ReadAndWriteAlike(const Convolution& a, const Convolution& b) {
  const auto last_texel_is_full = [](const Convolution& conv) {
    return conv.dst_shape.c % 4 == 0;
  };
  return a.integer_path == b.integer_path &&
         a.quantized_rows == b.quantized_rows &&
         SameFunctions(a.input_stage, b.input_stage) &&
         last_texel_is_full(a) == last_texel_is_full(b);
}

// The node whose result is the convolution's; nullptr: a dispatch in the middle
// of a node reads it.
const Node* NodeOf(const Convolution& conv, const Graph& graph) {
  const auto writes = [&](const Node& node) {
    return !node.outputs.empty() && node.outputs[0] == conv.dst;
  };
  const auto it = absl::c_find_if(graph.nodes, writes);
  return it == graph.nodes.end() ? nullptr : &*it;
}

// True if the convolution is followed by a function of its result and another
// quantized tensor.
bool IsResidualInIntegers(const Convolution& conv, const Graph& graph) {
  const Node* node = NodeOf(conv, graph);
  return conv.integer_path && node != nullptr &&
         absl::c_any_of(node->post_ops, [](const PostOp& post) {
           return post.operand != kNoTensor &&
                  post.operand_as != OperandAs::kTable &&
                  post.operand_as != OperandAs::kLookup;
         });
}

TileWork TileWorkOf(const Convolution& conv, const Planner& planner) {
  const Graph& graph = planner.graph();
  TileWork work;
  work.convolution = MultiplyAddsOf(conv);
  work.program = work.convolution;
  const Node* self = NodeOf(conv, graph);
  if (self == nullptr) return work;
  for (const Node& node : graph.nodes) {
    if (&node == self || !SameFunctions(node.post_ops, self->post_ops)) {
      continue;
    }
    const auto other = Convolution::Of(graph, node);
    if (other.has_value() && ReadAndWriteAlike(*other, conv) &&
        AppliesConv1x1(*other, planner)) {
      work.program += MultiplyAddsOf(*other);
    }
  }
  return work;
}

// Whether each plane of the input can be one row, so that addressing a texel
// takes one integer multiplication less, which costs as much as two float
// multiplications.
bool HasFlatPlanes(const Convolution& conv, const Planner& planner) {
  // Weights that are made at run time are read by rows and columns.
  if (planner.choices().simd_lanes == 1 || conv.src_shape.b != 1 ||
      !conv.constant_weights) {
    return false;
  }
  const auto is_flat = [&](TensorId id) {
    if (id == kNoTensor) return true;
    const Tensor& tensor = planner.tensor(id);
    const bool is_view = tensor.view.of != kNoTensor;
    const auto storage = StorageFor(
        is_view ? planner.tensor(tensor.view.of) : tensor, planner.profile());
    return tensor.addressed_as() == MemoryView::Kind::kNone && storage.ok() &&
           gl_shaders::IsBuffer(*storage);
  };
  return is_flat(conv.src) &&
         absl::c_all_of(conv.input_stage,
                        [&](const PostOp& op) { return is_flat(op.operand); });
}

// The grid as one row of all slices' tiles.
void TakeTilesFlat(const Convolution& conv, const DeviceProfile& profile,
                   Dispatch* d) {
  const int tiles = d->grid[0];
  d->Define("FLAT").flat_planes = true;
  d->Grid(int64_t{tiles} * d->grid[1], 1, 1);
  // Work groups of one vector, so that threads get as much to do each.
  d->work_group = {profile.choices.simd_lanes, 1, 1};
  d->uniforms.Int("tiles", tiles);
  d->uniforms.Float("tiles_reciprocal", Reciprocal(tiles));
  d->uniforms.Float("width_reciprocal", Reciprocal(conv.dst_shape.w));
  BindQuotients(std::max(d->grid[0], conv.pixels()), d);
}

ConvTile TileOf(const Convolution& conv, bool flat, const Planner& planner) {
  DeviceChoices choices = planner.choices();
  if (IsResidualInIntegers(conv, planner.graph())) {
    choices.conv_tile_pixels =
        std::min(choices.conv_tile_pixels, choices.residual_tile_pixels);
  }
  const int slices = conv.dst_shape.slices();
  // Only tiles for vectors (simd_lanes) are chosen by the work.
  TileWork work =
      choices.simd_lanes > 1 ? TileWorkOf(conv, planner) : TileWork();
  if (flat) work.rows = DivideUp(slices, choices.conv_tile_slices);
  return ChooseFlatTile(conv.pixels(), slices, work, choices);
}

absl::Status PlanConv1x1(const Convolution& conv, Planner* planner) {
  const DeviceProfile& profile = planner->profile();
  const bool flat = HasFlatPlanes(conv, *planner);
  const ConvTile tile = TileOf(conv, flat, *planner);
  Dispatch d = ConvDispatch("conv_1x1", conv);
  d.Define("TILE_PIXELS", tile.pixels)
      .Define("TILE_SLICES", tile.slices)
      .Grid(DivideUp(conv.pixels(), tile.pixels),
            DivideUp(conv.dst_shape.slices(), tile.slices), 1);
  if (flat) {
    TakeTilesFlat(conv, profile, &d);
  } else if (profile.choices.simd_lanes > 1) {
    // Of one row of tiles as of several, so that they share a program.
    d.work_group = ChooseWorkGroup({d.grid[0], 2, 1}, profile);
  }
  d.half_arithmetic = conv.half_arithmetic;
  ApplyInputStage(conv.input_stage, conv.src, &d);
  RETURN_IF_ERROR(BindFilter(conv, planner, &d));
  return planner->Add(std::move(d));
}

// Pointwise products for many pixels, indexed flat.
constexpr ConvStrategy kConv1x1 = {"conv_1x1", AppliesConv1x1, PlanConv1x1};

// The order determines precedence.
constexpr const ConvStrategy* kStrategies[] = {
    // CONV_2D, and products of rows that are pixels.
    &kConvUnrolled, &kConvWinograd, &kConvShared, &kConvSplitK, &kConv1x1,
    // Few rows, or others.
    &kGemvBySlices, &kGemvByLanes,
    // The general strategies, after those for special cases.
    &kConvDirect, &kDepthwiseRows, &kDepthwiseTiled, &kDepthwiseDirect,
    &kTransposeUnrolled, &kTransposeDirect, &kPointwiseDepthwise};

}  // namespace

Dispatch ConvDispatch(absl::string_view shader, const Convolution& conv) {
  Dispatch d(shader);
  d.Read("src", conv.src).Write("dst", conv.dst);
  return d;
}

absl::Span<const ConvStrategy* const> ConvStrategies() { return kStrategies; }

const ConvStrategy* ChooseConvStrategy(const Convolution& conv,
                                       const Planner& planner) {
  for (const ConvStrategy* strategy : kStrategies) {
    if (conv.next.IsThere() && !strategy->takes_next) continue;
    if ((conv.norm.is_there || conv.gate.IsThere()) &&
        !strategy->takes_row_stages) {
      continue;
    }
    if (strategy->applies(conv, planner)) return strategy;
  }
  return nullptr;
}

absl::Status PlanConvolution(const Convolution& conv, Planner* planner) {
  const ConvStrategy* strategy = ChooseConvStrategy(conv, *planner);
  if (strategy == nullptr) {
    return Exhausted("no tile of the fused convolutions fits the device");
  }
  return strategy->plan(conv, planner);
}

absl::Status PlanConvNode(const Node& node, Planner* planner) {
  auto conv = Convolution::Of(planner->graph(), node);
  if (!conv) return absl::InternalError("the node is no convolution");
  conv->half_arithmetic = planner->MultipliesHalves(conv->src, conv->dst);
  return PlanConvolution(*conv, planner);
}

// --- Register tiles ----------------------------------------------------------

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

std::string Calls(absl::string_view call, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) absl::StrAppend(&text, call, i, "); ");
  return text;
}

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
