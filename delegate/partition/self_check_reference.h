// Single elements of a graph's tensors, computed on the host in plain C++: what
// the self-check holds the GPU's answers against. Slow, and written to be
// obviously right; nothing here is shared with the shaders or the passes.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_REFERENCE_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_REFERENCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// A wrong program is wrong by more than this part of ReferenceValue::magnitude;
// a right one may sum in another order, or by Winograd's products.
inline constexpr double kRelativeError = 1e-3;

// How far from a step a value must be, as a part of its magnitude, for the side
// to be known: more than halves leave open.
inline constexpr double kSure = 2e-2;

struct ReferenceValue {
  double value = 0;
  // What rounding errors are relative to: the sum of the absolute values of all
  // that was added up, carried through functions. At least |value|.
  double magnitude = 0;
};

// An element of a tensor is computed from the nearest tensors whose values are
// known, through as many nodes as stand between: those of the plan before they
// were fused (PlannedPartition::unfused). So it does not matter which of them
// the later passes fused. In the place of a node that computes on codes stand
// those of the graph as it was read, which compute on real numbers; the caller
// allows for the codes. Threads: one. Both graphs must outlive it.
class Reference {
 public:
  using Value = std::optional<ReferenceValue>;

  Reference(const Graph& unfused, const Graph& original);

  // `values`: of the whole tensor, BHWC. The ids of both graphs are the same.
  void Know(TensorId id, std::vector<float> values);

  // The element at place `element` of tensor `id` in BHWC order, by the node
  // that makes it, even where the tensor is known. nullopt: one of the nodes on
  // the way has no reference, something on the way is not known, or it takes
  // more terms than are left.
  Value Expect(TensorId id, int64_t element);

  // Products and sums that Expect() may still compute, all calls together.
  void SetTermsLeft(int64_t terms) {
    terms_left_ = terms;
    computed_.clear();
  }

 private:
  friend class ReferenceOps;
  // The node that makes a tensor; nullptr: none.
  struct Maker {
    const Graph* graph = nullptr;
    const Node* node = nullptr;
  };
  // Known or constant values, else Expect().
  Value At(TensorId id, int64_t element);
  // Of a constant, or of what DEQUANTIZE makes of one; nullptr: it is neither.
  const std::vector<float>* ConstantOf(TensorId id);
  bool Holds(TensorId id) const {
    return id >= 0 && id < static_cast<TensorId>(makers_.size());
  }
  const Tensor& TensorOf(TensorId id) const { return unfused_.tensor(id); }

  const Graph& unfused_;
  std::vector<Maker> makers_;  // by tensor
  // By tensor; null: not known, or a constant that nobody has asked for.
  std::vector<std::unique_ptr<const std::vector<float>>> values_;
  // What At() has computed since SetTermsLeft() or Know(): elements between two
  // nodes are asked for once for each output that needs them.
  absl::flat_hash_map<std::pair<TensorId, int64_t>, Value> computed_;
  int64_t terms_left_ = int64_t{1} << 24;
  int depth_ = 0;
};

// What a float32 holds of `v`: nothing past its range, and what is less than
// its least normal number may be zero.
Reference::Value InFloat(Reference::Value v);

// One function of a PostOp on `x`, and on `y` where it has an operand. nullopt:
// it has no reference.
Reference::Value ApplyFunction(const PostOp& op, const ReferenceValue& x,
                               const ReferenceValue* y);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_REFERENCE_H_
