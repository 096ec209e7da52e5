// Simplifies sequences of transposes and reshapes.
//
// - Merges two successive transposes if only the second reads the first; the
//   same for two reshapes. Post-ops without an operand move to the second node;
//   a post-op with one prevents merging.
// - Turns a transpose into a reshape if the order of elements stays the same,
//   that is if its axes of more than one element stay in order.
// - Turns a chain of transposes and reshapes into a reshape if its elements end
//   in the order in which they began.
// - If both ends of a pair have the same shape, leaves an elementwise node, or
//   without post-ops an identity, for FuseElementwise and RemoveIdentityNodes.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/ops/movement/transpose.h"
#include "delegate/passes/passes.h"

namespace gles_delegate {
namespace {

bool IsTranspose(const Node& node) { return node.op->Has(kPermutesAxes); }
bool IsReshape(const Node& node) { return node.op->Has(kKeepsOrder); }

bool IsMovement(const Node& node) {
  return IsTranspose(node) || IsReshape(node);
}

// Whether the elements follow one another after these nodes, the last first,
// as they do before.
bool IsRoundTrip(const Rewriter& r, const std::vector<int>& chain) {
  const TensorId source = r.node(chain.back()).inputs[0];
  const ElementMap all(r.tensor(source).dims);
  ElementMap map = all;
  for (auto n = chain.rbegin(); n != chain.rend(); ++n) {
    if (!map.Follow(r.graph(), r.node(*n), r.node(*n).outputs[0])) return false;
  }
  return map == all;
}

// The node that makes the input of node n for it alone, and applies no more
// than functions of that tensor; -1: none such.
int FoldableMaker(const Rewriter& r, int n) {
  const Node& node = r.node(n);
  const int p = r.MakerFor(node.inputs[0], n);
  return p < 0 || CountOperands(r.node(p)) > 0 ||
                 !HasRoomFor(r.node(p).post_ops.size(), node.post_ops) ||
                 r.node(p).integer_path != node.integer_path
             ? -1
             : p;
}

// Node n does what its maker does, too.
void TakeOver(Rewriter& r, int n, int maker) {
  Node taken = r.Take(maker);
  r.Change(n, [&](Node& node) {
    node.inputs[0] = taken.inputs[0];
    AddFunctions(node.post_ops, &taken.post_ops);
    node.post_ops = std::move(taken.post_ops);
  });
}

void ComposeTransposes(Rewriter& r, int n) {
  const int p = FoldableMaker(r, n);
  if (p < 0 || !IsTranspose(r.node(p))) return;
  const auto& first = r.node(p).Get<TransposeAttributes>().permutation;
  const auto& second = r.node(n).Get<TransposeAttributes>().permutation;
  const std::vector<int>& source = r.tensor(r.node(p).inputs[0]).dims;
  const std::vector<int>& result = r.tensor(r.node(n).outputs[0]).dims;
  // A removed RESHAPE may have changed the rank on any side.
  if (second.size() != first.size() || source.size() != first.size() ||
      result.size() != first.size()) {
    return;
  }
  std::vector<int> both = second;
  for (int& axis : both) axis = first[axis];
  Tensor permutation = r.tensor(r.node(n).inputs[1]);
  permutation.name = "permutation";
  permutation.type = DataType::kInt32;
  permutation.constant = ConstantData::Of(both);
  const TensorId added = r.AddTensor(std::move(permutation));
  TakeOver(r, n, p);
  r.Change(n, [&](Node& node) {
    node.inputs[1] = added;
    node.attributes = TransposeAttributes::Of(source, std::move(both));
  });
}

// Transposes and reshapes after which all elements follow one another as
// before, as between an image of another layout and its rows, are a RESHAPE.
void FoldRoundTrip(Rewriter& r, int n) {
  std::vector<int> chain;  // from node n on upwards
  size_t folded = 0, functions = 0;
  for (int p = n; p >= 0 && IsMovement(r.node(p)); p = FoldableMaker(r, p)) {
    functions += r.node(p).post_ops.size();
    if (functions > kMaxPostOps) break;
    chain.push_back(p);
    if ((chain.size() > 1 || IsTranspose(r.node(n))) && IsRoundTrip(r, chain)) {
      folded = chain.size();
    }
  }
  for (size_t i = 1; i < folded; ++i) TakeOver(r, n, chain[i]);
  if (folded > 0) r.Change(n, MakeReshape);
}

void FollowReshape(Rewriter& r, int n) {
  const int p = FoldableMaker(r, n);
  if (p >= 0 && IsReshape(r.node(p))) TakeOver(r, n, p);
  const Tensor& input = r.tensor(r.node(n).inputs[0]);
  const Tensor& output = r.tensor(r.node(n).outputs[0]);
  if (!HaveSameAxes(input, output) || r.node(n).post_ops.empty()) return;
  ElementwiseAttributes plain;
  plain.source_shape = input.shape;
  r.own(n).attributes = plain;
}

}  // namespace

// Nodes before n are folded already, so chains collapse from the front.
void FoldTransposes(Rewriter& r, int n) {
  if (IsTranspose(r.node(n))) ComposeTransposes(r, n);
  FoldRoundTrip(r, n);
  if (IsReshape(r.node(n))) FollowReshape(r, n);
}

// --- fold_heads --------------------------------------------------------------

// Splits and merges the heads of attentions without moving values. Models do it
// by RESHAPE, TRANSPOSE and SLICE on both sides of a BATCH_MATMUL: a row of H*C
// channels becomes H rows of C. On the GPU the C/4 slices of each head lie side
// by side already, so REGROUP_SLICES (ops/movement/transpose.h) replaces
// such chains. A transposed factor becomes adj_x or adj_y, and factors of
// scalars on the way (1 / sqrt(C)) go to the product.
//
// Must not fire if C is not a multiple of four, or on the integer path, which
// plans its own products. O(nodes), but for the lengths of chains.

namespace {

// A factor of a product as the heads of rows.
struct SplitHeads {
  TensorId source = kNoTensor;  // the rows
  int first = 0;                // slice of the source
  bool transposed = false;      // the factor is a matrix of columns
  std::vector<PostOp> scales;   // on the way
};

// A product as the heads of rows that a model merges.
struct MergedHeads {
  TensorId rows = kNoTensor;
  int node = -1;  // that makes the rows
  int batch = 1;
  std::vector<PostOp> scales;  // on the way
};

// Multiplications by numbers, which commute with movements and sums.
bool AreScales(const std::vector<PostOp>& ops) {
  return absl::c_all_of(ops, [](const PostOp& op) {
    return op.function == "mul" && op.operand == kNoTensor;
  });
}

class HeadFolder {
 public:
  explicit HeadFolder(Rewriter& r) : r_(r) {}

