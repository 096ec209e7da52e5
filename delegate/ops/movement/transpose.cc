#include "delegate/ops/movement/transpose.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/work_group.h"
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

}  // namespace

FoldedTranspose::FoldedTranspose(const std::vector<int>& of,
                                 const std::vector<int>& order) {
  std::vector<ElementMap::Axis> axes(order.size());
  int64_t stride = 1;
  for (int axis = static_cast<int>(of.size()) - 1; axis >= 0; --axis) {
    const auto to = std::find(order.begin(), order.end(), axis);
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
    AddRemap(planner, folded, src, step.remap);
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
      return absl::InvalidArgumentError(
          absl::StrCat("the permutation has axis ", axis, " twice"));
    }
    taken[axis] = true;
    permutation[i] = axis;
  }
  return ParsedNode{TransposeAttributes::Of(input.dims, std::move(permutation)),
                    {}};
}

absl::Status PlanTranspose(const Node& node, Planner* planner) {
  const auto& a = node.Get<TransposeAttributes>();
  if (a.steps.empty()) {
    AddRemap(planner, node.inputs[0], node.outputs[0], a.remap);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(auto moved,
                   AddTransposeSteps(planner, node.inputs[0], a.steps));
  AddReshape(planner, moved, node.outputs[0]);
  return absl::OkStatus();
}

// --- REGROUP_SLICES ----------------------------------------------------------

Node RegroupSlicesNode(TensorId src, TensorId dst, int first) {
  static constexpr OpDefinition op =
      OpOfPasses("REGROUP_SLICES", PlanRegroupSlices, kMovesValues);
  Node node;
  node.op = &op;
  node.inputs = {src};
  node.outputs = {dst};
  node.attributes = RegroupSlicesAttributes{first};
  return node;
}

absl::Status PlanRegroupSlices(const Node& node, Planner* planner) {
  const auto& a = node.Get<RegroupSlicesAttributes>();
  Dispatch d = TexelDispatch("regroup_slices", node, *planner);
  d.uniforms.Int("first", a.first);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

// --- Maps of elements --------------------------------------------------------

namespace {

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

ElementMap::ElementMap(const std::vector<int>& dims) {
  Axes axes;
  int64_t stride = 1;
  for (auto d = dims.rbegin(); d != dims.rend(); ++d) {
    axes.push_back({*d, stride});
    stride *= *d;
  }
  std::reverse(axes.begin(), axes.end());
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
    return std::all_of(a->steps.begin(), a->steps.end(),
                       [this](const TransposeStep& step) {
                         return Move(step.input, step.remap, step.output);
                       });
  }
  const auto at = std::find(node.outputs.begin(), node.outputs.end(), output);
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
    return absl::InvalidArgumentError(
        absl::StrCat("block ", block, " is not 1 to ", kMaxBlock));
  }
  return ParsedNode{SpaceDepthAttributes{block}, {}};
}

namespace {

// `moved`: how many channels stay together in both tensors, which are those of
// a pixel of the wide tensor.
absl::Status PlanSpaceDepth(const Node& node, const char* shader, int moved,
                            Planner* planner) {
  const auto& a = node.Get<SpaceDepthAttributes>();
  Dispatch d = TexelDispatch(shader, node, *planner);
  if (moved % 4 == 0) d.Define("WHOLE");
  d.uniforms.Int("block", a.block);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace

absl::Status PlanDepthToSpace(const Node& node, Planner* planner) {
  return PlanSpaceDepth(node, "depth_to_space",
                        planner->tensor(node.outputs[0]).shape.c, planner);
}

absl::Status PlanSpaceToDepth(const Node& node, Planner* planner) {
  return PlanSpaceDepth(node, "space_to_depth",
                        planner->tensor(node.inputs[0]).shape.c, planner);
}

// --- SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND ------------------------------------

namespace {

absl::Status PlanSpaceBatch(const Node& node, bool to_batch, Planner* planner) {
  const auto& a = node.Get<SpaceBatchAttributes>();
  Dispatch d = TexelDispatch("space_batch", node, *planner);
  if (to_batch) d.Define("TO_BATCH");
  d.uniforms.Int2("block", a.block_w, a.block_h);
  d.uniforms.Int2("edge", a.left, a.top);
  d.uniforms.Float("fill", a.fill);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ParsedNode> ParseSpaceBatch(const NodeView& node) {
  const std::vector<int>& dims = node.inputs[0]->dims;
  ASSIGN_OR_RETURN(auto block, IntsOfInput(node, 1));
  ASSIGN_OR_RETURN(auto edges, IntsOfInput(node, 2));
  const size_t axes = block.size();
  if (axes < 1 || axes > 2 || dims.size() != axes + 2 ||
      edges.size() != 2 * axes ||
      *std::min_element(block.begin(), block.end()) < 1 ||
      *std::min_element(edges.begin(), edges.end()) < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "blocks of ", absl::StrJoin(block, "x"), " and edges of ",
        absl::StrJoin(edges, ","), " for an input of ", DimsString(dims)));
  }
  if (axes == 2) {
    return ParsedNode{
        SpaceBatchAttributes{block[0], block[1], edges[0], edges[2], 0}, {}};
  }
  SpaceBatchAttributes a;
  a.block_w = block[0];  // the one spatial axis of rank 3 is the width
  a.left = edges[0];
  return ParsedNode{a, {}};
}

absl::Status PlanSpaceToBatch(const Node& node, Planner* planner) {
  return PlanSpaceBatch(node, /*to_batch=*/true, planner);
}

absl::Status PlanBatchToSpace(const Node& node, Planner* planner) {
  return PlanSpaceBatch(node, /*to_batch=*/false, planner);
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
      return absl::InvalidArgumentError(absl::StrCat(
          "the dilation ", dilations[axis], " must be at least 1"));
    }
    a.steps[BhwcAxis(axis, rank)] = dilations[axis];
  }
  return ParsedNode{a, {}};
}

absl::Status PlanDilate(const Node& node, Planner* planner) {
  const auto& a = node.Get<DilateAttributes>();
  Dispatch d = TexelDispatch("dilate", node, *planner);
  if (a.steps[kChannelAxis] == 1) d.Define("WHOLE");
  d.Read("value", node.inputs[2]);
  BindAxes("steps", a.steps, &d);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace gles_delegate
