// A group of nodes of a graph that is to become one ROW_FUNCTIONS node.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_ROW_REGION_H_
#define GLES_DELEGATE_DELEGATE_PASSES_ROW_REGION_H_

#include <map>
#include <optional>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/reduction/row_functions.h"

namespace gles_delegate {

// The reducer of a node that reduces the channels of floats; nullopt: another
// node.
std::optional<Reducer> RowReducerOf(const Graph& graph, const Node& node);

class RowRegion {
 public:
  // Of rows of this shape; reads tensors that nodes before `first` compute.
  RowRegion(const Graph& graph, const Uses& uses, int first, const Shape& rows,
            int max_tensors)
      : graph_(graph),
        uses_(uses),
        first_(first),
        rows_(rows),
        max_tensors_(max_tensors) {}

  // Takes the node if it can be part of the region; else leaves all as it was.
  bool Take(int n);
  const std::vector<int>& nodes() const { return nodes_; }

  // The one node; nullopt: it does not pay, or results are not whole rows.
  std::optional<Node> Fused() const;

 private:
  bool TakeNode(int n);
  std::optional<int> TakeReduction(const Node& node, Reducer reducer);
  std::optional<int> TakeFunction(const Node& node,
                                  const ElementwiseAttributes& a);
  bool IsReadOutside(TensorId id) const;
  int AddStep(RowStep step);
  // The step that has a tensor's values; nullopt: no row can have them.
  std::optional<int> StepOf(TensorId id);
  bool IsOfRows(const Shape& s) const { return s == rows_; }
  bool IsOfNumbers(const Shape& s) const;
  bool IsColumn(const Shape& s) const;
  // Whether the tensor's values, as elements of a tensor of shape `to`, are
  // those of the same row.
  bool IsAligned(TensorId id, int step, const Shape& to) const;
  // Appends functions to a step: what they make of it.
  std::optional<int> Apply(const std::vector<PostOp>& ops, int step,
                           const Shape& to);

  const Graph& graph_;
  const Uses& uses_;
  int first_;
  Shape rows_;
  int max_tensors_;
  std::map<TensorId, int> made_;  // steps of tensors
  std::vector<RowStep> steps_;
  std::vector<TensorId> inputs_;
  std::vector<int> nodes_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_ROW_REGION_H_
