// The nodes that fuse_movement makes one of: functions and movements on the way
// to one tensor, the region's result.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_MOVED_REGION_H_
#define GLES_DELEGATE_DELEGATE_PASSES_MOVED_REGION_H_

#include <optional>
#include <set>
#include <vector>

#include "delegate/graph/graph.h"
#include "delegate/ops/movement/moved_functions.h"
#include "delegate/passes/element_map.h"

namespace gles_delegate {

class MovedRegion {
 public:
  // All nodes that may belong to the region whose result is node `root`'s.
  MovedRegion(const Graph& graph, const Uses& uses, int root, int max_tensors);

  // The region as one node; nothing if it has none to save.
  std::optional<Node> Fused();

 private:
  // What happens to a value on its way to the root.
  struct Hop {
    enum class Kind { kMove, kBroadcast, kJoin };
    Kind kind = Kind::kMove;
    const Node* node = nullptr;  // kMove, from tensor to tensor
    TensorId source = kNoTensor;
    TensorId output = kNoTensor;
    Shape from = {}, to = {};  // kBroadcast
  };

  bool MayJoin(int n) const;
  void FindConcatenation();
  std::vector<int> PartChannels() const;

  // The step that is this tensor's value, in the part, by the hops.
  std::optional<int> Value(TensorId id, bool repeats = false);
  std::optional<int> Inlined(int n, TensorId id);
  std::optional<int> Source(const Node& node, TensorId id);
  std::optional<int> After(Hop hop, TensorId id);
  std::optional<int> Apply(const Node& node, int step);
  std::optional<int> Read(TensorId id);
  // How the texels of the part are read; nothing: they cannot be.
  std::optional<MovedRead> ReadOf(TensorId id) const;
  bool Follow(ElementMap* map) const;
  int AddStep(MovedStep step);
  bool SavesNodes(const Node& fused) const;
  bool IsOneRead(const MovedFunctionsAttributes& a) const;

  const Graph& graph_;
  const Uses& uses_;
  int root_;
  int max_tensors_;
  std::set<int> members_;
  int concatenation_ = -1;

  // The part that is being made: its channels and the first of them.
  int part_ = 0, begin_ = 0;
  Shape part_shape_;
  std::vector<Hop> hops_;  // from the root to the value
  int values_ = 0;         // looked at
  bool moves_ = false;     // a movement is among the nodes
  std::vector<MovedStep> steps_;
  std::vector<TensorId> inputs_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_MOVED_REGION_H_