  void FoldProduct(int n) {
    Node node = r_.node(n);
    auto* a = node.As<BatchMatMulAttributes>();
    if (a == nullptr || node.integer_path || a->x.size() < 3 ||
        a->x.size() != a->y.size() ||
        !std::equal(a->x.begin(), a->x.end() - 2, a->y.begin()) ||
        !IsComputedFloat(tensor(node.inputs[0])) ||
        !IsComputedFloat(tensor(node.inputs[1])) ||
        !IsComputedFloat(tensor(node.outputs[0]))) {
      return;
    }
    Matrix x = MatrixOf(a->x), y = MatrixOf(a->y);
    const Matrix product = MatrixOf(a->product);
    // The heads of one row are in order already.
    if (product.rows == 1) return;
    const auto of_x = SplitOf(node.inputs[0], x);
    const auto of_y = SplitOf(node.inputs[1], y);
    const auto rows = MergedOf(node.outputs[0], product);
    const bool moves_batch = a->x.size() > 3;
    const size_t scales = (of_x ? of_x->scales.size() : 0) +
                          (of_y ? of_y->scales.size() : 0) +
                          (rows ? rows->scales.size() : 0);
    if (!HasRoomFor(scales, node.post_ops)) return;
    if (!of_x && !of_y && !rows) return;
    if (moves_batch && !CanRegroup(node.post_ops, product.count())) {
      return r_.Decline(n, "an operand would have to repeat for each batch");
    }
    const bool turns_x = of_x && of_x->transposed;
    const bool turns_y = of_y && of_y->transposed;
    if (turns_x) std::swap(x.rows, x.columns);
    if (turns_y) std::swap(y.rows, y.columns);
    const std::vector<TensorId> read = ReadBy(node);
    node.inputs = {Factor(n, node.inputs[0], of_x, x),
                   Factor(n, node.inputs[1], of_y, y)};
    std::vector<PostOp> functions;
    for (const auto& heads : {of_x, of_y}) {
      if (heads) AddFunctions(heads->scales, &functions);
    }
    AddFunctions(node.post_ops, &functions);
    node.post_ops = std::move(functions);
    if (moves_batch) Regroup(&node.post_ops);
    node.attributes =
        BatchMatMulAttributes{a->adj_x != turns_x, a->adj_y != turns_y,
                              x.dims(), y.dims(), product.dims()};
    r_.Replace(n, std::move(node));
    LayProduct(n, product, rows, moves_batch);
    r_.RemoveUnread(read);
  }

