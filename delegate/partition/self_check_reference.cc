#include "delegate/partition/self_check_reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "absl/algorithm/container.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/float_view.h"
#include "delegate/graph/op.h"
#include "delegate/partition/self_check_ops.h"

namespace gles_delegate {

// --- Test values, and their interpretation -----------------------------------
namespace {

// A tensor that others lie in.
struct Whole {
  const ValueAt& values;
  const Shape& shape;

  float At(const Place& p) const { return values(ElementOf(p, shape)); }
};

// The two source rows, or columns, that a place lies between.
struct Neighbours {
  int low, high;
  float part;  // of high

  Neighbours(int place, float scale, float shift, int extent) {
    const float at = (static_cast<float>(place) + shift) * scale - shift;
    low = std::clamp(static_cast<int>(std::floor(at)), 0, extent - 1);
    high = std::clamp(static_cast<int>(std::ceil(at)), 0, extent - 1);
    part = at - static_cast<float>(low);
  }
};

float Interpolated(const Whole& of, const MemoryView& view, const Place& p) {
  const Neighbours y(p.h, view.scale_y, view.shift, of.shape.h);
  const Neighbours x(p.w, view.scale_x, view.shift, of.shape.w);
  return (1 - y.part) * (1 - x.part) * of.At({p.b, y.low, x.low, p.c}) +
         (1 - y.part) * x.part * of.At({p.b, y.low, x.high, p.c}) +
         y.part * (1 - x.part) * of.At({p.b, y.high, x.low, p.c}) +
         y.part * x.part * of.At({p.b, y.high, x.high, p.c});
}

float Largest(const Whole& of, const MemoryView& view, const Place& p) {
  float largest = std::numeric_limits<float>::lowest();
  for (int i = 0; i < view.window[0] * view.window[1]; ++i) {
    const int y = p.h * view.step[1] + i / view.window[0];
    const int x = p.w * view.step[0] + i % view.window[0];
    if (y >= of.shape.h || x >= of.shape.w) continue;
    largest = std::max(largest, of.At({p.b, y, x, p.c}));
  }
  return largest;
}

// A value of a row of pixels; those that no row holds are 0.
float InRows(const Whole& of, const Tensor& tensor, const Place& p) {
  const MemoryView& view = tensor.view;
  const int width = of.shape.slices() * 4;  // channels of a pixel of `of`
  const int rows = tensor.shape.slices() / of.shape.slices();
  const int first = (p.h * tensor.shape.w + p.w) * rows;
  if (p.c / width >= rows || p.c % width >= of.shape.c) return 0;
  return of.At({p.b + view.at[kBatchAxis], view.at[kHeightAxis],
                first + p.c / width + view.at[kWidthAxis], p.c % width});
}

float ViewedAt(const Whole& of, const Tensor& tensor, const Place& p) {
  const MemoryView& view = tensor.view;
  switch (view.kind) {
    case MemoryView::Kind::kNone:
      break;
    case MemoryView::Kind::kBox: {
      const int slices = of.shape.slices();
      const int each = view.slices != 0 ? view.slices : slices;
      const int layer = view.at[kBatchAxis] * slices +
                        view.at[kChannelAxis] / 4 + p.b * each + p.c / 4;
      return of.At({layer / slices, p.h + view.at[kHeightAxis],
                    p.w + view.at[kWidthAxis], layer % slices * 4 + p.c % 4});
    }
    case MemoryView::Kind::kRows:
      return InRows(of, tensor, p);
    case MemoryView::Kind::kDepthToSpace: {
      const int within = p.h % view.block * view.block + p.w % view.block;
      return of.At({p.b, p.h / view.block, p.w / view.block,
                    within * tensor.shape.c + p.c});
    }
    case MemoryView::Kind::kBilinear:
      return Interpolated(of, view, p);
    case MemoryView::Kind::kMaxPool:
      return Largest(of, view, p);
  }
  return 0;
}

// xorshift32 (Marsaglia 2003): the standard's engines take most of the time of
// filling a tensor.
class FastRandom {
 public:
  explicit FastRandom(uint32_t seed)
      : state_(static_cast<uint32_t>(std::mt19937(seed)()) | 1) {}
  uint32_t operator()() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }

 private:
  uint32_t state_;
};

float RandomFloat(const Tensor& tensor, FastRandom* random) {
  const uint32_t bits = (*random)();
  const Quantization& q = tensor.quantization;
  if (tensor.is_float_view() && !q.empty()) {
    const quant::CodeRange quantized = RangeOf(tensor.quantized);
    const auto count =
        static_cast<uint32_t>(quantized.high - quantized.low + 1);
    const int code = quantized.low + static_cast<int>(bits % count);
    return q.scale[0] * static_cast<float>(code - q.zero_point[0]);
  }
  // Halves hold it, and tell it from the next.
  const float size = 0.25f + static_cast<float>(bits >> 24) / (1 << 8);
  return (bits & 1) != 0 ? size : -size;
}

template <typename T, typename Fn>
std::vector<uint8_t> Draw(int64_t count, Fn draw) {
  std::vector<uint8_t> bytes(count * sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    const T value = draw();
    std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
  }
  return bytes;
}

}  // namespace

