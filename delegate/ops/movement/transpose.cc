#include "delegate/ops/movement/transpose.h"

#include <cstring>
#include <functional>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/host_budget.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/dispatches.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

namespace {

Remap Permute(const std::vector<int>& permutation) {
  const int rank = static_cast<int>(permutation.size());
  Remap remap = Remap::Constant();
  for (int i = 0; i < rank; ++i) {
    remap.Follow(BhwcAxis(permutation[i], rank), BhwcAxis(i, rank));
  }
  return remap;
}

// The order of axes in which the output's second is behind its first, or two
// others that are neighbors in the output, so that the innermost stays.
std::vector<int> OrderWithNeighbors(const std::vector<int>& permutation) {
  const int last = static_cast<int>(permutation.size()) - 1;
  size_t i = 1;
  while (permutation[i - 1] == last || permutation[i] == last) ++i;
  std::vector<int> order;
  for (int axis = 0; axis <= last; ++axis) {
    if (axis != permutation[i]) order.push_back(axis);
    if (axis == permutation[i - 1]) order.push_back(permutation[i]);
  }
  return order;
}

// How the node moves its source to output `index`; nullptr: not by a remap, or
// by one that makes other values past an edge, as PAD does.
const Remap* RemapOf(const Node& node, size_t index) {
  if (const auto* a = node.As<TransposeAttributes>()) return &a->remap;
  const auto* a = node.As<RemapAttributes>();
  if (a == nullptr || index >= a->remaps.size()) return nullptr;
  const Remap& remap = a->remaps[index];
  return remap.edge == Remap::Edge::kNone ? &remap : nullptr;
}

}  // namespace

FoldedTranspose::FoldedTranspose(const std::vector<int>& of,
                                 const std::vector<int>& order) {
  std::vector<ElementMap::Axis> axes(order.size());
  int64_t stride = 1;
  for (int axis = static_cast<int>(of.size()) - 1; axis >= 0; --axis) {
    const auto to = absl::c_find(order, axis);
    axes[to - order.begin()] = {of[axis], stride};
    stride *= of[axis];
  }
  const ElementMap map(std::move(axes));
  std::map<int64_t, int, std::greater<>> places;  // of the input's axes
  for (const auto& axis : map.axes()) places[axis.stride] = axis.size;
  for (auto& [at, place] : places) {
    dims.push_back(place);
    place = static_cast<int>(dims.size()) - 1;
  }
  for (const auto& axis : map.axes()) {
    permutation.push_back(places[axis.stride]);
  }
}

TransposeStep FoldedTranspose::Step() const {
  TransposeStep step = {Permute(permutation), dims, {}};
  for (int axis : permutation) step.output.push_back(dims[axis]);
  if (dims.size() == 5) step.remap.src_outer = dims[0];
  return step;
}

// As few steps as there are axes past five, and one.
TransposeAttributes TransposeAttributes::Of(const std::vector<int>& dims,
                                            std::vector<int> permutation) {
  TransposeAttributes a;
  a.permutation = std::move(permutation);
  if (dims.size() <= 5) {
    a.remap = Permute(a.permutation);
    return a;
  }
  FoldedTranspose folded(dims, a.permutation);
  while (folded.dims.size() > 5) {
    const std::vector<int> order = OrderWithNeighbors(folded.permutation);
    a.steps.push_back(FoldedTranspose(folded.dims, order).Step());
    std::vector<int> between, place(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      between.push_back(folded.dims[order[i]]);
      place[order[i]] = static_cast<int>(i);
    }
    for (int& axis : folded.permutation) axis = place[axis];
    folded = FoldedTranspose(between, folded.permutation);
  }
  a.steps.push_back(folded.Step());
  return a;
}

absl::StatusOr<TensorId> AddTransposeSteps(
    Planner* planner, TensorId src, absl::Span<const TransposeStep> steps) {
  const DataType type = planner->tensor(src).type;
  for (const TransposeStep& step : steps) {
    ASSIGN_OR_RETURN(auto folded,
                     AsShape(planner, src, Shape::FromDims(step.input)));
    src = planner->AddTemporaryOf("transposed", step.output, type);
    RETURN_IF_ERROR(AddRemap(planner, folded, src, step.remap));
  }
  return src;
}