 private:
  using Axis = ElementMap::Axis;

  const Tensor& tensor(TensorId id) const { return r_.tensor(id); }

  TensorId Add(TensorId like, const char* what, std::vector<int> dims) {
    return AddLike(tensor(like), tensor(like).name + what, std::move(dims),
                   &r_.graph());
  }

  // The input whose values the node moves or scales; kNoTensor: it does more.
  TensorId MovedBy(const Node& node) const {
    if (node.inputs.empty() || !AreScales(node.post_ops)) return kNoTensor;
    return IsPlainElementwise(r_.graph(), node)
               ? SourceOfFunctions(r_.graph(), node)
               : ElementMap::SourceOf(node);
  }

  // Continues the map by the node.
  bool Follow(const Node& node, TensorId output, ElementMap* map) const {
    return IsPlainElementwise(r_.graph(), node) ||
           map->Follow(r_.graph(), node, output);
  }

  // How a factor is made of heads whose channels are whole texels; nullopt: it
  // is not.
  std::optional<SplitHeads> SplitOf(TensorId factor, const Matrix& m) const {
    SplitHeads heads;
    heads.source = factor;
    std::vector<std::pair<int, TensorId>> chain;  // nodes and outputs
    for (int p = r_.MakerOf(factor); p >= 0; p = r_.MakerOf(heads.source)) {
      const TensorId from = MovedBy(r_.node(p));
      if (from == kNoTensor || !IsComputedFloat(tensor(from))) break;
      chain.emplace_back(p, heads.source);
      heads.source = from;
    }
    if (chain.empty()) return std::nullopt;
    absl::c_reverse(chain);
    ElementMap map(tensor(heads.source).dims);
    for (const auto& [p, output] : chain) {
      const Node& node = r_.node(p);
      if (!Follow(node, output, &map)) return std::nullopt;
      AddFunctions(node.post_ops, &heads.scales);
    }
    return Place(map, m, heads);
  }

  std::optional<SplitHeads> Place(const ElementMap& map, const Matrix& m,
                                  SplitHeads heads) const {
    const Shape& s = tensor(heads.source).shape;
    if (s.h != 1 || s.c % 4 != 0 || m.count() % s.b != 0 ||
        map.offset() % 4 != 0) {
      return std::nullopt;
    }
    heads.first = static_cast<int>(map.offset() / 4);
    const int count = m.count() / s.b;
    for (const bool transposed : {false, true}) {
      const int channels = transposed ? m.rows : m.columns;
      const int width = transposed ? m.columns : m.rows;
      // Of one image the heads may be some of the slices.
      const bool fits = s.b == 1
                            ? map.offset() + int64_t{count} * channels <= s.c
                            : map.offset() == 0 && count * channels == s.c;
      if (channels % 4 != 0 || width != s.w || !fits) continue;
      std::vector<Axis> axes = {{s.b, int64_t{s.w} * s.c},
                                {count, channels},
                                {width, s.c},
                                {channels, 1}};
      if (transposed) std::swap(axes[2], axes[3]);
      if (!(map == ElementMap(axes, map.offset()))) continue;
      heads.transposed = transposed;
      return heads;
    }
    return std::nullopt;
  }

