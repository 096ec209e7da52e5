// Which element of a source each element of a tensor is, through a chain of
// reshapes, transposes and slices.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_ELEMENT_MAP_H_
#define GLES_DELEGATE_DELEGATE_PASSES_ELEMENT_MAP_H_

#include <cstdint>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {

// The tensor's elements in row-major order, as nested loops over the source.
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

  // Each makes this the map of the node's output. False: its elements are no
  // such loops, and the map is of no use any more.
  //
  // A RESHAPE to `dims`.
  bool Reshape(const std::vector<int>& dims);
  // A remap without edges and steps, of a tensor of rank <= 5, to `dims`.
  bool Move(const Remap& remap, const std::vector<int>& dims);
  // Repeats dims of size 1 to `dims`, which are as many.
  bool Broadcast(const std::vector<int>& dims);
  // Of the last of `dims`, which are those of the map, only these.
  bool Narrow(const std::vector<int>& dims, int begin, int size);
  // The node, by its op, for its output `output`.
  bool Follow(const Graph& graph, const Node& node, TensorId output);

  // Whether Follow() may know the node.
  static bool IsMovement(const Node& node);

  // Equal if each element is the same one of the source, whatever the dims.
  bool operator==(const ElementMap& o) const;

  int64_t offset() const { return offset_; }
  // None of size 1, and none that one loop could replace.
  const std::vector<Axis>& axes() const { return axes_; }

 private:
  // The axes of one dimension each; false: one crosses the end of a dimension.
  bool Divide(std::vector<std::vector<Axis>>* groups) const;
  void Merge();

  std::vector<Axis> axes_;  // merged, none of size 1
  std::vector<int> dims_;
  int64_t offset_ = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_ELEMENT_MAP_H_