absl::StatusOr<ParsedNode> ParseTranspose(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  const int rank = static_cast<int>(input.dims.size());
  ASSIGN_OR_RETURN(auto permutation, IntsOfInput(node, 1));
  std::vector<bool> taken(rank, false);
  for (int i = 0; i < rank; ++i) {
    ASSIGN_OR_RETURN(auto axis, NormalAxis(permutation[i], rank));
    if (taken[axis]) {
      return Invalid("the permutation has axis ", axis, " twice");
    }
    taken[axis] = true;
    permutation[i] = axis;
  }
  return ParsedNode{
      TransposeAttributes::Of(input.dims, std::move(permutation))};
}

absl::Status PlanTranspose(const Node& node, Planner* planner) {
  const auto& a = node.Get<TransposeAttributes>();
  if (a.steps.empty()) {
    return AddRemap(planner, node.inputs[0], node.outputs[0], a.remap);
  }
  ASSIGN_OR_RETURN(auto moved,
                   AddTransposeSteps(planner, node.inputs[0], a.steps));
  return AddReshape(planner, moved, node.outputs[0]);
}

// --- REGROUP_SLICES ----------------------------------------------------------

Node RegroupSlicesNode(TensorId src, TensorId dst, int first) {
  static constexpr OpDefinition op =
      OpOfPasses("REGROUP_SLICES", PlanRegroupSlices, kMovesValues);
  return Node::Of(&op, {src}, {dst}, RegroupSlicesAttributes{first});
}

absl::Status PlanRegroupSlices(const Node& node, Planner* planner) {
  const auto& a = node.Get<RegroupSlicesAttributes>();
  Dispatch d = TexelDispatch("regroup_slices", node, *planner);
  d.uniforms.Int("first", a.first);
  return planner->Add(std::move(d));
}

// --- Maps of elements --------------------------------------------------------

ElementMap::ElementMap(const std::vector<int>& dims) {
  Axes axes;
  int64_t stride = 1;
  for (auto d = dims.rbegin(); d != dims.rend(); ++d) {
    axes.push_back({*d, stride});
    stride *= *d;
  }
  absl::c_reverse(axes);
  Join({axes});
}

ElementMap::ElementMap(std::vector<Axis> axes, int64_t offset)
    : offset_(offset) {
  Join({std::move(axes)});
}

void ElementMap::Join(const std::vector<Axes>& groups) {
  axes_.clear();
  for (const Axes& group : groups) {
    for (const Axis& axis : group) {
      if (axis.size == 1) continue;
      if (!axes_.empty() && axes_.back().stride == axis.size * axis.stride) {
        axes_.back() = {axes_.back().size * axis.size, axis.stride};
      } else {
        axes_.push_back(axis);
      }
    }
  }
}

bool ElementMap::Divide(const std::vector<int>& dims,
                        std::vector<Axes>* groups) const {
  Axes rest(axes_.rbegin(), axes_.rend());  // the next one last
  for (int dim : dims) {
    groups->emplace_back();
    while (dim > 1) {
      if (rest.empty()) return false;
      const Axis axis = rest.back();
      rest.pop_back();
      if (dim % axis.size == 0) {
        groups->back().push_back(axis);
        dim /= axis.size;
      } else if (axis.size % dim == 0) {
        const int inner = axis.size / dim;
        groups->back().push_back({dim, axis.stride * inner});
        rest.push_back({inner, axis.stride});
        dim = 1;
      } else {
        return false;
      }
    }
  }
  return true;
}

bool ElementMap::Move(const std::vector<int>& from, const Remap& remap,
                      const std::vector<int>& to) {
  const int rank = static_cast<int>(from.size());
  const int to_rank = static_cast<int>(to.size());
  std::vector<Axes> parts;
  if (rank > 5 || to_rank > 5 || remap.edge != Remap::Edge::kNone ||
      !Divide(from, &parts)) {
    return false;
  }
  std::vector<Axes> moved(to_rank);
  std::vector<bool> is_given(to_rank, false);
  for (int i = 0; i < rank; ++i) {
    const int axis = BhwcAxis(i, rank);
    const int begin = remap.offset[axis];
    Axes& part = parts[i];
    int followed = -1;
    for (int j = 0; j < to_rank; ++j) {
      const int step = remap.per[axis][BhwcAxis(j, to_rank)];
      if (step == 0 || to[j] == 1) continue;
      if (step != 1 || followed >= 0 || is_given[j]) return false;
      followed = j;
    }
    const int size = followed < 0 ? 1 : to[followed];
    if (begin != 0 || size != from[i]) {
      if (part.size() != 1 || begin + size > part[0].size) return false;
      offset_ += begin * part[0].stride;
      part[0].size = size;
    }
    if (followed < 0) continue;
    moved[followed] = std::move(part);
    is_given[followed] = true;
  }
  for (int j = 0; j < to_rank; ++j) {
    if (to[j] != 1 && !is_given[j]) return false;
  }
  Join(moved);
  return true;
}

