// The reads of a region.
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "delegate/passes/moved_region.h"

namespace gles_delegate {
namespace {

std::vector<int> DimsOf(const Shape& s) { return {s.b, s.h, s.w, s.c}; }

}  // namespace

bool MovedRegion::Follow(ElementMap* map) const {
  bool joined = false;
  for (auto hop = hops_.rbegin(); hop != hops_.rend(); ++hop) {
    switch (hop->kind) {
      case Hop::Kind::kJoin:
        joined = true;
        break;
      case Hop::Kind::kMove:
        // After a concatenation, reshapes alone, of the same channels.
        if (!joined && !(map->Reshape(graph_.tensor(hop->source).dims) &&
                         map->Follow(graph_, *hop->node, hop->output))) {
          return false;
        }
        break;
      case Hop::Kind::kBroadcast:
        if (!map->Reshape(DimsOf(hop->from)) ||
            !map->Broadcast(DimsOf(hop->to))) {
          return false;
        }
    }
  }
  const Shape& all = graph_.tensor(graph_.nodes[root_].outputs[0]).shape;
  return joined || part_shape_ == all ||
         map->Narrow(DimsOf(all), begin_, part_shape_.c);
}

std::optional<MovedRead> MovedRegion::ReadOf(TensorId id) const {
  const Tensor& tensor = graph_.tensor(id);
  ElementMap map(tensor.dims);
  if (!Follow(&map)) return std::nullopt;
  if (tensor.shape == part_shape_ && map == ElementMap(tensor.dims)) {
    return MovedRead();
  }
  std::vector<ElementMap::Axis> axes = map.axes();
  if (axes.empty()) axes = {{1, 0}};
  const int channels = part_shape_.c;
  MovedRead read;
  read.kind = MovedRead::Kind::kElements;
  int64_t unit = 1;  // elements
  if (channels != 1) {
    ElementMap::Axis& last = axes.back();
    if (channels % 4 != 0 || last.size % 4 != 0) return std::nullopt;
    const auto is_whole = [](int64_t at) { return at % 4 == 0; };
    if (last.stride == 1 && is_whole(tensor.shape.c) &&
        is_whole(map.offset()) &&
        std::all_of(axes.begin(), axes.end() - 1,
                    [&](const auto& axis) { return is_whole(axis.stride); })) {
      read.kind = MovedRead::Kind::kTexels;
      unit = 4;
    } else {
      read.step = static_cast<int>(last.stride);
    }
    last = {last.size / 4, last.stride * 4};
  }
  if (axes.size() > read.sizes.size() ||
      map.offset() > std::numeric_limits<int>::max()) {
    return std::nullopt;
  }
  read.offset = static_cast<int>(map.offset() / unit);
  const size_t first = read.sizes.size() - axes.size();
  for (size_t i = 0; i < axes.size(); ++i) {
    read.sizes[first + i] = axes[i].size;
    read.strides[first + i] = static_cast<int>(axes[i].stride / unit);
  }
  return read;
}

}  // namespace gles_delegate
