// Single elements of a graph's tensors, computed on the host in plain C++ as
// the reference of the self-check. Slow, obviously correct, and independent of
// the shaders and passes.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_REFERENCE_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_REFERENCE_H_

#include <any>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// --- Test values, and their interpretation -----------------------------------

// Values of a tensor by element, BHWC.
using ValueAt = std::function<float(int64_t element)>;

// The first values of a random input as the executor takes it, which those
// after them repeat: any quantized values, or floats with magnitudes of 0.25 to
// 1.25, so that quotients and roots stay in range; `far`: integers past the end
// of any axis. A seed gives the same values each time.
std::vector<uint8_t> RandomPattern(const Tensor& tensor, uint32_t seed,
                                   bool far = false);
// Fills `to` with copies of `pattern`.
void Repeat(absl::Span<const uint8_t> pattern, absl::Span<uint8_t> to);

// The real value of an element of an executor's input or output for `tensor`.
float ValueIn(const Tensor& tensor, absl::Span<const uint8_t> bytes,
              int64_t element);

// The values of view `view` of a tensor of shape `of` with values `whole`. Both
// must outlive the result.
ValueAt ViewOf(ValueAt whole, const Shape& of, const Tensor& view);

// `value`, or the nearest that the tensor can represent if quantized. A float
// view is rounded by its simulator, or not at all.
double NearestCode(const Tensor& tensor, double value);

// --- The reference -----------------------------------------------------------

// Wrong programs differ by more than this fraction of
// ReferenceValue::magnitude; correct ones may sum in another order, or use
// Winograd's algorithm.
inline constexpr double kRelativeError = 1e-3;

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
  friend class NodeReference;
  // The producer of a tensor; nullptr: none.
  struct Maker {
    const Graph* graph = nullptr;
    const Node* node = nullptr;
  };
  // Kept for several values of a node, by the node and its own number.
  using Kept = HashMap<std::pair<const Node*, int64_t>, std::any>;

  void Forget() {
    computed_.clear();
    kept_.clear();
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
  Kept kept_;       // also since then
  Kept kept_long_;  // since Know(): what takes long
  int64_t terms_left_ = int64_t{1} << 24;
  int depth_ = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_REFERENCE_H_