bool ElementMap::Broadcast(const std::vector<int>& from,
                           const std::vector<int>& to) {
  std::vector<Axes> groups;
  if (to.size() != from.size() || !Divide(from, &groups)) return false;
  for (size_t i = 0; i < to.size(); ++i) {
    if (from[i] == 1) groups[i] = {{to[i], 0}};
  }
  Join(groups);
  return true;
}

bool ElementMap::Narrow(const std::vector<int>& dims, int begin, int size) {
  std::vector<Axes> groups;
  if (!Divide(dims, &groups) || groups.back().size() != 1) return false;
  Axis& last = groups.back()[0];
  offset_ += begin * last.stride;
  last.size = size;
  Join(groups);
  return true;
}

TensorId ElementMap::SourceOf(const Node& node) {
  if (RemapOf(node, 0) == nullptr) {
    return node.op->Has(kKeepsOrder) ? node.inputs[0] : kNoTensor;
  }
  const auto* a = node.As<RemapAttributes>();
  return node.inputs[a != nullptr ? a->source : 0];
}

bool ElementMap::Follow(const Graph& graph, const Node& node, TensorId output) {
  if (node.op->Has(kKeepsOrder)) return true;
  const auto* a = node.As<TransposeAttributes>();
  if (a != nullptr && !a->steps.empty()) {
    return absl::c_all_of(a->steps, [this](const TransposeStep& step) {
      return Move(step.input, step.remap, step.output);
    });
  }
  const auto at = absl::c_find(node.outputs, output);
  const Remap* remap = RemapOf(node, at - node.outputs.begin());
  return remap != nullptr && Move(graph.tensor(SourceOf(node)).dims, *remap,
                                  graph.tensor(output).dims);
}

std::vector<uint8_t> ElementMap::Gather(absl::Span<const uint8_t> source,
                                        size_t size) const {
  int64_t count = 1;
  for (const Axis& axis : axes_) count *= axis.size;
  std::vector<uint8_t> gathered;
  gathered.reserve(count * size);
  std::vector<int> index(axes_.size(), 0);
  for (int64_t at = offset_; count > 0; --count) {
    const auto element = source.subspan(at * size, size);
    gathered.insert(gathered.end(), element.begin(), element.end());
    for (size_t i = axes_.size(); i-- > 0;) {
      at += axes_[i].stride;
      if (++index[i] < axes_[i].size) break;
      at -= axes_[i].stride * index[i];
      index[i] = 0;
    }
  }
  return gathered;
}

// --- DEPTH_TO_SPACE, SPACE_TO_DEPTH ------------------------------------------

absl::StatusOr<ParsedNode> ParseSpaceDepth(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<SpaceDepthParams>());
  const int block = params->block_size;
  constexpr int kMaxBlock = 1 << 15;  // its square fits 31 bits
  if (block < 1 || block > kMaxBlock) {
    return Invalid("block ", block, " is not 1 to ", kMaxBlock);
  }
  return ParsedNode{*params};
}

absl::Status PlanSpaceDepth(const Node& node, Planner* planner) {
  const auto& a = node.Get<SpaceDepthParams>();
  const bool to_depth = node.op->name == "SPACE_TO_DEPTH";
  Dispatch d = TexelDispatch(to_depth ? "space_to_depth" : "depth_to_space",
                             node, *planner);
  // The channels of a pixel of the wide tensor stay together in both.
  const TensorId wide = to_depth ? node.inputs[0] : node.outputs[0];
  if (planner->shape(wide).c % 4 == 0) d.Define("WHOLE");
  d.uniforms.Int("block", a.block_size);
  return AddInLightGroups(std::move(d), planner);
}

// --- SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND ------------------------------------

absl::StatusOr<ParsedNode> ParseSpaceBatch(const NodeView& node) {
  const std::vector<int>& dims = node.inputs[0]->dims;
  ASSIGN_OR_RETURN(auto block, IntsOfInput(node, 1));
  ASSIGN_OR_RETURN(auto edges, IntsOfInput(node, 2));
  const size_t axes = block.size();
  if (axes < 1 || axes > 2 || dims.size() != axes + 2 ||
      edges.size() != 2 * axes || *absl::c_min_element(block) < 1 ||
      *absl::c_min_element(edges) < 0) {
    return Invalid("blocks of ", absl::StrJoin(block, "x"), " and edges of ",
                   absl::StrJoin(edges, ","), " for an input of ",
                   DimsString(dims));
  }
  if (axes == 2) {
    return ParsedNode{
        SpaceBatchAttributes{block[0], block[1], edges[0], edges[2], 0}};
  }
  SpaceBatchAttributes a;
  a.block_w = block[0];  // the one spatial axis of rank 3 is the width
  a.left = edges[0];
  return ParsedNode{a};
}

