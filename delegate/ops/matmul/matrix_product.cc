#include "delegate/ops/matmul/matrix_product.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/dispatches.h"

namespace gles_delegate {

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
  std::string place = "0, 0, slice, row";
  if (dims.size() > 2) {
    // One leading axis is the product's height.
    const bool is_height = dims.size() == 3 && rank > 3;
    place = absl::StrCat("row, ", shape.h > 1 && !is_height ? "height" : "0",
                         ", slice, ",
                         shape.b == 1 ? "0"
                         : is_height  ? "height"
                                      : "batch");
  }
  d->Define(absl::StrCat(name, "_PLACE(row, slice)"), place);
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

absl::Status PlanMatrixProducts(const MatrixProducts& products,
                                Planner* planner) {
  if (auto shared = ProductsShared(products, *planner)) {
    return planner->Add(*std::move(shared));
  }
  const Shape& src = planner->shape(products.src);
  const Shape& dst = planner->shape(products.dst);
  const ConvTile tile = ProductTile(dst.w, dst.slices(), planner->choices());
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
  return planner->Add(std::move(d));
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

absl::Status PlanGemvBySlices(const Convolution& conv, Planner* planner) {
  const DeviceProfile& profile = planner->profile();
  const int block = profile.choices.simd_lanes;
  const int rows = conv.pixels();
  const int tile_rows = Even(rows, MaxProductRows(profile.choices));
  Dispatch d = ConvDispatch("gemv_by_slices", conv);
  d.Define("BLOCK", block)
      .Define("TILE_ROWS", tile_rows)
      .Constant(
          PackFilterBlocks(conv.weights, conv.filter, planner->graph(), block))
      .Grid(conv.dst_shape.slices(), DivideUp(rows, tile_rows), 1);
  if (block <= profile.limits.max_work_group_size[0]) d.WorkGroup(block, 1, 1);
  d.uniforms.Int4("row_shape", rows, conv.filter.taps, 0, 0);
  return planner->Add(std::move(d));
}

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
  return IsRowProduct(conv, planner.choices());
}

absl::Status PlanGemvByLanes(const Convolution& conv, Planner* planner) {
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
  Dispatch d = ConvDispatch("gemv_by_lanes", conv);
  if (elements) {
    d.Define("ELEMENTS");
  } else if (conv.filter.taps == 1) {
    d.Define("PIXELS");
  }
  d.Define("LANES", lanes)
      .Define("AT_ONCE", SumsAtOnce(profile.choices))
      .Define("TILE_ROWS", tile_rows)
      .Grid(lanes > 1 ? lanes : slices, lanes > 1 ? slices : 1,
            DivideUp(rows, tile_rows));
  RETURN_IF_ERROR(BindFilter(conv, planner, &d));
  // One lane takes no barriers.
  if (lanes > 1) {
    d.WorkGroup(lanes, 1, 1).SharedMemory(int64_t{shared_bytes} * lanes);
  } else if (slice_a_lane) {
    d.WorkGroup(profile.choices.simd_lanes, 1, 1);
  }
  d.uniforms.Int4("row_shape", rows, row_texels, conv.filter.taps, terms);
  BindRowStages(conv, *planner, &d);
  return planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kGemvBySlices = {"gemv_by_slices", AppliesGemvBySlices,
                                    PlanGemvBySlices};

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
  return Invalid("input has ", elements, " elements, which rows of ", k,
                 " (weights are ", n, "x", k, ") do not divide");
}

}  // namespace

