// Which element of a source each element of a tensor is: the tensor's elements
// in row-major order, as nested loops over the source. Maps follow movements
// one after the other, whatever ops they are of.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_ELEMENT_MAP_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_ELEMENT_MAP_H_

#include <cstdint>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {

class ElementMap {
 public:
  struct Axis {
    int size = 1;
    int64_t stride = 0;  // elements of the source

    bool operator==(const Axis& o) const {
      return size == o.size && stride == o.stride;
    }
  };

  // The source itself, whose dims these are.
  explicit ElementMap(const std::vector<int>& dims);
  // These loops, the outermost first.
  explicit ElementMap(std::vector<Axis> axes, int64_t offset = 0);

  // Each makes this the map of a movement's result. False: its elements are no
  // such loops, and the map is of no use any more.
  //
  // Output `output` of the node.
  bool Follow(const Graph& graph, const Node& node, TensorId output);
  // A remap without edges and steps, of a tensor of rank <= 5.
  bool Move(const std::vector<int>& from, const Remap& remap,
            const std::vector<int>& to);
  // Repeats dims of size 1 to `to`, which are as many.
  bool Broadcast(const std::vector<int>& from, const std::vector<int>& to);
  // Of the last of `dims` only these.
  bool Narrow(const std::vector<int>& dims, int begin, int size);

  // What Follow() may know the node to move; kNoTensor: nothing.
  static TensorId SourceOf(const Node& node);

  // Equal if each element is the same one of the source, whatever the dims.
  bool operator==(const ElementMap& o) const {
    return axes_ == o.axes_ && offset_ == o.offset_;
  }
  int64_t offset() const { return offset_; }
  // None of size 1, and none that one loop could replace.
  const std::vector<Axis>& axes() const { return axes_; }
  // The source's elements of `size` bytes in the order of the map.
  std::vector<uint8_t> Gather(absl::Span<const uint8_t> source,
                              size_t size) const;

 private:
  using Axes = std::vector<Axis>;

  // The axes of each of `dims`; false: one crosses the end of a dimension.
  bool Divide(const std::vector<int>& dims, std::vector<Axes>* groups) const;
  void Join(const std::vector<Axes>& groups);

  Axes axes_;
  int64_t offset_ = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_ELEMENT_MAP_H_