absl::Status PlanSpaceBatch(const Node& node, Planner* planner) {
  const auto& a = node.Get<SpaceBatchAttributes>();
  Dispatch d = TexelDispatch("space_batch", node, *planner);
  if (node.op->name == "SPACE_TO_BATCH_ND") d.Define("TO_BATCH");
  d.uniforms.Int2("block", a.block_w, a.block_h);
  d.uniforms.Int2("edge", a.left, a.top);
  d.uniforms.Float("fill", a.fill);
  return AddInLightGroups(std::move(d), planner);
}

// --- DILATE ------------------------------------------------------------------

absl::StatusOr<ParsedNode> ParseDilate(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  for (const Tensor* t : {node.inputs[2], node.outputs[0]}) {
    RETURN_IF_ERROR(CheckOneQuantization(input, *t));
  }
  ASSIGN_OR_RETURN(const auto dilations, IntsOfInput(node, 1));
  const int rank = static_cast<int>(input.dims.size());
  DilateAttributes a;
  for (int axis = 0; axis < rank; ++axis) {
    if (dilations[axis] < 1) {
      return Invalid("the dilation ", dilations[axis], " must be at least 1");
    }
    a.steps[BhwcAxis(axis, rank)] = dilations[axis];
  }
  return ParsedNode{a};
}

absl::Status PlanDilate(const Node& node, Planner* planner) {
  const auto& a = node.Get<DilateAttributes>();
  Dispatch d = TexelDispatch("dilate", node, *planner);
  if (a.steps[kChannelAxis] == 1) d.Define("WHOLE");
  d.Read("value", node.inputs[2]);
  BindAxes("steps", a.steps, &d);
  return AddInLightGroups(std::move(d), planner);
}

// --- DENSIFY -----------------------------------------------------------------

namespace {

absl::Status Broken(const Tensor& tensor, absl::string_view why) {
  return Invalid("the sparsity of ", tensor.ToString(), " ", why);
}

// Walks the levels of the stored tree: the tensor's dimensions in traversal
// order, then those of the blocks. Each leaf is the next stored element.
class Densifier {
 public:
  explicit Densifier(const Tensor& tensor)
      : tensor_(tensor),
        sparsity_(tensor.sparsity),
        rank_(tensor.dims.size()),
        index_(tensor.sparsity.dimensions.size()),
        place_(tensor.dims.size()) {}

  absl::StatusOr<std::vector<uint8_t>> Run() {
    RETURN_IF_ERROR(CheckLevels());
    RETURN_IF_ERROR(CheckBlocks());
    RETURN_IF_ERROR(CheckExtents());
    element_ = DataTypeSize(tensor_.stored());
    // The product is below 2^31, which CheckLevels() has made sure of.
    int64_t bytes = static_cast<int64_t>(element_);
    for (int extent : tensor_.dims) bytes *= extent;
    RETURN_IF_ERROR(HostBudget::Take(
        bytes, absl::StrCat("the dense form of ", tensor_.ToString())));
    dense_.resize(bytes);
    if (bytes == 0) return std::move(dense_);
    RETURN_IF_ERROR(Walk(0, 0));
    return std::move(dense_);
  }

 private:
  // Makes sure that the walk ends, and that its indices are in range, whatever
  // the file says.
  absl::Status CheckLevels() {
    RETURN_IF_ERROR(CheckDims(tensor_.dims));
    const size_t levels = sparsity_.dimensions.size();
    if (sparsity_.block_map.size() > rank_) {
      return Broken(tensor_, "has more block dimensions than axes");
    }
    if (levels != rank_ + sparsity_.block_map.size() ||
        levels != sparsity_.traversal_order.size()) {
      return Broken(tensor_, "has a wrong number of dimensions");
    }
    std::vector<bool> seen(levels, false);
    for (size_t i = 0; i < levels; ++i) {
      const int d = sparsity_.traversal_order[i];
      const bool block = i >= rank_;
      if (d < 0 || d >= static_cast<int>(levels) || seen[d] ||
          block != (d >= static_cast<int>(rank_))) {
        return Broken(tensor_, "has no valid traversal order");
      }
      seen[d] = true;
    }
    return absl::OkStatus();
  }

