// The ops of the self-check's reference, each for one output element: obviously
// correct, and independent of all other code.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_OPS_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_OPS_H_

#include <algorithm>
#include <any>
#include <cstdint>
#include <optional>
#include <vector>

#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/custom_params.h"
#include "delegate/graph/graph.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/image/resize.h"
#include "delegate/ops/matmul/batch_matmul.h"
#include "delegate/ops/movement/concatenation.h"
#include "delegate/ops/movement/gather.h"
#include "delegate/ops/movement/moved_functions.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/movement/space_depth.h"
#include "delegate/ops/movement/transpose.h"
#include "delegate/ops/pooling/pool_2d.h"
#include "delegate/ops/recurrent/recurrent.h"
#include "delegate/ops/reduction/along_axis.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/ops/reduction/rows.h"
#include "delegate/partition/self_check_reference.h"

namespace gles_delegate {

// The position of an element in a tensor: BHWC.
struct Place {
  int b, h, w, c;
};

inline Place PlaceOf(int64_t element, const Shape& s) {
  Place p;
  p.c = static_cast<int>(element % s.c);
  element /= s.c;
  p.w = static_cast<int>(element % s.w);
  element /= s.w;
  p.h = static_cast<int>(element % s.h);
  p.b = static_cast<int>(element / s.h);
  return p;
}

inline int64_t ElementOf(const Place& p, const Shape& s) {
  return ((int64_t{p.b} * s.h + p.h) * s.w + p.w) * s.c + p.c;
}

// The index of an operand of shape `s` for position `p`, with broadcasting.
inline int64_t Broadcast(const Place& p, const Shape& s) {
  return ElementOf({s.b == 1 ? 0 : p.b, s.h == 1 ? 0 : p.h, s.w == 1 ? 0 : p.w,
                    s.c == 1 ? 0 : p.c},
                   s);
}

inline bool Inside(int at, int extent) { return at >= 0 && at < extent; }

// The same for AxisArrays, for tensors of up to rank 5.
AxisArray AxesOf(int64_t element, const AxisArray& extents);
int64_t ElementAt(const AxisArray& at, const AxisArray& extents);

// The axis that elements go along, and how many elements one step takes.
struct Along {
  int64_t extent, inner;
  Along(const Tensor& tensor, const AxisView& view);
};

// Whether two values surely differ, or are surely the same.
bool IsSure(const ReferenceValue& x, const ReferenceValue& y);

// A node, for one element of one of its outputs, or of a state that it writes.
// Made for one call.
class ReferenceOps {
 public:
  using Value = Reference::Value;

  ReferenceOps(Reference* reference, const Graph& graph, const Node& node,
               TensorId result)
      : ref_(*reference), graph_(graph), node_(node), result_(result) {
    const auto output =
        std::find(node.outputs.begin(), node.outputs.end(), result);
    if (output != node.outputs.end()) {
      output_ = static_cast<int>(output - node.outputs.begin());
    }
  }

  Value Element(int64_t element) {
    const Shape& to = Output().shape;
    if (ReadsQuantizedAsNumbers()) return std::nullopt;
    Value v = Stored(Base(element, PlaceOf(element, to)));
    if (output_ != 0) return v;  // post-ops are of output 0
    for (const PostOp& op : node_.post_ops) {
      if (!v) return v;
      v = Apply(op, *v, PlaceOf(element, to));
    }
    return v;
  }

 private:
  // TFLite's integer kernels move, compare, average or interpolate the
  // quantized values themselves, which have other meanings in a tensor with
  // another quantization; and their sums may overflow.
  bool ReadsQuantizedAsNumbers() const {
    if (!Output().is_float_view()) return false;
    const int code = node_.op->builtin_code;
    if (code == BuiltinOperator_SUM) return true;
    const bool takes_quantized = node_.op->Has(kMovesValues) ||
                                 code == BuiltinOperator_AVERAGE_POOL_2D ||
                                 code == BuiltinOperator_MAXIMUM ||
                                 code == BuiltinOperator_MINIMUM ||
                                 code == BuiltinOperator_RESIZE_BILINEAR;
    return takes_quantized && HasInputOfOtherQuantized();
  }
  bool IsFloat() const { return Output().type == DataType::kFloat32; }
  // `v` as the output's type stores it.
  Value Stored(const Value& v) const {
    return IsFloat() ? InFloat(v) : InInteger(v);
  }
  // A function, as the output's type has it.
  Value Applied(const PostOp& op, const ReferenceValue& x,
                const ReferenceValue* y) const {
    if (op.function == "div" && y != nullptr &&
        (op.operand_first ? OverflowsNearZero(*y, x)
                          : OverflowsNearZero(x, *y))) {
      return std::nullopt;
    }
    return IsFloat() ? InFloat(ApplyFunction(op, x, y))
                     : ApplyToIntegers(op, x, y);
  }
  // TFLite's kernel for quantized quotients does if they are less than a step
  // of the output (quant/code_table.cc).
  bool OverflowsNearZero(const ReferenceValue& x,
                         const ReferenceValue& y) const {
    if (node_.op->builtin_code != BuiltinOperator_DIV ||
        !Output().is_float_view() || Output().quantization.empty()) {
      return false;
    }
    return std::abs(x.value) <
           std::abs(y.value) * Output().quantization.scale[0];
  }
  bool HasInputOfOtherQuantized() const {
    const Quantization& to = Output().quantization;
    return std::any_of(
        node_.inputs.begin(), node_.inputs.end(), [&](TensorId id) {
          if (id == kNoTensor || !graph_.tensor(id).is_float_view()) {
            return false;
          }
          const Quantization& from = graph_.tensor(id).quantization;
          return from.scale != to.scale || from.zero_point != to.zero_point;
        });
  }
  const Tensor& Input(int input) const {
    return graph_.tensor(node_.inputs[input]);
  }
  const Tensor& Output() const { return graph_.tensor(result_); }
  const Shape& ShapeOf(int input) const { return Input(input).shape; }
  bool Has(size_t input) const {
    return input < node_.inputs.size() && node_.inputs[input] != kNoTensor;
  }
  Value In(int input, int64_t element) {
    return ref_.At(node_.inputs[input], element);
  }
  template <typename T>
  const T* Attributes() const {
    return std::any_cast<T>(&node_.attributes);
  }

