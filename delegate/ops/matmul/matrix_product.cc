#include "delegate/ops/matmul/matrix_product.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_shared.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/stages.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

namespace {

// The place of a tensor whose shape is `s`.
std::string PlaceOf(const std::vector<int>& dims, const Shape& s,
                    int product_rank) {
  const int rank = static_cast<int>(dims.size());
  if (rank == 2) return "0, 0, slice, row";
  if (rank == 3 && product_rank > 3) {
    // Its one leading axis is the product's height.
    return absl::StrCat("row, 0, slice, ", s.b > 1 ? "height" : "0");
  }
  return absl::StrCat("row, ", s.h > 1 ? "height" : "0", ", slice, ",
                      s.b > 1 ? "batch" : "0");
}

}  // namespace

Matrix MatrixOf(const std::vector<int>& dims, bool transposed) {
  const int rank = static_cast<int>(dims.size());
  Matrix m;
  m.rows = dims[rank - 2];
  m.columns = dims[rank - 1];
  if (transposed) std::swap(m.rows, m.columns);
  for (int axis = 0; axis < rank - 2; ++axis) {
    m.leading[Matrix::kLeadingAxes - (rank - 2) + axis] = dims[axis];
  }
  return m;
}

void AddMatrixPlace(absl::string_view name, const std::vector<int>& dims,
                    const Shape& shape, int rank, Dispatch* d) {
  d->Define(absl::StrCat(name, "_PLACE(row, slice)"),
            PlaceOf(dims, shape, rank));
}

namespace {

// The profile's tile, or one of up to twice its pixels if that makes fewer past
// the end of a row. Lanes are busy anyhow: tiles of all products are in a row.
ConvTile ProductTile(int pixels, int slices, const DeviceChoices& choices) {
  ConvTile tile = ChooseConvTile(pixels, slices, choices);
  const auto made = [&](int t) { return DivideUp(pixels, t) * t; };
  for (int t = tile.pixels + 1; t <= 2 * choices.conv_tile_pixels; ++t) {
    if (made(t) < made(tile.pixels)) tile.pixels = t;
  }
  return tile;
}

}  // namespace

void PlanMatrixProduct(const MatrixProduct& p, Planner* planner) {
  // kGemvByLanes takes any.
  PlanConvolution(Convolution::OfRows(p.src, p.dst, p.weights, p.outputs, p.k,
                                      planner->graph()),
                  planner)
      .IgnoreError();
}

FilterValues StackedWeights(const MatrixProducts& products, int outputs,
                            const Graph& graph) {
  const Shape& src = graph.tensor(products.src).shape;
  const int rows = graph.tensor(products.dst).shape.c;
  return [weights = products.weights, rows, outputs, count = src.h,
          k = src.c](std::vector<float>* room) {
    std::vector<float> own;
    const absl::Span<const float> values = weights(&own);
    std::vector<float>& stacked = *room;
    stacked.assign(size_t{1} * count * outputs * k, 0.0f);
    for (int i = 0; i < count; ++i) {
      std::copy_n(values.begin() + size_t{1} * i * rows * k,
                  size_t{1} * rows * k,
                  stacked.begin() + size_t{1} * i * outputs * k);
    }
    return absl::MakeConstSpan(stacked);
  };
}

void PlanMatrixProducts(const MatrixProducts& products, Planner* planner) {
  if (auto shared = ProductsShared(products, *planner)) {
    planner->Add(*std::move(shared));
    return;
  }
  const Shape& src = planner->tensor(products.src).shape;
  const Shape& dst = planner->tensor(products.dst).shape;
  const ConvTile tile =
      ProductTile(dst.w, dst.slices(), planner->profile().choices);
  const int padded = 4 * dst.slices();
  PackedConstant weights =
      PackFilter(StackedWeights(products, padded, planner->graph()), nullptr,
                 {/*outputs=*/dst.h * padded, /*taps=*/1, src.c, 1});
  weights.shared_id = products.weights_id;
  Dispatch d("conv_1x1");
  d.Define("PRODUCTS")
      .Define("TILE_PIXELS", tile.pixels)
      .Define("TILE_SLICES", tile.slices)
      .Read("src", products.src)
      .Write("dst", products.dst)
      .Constant(std::move(weights))
      .Grid(dst.h * DivideUp(dst.w, tile.pixels),
            DivideUp(dst.slices(), tile.slices), 1);
  planner->Add(std::move(d));
}