  std::optional<MergedHeads> MergedOf(TensorId product, const Matrix& m) const {
    std::optional<MergedHeads> found;
    if (m.columns % 4 != 0) return found;
    ElementMap map(tensor(product).dims);
    MergedHeads rows;
    rows.rows = product;
    for (;;) {
      const int reader = r_.OnlyReaderOf(rows.rows);
      if (reader < 0) break;
      const Node& node = r_.node(reader);
      if (MovedBy(node) != rows.rows || node.outputs.size() != 1 ||
          !Follow(node, node.outputs[0], &map)) {
        break;
      }
      rows.rows = node.outputs[0];
      rows.node = reader;
      AddFunctions(node.post_ops, &rows.scales);
      const std::vector<int>& dims = tensor(rows.rows).dims;
      if (!IsComputedFloat(tensor(rows.rows)) || dims.empty()) break;
      const int heads = dims.back() / m.columns;
      if (heads < 2 || dims.back() % m.columns != 0 || m.count() % heads != 0) {
        continue;
      }
      rows.batch = m.count() / heads;
      const int64_t of_head = int64_t{m.rows} * m.columns;
      if (map == ElementMap({{rows.batch, heads * of_head},
                             {m.rows, m.columns},
                             {heads, of_head},
                             {m.columns, 1}})) {
        found = rows;
      }
    }
    return found;
  }

  // Functions stay right if the heads of all batches, `count` in all, become
  // the product's batch. An operand of each head would have to repeat for each
  // batch.
  bool CanRegroup(const std::vector<PostOp>& ops, int count) const {
    return absl::c_all_of(ops, [&](const PostOp& op) {
      if (op.operand == kNoTensor) return true;
      const Tensor& t = tensor(op.operand);
      return t.shape.b == 1 &&
             (t.shape.h == 1 || (t.is_constant() && t.shape.h == count));
    });
  }

  // Constant operands of each head lie in its batch.
  void Regroup(std::vector<PostOp>* ops) {
    for (PostOp& op : *ops) {
      if (op.operand == kNoTensor || tensor(op.operand).shape.h == 1) continue;
      const Shape& s = tensor(op.operand).shape;
      op.operand = AddConstantAs({s.h, 1, s.w, s.c}, op.operand, &r_.graph());
    }
  }

  // The factor of these matrices, and the node that makes it.
  TensorId Factor(int n, TensorId id, const std::optional<SplitHeads>& heads,
                  const Matrix& m) {
    const TensorId from = heads ? heads->source : id;
    const bool is_factor = tensor(from).shape == Shape::FromDims(m.dims());
    if (is_factor && (!heads || heads->first == 0)) return from;
    const TensorId factor = Add(from, " by head", m.dims());
    if (!heads) {
      r_.InsertBefore(n, ReshapeNode(id, factor));
      return factor;
    }
    r_.InsertBefore(n, RegroupSlicesNode(heads->source, factor, heads->first));
    return factor;
  }

  void LayProduct(int n, const Matrix& product,
                  const std::optional<MergedHeads>& rows, bool moves_batch) {
    const TensorId was = r_.node(n).outputs[0];
    if (!rows && !moves_batch) return;
    const TensorId heads = Add(was, " by head", product.dims());
    r_.Change(n, [&](Node& node) {
      node.outputs[0] = heads;
      if (rows) AddFunctions(rows->scales, &node.post_ops);
    });
    if (!rows) {
      r_.InsertAfter(n, ReshapeNode(heads, was));
      return;
    }
    const std::vector<int> dims = {rows->batch, product.rows,
                                   tensor(rows->rows).dims.back()};
    r_.RemoveUnread(r_.Take(rows->node).inputs);
    if (tensor(rows->rows).dims == dims) {
      r_.InsertAfter(n, RegroupSlicesNode(heads, rows->rows, 0));
      return;
    }
    const TensorId merged = Add(rows->rows, " in rows", dims);
    r_.InsertAfter(n, RegroupSlicesNode(heads, merged, 0));
    r_.InsertAfter(n, ReshapeNode(merged, rows->rows));
  }

  Rewriter& r_;
};

}  // namespace

void FoldHeads(Rewriter& r, int n) { HeadFolder(r).FoldProduct(n); }

}  // namespace gles_delegate
