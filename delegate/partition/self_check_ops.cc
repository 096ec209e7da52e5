#include "delegate/partition/self_check_ops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/string_view.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/op.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/image/resize.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/ops/reduction/rows.h"

namespace gles_delegate {
namespace {

// Minimum distance of a value from a step, as a fraction of its magnitude, for
// which its side is certain, even with halves.
constexpr double kSure = 2e-2;

// --- Convolutions and products -----------------------------------------------

// A convolution of planes as one of volumes.
Conv3dAttributes AsVolume(const SlidingWindow& a, const Shape& filter) {
  Conv3dAttributes volume;
  volume.window[0] = {filter.w, a.stride_w, a.dilation_w};
  volume.window[1] = {filter.h, a.stride_h, a.dilation_h};
  volume.pad = {a.pad_left, a.pad_top, 0};
  return volume;
}

// The bias, and the sum over all taps of `count` channels from `first` on, each
// times the element of the filter that weight(tap, i) gives.
template <typename Weight>
Value SumOfWindow(NodeReference& n, const Conv3dAttributes& a, int64_t element,
                  int first, int count, const Weight& weight) {
  const Place p = n.Where(element);
  const Shape& from = n.ShapeOf(a.inputs.data);
  const std::array<int, 3> to = {p.w, p.h, p.b % a.dst_depth};
  const std::array<int, 3> extents = {from.w, from.h, a.src_depth};
  const int taps = a.window[0].size * a.window[1].size * a.window[2].size;
  const Value sum = SumOf(taps, [&](int64_t tap) -> Value {
    std::array<int, 3> at = {};
    bool inside = true;
    for (int i = 0, rest = static_cast<int>(tap); i < 3; ++i) {
      const Window& w = a.window[i];
      const int step = rest % w.size * w.dilation;
      rest /= w.size;
      if (a.transposed) {
        const int spread = to[i] + a.pad[i] - step;
        inside &= spread >= 0 && spread % w.stride == 0;
        at[i] = spread / w.stride;
      } else {
        at[i] = to[i] * w.stride - a.pad[i] + step;
      }
      inside &= Inside(at[i], extents[i]);
    }
    if (!inside) return ReferenceValue();
    const int layer = p.b / a.dst_depth * a.src_depth + at[2];
    return SumOf(count, [&](int64_t i) {
      const Place read = {layer, at[1], at[0], first + static_cast<int>(i)};
      return n.In(a.inputs.data, ElementOf(read, from)) *
             n.In(a.inputs.weights, weight(tap, i));
    });
  });
  return n.WithBias(sum, a.inputs.bias, p.c);
}

// With a filter OHWI. `first`: channel of the input.
Value SumOfFilter(NodeReference& n, const Conv3dAttributes& a, int64_t element,
                  int first) {
  const Shape& filter = n.ShapeOf(a.inputs.weights);
  const int64_t before = int64_t{n.Where(element).c} * filter.h * filter.w;
  return SumOfWindow(
      n, a, element, first, filter.c,
      [&](int64_t tap, int64_t i) { return (before + tap) * filter.c + i; });
}

Value Convolved(NodeReference& n, const Conv2dAttributes& a, int64_t element) {
  const Shape& filter = n.ShapeOf(1);
  const int group = n.Where(element).c / (filter.b / a.groups);
  return SumOfFilter(n, AsVolume(a, filter), element, group * filter.c);
}

Value ConvolvedByChannel(NodeReference& n, const DepthwiseConv2dAttributes& a,
                         int64_t element) {
  const Shape& filter = n.ShapeOf(1);
  const int c = n.Where(element).c;
  return SumOfWindow(n, AsVolume(a, filter), element, c / a.multiplier, 1,
                     [&](int64_t tap, int64_t) { return tap * filter.c + c; });
}

Value ConvolvedBack(NodeReference& n, const TransposeConvAttributes& a,
                    int64_t element) {
  Conv3dAttributes volume = AsVolume(a, n.ShapeOf(a.inputs.weights));
  volume.transposed = true;
  volume.inputs = a.inputs;
  return SumOfFilter(n, volume, element, 0);
}

Value ConvolvedVolume(NodeReference& n, const Conv3dAttributes& a,
                      int64_t element) {
  const int inputs = n.ShapeOf(a.inputs.data).c;
  const int outputs = n.Output().shape.c;
  const int c = n.Where(element).c;
  return SumOfWindow(n, a, element, 0, inputs, [&](int64_t tap, int64_t i) {
    return a.transposed ? (tap * outputs + c) * inputs + i
                        : (tap * inputs + i) * outputs + c;
  });
}

Value FullyConnected(NodeReference& n, int64_t element) {
  // Not its dims: a RESHAPE to them that moves nothing is removed.
  const int64_t columns = n.ShapeOf(1).b, depth = n.ShapeOf(1).c;
  const int64_t row = element / columns, column = element % columns;
  const Value sum = SumOf(depth, [&](int64_t i) {
    return n.In(0, row * depth + i) * n.In(1, column * depth + i);
  });
  return n.WithBias(sum, 2, static_cast<int>(column));
}

// The first element of the matrix of `dims` that belongs to a matrix of
// `product`, counted through all of its leading axes.
int64_t MatrixAt(const std::vector<int>& dims, const std::vector<int>& product,
                 int64_t matrix) {
  auto axis = dims.rbegin() + 2;
  int64_t step = int64_t{dims.rbegin()[0]} * dims.rbegin()[1];
  int64_t first = 0;
  for (auto of = product.rbegin() + 2; axis != dims.rend(); ++axis, ++of) {
    if (*axis != 1) first += matrix % *of * step;
    matrix /= *of;
    step *= *axis;
  }
  return first;
}

Value Multiplied(NodeReference& n, const BatchMatMulAttributes& a,
                 int64_t element) {
  const int64_t columns = a.product.rbegin()[0], rows = a.product.rbegin()[1];
  const int64_t terms = a.x.rbegin()[a.adj_x ? 1 : 0];
  const int64_t row = element / columns % rows, column = element % columns;
  const int64_t x = MatrixAt(a.x, a.product, element / (rows * columns));
  const int64_t y = MatrixAt(a.y, a.product, element / (rows * columns));
  return SumOf(terms, [&](int64_t k) {
    return n.In(0, x + (a.adj_x ? k * rows + row : row * terms + k)) *
           n.In(1, y + (a.adj_y ? column * terms + k : k * columns + column));
  });
}

// --- Windows, rows and axes --------------------------------------------------

Value Pooled(NodeReference& n, const PoolAttributes& a, int64_t element) {
  const bool max = n.node().op->name == "MAX_POOL_2D";
  const Place p = n.Where(element);
  const Shape& from = n.ShapeOf(0);
  Value result;
  int count = 0;
  for (int ky = 0; ky < a.window_h; ++ky) {
    const int y = p.h * a.stride_h - a.pad_top + ky;
    for (int kx = 0; kx < a.window_w; ++kx) {
      const int x = p.w * a.stride_w - a.pad_left + kx;
      const bool inside = Inside(y, from.h) && Inside(x, from.w);
      if (!inside && !a.zeros) continue;
      const Value v = inside ? n.In(0, ElementOf({p.b, y, x, p.c}, from))
                             : ReferenceValue();
      if (!v) return v;
      result = Combined(max ? Reducer::kMax : Reducer::kMean, result, *v);
      ++count;
    }
  }
  if (max || !result) return result;
  return ReferenceValue{result->value / count, result->magnitude / count};
}

// The magnitude that allows for TFLite's rounding after each factor of a
// quantized product, to the output's step for all factors together.
double RoundingOfProducts(const Tensor& output,
                          const std::vector<double>& factors) {
  if (!output.is_float_view() || output.quantization.empty()) return 0;
  const double scale = output.quantization.scale[0];
  const auto count = static_cast<double>(factors.size());
  const double step = std::pow(scale, 1 / count);
  double error = 0.5 * scale * count;
  for (double factor : factors) error *= std::max(1.0, factor / step);
  return error / kRelativeError;
}

Value Reduced(NodeReference& n, const ReduceAttributes& a, int64_t element) {
  const Shape from =
      a.folded.empty() ? n.ShapeOf(0) : Shape::FromDims(a.folded);
  const Shape kept = {a.over[0] ? 1 : from.b, a.over[1] ? 1 : from.h,
                      a.over[2] ? 1 : from.w, a.over[3] ? 1 : from.c};
  const Shape over = {from.b / kept.b, from.h / kept.h, from.w / kept.w,
                      from.c / kept.c};
  const Place at = PlaceOf(element, kept);
  const Reducer reducer = ReducerOf(*n.node().op);
  Value result = OfNone(reducer);
  std::vector<double> factors;
  for (int64_t i = 0; i < over.elements(); ++i) {
    const Place o = PlaceOf(i, over);
    const int64_t moved =
        ElementOf({at.b + o.b, at.h + o.h, at.w + o.w, at.c + o.c}, from);
    const Value v = n.In(0, ElementBefore(a.moves, moved));
    if (!v) return v;
    factors.push_back(v->magnitude);
    result = Combined(reducer, result, *v);
  }
  const double count = static_cast<double>(over.elements());
  if (reducer == Reducer::kMean && result) {
    result = {{result->value / count, result->magnitude / count}};
    if (!n.IsFloat()) result->value = std::trunc(result->value);
  } else if (reducer == Reducer::kProduct) {
    result->magnitude = result->magnitude * (1 + count) +
                        RoundingOfProducts(n.Output(), factors);
  }
  return result;
}

// Of a row's values x, each with an error: their maximum, beta times the
// largest error, and the sum of exp(beta * (x - most)).
struct SoftmaxRow {
  double most = -std::numeric_limits<double>::infinity();
  double error = 0;
  double sum = 0;
};

// Once a row: all of its values need it. nullopt: one is unknown.
std::optional<SoftmaxRow> RowOfSoftmax(NodeReference& n, double beta,
                                       int64_t first) {
  auto& known = n.Kept<std::optional<SoftmaxRow>>(first);
  if (known) return known;
  const auto values = RowOf(n, 0, first, n.ShapeOf(0).c);
  if (!values) return std::nullopt;
  SoftmaxRow row;
  for (const ReferenceValue& v : *values) {
    row.most = std::max(row.most, v.value);
    row.error = std::max(row.error, beta * v.magnitude);
  }
  for (const ReferenceValue& v : *values) {
    row.sum += std::exp(beta * (v.value - row.most));
  }
  return known = row;
}

Value Softmax(NodeReference& n, const SoftmaxAttributes& a, int64_t element) {
  const Shape& from = n.ShapeOf(0);
  const Place p = n.Where(element);
  const auto row = RowOfSoftmax(n, a.beta, ElementOf({p.b, p.h, p.w, 0}, from));
  const Value x = n.In(0, ElementOf(p, from));
  if (!row || !x) return std::nullopt;
  const double log = a.beta * (x->value - row->most) - std::log(row->sum);
  if (a.log) return ReferenceValue{log, std::abs(log) + 2 * row->error + 1};
  const double y = std::exp(log);
  return ReferenceValue{y, y * (1 + 2 * row->error)};
}

Value L2Normalized(NodeReference& n, int64_t element) {
  const int64_t c = n.Output().shape.c;
  const Value squares = SumOf(c, [&](int64_t i) {
    const Value x = n.In(0, element / c * c + i);
    return x * x;
  });
  const Value x = n.In(0, element);
  if (!squares || !x) return std::nullopt;
  const double length = std::max(std::sqrt(squares->value), 1e-6);
  const double part = squares->magnitude / (length * length);
  return ReferenceValue{x->value / length, x->magnitude / length * (1 + part)};
}

Value NormalizedLocally(NodeReference& n, const LocalResponseNormParams& a,
                        int64_t element) {
  const Shape& s = n.ShapeOf(0);
  const Place p = n.Where(element);
  const int first = std::max(0, p.c - a.radius);
  const int last = std::min(s.c - 1, p.c + a.radius);
  const Value squares = SumOf(last - first + 1, [&](int64_t i) {
    const Value x =
        n.In(0, ElementOf({p.b, p.h, p.w, first + static_cast<int>(i)}, s));
    return Exactly(a.alpha) * (x * x);
  });
  const Value x = n.In(0, ElementOf(p, s));
  if (!squares || !x) return std::nullopt;
  const ReferenceValue sum = Exactly(a.bias) + *squares;
  const double factor = std::pow(sum.value, -double{a.beta});
  const double part = std::abs(a.beta) * sum.magnitude / std::abs(sum.value);
  return ReferenceValue{x->value * factor, x->magnitude * factor * (1 + part)};
}

Value SummedUp(NodeReference& n, const CumsumAttributes& a, int64_t element) {
  const Along along(n.Output(), a.view);
  const int64_t at = element / along.inner % along.extent;
  const int64_t base = element - at * along.inner;
  return SumOf(along.extent, [&](int64_t i) -> Value {
    const bool before = a.reverse ? i > at : i < at;
    if (!before && (a.exclusive || i != at)) return ReferenceValue();
    return n.In(0, base + i * along.inner);
  });
}

Value Added(NodeReference& n, int64_t element) {
  return SumOf(static_cast<int64_t>(n.node().inputs.size()),
               [&](int64_t i) { return n.In(static_cast<int>(i), element); });
}

Value Transformed(NodeReference& n, const Rfft2dAttributes& a,
                  int64_t element) {
  const Shape& from = n.ShapeOf(0);
  const Place p = n.Where(element);
  return SumOf(std::min(from.c, a.length), [&](int64_t i) {
    const int64_t turns = int64_t{p.c / 2} * i % a.length;
    const double angle = 2 * 3.14159265358979323846 * turns / a.length;
    const ReferenceValue weight = {
        p.c % 2 == 0 ? std::cos(angle) : -std::sin(angle), 1};
    return n.In(0, ElementOf({p.b, p.h, p.w, static_cast<int>(i)}, from)) *
           weight;
  });
}

// Of complex numbers: real and imaginary parts in turn.
Value AbsoluteOf(NodeReference& n, int64_t element) {
  const Value re = n.In(0, 2 * element), im = n.In(0, 2 * element + 1);
  if (!re || !im) return std::nullopt;
  return ReferenceValue{std::hypot(re->value, im->value),
                        std::hypot(re->magnitude, im->magnitude)};
}

Value Resized(NodeReference& n, const ResizeAttributes& a, int64_t element) {
  const Place p = n.Where(element);
  const Shape &from = n.ShapeOf(0), &to = n.Output().shape;
  const auto scale = [&](int in, int out) {
    return a.align_corners && out > 1
               ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
               : static_cast<float>(in) / static_cast<float>(out);
  };
  const float shift = a.half_pixel_centers ? 0.5f : 0.0f;
  const float sy = scale(from.h, to.h), sx = scale(from.w, to.w);
  if (n.node().op->plan == &PlanResizeNearestNeighbor) {
    const auto at = [&](int i, float s, int in) {
      const float v = (static_cast<float>(i) + shift) * s;
      const float r = a.align_corners ? std::round(v) : std::floor(v);
      return std::clamp(static_cast<int>(r), 0, in - 1);
    };
    return n.In(
        0,
        ElementOf({p.b, at(p.h, sy, from.h), at(p.w, sx, from.w), p.c}, from));
  }
  const float y = (static_cast<float>(p.h) + shift) * sy - shift;
  const float x = (static_cast<float>(p.w) + shift) * sx - shift;
  const int fy = static_cast<int>(std::floor(y));
  const int fx = static_cast<int>(std::floor(x));
  // TFLite's integer kernels step by whole 1024ths of a pixel, from a whole
  // one.
  const auto off_by = [](float step) {
    return std::abs(step * 1024 - std::round(step * 1024)) / 1024;
  };
  const double off =
      n.Output().is_float_view()
          ? (p.h * off_by(sy) + p.w * off_by(sx) + 2.0 / 1024) / kRelativeError
          : 0;
  return SumOf(4, [&](int64_t i) -> Value {
    const int dy = static_cast<int>(i / 2), dx = static_cast<int>(i % 2);
    const double wy = dy == 0 ? 1 - (y - fy) : y - fy;
    const double wx = dx == 0 ? 1 - (x - fx) : x - fx;
    const Value v = n.In(0, ElementOf({p.b, std::clamp(fy + dy, 0, from.h - 1),
                                       std::clamp(fx + dx, 0, from.w - 1), p.c},
                                      from));
    if (!v) return v;
    // Of all four: the place itself is rounded.
    return ReferenceValue{wy * wx * v->value, v->magnitude * (1 + off)};
  });
}

// --- Functions of elements ---------------------------------------------------

Value Compared(NodeReference& n, const ComparisonAttributes& a,
               int64_t element) {
  const Place p = n.Where(element);
  const Value x = n.Aligned(0, p, a.aligned[0]);
  const Value y = n.Aligned(1, p, a.aligned[1]);
  if (!x || !y || a.of_quantized || !IsSure(*x, *y)) return std::nullopt;
  const double d = x->value - y->value;
  const auto is = [&](absl::string_view name) { return a.function == name; };
  const bool holds = is("equal")           ? d == 0
                     : is("notEqual")      ? d != 0
                     : is("lessThan")      ? d < 0
                     : is("lessThanEqual") ? d <= 0
                     : is("greaterThan")   ? d > 0
                                           : d >= 0;
  return ReferenceValue{holds ? 1.0 : 0.0, 0};
}

Value Selected(NodeReference& n, const SelectAttributes& a, int64_t element) {
  const Place p = n.Where(element);
  const Value condition = n.Aligned(0, p, a.aligned[0]);
  if (!condition) return condition;
  const int input = condition->value != 0 ? 1 : 2;
  return n.Aligned(input, p, a.aligned[input]);
}

Value Elementwise(NodeReference& n, const ElementwiseAttributes& a,
                  int64_t element) {
  const Place p = n.Where(element);
  Value v = n.Aligned(a.source, p, a.source_shape);
  for (const RealignedFunction& f : a.functions) {
    if (!v) return v;
    if (f.function.operand == kNoTensor) {
      v = n.Applied(f.function, *v, nullptr);
      continue;
    }
    const Value y = n.Aligned(f.function.operand, p, f.operand_shape);
    if (!y) return y;
    v = n.Applied(f.function, *v, &*y);
  }
  return v;
}

Value Cast(NodeReference& n, int64_t element) {
  const Value x = n.In(0, element);
  if (!x || n.Output().is_host_view()) return std::nullopt;
  if (n.IsFloat()) return x;
  if (n.Output().type == DataType::kBool) {
    return ReferenceValue{x->value != 0 ? 1.0 : 0.0, 0};
  }
  const double rest = std::abs(x->value - std::round(x->value));
  if (rest != 0 && rest < kSure * x->magnitude) return std::nullopt;
  return Exactly(std::trunc(x->value));
}

// Ops whose parameters do not matter.
bool ComputePlain(NodeReference& n, int64_t element, Value* value) {
  const OpDefinition& op = *n.node().op;
  const auto is = [&](PlanFunction* plan) { return op.plan == plan; };
  if (op.function == "length") {
    *value = AbsoluteOf(n, element);
  } else if (op.function == "real_of" || op.function == "imaginary_of") {
    *value = n.In(0, 2 * element + (op.function == "real_of" ? 0 : 1));
  } else if (n.node().As<FullyConnectedAttributes>() != nullptr) {
    *value = FullyConnected(n, element);
  } else if (is(&PlanAddN)) {
    *value = Added(n, element);
  } else if (is(&PlanL2Normalization) && !n.node().attributes.has_value()) {
    *value = L2Normalized(n, element);
  } else if (is(&PlanCast)) {
    *value = Cast(n, element);
  } else {
    return false;
  }
  return true;
}

// Moved or chosen, never computed: float32 holds it as it is.
bool IsExact(const ReferenceValue& v) {
  return std::abs(v.value) == v.magnitude;
}

}  // namespace

bool ComputeValues(NodeReference& n, int64_t element, Value* value) {
  return ComputePlain(n, element, value) ||
         n.ByAttributes(element, value, Convolved, ConvolvedByChannel,
                        ConvolvedBack, ConvolvedVolume, Multiplied, Pooled,
                        Reduced, NormalizedLocally, SummedUp, Transformed,
                        Softmax, Resized, Elementwise, Compared, Selected);
}

std::optional<Rows> RowOf(NodeReference& n, int input, int64_t first,
                          int64_t count, int64_t step) {
  Rows row;
  for (int64_t i = 0; i < count; ++i) {
    const Value v = n.In(input, first + i * step);
    if (!v) return std::nullopt;
    row.push_back(*v);
  }
  return row;
}

Value OfNone(Reducer reducer) {
  if (reducer == Reducer::kSum) return ReferenceValue{0, 0};
  if (reducer == Reducer::kProduct) return ReferenceValue{1, 1};
  return std::nullopt;
}

ReferenceValue Combined(Reducer reducer, const Value& before,
                        const ReferenceValue& v) {
  if (!before) return v;
  const double most = std::max(before->magnitude, v.magnitude);
  switch (reducer) {
    case Reducer::kAny:
    case Reducer::kMax:
      return {std::max(before->value, v.value), most};
    case Reducer::kAll:
    case Reducer::kMin:
      return {std::min(before->value, v.value), most};
    case Reducer::kProduct:
      return *before * v;
    case Reducer::kSum:
    case Reducer::kMean:
      break;
  }
  return *before + v;
}

bool IsSure(const ReferenceValue& x, const ReferenceValue& y) {
  const bool exact = IsExact(x) && IsExact(y);
  if (x.value == y.value) return exact;
  // Halves of the two differ, too: they round by less than half of this.
  const double apart = exact ? 1e-3 : kSure;
  return std::abs(x.value - y.value) > apart * (x.magnitude + y.magnitude);
}

// --- Functions of one and two values -----------------------------------------

namespace {

// A function of steps, each of which is 1.
Value Stepped(double y, double to_step, const ReferenceValue& x) {
  if (to_step <= kSure * x.magnitude) return std::nullopt;
  return Exactly(y);
}
double ToWhole(double v) { return std::abs(v - std::round(v)); }

// |f'| <= slope wherever x may be: an error of x grows by that.
ReferenceValue Sloped(double y, double slope, const ReferenceValue& x) {
  return {y, std::abs(y) + slope * x.magnitude};
}

Value Unary(absl::string_view f, const PostOp& op, const ReferenceValue& x) {
  const double v = x.value;
  if (f == "clamp") {
    return ReferenceValue{std::clamp<double>(v, op.params[0], op.params[1]),
                          x.magnitude};
  }
  // Rounding to the output's quantized values is the caller's to allow for;
  // their ends are not. Where functions follow, in a node that others were
  // fused into, they scale the rounding, too: it is an error of up to one code,
  // as integer kernels round twice.
  if (f == "quantize") {
    const double scale = op.params[0];
    const double low = (op.params[2] - op.params[1]) * scale;
    const double high = (op.params[3] - op.params[1]) * scale;
    return ReferenceValue{std::clamp(v, low, high),
                          x.magnitude + scale / kRelativeError};
  }
  if (f == "abs") return ReferenceValue{std::abs(v), x.magnitude};
  if (f == "neg") return ReferenceValue{-v, x.magnitude};
  if (f == "zeros_like") return ReferenceValue{};
  if (f == "square") return Sloped(v * v, 2 * std::abs(v), x);
  if (f == "tanh") return Sloped(std::tanh(v), 1, x);
  if (f == "logistic") return Sloped(1 / (1 + std::exp(-v)), 1, x);
  if (f == "sin") return Sloped(std::sin(v), 1, x);
  if (f == "cos") return Sloped(std::cos(v), 1, x);
  if (f == "elu") return Sloped(v < 0 ? std::expm1(v) : v, 1, x);
  if (f == "exp") return Sloped(std::exp(v), std::exp(v), x);
  if (f == "log") return Sloped(std::log(v), 1 / std::abs(v), x);
  if (f == "sqrt") return Sloped(std::sqrt(v), 0.5 / std::sqrt(v), x);
  if (f == "rsqrt") {
    return Sloped(1 / std::sqrt(v), 0.5 / (v * std::sqrt(v)), x);
  }
  if (f == "floor") return Stepped(std::floor(v), ToWhole(v), x);
  if (f == "ceil") return Stepped(std::ceil(v), ToWhole(v), x);
  if (f == "round") return Stepped(std::nearbyint(v), ToWhole(v + 0.5), x);
  if (f == "sign") return Stepped(v < 0 ? -1 : v > 0 ? 1 : 0, std::abs(v), x);
  if (f == "leaky_relu") {
    const double a = op.params[0];
    return Sloped(v < 0 ? v * a : v, std::max(1.0, std::abs(a)), x);
  }
  if (f == "hard_swish") {
    return Sloped(v * std::clamp(v + 3, 0.0, 6.0) / 6, 1.5, x);
  }
  if (f == "silu") return Sloped(v / (1 + std::exp(-v)), 1.1, x);
  if (f == "gelu") {
    return Sloped(0.5 * v * (1 + std::erf(v / std::sqrt(2.0))), 1.2, x);
  }
  if (f == "gelu_tanh") {
    const double z = std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v);
    return Sloped(0.5 * v * (1 + std::tanh(z)), 1.2, x);
  }
  return std::nullopt;
}

Value Binary(absl::string_view f, const ReferenceValue& x,
             const ReferenceValue& y) {
  const double sum = x.magnitude + y.magnitude;
  if (f == "add") return x + y;
  if (f == "sub") return ReferenceValue{x.value - y.value, sum};
  if (f == "maximum") return ReferenceValue{std::max(x.value, y.value), sum};
  if (f == "minimum") return ReferenceValue{std::min(x.value, y.value), sum};
  if (f == "mul") return x * y;
  if (f == "div") {
    const double d = std::abs(y.value);
    return ReferenceValue{x.value / y.value,
                          x.magnitude / d + x.magnitude * y.magnitude / d / d};
  }
  if (f == "squared_difference") {
    const double d = x.value - y.value;
    return ReferenceValue{d * d, 2 * std::abs(d) * sum + d * d};
  }
  if (f == "pow") {
    const double v = std::pow(x.value, y.value), size = std::abs(x.value);
    return ReferenceValue{
        v, std::abs(v) * (1 + std::abs(y.value) * x.magnitude / size +
                          std::abs(std::log(size)) * y.magnitude)};
  }
  if (f == "floor_div" || f == "floor_mod") {
    const double quotient = x.value / y.value, size = std::abs(y.value);
    const Value whole =
        Stepped(std::floor(quotient), ToWhole(quotient),
                {quotient,
                 x.magnitude / size + x.magnitude * y.magnitude / size / size});
    if (!whole || f == "floor_div") return whole;
    return ReferenceValue{x.value - whole->value * y.value,
                          x.magnitude + whole->magnitude * y.magnitude};
  }
  if (f == "atan2") {
    const double v = std::atan2(x.value, y.value);
    const double r = std::hypot(x.value, y.value);
    if (std::abs(x.value) <= kSure * x.magnitude && y.value < kSure * r) {
      return std::nullopt;  // where it leaps
    }
    return ReferenceValue{v, std::abs(v) + (x.magnitude + y.magnitude) / r};
  }
  if (f == "prelu") {
    return ReferenceValue{x.value < 0 ? x.value * y.value : x.value,
                          x.magnitude * std::max(1.0, y.magnitude)};
  }
  return std::nullopt;
}

// What int32 and bools (0 and 1) have besides, or otherwise.
Value UnaryOfIntegers(absl::string_view f, const PostOp& op, double x) {
  if (f == "sign") return Exactly(x < 0 ? -1 : x > 0 ? 1 : 0);
  if (f == "logical_not") return Exactly(x == 0 ? 1 : 0);
  return Unary(f, op, Exactly(x));
}

Value Quotient(absl::string_view f, double x, double y) {
  if (y == 0) return std::nullopt;  // TFLite fails
  if (f == "div") return Exactly(std::trunc(x / y));
  const double floor = std::floor(x / y);
  return Exactly(f == "floor_div" ? floor : x - floor * y);
}

Value BinaryOfIntegers(absl::string_view f, double x, double y) {
  if (f == "div" || f == "floor_div" || f == "floor_mod") {
    return Quotient(f, x, y);
  }
  if (f == "pow" && y < 0) return std::nullopt;
  if (f == "logical_or") return Exactly(x != 0 || y != 0 ? 1 : 0);
  if (f == "logical_and") return Exactly(x != 0 && y != 0 ? 1 : 0);
  const auto a = static_cast<int64_t>(x), b = static_cast<int64_t>(y);
  if (f == "bitwise_xor") return Exactly(static_cast<double>(a ^ b));
  if (f == "right_shift" && b >= 0 && b < 32) {
    return Exactly(static_cast<double>(a >> b));
  }
  return Binary(f, Exactly(x), Exactly(y));
}

}  // namespace

Value ApplyFunction(const PostOp& op, const ReferenceValue& x,
                    const ReferenceValue* y, bool of_integers) {
  if (op.operand_as == OperandAs::kTable) return std::nullopt;
  const auto binary = [&](const ReferenceValue& a, const ReferenceValue& b) {
    return of_integers ? BinaryOfIntegers(op.function, a.value, b.value)
                       : Binary(op.function, a, b);
  };
  if (y != nullptr) return op.operand_first ? binary(*y, x) : binary(x, *y);
  const Value unary = of_integers ? UnaryOfIntegers(op.function, op, x.value)
                                  : Unary(op.function, op, x);
  if (unary) return unary;
  // A constant of one element stands in the params.
  const ReferenceValue scalar = Exactly(op.params[0]);
  return op.params[1] != 0 ? binary(scalar, x) : binary(x, scalar);
}

}  // namespace gles_delegate
