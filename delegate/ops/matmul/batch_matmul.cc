#include "delegate/ops/matmul/batch_matmul.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_shared.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

constexpr int kMinRank = 2;

absl::Status CheckFactor(const Tensor& tensor, absl::string_view what) {
  const size_t rank = tensor.dims.size();
  if (rank >= kMinRank && rank <= kMaxMatrixRank) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      what, " is ", DimsString(tensor.dims), ", its rank must be 2 to 5"));
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
  return absl::UnimplementedError(
      absl::StrCat("the leading axes ", DimsString(x.leading), " and ",
                   DimsString(y.leading), " broadcast within their first two"));
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

// Rows of x times the rows of one constant or computed matrix.
bool IsMatrixProduct(const BatchMatMulAttributes& a) {
  return !a.adj_x && a.adj_y && a.y.size() == 2;
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
    return absl::InvalidArgumentError(absl::StrCat(
        "x has ", x.columns, " terms a row, y has ", y.rows, " a column"));
  }
  RETURN_IF_ERROR(CheckLeading(x, y));
  return ParsedNode{a, {}};
}

absl::Status PlanBatchMatMul(const Node& node, Planner* planner) {
  const auto& a = node.Get<BatchMatMulAttributes>();
  const Tensor& dst = planner->tensor(node.outputs[0]);
  const Matrix x = MatrixOf(a.x, a.adj_x);
  const Matrix y = MatrixOf(a.y, a.adj_y);
  if (IsMatrixProduct(a)) {
    PlanMatrixProduct({node.inputs[0],
                       node.outputs[0],
                       {node.inputs[1]},
                       y.columns,
                       x.columns},
                      planner);
    return absl::OkStatus();
  }
  if (const auto pairs = PairsOf(node, a, planner->graph())) {
    if (auto shared = MatricesShared(*pairs, *planner)) {
      planner->Add(*std::move(shared));
      return absl::OkStatus();
    }
  }
  TileWork work;
  work.program = work.convolution =
      int64_t{x.rows} * x.columns * dst.shape.h * dst.shape.b * dst.shape.c;
  ConvTile tile = ChooseFlatTile(x.rows, dst.shape.slices(), work,
                                 planner->profile().choices);
  if (a.adj_x) tile.pixels = 4;  // the four rows of a texel of x
  Dispatch d("batch_matmul");
  d.Define("TILE_ROWS", tile.pixels).Define("TILE_SLICES", tile.slices);
  BindMatrices(node, a, tile, *planner, &d);
  planner->Add(std::move(d));
  return absl::OkStatus();
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
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace

Node Int16BatchMatMulNode(const Node& of, TensorId x, TensorId y,
                          const quant::Int16Multiplier& multiplier) {
  static constexpr OpDefinition op =
      OpOfPasses("BATCH_MATMUL_OF_16_BITS", PlanInt16BatchMatMul);
  Node node;
  node.op = &op;
  node.tflite_index = of.tflite_index;
  node.inputs = {x, y};
  node.outputs = of.outputs;
  node.attributes =
      Int16BatchMatMulAttributes{of.Get<BatchMatMulAttributes>(), multiplier};
  node.integer_path = true;
  return node;
}

}  // namespace gles_delegate