// --- Products of few rows ----------------------------------------------------

bool IsRowProduct(const Convolution& conv, const DeviceChoices& choices) {
  return conv.kind == Convolution::Kind::kRows || conv.IsPointwise() ||
         (choices.simd_lanes > 1 && conv.IsWholeInput());
}

namespace {

bool AppliesGemvBySlices(const Convolution& conv, const Planner& planner) {
  const DeviceProfile& profile = planner.profile();
  const int block = profile.choices.simd_lanes;
  return IsRowProduct(conv, profile.choices) && block > 1 &&
         conv.dst_shape.slices() >= 2 * block && conv.RowsAreWholePixels() &&
         conv.constant_weights && !conv.quantized_rows &&
         FilterBlockTexels(conv.filter, block) <=
             profile.limits.max_texture_size;
}

void PlanGemvBySlices(const Convolution& conv, Planner* planner) {
  const DeviceProfile& profile = planner->profile();
  const int block = profile.choices.simd_lanes;
  const int rows = conv.pixels();
  const int tile_rows = Even(rows, MaxProductRows(profile.choices));
  Dispatch d("gemv_by_slices");
  d.Define("BLOCK", block)
      .Define("TILE_ROWS", tile_rows)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Constant(
          PackFilterBlocks(conv.weights, conv.filter, planner->graph(), block))
      .Grid(conv.dst_shape.slices(), DivideUp(rows, tile_rows), 1);
  if (block <= profile.limits.max_work_group_size[0]) d.WorkGroup(block, 1, 1);
  d.uniforms.Int4("row_shape", rows, conv.filter.taps, 0, 0);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kGemvBySlices = {"gemv_by_slices", AppliesGemvBySlices,
                                    PlanGemvBySlices};

namespace {

// As kGemvBySlices: the neighbours in a vector compute different slices.
bool HasSliceALane(const Convolution& conv, const DeviceChoices& choices) {
  return conv.quantized_rows && choices.simd_lanes > 1 &&
         conv.dst_shape.slices() >= 2 * choices.simd_lanes;
}

// More gain nothing, measured on an H200 for decoders in 8 and 4 bits.
constexpr int kMaxLanesOfFewSums = 256;

// Bytes of shared memory for each lane and row.
int SharedBytesOf(const Convolution& conv) {
  return 16 + (conv.gate.IsThere() ? 16 : 0) + (conv.norm.is_there ? 4 : 0);
}

// How many invocations share one of `sums`: no more than the sum has steps or
// than one work group may hold, `bytes` for each. With split-K, few of them
// have more lanes than many.
int Lanes(int64_t sums, int steps, int bytes, const DeviceProfile& profile) {
  int wanted = profile.choices.reduction_lanes;
  while (wanted > 1 && wanted * 2 <= kMaxLanesOfFewSums &&
         sums * wanted < profile.choices.split_k_target) {
    wanted *= 2;
  }
  const int max = std::min({steps, profile.limits.max_work_group_size[0],
                            profile.limits.max_work_group_invocations,
                            profile.limits.max_shared_memory_bytes / bytes});
  int lanes = 1;
  while (lanes * 2 <= std::min(wanted, max)) lanes *= 2;
  if (wanted == profile.choices.reduction_lanes) return lanes;
  // Perhaps a few more, so that all have equally many steps.
  const int even = DivideUp(steps, steps / lanes);
  return even <= max ? even : lanes;
}

void BindRowStages(const Convolution& conv, const Planner& planner,
                   Dispatch* d) {
  if (conv.norm.is_there) {
    d->Define("NORMALIZED");
    if (conv.norm.scale != kNoTensor) {
      d->Define("SCALED").Read("scale", conv.norm.scale);
    }
    d->uniforms.Float("epsilon", conv.norm.epsilon);
  }
  if (!conv.gate.IsThere()) return;
  const Graph& graph = planner.graph();
  const WeightIds& ids = conv.gate.weights;
  PackedConstant gate =
      conv.quantized_rows ? PackQuantizedRows("gate", graph.tensor(ids.weights),
                                              ids.Bias(graph), conv.filter)
                          : PackFilter(ids, conv.filter, graph);
  gate.name = "gate";
  d->Constant(std::move(gate));
  d->Apply(kGateStage, conv.gate.stage);
}

bool AppliesGemvByLanes(const Convolution& conv, const Planner& planner) {
  return IsRowProduct(conv, planner.profile().choices);
}

void PlanGemvByLanes(const Convolution& conv, Planner* planner) {
  const int terms = conv.filter.terms();
  const bool elements = !conv.RowsAreWholePixels();
  const int row_texels = elements ? DivideUp(terms, 4) : conv.term_texels();
  const int rows = conv.pixels();
  const DeviceProfile& profile = planner->profile();
  const int tile_rows = Even(rows, MaxProductRows(profile.choices));
  const bool slice_a_lane = HasSliceALane(conv, profile.choices);
  const int slices = conv.dst_shape.slices();
  const Tensor& weights = planner->tensor(conv.weights.weights);
  // Each reads whole texels of weights.
  const int steps = conv.quantized_rows
                        ? DivideUp(row_texels, 8 / weights.quantization.bits)
                        : row_texels;
  const int64_t sums = int64_t{slices} * DivideUp(rows, tile_rows);
  const int shared_bytes = SharedBytesOf(conv) * tile_rows;
  const int lanes =
      slice_a_lane ? 1 : Lanes(sums, steps, shared_bytes, profile);
  Dispatch d("gemv_by_lanes");
  if (elements) {
    d.Define("ELEMENTS");
  } else if (conv.filter.taps == 1) {
    d.Define("PIXELS");
  }
  d.Define("LANES", lanes)
      .Define("AT_ONCE", SumsAtOnce(profile.choices))
      .Define("TILE_ROWS", tile_rows)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(lanes > 1 ? lanes : slices, lanes > 1 ? slices : 1,
            DivideUp(rows, tile_rows));
  if (conv.quantized_rows) {
    BindQuantizedRows(conv, planner->graph(), &d);
  } else {
    BindFilter(conv, planner, &d);
  }
  // One lane takes no barriers.
  if (lanes > 1) {
    d.WorkGroup(lanes, 1, 1).SharedMemory(int64_t{shared_bytes} * lanes);
  } else if (slice_a_lane) {
    d.WorkGroup(profile.choices.simd_lanes, 1, 1);
  }
  d.uniforms.Int4("row_shape", rows, row_texels, conv.filter.taps, terms);
  BindRowStages(conv, *planner, &d);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kGemvByLanes = {"gemv_by_lanes", AppliesGemvByLanes,
                                   PlanGemvByLanes, /*takes_next=*/false,
                                   /*takes_row_stages=*/true};

// --- FULLY_CONNECTED ---------------------------------------------------------

namespace {

// TFLite's kernel takes any number of elements.
absl::Status CheckRowsDivide(const NodeView& node) {
  const Tensor& src = *node.inputs[0];
  const Tensor& weights = *node.inputs[1];
  const int n = weights.dims[0];
  const int k = weights.dims[1];
  const int64_t elements = src.shape.elements();
  if (elements % k == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("input has ", elements, " elements, which rows of ", k,
                   " (weights are ", n, "x", k, ") do not divide"));
}

}  // namespace

// Node inputs: data, weights, bias (optional); of fused nodes, also kRowScale
// and those of kGateStage.
absl::StatusOr<ParsedNode> ParseFullyConnected(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto params, node.Get<FullyConnectedParams>());
  if (params->weights_format != 0) {
    return absl::UnimplementedError(
        absl::StrCat("weights format ", params->weights_format,
                     " (shuffled) is not supported; the default (0) is"));
  }
  RETURN_IF_ERROR(CheckRowsDivide(node));
  const Tensor* bias = node.input(2);
  RETURN_IF_ERROR(CheckBias(bias, node.inputs[1]->dims[0]));
  ASSIGN_OR_RETURN(auto activation, FusedActivation(params->activation));
  FullyConnectedAttributes attributes;
  attributes.sums_in_64_bits =
      bias == nullptr && node.traits.int16_rows_name_bias_type &&
      static_cast<const NewerFullyConnectedParams*>(node.builtin_params)
              ->quantized_bias_type == kTfLiteTypeInt64;
  return ParsedNode{attributes, std::move(activation)};
}

}  // namespace gles_delegate
