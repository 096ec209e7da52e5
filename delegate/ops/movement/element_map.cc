#include "delegate/ops/movement/element_map.h"

#include <algorithm>
#include <utility>

#include "delegate/graph/op.h"
#include "delegate/ops/movement/transpose.h"

namespace gles_delegate {
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

}  // namespace gles_delegate