std::vector<uint8_t> RandomPattern(const Tensor& tensor, uint32_t seed,
                                   bool far) {
  // It is prime, so that no two rows or planes are alike.
  constexpr int64_t kDistinct = 65521;
  FastRandom random(seed);
  const int64_t count = std::min(tensor.shape.elements(), kDistinct);
  if (tensor.holds_quantized) {
    return Draw<uint8_t>(count, [&] { return static_cast<uint8_t>(random()); });
  }
  if (tensor.type == DataType::kBool || tensor.type == DataType::kInt32) {
    // Indices, some of them; a bool travels as an int32.
    const int max = tensor.type == DataType::kBool ? 2 : 10;
    const int first = far && tensor.type == DataType::kInt32 ? 1 << 20 : 0;
    return Draw<int32_t>(
        count, [&] { return first + static_cast<int32_t>(random() % max); });
  }
  return Draw<float>(count, [&] { return RandomFloat(tensor, &random); });
}

void Repeat(absl::Span<const uint8_t> pattern, absl::Span<uint8_t> to) {
  size_t done = std::min(pattern.size(), to.size());
  std::copy_n(pattern.begin(), done, to.begin());
  while (done < to.size()) {
    const size_t bytes = std::min(done, to.size() - done);
    std::copy_n(to.begin(), bytes, to.begin() + done);
    done += bytes;
  }
}

float ValueIn(const Tensor& tensor, absl::Span<const uint8_t> bytes,
              int64_t element) {
  if (tensor.holds_quantized) {
    const int code = tensor.quantized == DataType::kUint8
                         ? bytes[element]
                         : static_cast<int8_t>(bytes[element]);
    return tensor.quantization.scale[0] *
           static_cast<float>(
               code - static_cast<int>(tensor.quantization.zero_point[0]));
  }
  if (tensor.type == DataType::kBool || tensor.type == DataType::kInt32) {
    int32_t value;
    std::memcpy(&value, &bytes[element * sizeof(value)], sizeof(value));
    return static_cast<float>(value);
  }
  float value;
  std::memcpy(&value, &bytes[element * sizeof(value)], sizeof(value));
  return value;
}

ValueAt ViewOf(ValueAt whole, const Shape& of, const Tensor& view) {
  return [whole = std::move(whole), &of, &view](int64_t element) {
    return ViewedAt({whole, of}, view, PlaceOf(element, view.shape));
  };
}

double NearestCode(const Tensor& tensor, double value) {
  if (!tensor.holds_quantized || tensor.quantization.empty()) return value;
  const auto [low, high] = RangeOf(tensor.quantized);
  const double scale = tensor.quantization.scale[0];
  const auto zero = static_cast<double>(tensor.quantization.zero_point[0]);
  return std::clamp(value, (low - zero) * scale, (high - zero) * scale);
}

// --- The reference -----------------------------------------------------------

Reference::Reference(const Graph& unfused, const Graph& original)
    : unfused_(unfused),
      makers_(unfused.tensors.size()),
      values_(unfused.tensors.size()) {
  for (const Graph* graph : {&original, &unfused}) {
    for (const Node& node : graph->nodes) {
      if (node.integer_path) continue;
      for (TensorId id : node.outputs) makers_[id] = {graph, &node};
      for (TensorId id : node.inputs) {
        if (id != kNoTensor && graph->tensor(id).is_variable) {
          makers_[id] = {graph, &node};  // it writes its state
        }
      }
    }
  }
}

void Reference::Know(TensorId id, ValueAt values) {
  values_[id] = std::move(values);
  kept_long_.clear();
  Forget();
}

const Tensor* Reference::ConstantOf(TensorId id) {
  const Tensor* constant = &TensorOf(id);
  if (!constant->is_constant()) {
    const auto [graph, node] = makers_[id];
    if (node == nullptr || !node->op->Has(kDequantizes) ||
        !node->post_ops.empty()) {
      return nullptr;
    }
    constant = &graph->tensor(node->inputs[0]);
    if (!constant->is_constant()) return nullptr;
  }
  return CheckConstantFloats(*constant).ok() ? constant : nullptr;
}

Value Reference::At(TensorId id, int64_t element) {
  if (!Holds(id) || --terms_left_ < 0) return std::nullopt;
  double v;
  if (const ValueAt* given = GivenValues(id); given != nullptr) {
    if (element < 0 || element >= TensorOf(id).shape.elements()) {
      return std::nullopt;
    }
    v = (*given)(element);
  } else if (const Tensor* constant = ConstantOf(id); constant != nullptr) {
    // Element by element: a table of words has millions of them.
    if (element < 0 || element >= constant->shape.elements()) {
      return std::nullopt;
    }
    v = ConstantFloat(*constant, element);
  } else {
    const auto found = computed_.find({id, element});
    if (found != computed_.end()) return found->second;
    const Value value = Expect(id, element);
    computed_[{id, element}] = value;
    return value;
  }
  return Exactly(v);
}

