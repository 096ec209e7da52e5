#include "delegate/passes/element_map.h"

#include <algorithm>
#include <any>
#include <utility>

#include "delegate/graph/op.h"
#include "delegate/ops/movement/split.h"
#include "delegate/ops/movement/transpose.h"

namespace gles_delegate {
namespace {

// How the node moves its source to output `index`; nullptr: not by a remap.
const Remap* RemapOf(const Node& node, size_t index) {
  if (const auto* a = std::any_cast<RemapAttributes>(&node.attributes)) {
    return &a->remap;
  }
  if (const auto* a = std::any_cast<TransposeAttributes>(&node.attributes)) {
    return &a->remap;
  }
  if (const auto* a = std::any_cast<SplitAttributes>(&node.attributes)) {
    return index < a->remaps.size() ? &a->remaps[index] : nullptr;
  }
  return nullptr;
}

}  // namespace

ElementMap::ElementMap(const std::vector<int>& dims) : dims_(dims) {
  int64_t stride = 1;
  for (auto d = dims.rbegin(); d != dims.rend(); ++d) {
    axes_.push_back({*d, stride});
    stride *= *d;
  }
  std::reverse(axes_.begin(), axes_.end());
  Merge();
}

ElementMap::ElementMap(std::vector<Axis> axes, int64_t offset)
    : axes_(std::move(axes)), offset_(offset) {
  for (const Axis& axis : axes_) dims_.push_back(axis.size);
  Merge();
}

void ElementMap::Merge() {
  std::vector<Axis> merged;
  for (const Axis& axis : axes_) {
    if (axis.size == 1) continue;
    if (!merged.empty() && merged.back().stride == axis.size * axis.stride) {
      merged.back() = {merged.back().size * axis.size, axis.stride};
    } else {
      merged.push_back(axis);
    }
  }
  axes_ = std::move(merged);
}

bool ElementMap::Divide(std::vector<std::vector<Axis>>* groups) const {
  std::vector<Axis> rest(axes_.rbegin(), axes_.rend());  // the next one last
  for (int dim : dims_) {
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

bool ElementMap::Reshape(const std::vector<int>& dims) {
  dims_ = dims;
  return true;
}

bool ElementMap::Move(const Remap& remap, const std::vector<int>& dims) {
  const int rank = static_cast<int>(dims_.size());
  const int to_rank = static_cast<int>(dims.size());
  std::vector<std::vector<Axis>> from;
  if (rank > 5 || to_rank > 5 || remap.edge != Remap::Edge::kNone ||
      !Divide(&from)) {
    return false;
  }
  std::vector<std::vector<Axis>> to(to_rank);
  std::vector<bool> is_given(to_rank, false);
  for (int i = 0; i < rank; ++i) {
    const int axis = BhwcAxis(i, rank);
    const int begin = remap.offset[axis];
    std::vector<Axis> part = from[i];
    int followed = -1;
    for (int j = 0; j < to_rank; ++j) {
      const int step = remap.per[axis][BhwcAxis(j, to_rank)];
      if (step == 0 || dims[j] == 1) continue;
      if (step != 1 || followed >= 0 || is_given[j]) return false;
      followed = j;
    }
    const int size = followed < 0 ? 1 : dims[followed];
    if (begin != 0 || size != dims_[i]) {
      if (part.size() != 1 || begin + size > part[0].size) return false;
      offset_ += begin * part[0].stride;
      part[0].size = size;
    }
    if (followed < 0) continue;
    to[followed] = std::move(part);
    is_given[followed] = true;
  }
  axes_.clear();
  for (int j = 0; j < to_rank; ++j) {
    if (dims[j] != 1 && !is_given[j]) return false;
    axes_.insert(axes_.end(), to[j].begin(), to[j].end());
  }
  dims_ = dims;
  Merge();
  return true;
}

bool ElementMap::Broadcast(const std::vector<int>& dims) {
  std::vector<std::vector<Axis>> groups;
  if (dims.size() != dims_.size() || !Divide(&groups)) return false;
  axes_.clear();
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims_[i] == 1) groups[i] = {{dims[i], 0}};
    axes_.insert(axes_.end(), groups[i].begin(), groups[i].end());
  }
  dims_ = dims;
  Merge();
  return true;
}

bool ElementMap::Narrow(const std::vector<int>& dims, int begin, int size) {
  std::vector<std::vector<Axis>> groups;
  dims_ = dims;
  if (!Divide(&groups) || groups.back().size() != 1) return false;
  Axis& last = groups.back()[0];
  offset_ += begin * last.stride;
  last.size = size;
  axes_.clear();
  for (const std::vector<Axis>& group : groups) {
    axes_.insert(axes_.end(), group.begin(), group.end());
  }
  dims_.back() = size;
  Merge();
  return true;
}

bool ElementMap::Follow(const Graph& graph, const Node& node, TensorId output) {
  const std::vector<int>& dims = graph.tensor(output).dims;
  if (node.op->Has(kKeepsOrder)) return Reshape(dims);
  const auto* a = std::any_cast<TransposeAttributes>(&node.attributes);
  if (a != nullptr && !a->steps.empty()) {
    for (const TransposeStep& step : a->steps) {
      if (!Reshape(step.input) || !Move(step.remap, step.output)) return false;
    }
    return Reshape(dims);
  }
  const auto at = std::find(node.outputs.begin(), node.outputs.end(), output);
  const Remap* remap = RemapOf(node, at - node.outputs.begin());
  return remap != nullptr && Move(*remap, dims);
}

bool ElementMap::IsMovement(const Node& node) {
  return node.op->Has(kKeepsOrder) || RemapOf(node, 0) != nullptr;
}

bool ElementMap::operator==(const ElementMap& o) const {
  return axes_ == o.axes_ && offset_ == o.offset_;
}

}  // namespace gles_delegate