// Node inputs: data, weights, bias (optional); of fused nodes, also kRowScale
// and those of kGateStage.
absl::StatusOr<ParsedNode> ParseFullyConnected(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto params, node.Get<FullyConnectedParams>());
  if (params->weights_format != 0) {
    return Unimplemented("weights format ", params->weights_format,
                         " (shuffled) is not supported; the default (0) is");
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

// --- BATCH_MATMUL ------------------------------------------------------------

namespace {

constexpr int kMinRank = 2;

absl::Status CheckFactor(const Tensor& tensor, absl::string_view what) {
  const size_t rank = tensor.dims.size();
  if (rank >= kMinRank && rank <= kMaxMatrixRank) return absl::OkStatus();
  return Invalid(what, " is ", DimsString(tensor.dims),
                 ", its rank must be 2 to 5");
}

absl::Status CheckLeading(const Matrix& x, const Matrix& y) {
  // The first two share an axis of the GPU's tensors.
  const int64_t folded_x = int64_t{x.leading[0]} * x.leading[1];
  const int64_t folded_y = int64_t{y.leading[0]} * y.leading[1];
  const bool equal =
      x.leading[0] == y.leading[0] && x.leading[1] == y.leading[1];
  if (equal || folded_x == 1 || folded_y == 1 ||
      (x.leading[0] == 1 && y.leading[0] == 1)) {
    return absl::OkStatus();
  }
  return Unimplemented("the leading axes ", DimsString(x.leading), " and ",
                       DimsString(y.leading),
                       " broadcast within their first two");
}

// The bindings of both kinds: tensors, grid, and the places of rows.
void BindMatrices(const Node& node, const BatchMatMulAttributes& a,
                  const ConvTile& tile, const Planner& planner, Dispatch* d) {
  const Tensor& x_tensor = planner.tensor(node.inputs[0]);
  const Tensor& y_tensor = planner.tensor(node.inputs[1]);
  const Tensor& dst = planner.tensor(node.outputs[0]);
  const Matrix x = MatrixOf(a.x, a.adj_x);
  const Matrix y = MatrixOf(a.y, a.adj_y);
  const int rank = a.rank();
  if (a.adj_x) d->Define("ADJ_X");
  if (a.adj_y) d->Define("ADJ_Y");
  d->Read("x", node.inputs[0])
      .Read("y", node.inputs[1])
      .Write("dst", node.outputs[0])
      .Grid(DivideUp(x.rows, tile.pixels),
            DivideUp(dst.shape.slices(), tile.slices),
            rank == 2 ? 1 : dst.shape.h * dst.shape.b);
  d->uniforms.Int4("extent", x.rows, y.columns, x.columns,
                   DivideUp(x.columns, 4));
  AddMatrixPlace("X", a.x, x_tensor.shape, rank, d);
  AddMatrixPlace("Y", a.y, y_tensor.shape, rank, d);
  d->uniforms.Int("rows_in_batch", rank == 2 ? 1 : 0);
}

bool Repeats(int extent, int of) { return extent == 1 || extent == of; }

// The node as products of matrices whose rows are along the width; nullopt if
// they do not, or if there are too few rows for tiles.
std::optional<MatrixPairs> PairsOf(const Node& node,
                                   const BatchMatMulAttributes& a,
                                   const Graph& graph) {
  constexpr int kFewRows = 8;
  const Matrix x = MatrixOf(a.x, a.adj_x);
  const Matrix y = MatrixOf(a.y, false);
  const Shape& of_x = graph.tensor(node.inputs[0]).shape;
  const Shape& of_y = graph.tensor(node.inputs[1]).shape;
  const Shape& dst = graph.tensor(node.outputs[0]).shape;
  if (a.adj_x || x.rows < kFewRows || of_x.w != x.rows || of_x.c != x.columns ||
      of_y.w != y.rows || of_y.c != y.columns || dst.w != x.rows ||
      !Repeats(of_x.h, dst.h) || !Repeats(of_x.b, dst.b) ||
      !Repeats(of_y.h, dst.h) || !Repeats(of_y.b, dst.b)) {
    return std::nullopt;
  }
  return MatrixPairs{node.inputs[0], node.inputs[1], node.outputs[0], a.adj_y};
}

}  // namespace

absl::StatusOr<ParsedNode> ParseBatchMatMul(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto params, node.Get<BatchMatMulParams>());
  const BatchMatMulAttributes a = {params->adj_x != 0, params->adj_y != 0,
                                   node.inputs[0]->dims, node.inputs[1]->dims,
                                   node.outputs[0]->dims};
  for (int i : {0, 1}) {
    RETURN_IF_ERROR(CheckFactor(*node.inputs[i], i == 0 ? "x" : "y"));
  }
  const Matrix x = MatrixOf(a.x, a.adj_x);
  const Matrix y = MatrixOf(a.y, a.adj_y);
  if (x.columns != y.rows) {
    return Invalid("x has ", x.columns, " terms a row, y has ", y.rows,
                   " a column");
  }
  RETURN_IF_ERROR(CheckLeading(x, y));
  std::vector<int> product;
  for (int axis = Matrix::kLeadingAxes - (a.rank() - 2);
       axis < Matrix::kLeadingAxes; ++axis) {
    product.push_back(std::max(x.leading[axis], y.leading[axis]));
  }
  product.push_back(x.rows);
  product.push_back(y.columns);
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], product));
  return ParsedNode{a};
}