Value Reference::Expect(TensorId id, int64_t element) {
  constexpr int kMaxNodes = 24;  // that passes may have made one of
  if (!Holds(id) || makers_[id].node == nullptr || depth_ >= kMaxNodes) {
    return std::nullopt;
  }
  const auto [graph, node] = makers_[id];
  ++depth_;
  Value value = NodeReference(this, *graph, *node, id).Element(element);
  --depth_;
  return value;
}

// --- Nodes -------------------------------------------------------------------

namespace {

// `v` as a float32: nullopt beyond its range, and values below the smallest
// normal number may be zero.
Value InFloat(Value v) {
  constexpr double kMax = std::numeric_limits<float>::max();
  if (!v || !(std::abs(v->value) <= kMax && v->magnitude <= kMax)) {
    return std::nullopt;
  }
  v->magnitude += std::numeric_limits<float>::min() / kRelativeError;
  return v;
}

// Integers and bools are compared up to this: values come back as floats, which
// hold these exactly.
constexpr double kMaxWhole = 1 << 24;

// `v`, exact; nothing if it is not an integer, or is past kMaxWhole.
Value InInteger(const Value& v) {
  if (!v || std::abs(v->value) > kMaxWhole ||
      v->value != std::trunc(v->value)) {
    return std::nullopt;
  }
  return Exactly(v->value);
}

}  // namespace

NodeReference::NodeReference(Reference* reference, const Graph& graph,
                             const Node& node, TensorId result)
    : ref_(*reference), graph_(graph), node_(node), result_(result) {
  const auto output = absl::c_find(node.outputs, result);
  if (output != node.outputs.end()) {
    output_ = static_cast<int>(output - node.outputs.begin());
  }
}

Value NodeReference::Element(int64_t element) {
  if (ReadsQuantizedAsNumbers()) return std::nullopt;
  // As the output's type stores it.
  Value v = IsFloat() ? InFloat(Base(element)) : InInteger(Base(element));
  if (output_ != 0) return v;  // post-ops are of output 0
  for (const PostOp& op : node_.post_ops) {
    if (!v) return v;
    v = Apply(op, *v, Where(element));
  }
  return v;
}

Value NodeReference::Base(int64_t element) {
  Value value;
  if (ComputeValues(*this, element, &value) ||
      ComputeStates(*this, element, &value) ||
      ComputeMoved(*this, element, &value)) {
    return value;
  }
  const bool is_copy =
      node_.op->Has(kKeepsOrder) || node_.op->Has(kDequantizes);
  return is_copy ? In(0, element) : std::nullopt;
}

Value NodeReference::Apply(const PostOp& op, const ReferenceValue& x,
                           const Place& p) {
  if (op.operand == kNoTensor) return Applied(op, x, nullptr);
  const Shape& s = graph_.tensor(op.operand).shape;
  const Value y = op.operand_as == OperandAs::kZeroExtended && p.c >= s.c
                      ? ReferenceValue()
                      : ref_.At(op.operand, Broadcast(p, s));
  return y ? Applied(op, x, &*y) : y;
}

Value NodeReference::Applied(const PostOp& op, const ReferenceValue& x,
                             const ReferenceValue* y) const {
  if (op.function == "div" && y != nullptr &&
      (op.operand_first ? OverflowsNearZero(*y, x)
                        : OverflowsNearZero(x, *y))) {
    return std::nullopt;
  }
  return IsFloat() ? InFloat(ApplyFunction(op, x, y))
                   : InInteger(ApplyFunction(op, x, y, /*of_integers=*/true));
}

// TFLite's integer kernels move, compare, average or interpolate the quantized
// values themselves, which have other meanings in a tensor with another
// quantization; and their sums may overflow.
bool NodeReference::ReadsQuantizedAsNumbers() const {
  if (!Output().is_float_view()) return false;
  const int code = node_.op->builtin_code;
  if (code == BuiltinOperator_SUM) return true;
  const bool takes_quantized =
      node_.op->Has(kMovesValues) || code == BuiltinOperator_AVERAGE_POOL_2D ||
      code == BuiltinOperator_MAXIMUM || code == BuiltinOperator_MINIMUM ||
      code == BuiltinOperator_RESIZE_BILINEAR;
  const Quantization& to = Output().quantization;
  return takes_quantized && absl::c_any_of(node_.inputs, [&](TensorId id) {
           if (id == kNoTensor || !graph_.tensor(id).is_float_view()) {
             return false;
           }
           const Quantization& from = graph_.tensor(id).quantization;
           return from.scale != to.scale || from.zero_point != to.zero_point;
         });
}

// TFLite's kernel for quantized quotients does if they are less than a step of
// the output (quant/code_table.cc).
bool NodeReference::OverflowsNearZero(const ReferenceValue& x,
                                      const ReferenceValue& y) const {
  return node_.op->builtin_code == BuiltinOperator_DIV &&
         Output().is_float_view() && !Output().quantization.empty() &&
         std::abs(x.value) < std::abs(y.value) * Output().quantization.scale[0];
}

}  // namespace gles_delegate
