// Single elements of a graph's tensors, computed on the host in plain C++ as
// the reference of the self-check. Slow, obviously correct, and independent of
// the shaders and passes.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_REFERENCE_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_REFERENCE_H_

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/hash_tables.h"
#include "delegate/graph/graph.h"
#include "delegate/partition/self_check_values.h"

namespace gles_delegate {

// Wrong programs differ by more than this fraction of
// ReferenceValue::magnitude; correct ones may sum in another order, or use
// Winograd's algorithm.
inline constexpr double kRelativeError = 1e-3;

// Minimum distance of a value from a step, as a fraction of its magnitude, for
// which its side is certain, even with halves.
inline constexpr double kSure = 2e-2;

struct ReferenceValue {
  double value = 0;
  // The reference for rounding errors: the sum of the absolute values of all
  // terms, propagated through functions. At least |value|.
  double magnitude = 0;
};

// Computes an element of a tensor from the nearest known tensors, through the
// nodes in between, as they were before fusion (PlannedPartition::unfused), so
// that later fusions do not matter. Nodes on the integer path are replaced by
// those of the graph as read, which compute on real values; the caller allows
// for rounding. Threads: one. Both graphs must outlive it.
class Reference {
 public:
  using Value = std::optional<ReferenceValue>;

  Reference(const Graph& unfused, const Graph& original);

  // Both graphs have the same ids.
  void Know(TensorId id, ValueAt values);

  // nullptr: the tensor is made by none.
  const Node* MakerOf(TensorId id) const {
    return Holds(id) ? makers_[id].node : nullptr;
  }

  // Element `element` of tensor `id` in BHWC order, computed by its producer
  // even if the tensor is known. nullopt: a node has no reference, a value is
  // unknown, or too few terms are left.
  Value Expect(TensorId id, int64_t element);

  // Products and sums that Expect() may still compute, over all calls.
  void SetTermsLeft(int64_t terms) {
    terms_left_ = terms;
    Forget();
  }
  int64_t terms_left() const { return terms_left_; }

 private:
  friend class ReferenceOps;
  // The producer of a tensor; nullptr: none.
  struct Maker {
    const Graph* graph = nullptr;
    const Node* node = nullptr;
  };
  // Of a row's values x, each with an error: their maximum, beta times the
  // largest error, and the sum of exp(beta * (x - most)).
  struct SoftmaxRow {
    double most = -std::numeric_limits<double>::infinity();
    double error = 0;
    double sum = 0;
  };
  // In the order of their rows. Those of scores up to `sure_above` may be
  // others.
  struct Detections {
    struct Detection {
      int anchor, of_class;
      float score;
      std::array<double, 4> box = {};
      double reach = 0;  // the magnitude of its coordinates
    };
    std::vector<Detection> kept;
    double sure_above = -std::numeric_limits<double>::infinity();
  };
  // Of an LSTM, in one batch.
  struct States {
    std::vector<ReferenceValue> outputs, cells;
  };
  void Forget() {
    computed_.clear();
    softmax_rows_.clear();
    states_.clear();
  }
  // nullptr: they are computed.
  const ValueAt* GivenValues(TensorId id) const {
    while (id != kNoTensor && values_[id] == nullptr) {
      id = TensorOf(id).replaced_by;
    }
    return id == kNoTensor ? nullptr : &values_[id];
  }
  // Known or constant values, otherwise Expect().
  Value At(TensorId id, int64_t element);
  // The constant that a tensor is, or of which it is a DEQUANTIZE; nullptr:
  // neither, or one without a float view.
  const Tensor* ConstantOf(TensorId id);
  bool Holds(TensorId id) const {
    return id >= 0 && id < static_cast<TensorId>(makers_.size());
  }
  const Tensor& TensorOf(TensorId id) const { return unfused_.tensor(id); }

  const Graph& unfused_;
  std::vector<Maker> makers_;    // by tensor
  std::vector<ValueAt> values_;  // by tensor; null: unknown, or a constant
  // Results of At() since SetTermsLeft() or Know(): elements between nodes are
  // needed by several outputs.
  HashMap<std::pair<TensorId, int64_t>, Value> computed_;
  // Also since then, by SOFTMAX and its row's first element.
  HashMap<std::pair<const Node*, int64_t>, SoftmaxRow> softmax_rows_;
  // Also since then, by LSTM and batch: before the first step, and after each.
  HashMap<std::pair<const Node*, int>, std::vector<States>> states_;
  // Since Know(), as finding them takes long.
  HashMap<const Node*, std::optional<Detections>> detections_;
  int64_t terms_left_ = int64_t{1} << 24;
  int depth_ = 0;
};

// `v` as a float32: nullopt beyond its range, and values below the smallest
// normal number may be zero.
Reference::Value InFloat(Reference::Value v);

// Integers and bools are compared up to this: values come back as floats, which
// hold these exactly.
inline constexpr double kMaxWhole = 1 << 24;

// `v`, exact; nothing if it is not an integer, or is past kMaxWhole.
Reference::Value InInteger(Reference::Value v);

// One function of a PostOp on `x`, and on `y` if it has an operand. nullopt: it
// has no reference.
Reference::Value ApplyFunction(const PostOp& op, const ReferenceValue& x,
                               const ReferenceValue* y);
// The same for int32 and bools (0 and 1).
Reference::Value ApplyToIntegers(const PostOp& op, const ReferenceValue& x,
                                 const ReferenceValue* y);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_REFERENCE_H_