absl::Status PlanBatchMatMul(const Node& node, Planner* planner) {
  const auto& a = node.Get<BatchMatMulAttributes>();
  const Tensor& dst = planner->tensor(node.outputs[0]);
  const Matrix x = MatrixOf(a.x, a.adj_x);
  const Matrix y = MatrixOf(a.y, a.adj_y);
  // Rows of x times the rows of one constant or computed matrix.
  if (!a.adj_x && a.adj_y && a.y.size() == 2) {
    return PlanConvolution(
        Convolution::OfRows(node.inputs[0], node.outputs[0], {node.inputs[1]},
                            y.columns, x.columns, planner->graph()),
        planner);
  }
  if (const auto pairs = PairsOf(node, a, planner->graph())) {
    if (auto shared = MatricesShared(*pairs, *planner)) {
      return planner->Add(*std::move(shared));
    }
  }
  TileWork work;
  work.program = work.convolution =
      int64_t{x.rows} * x.columns * dst.shape.h * dst.shape.b * dst.shape.c;
  ConvTile tile =
      ChooseFlatTile(x.rows, dst.shape.slices(), work, planner->choices());
  if (a.adj_x) tile.pixels = 4;  // the four rows of a texel of x
  Dispatch d("batch_matmul");
  d.Define("TILE_ROWS", tile.pixels).Define("TILE_SLICES", tile.slices);
  BindMatrices(node, a, tile, *planner, &d);
  return planner->Add(std::move(d));
}

namespace {

struct Int16BatchMatMulAttributes {
  BatchMatMulAttributes matrices;
  quant::Int16Multiplier multiplier;
};

absl::Status PlanInt16BatchMatMul(const Node& node, Planner* planner) {
  const auto& a = node.Get<Int16BatchMatMulAttributes>();
  constexpr int kMaxRows = 4;
  const Matrix x = MatrixOf(a.matrices.x, a.matrices.adj_x);
  // A texel of x transposed has four rows.
  const int rows = a.matrices.adj_x ? kMaxRows : std::min(x.rows, kMaxRows);
  Dispatch d("batch_matmul");
  d.Define("INT16").Define("TILE_ROWS", rows).Define("TILE_SLICES", 1);
  d.Define("RESCALE_64", "op_rescale_64");
  BindMatrices(node, a.matrices, {rows, 1}, *planner, &d);
  d.uniforms.Int("multiplier", a.multiplier.value);
  d.uniforms.Int("right", a.multiplier.right);
  return AddInLightGroups(std::move(d), planner);
}

}  // namespace

Node Int16BatchMatMulNode(const Node& of, TensorId x, TensorId y,
                          const quant::Int16Multiplier& multiplier) {
  static constexpr OpDefinition op =
      OpOfPasses("BATCH_MATMUL_OF_16_BITS", PlanInt16BatchMatMul);
  Node node = Node::Of(
      &op, {x, y}, of.outputs,
      Int16BatchMatMulAttributes{of.Get<BatchMatMulAttributes>(), multiplier});
  node.tflite_index = of.tflite_index;
  node.integer_path = true;
  return node;
}

}  // namespace gles_delegate