  absl::Status CheckBlocks() {
    block_size_.resize(sparsity_.block_map.size());
    for (size_t i = rank_; i < sparsity_.dimensions.size(); ++i) {
      const int block = sparsity_.traversal_order[i] - static_cast<int>(rank_);
      const int d = sparsity_.block_map[block];
      const Sparsity::Dimension& level = sparsity_.dimensions[i];
      if (d < 0 || d >= static_cast<int>(rank_) || level.csr ||
          level.dense_size <= 0) {
        return Broken(tensor_, "has no valid block map");
      }
      block_size_[block] = level.dense_size;
    }
    return absl::OkStatus();
  }

  // The size of a dense level times the sizes of its blocks is the axis's
  // extent. The segments of a CSR level ascend.
  absl::Status CheckExtents() {
    for (size_t i = 0; i < rank_; ++i) {
      const Sparsity::Dimension& level = sparsity_.dimensions[i];
      const int axis = sparsity_.traversal_order[i];
      if (level.csr) {
        if (!absl::c_is_sorted(level.segments)) {
          return Broken(tensor_, "has segments that do not ascend");
        }
        continue;
      }
      // Each factor is below 2^31, and the loop ends if the product is not.
      int64_t extent = level.dense_size;
      for (size_t b = 0; b < block_size_.size(); ++b) {
        if (sparsity_.block_map[b] != axis) continue;
        extent *= block_size_[b];
        if (extent > tensor_.dims[axis]) break;
      }
      if (extent != tensor_.dims[axis]) {
        return Broken(tensor_, "has dimensions that do not fit its shape");
      }
    }
    return absl::OkStatus();
  }

  // `position`: the node's place among all nodes of its level.
  absl::Status Walk(size_t level, int64_t position) {
    if (level == index_.size()) return Store();
    const Sparsity::Dimension& d = sparsity_.dimensions[level];
    if (!d.csr) {
      for (int i = 0; i < d.dense_size; ++i) {
        index_[level] = i;
        RETURN_IF_ERROR(Walk(level + 1, position * d.dense_size + i));
      }
      return absl::OkStatus();
    }
    if (position + 1 >= static_cast<int64_t>(d.segments.size())) {
      return Broken(tensor_, "ends before its last segment");
    }
    for (int64_t i = d.segments[position]; i < d.segments[position + 1]; ++i) {
      if (i < 0 || i >= static_cast<int64_t>(d.indices.size())) {
        return Broken(tensor_, "has a segment past its indices");
      }
      index_[level] = d.indices[i];
      RETURN_IF_ERROR(Walk(level + 1, i));
    }
    return absl::OkStatus();
  }

  absl::Status Store() {
    for (size_t i = 0; i < index_.size(); ++i) {
      const int d = sparsity_.traversal_order[i];
      if (i < rank_) {
        place_[d] = index_[i];
      } else {
        const int block = d - static_cast<int>(rank_);
        int64_t& at = place_[sparsity_.block_map[block]];
        at = at * block_size_[block] + index_[i];
      }
    }
    int64_t flat = 0;
    for (size_t i = 0; i < rank_; ++i) {
      if (place_[i] < 0 || place_[i] >= tensor_.dims[i]) {
        return Broken(tensor_, "has an index outside its shape");
      }
      flat = flat * tensor_.dims[i] + place_[i];
    }
    const absl::Span<const uint8_t> stored = tensor_.constant.bytes();
    if ((next_ + 1) * element_ > stored.size()) {
      return Broken(tensor_, "has more elements than are stored");
    }
    std::memcpy(dense_.data() + flat * element_,
                stored.data() + next_ * element_, element_);
    ++next_;
    return absl::OkStatus();
  }

  const Tensor& tensor_;
  const Sparsity& sparsity_;
  const size_t rank_;
  size_t element_ = 0;
  size_t next_ = 0;             // stored element
  std::vector<int> index_;      // by level
  std::vector<int64_t> place_;  // of the element at index_, by dimension
  std::vector<int> block_size_;
  std::vector<uint8_t> dense_;
};

}  // namespace

absl::StatusOr<ParsedNode> ParseDensify(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  if (input.sparsity.empty()) {
    return Invalid("the input ", input.ToString(), " is not sparse");
  }
  return ParsedNode{};
}

absl::StatusOr<std::vector<uint8_t>> DenseBytes(const Tensor& sparse) {
  return Densifier(sparse).Run();
}

}  // namespace gles_delegate