  Value Apply(const PostOp& op, const ReferenceValue& x, const Place& p) {
    if (op.operand == kNoTensor) return Applied(op, x, nullptr);
    const Shape& s = graph_.tensor(op.operand).shape;
    if (op.operand_as == OperandAs::kZeroExtended && p.c >= s.c) {
      const ReferenceValue zero;
      return Applied(op, x, &zero);
    }
    const Value y = ref_.At(op.operand, Broadcast(p, s));
    return y ? Applied(op, x, &*y) : y;
  }

  // Adds `weight` * input 0's element to `sum`. False: unknown.
  bool AddTerm(int input, int64_t element, const Value& weight,
               ReferenceValue* sum) {
    const Value x = In(input, element);
    if (!x || !weight) return false;
    sum->value += x->value * weight->value;
    sum->magnitude += x->magnitude * weight->magnitude;
    return true;
  }
  Value WithBias(ReferenceValue sum, size_t bias, int channel) {
    if (!Has(bias)) return sum;
    const Value b = In(static_cast<int>(bias), channel);
    if (!b) return b;
    return ReferenceValue{sum.value + b->value, sum.magnitude + b->magnitude};
  }

  Value Base(int64_t element, const Place& p);
  Value Sum(int64_t element, const Place& p);  // of products, and means
  // Values moved, compared or selected; nullopt for other ops.
  Value OfAnyType(int64_t element);
  Value Moved(int64_t element, const Place& p);
  Value Conv2d(const Conv2dAttributes& a, const Place& p);
  Value Depthwise(const DepthwiseConv2dAttributes& a, const Place& p);
  Value TransposeConv(const TransposeConvAttributes& a, const Place& p);
  Value FullyConnected(int64_t element);
  Value Pool(const PoolAttributes& a, const Place& p, bool max);
  Value Reduce(const ReduceAttributes& a, int64_t element);
  // nullopt: a value of the row is unknown.
  std::optional<Reference::SoftmaxRow> RowOfSoftmax(double beta,
                                                    const Place& p);
  Value Softmax(const SoftmaxAttributes& a, const Place& p);
  Value Resize(const ResizeAttributes& a, const Place& p, bool nearest);
  Value Concatenation(const ConcatenationAttributes& a, int64_t element);
  // self_check_movement.cc
  // `batches`: RemapAttributes'.
  Value Remapped(int input, const Remap& r, const AxisArray& from,
                 const AxisArray& at, absl::Span<const int> batches = {});
  Value Transpose(const TransposeAttributes& a, int64_t element);
  // The input's element that the steps move to `element`.
  static int64_t ElementBefore(absl::Span<const TransposeStep> steps,
                               int64_t element);
  Value Pack(const PackAttributes& a, int64_t element);
  Value Gather(const GatherAttributes& a, int64_t element);
  // Elements of input `source` by the indices in input `indices`.
  Value LinearlyGathered(const LinearGather& a, int64_t element, int source,
                         int indices);
  Value SpaceDepth(int block, const Place& p, bool to_depth);
  Value SpaceBatch(const SpaceBatchAttributes& a, const Place& p,
                   bool to_batch);
  // self_check_picks.cc
  Value Picked(int64_t element);
  Value ArgExtreme(const AxisView& view, int64_t element);
  Value TopK(int64_t element);
  Value OneHot(const OneHotAttributes& a, int64_t element);
  Value Scattered(const Scatter& a, int64_t element);
  Value ReversedSequence(const ReverseSequenceAttributes& a, int64_t element);
  // self_check_rows.cc
  Value MatMul(const BatchMatMulAttributes& a, int64_t element);
  Value L2Normalization(int64_t element);
  Value LocalResponse(const LocalResponseNormalizationAttributes& a,
                      const Place& p);
  Value Cumsum(const CumsumAttributes& a, int64_t element);
  Value AddN(int64_t element);
  Value Comparison(const ComparisonAttributes& a, const Place& p);
  Value Select(const SelectAttributes& a, const Place& p);
  Value Cast(int64_t element);
  Value Aligned(int input, const Place& p, const Shape& shape);
  Value Elementwise(const ElementwiseAttributes& a, const Place& p);
  Value Conv3d(const Conv3dAttributes& a, const Place& p);
  Value Transform(const Rfft2dAttributes& a, const Place& p);
  Value Absolute(int64_t element);  // of a complex number
  Value Updated(const UpdateSlice& a, int64_t element);
  // self_check_picks.cc
  std::optional<Reference::Detections> Detect(const DetectionParams& p);
  Value DetectionRow(const DetectionParams& p, int64_t element);
  // self_check_states.cc
  bool GateSums(const LstmAttributes& a, int gate, int64_t data,
                const Reference::States& old, int first, int end,
                std::vector<ReferenceValue>* sums);
  bool LstmStep(const LstmAttributes& a, int64_t data, int first, int end,
                Reference::States* states);
  Value Lstm(const LstmAttributes& a, const Place& p);
  Value BasicLstm(const Place& p);
  Value Svdf(const SvdfAttributes& a, const Place& p);

  Reference& ref_;
  const Graph& graph_;
  const Node& node_;
  const TensorId result_;
  int output_ = -1;  // -1: a state
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_OPS_H_
