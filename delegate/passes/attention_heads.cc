#include "delegate/passes/attention_heads.h"

#include <algorithm>
#include <any>
#include <utility>

#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/movement/split.h"
#include "delegate/passes/fusing.h"

namespace gles_delegate {
namespace {

using Axis = ElementMap::Axis;

// Multiplications by numbers, which commute with movements and sums.
bool AreScales(const std::vector<PostOp>& ops) {
  return std::all_of(ops.begin(), ops.end(), [](const PostOp& op) {
    return op.function == "mul" && op.operand == kNoTensor;
  });
}

}  // namespace

Matrices Matrices::Of(const std::vector<int>& dims) {
  Matrices m;
  const size_t rank = dims.size();
  m.rows = dims[rank - 2];
  m.columns = dims[rank - 1];
  for (size_t i = 0; i + 2 < rank; ++i) m.count *= dims[i];
  return m;
}

// The input whose values the node moves or scales; kNoTensor: it does more.
TensorId HeadFinder::MovedBy(const Node& node) const {
  if (node.inputs.empty() || !AreScales(node.post_ops)) return kNoTensor;
  if (const auto* a = std::any_cast<SplitAttributes>(&node.attributes)) {
    return node.inputs[a->value_input];
  }
  if (IsPlainElementwise(graph_, node)) {
    return node.inputs
        [std::any_cast<const ElementwiseAttributes&>(node.attributes).source];
  }
  const bool moves =
      node.op->Has(kKeepsOrder) || node.op->Has(kPermutesAxes) ||
      std::any_cast<RemapAttributes>(&node.attributes) != nullptr;
  return moves ? node.inputs[0] : kNoTensor;
}

// Continues the map by the node.
bool HeadFinder::Follow(const Node& node, TensorId output,
                        ElementMap* map) const {
  return IsPlainElementwise(graph_, node) || map->Follow(graph_, node, output);
}

// How a factor is made of heads; nullopt: it is not.
std::optional<SplitHeads> HeadFinder::SplitOf(TensorId factor,
                                              const Matrices& m) const {
  SplitHeads heads;
  heads.source = factor;
  std::vector<std::pair<int, TensorId>> chain;  // nodes and outputs
  for (int p = uses_.producer[factor]; p >= 0 && !removed_[p];
       p = uses_.producer[heads.source]) {
    const TensorId from = MovedBy(nodes_[p]);
    if (from == kNoTensor || !IsComputedFloat(tensor(from))) break;
    chain.emplace_back(p, heads.source);
    heads.source = from;
  }
  if (chain.empty()) return std::nullopt;
  std::reverse(chain.begin(), chain.end());
  ElementMap map(tensor(heads.source).dims);
  for (const auto& [p, output] : chain) {
    const Node& node = nodes_[p];
    if (!Follow(node, output, &map)) return std::nullopt;
    heads.scales.insert(heads.scales.end(), node.post_ops.begin(),
                        node.post_ops.end());
  }
  return Place(map, m, heads);
}

std::optional<SplitHeads> HeadFinder::Place(const ElementMap& map,
                                            const Matrices& m,
                                            SplitHeads heads) const {
  const Shape& s = tensor(heads.source).shape;
  if (s.h != 1 || s.c % 4 != 0 || m.count % s.b != 0 || map.offset() % 4 != 0) {
    return std::nullopt;
  }
  heads.first = static_cast<int>(map.offset() / 4);
  const int count = m.count / s.b;
  for (const bool transposed : {false, true}) {
    const int channels = transposed ? m.rows : m.columns;
    const int width = transposed ? m.columns : m.rows;
    // Of one image the heads may be some of the slices.
    const bool fits = s.b == 1 ? map.offset() + int64_t{count} * channels <= s.c
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

std::optional<MergedHeads> HeadFinder::MergedOf(TensorId product,
                                                const Matrices& m) const {
  std::optional<MergedHeads> found;
  if (m.columns % 4 != 0) return found;
  ElementMap map(tensor(product).dims);
  MergedHeads rows;
  rows.rows = product;
  for (;;) {
    const auto& readers = uses_.consumers[rows.rows];
    if (readers.size() != 1 || uses_.is_output[rows.rows]) break;
    const Node& node = nodes_[readers[0]];
    if (MovedBy(node) != rows.rows || node.outputs.size() != 1 ||
        !Follow(node, node.outputs[0], &map)) {
      break;
    }
    rows.rows = node.outputs[0];
    rows.node = readers[0];
    rows.scales.insert(rows.scales.end(), node.post_ops.begin(),
                       node.post_ops.end());
    const std::vector<int>& dims = tensor(rows.rows).dims;
    if (!IsComputedFloat(tensor(rows.rows)) || dims.empty()) break;
    const int heads = dims.back() / m.columns;
    if (heads < 2 || dims.back() % m.columns != 0 || m.count % heads != 0) {
      continue;
    }
    rows.batch = m.count / heads;
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

}  // namespace gles_delegate
