#include "tools/conformance/quantized.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "delegate/ops/op_list.h"
#include "third_party/tflite_schema/schema_generated.h"
#include "tools/cases/model.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/random.h"

namespace gles_delegate::conformance {
namespace {

using testing::ElementCount;

// A model of floats that becomes one of 8- or 16-bit tensors.
class QuantizedModel {
 public:
  QuantizedModel(const std::vector<uint8_t>& floats, const Quantizing& how)
      : how_(how), random_(how.description) {
    builder_.model() = std::move(*schema::UnPackModel(floats.data()));
    inputs_.resize(graph().inputs.size());
  }

  TensorType type() const { return how_.type; }
  bool is_signed() const { return type() == TensorType::INT8; }
  // 16-bit activations, whose zero points are 0.
  bool is_int16() const { return type() == TensorType::INT16; }
  int min() const { return is_int16() ? -32768 : is_signed() ? -128 : 0; }
  int max() const { return min() + (is_int16() ? 65535 : 255); }
  Codes codes() const { return how_.codes; }
  testing::Random& random() { return random_; }
  schema::SubGraphT& graph() { return *builder_.model().subgraphs[0]; }
  schema::TensorT& tensor(int id) { return *graph().tensors[id]; }
  Op OpOf(const schema::OperatorT& node) {
    return builder_.model().operator_codes[node.opcode_index]->builtin_code;
  }
  bool IsInput(int id) {
    const std::vector<int>& inputs = graph().inputs;
    return std::count(inputs.begin(), inputs.end(), id) > 0;
  }
  bool IsConstant(int id) {
    return !builder_.model().buffers[tensor(id).buffer]->data.empty();
  }

  // A scale: a power of two from 2^-8 to 2^2 and one unit in the last place
  // beside it, an oddity that converters write, or any.
  float DrawScale() {
    constexpr float kOdd[] = {1.0f / 255, 0.1f,       6.0f / 255,
                              2.0f / 255, 1.0f / 127, 0.023528477f};
    const float power = std::exp2(static_cast<float>(random_.NextInt(-8, 2)));
    const int choice = random_.NextInt(0, 4);
    if (choice == 3) return kOdd[random_.NextInt(0, 5)];
    if (choice == 4) return std::exp2(random_.NextUniform(-8, 2));
    return choice == 0 ? power
                       : std::nextafter(power, choice == 1 ? 1000.0f : 0.0f);
  }

  // A scale that is `scale` times something from 2^low to 2^high: that very
  // power, the same scale, or any between.
  float DrawBeside(float scale, int low, int high) {
    switch (random_.NextInt(0, 3)) {
      case 0:
        return scale *
               std::exp2(static_cast<float>(random_.NextInt(low, high)));
      case 1:
        return scale * std::exp2(static_cast<float>(std::clamp(0, low, high)));
      default:
        return scale * std::exp2(random_.NextUniform(static_cast<float>(low),
                                                     static_cast<float>(high)));
    }
  }

  // Zero points at either end of the range, at 0 or in the middle, or anywhere,
  // if the codes do not say which. Of 16-bit tensors: the zero point 0 and a
  // 256th of the scale.
  ModelQuantization WithZeroPoint(float scale) {
    if (is_int16()) return ModelQuantization::PerTensor(scale / 256, 0);
    if (codes() != Codes::kRandom) {
      const int middle = min() + random_.NextInt(100, 155);
      return ModelQuantization::PerTensor(
          scale, codes() == Codes::kLowest    ? min()
                 : codes() == Codes::kHighest ? max()
                                              : middle);
    }
    const int choices[] = {min(), max(), min() + 128,
                           random_.NextInt(min(), max())};
    return ModelQuantization::PerTensor(scale, choices[random_.NextInt(0, 3)]);
  }
  // The same without a finer scale of 16 bits.
  ModelQuantization Scaled(float scale) {
    return WithZeroPoint(is_int16() ? scale * 256 : scale);
  }
  ModelQuantization Draw() { return WithZeroPoint(DrawScale()); }

  // Every code once (of 16-bit ones 4,096), in an order that has no period of a
  // few channels. `step` is odd.
  std::vector<int> AllQuantized(int step) const {
    // A stride of a prime number visits all parts of the 65,536.
    const int range = max() - min() + 1;
    const int stride = is_int16() ? 251 * step : step;
    std::vector<int> quantized(is_int16() ? 4096 : 256);
    for (int i = 0; i < static_cast<int>(quantized.size()); ++i) {
      quantized[i] = min() + (i * stride + 7) % range;
    }
    return quantized;
  }

  // Gives an input or a constant these quantized values, over and over.
  void Operand(int id, const ModelQuantization& q,
               const std::vector<int>& quantized) {
    if (!IsInput(id))
      return Store(id, type(), is_int16() ? 2 : 1, q, quantized);
    std::vector<float> values(ElementCount(tensor(id).shape));
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t code = quantized[i % quantized.size()];
      values[i] = q.scale[0] * static_cast<float>(code - q.zero_point[0]);
    }
    Set(id, type(), q);
    Feed(id, std::move(values));
  }
  // The values of an input.
  void Feed(int id, std::vector<float> values) {
    const std::vector<int>& inputs = graph().inputs;
    inputs_[std::find(inputs.begin(), inputs.end(), id) - inputs.begin()] =
        std::move(values);
  }

  // Makes the tensor one of weights: int8 with zero points of 0 and a scale for
  // each index of `dimension` (or one, `per_tensor`), of 16-bit activations,
  // too; or uint8 with one scale. `scale` is the largest; returns them.
  std::vector<float> Weights(int id, int dimension, float scale,
                             bool per_tensor) {
    const Shape& shape = tensor(id).shape;
    const bool is_uint8 = type() == TensorType::UINT8;
    const int channels = per_tensor || is_uint8 ? 1 : shape[dimension];
    std::vector<float> scales(channels, scale);
    for (int c = 0; c < channels && !is_uint8; ++c) {  // some far smaller
      scales[c] = scale * random_.NextUniform(0.25f, 1) *
                  (c % 5 == 4 && !is_int16() ? 1e-3f : 1);
    }
    std::vector<int> quantized(ElementCount(shape));
    for (int& code : quantized) {
      code = is_uint8 ? random_.NextInt(1, 255) : random_.NextInt(-127, 127);
    }
    const int zero = is_uint8 ? random_.NextInt(0, 255) : 0;
    Store(id, is_uint8 ? TensorType::UINT8 : TensorType::INT8, 1,
          {scales, std::vector<int64_t>(channels, zero),
           is_uint8 ? 0 : dimension},
          quantized);
    return scales;
  }

  // Makes the tensor an int32 bias (int64 of 16-bit activations) for inputs and
  // weights of these scales.
  void Bias(int id, float input_scale, std::vector<float> scales,
            float magnitude) {
    for (float& scale : scales) scale *= input_scale;
    std::vector<int64_t> quantized(ElementCount(tensor(id).shape));
    for (size_t c = 0; c < quantized.size(); ++c) {
      const float scale = scales[scales.size() > 1 ? c : 0];
      quantized[c] =
          std::llround(random_.NextUniform(-magnitude, magnitude) / scale);
    }
    Store(id, is_int16() ? TensorType::INT64 : TensorType::INT32,
          is_int16() ? 8 : 4, {scales, std::vector<int64_t>(scales.size()), 0},
          quantized);
  }

  // Without scale: numbers.
  void Set(int id, TensorType type, const ModelQuantization& q) {
    tensor(id).type = type;
    builder_.SetQuantization(id, q);
  }

  // No code of the output may differ.
  SingleOpModel Finish() {
    const auto& q = tensor(graph().outputs.back()).quantization;
    SingleOpModel model;
    model.description = how_.description;
    model.bytes = builder_.Finish();
    model.inputs = std::move(inputs_);
    model.accuracy.ulps = 0;
    // Codes are whole; a hundredth covers the conversion to float and back.
    model.accuracy.absolute = q == nullptr ? 0 : 0.01f * q->scale[0];
    return model;
  }

 private:
  // Values of `bytes` each.
  template <typename T>
  void Store(int id, TensorType type, int bytes, const ModelQuantization& q,
             const std::vector<T>& quantized) {
    std::vector<uint8_t> data;
    for (size_t i = 0; i < ElementCount(tensor(id).shape); ++i) {
      const int64_t code = quantized[i % quantized.size()];
      for (int byte = 0; byte < bytes; ++byte) {  // the lowest first
        data.push_back(static_cast<uint8_t>(code >> (8 * byte)));
      }
    }
    builder_.model().buffers[tensor(id).buffer]->data = std::move(data);
    Set(id, type, q);
  }

  const Quantizing how_;
  testing::Random random_;
  ModelBuilder builder_;
  std::vector<std::vector<float>> inputs_;
};

// Near the scale with which a product of quantized values is one again.
constexpr float kPowerScale = 1.0f / 40;
// TFLite's MUL for ARM adds the zero point in 16 bits, where products of more
// overflow (docs/boards.md).
#if defined(__aarch64__)
constexpr int kFinestProduct = 2;
#else
constexpr int kFinestProduct = -2;
#endif

// The output's scale and zero point.
enum OutputRule {
  kAsInput,
  kDrawn,      // beside the inputs'
  kLogistic,   // 1/256 from 0: what TFLite fixes for LOGISTIC and SOFTMAX
  kSymmetric,  // 1/128 around 0: for TANH and L2_NORMALIZATION
  kLogShares,  // 16/256 up to 0
  kBool,       // none: a bool
  kSums,       // what holds most sums of products: SummedFrom()
  kJoined,     // the input's of int8; else drawn
};
// From which scales of the inputs the output's scale is drawn.
enum ScaleRule {
  kFirst,
  kFirstOrSame,  // or the input's quantization itself
  kLarger,
  kProduct,
  kSquare,
  kQuotient,
  kTenth,
  kPower,  // of products of all that an element of the output is made of
};
// The quantization of the second operand: any, one beside the first's, the
// same.
enum Other { kAny, kBeside, kSame };
// The output's scale is from 2^low to 2^high times that.
struct Span {
  int low = -8, high = 8;
};
// What TFLite's kernel of an op that computes on quantized values takes.
struct Kernel {
  Op op;
  int widths;
  OutputRule rule = kDrawn;
  ScaleRule scale = kFirst;
  Span span = {};
  Span span16 = {1, 0};  // if it is another
  Other other = kAny;
};

constexpr int kEight = kInt8 | kUint8, kEach = kEight | kInt16;

constexpr Kernel kKernels[] = {
    {Op::RELU_N1_TO_1, kEight},
    {Op::ABS, kInt8 | kInt16},
    {Op::ELU, kInt8},
    {Op::GELU, kEight},
    // The CPU refuses a finer output than this.
    {Op::HARD_SWISH, kEight, kDrawn, kFirst, {-6, 8}},
    {Op::LOGISTIC, kEach, kLogistic},
    {Op::TANH, kEach, kSymmetric},
    {Op::RSQRT, kInt8, kDrawn, kTenth, {-4, 4}},
    {Op::SOFTMAX, kEach, kLogistic},
    {Op::LOG_SOFTMAX, kEight, kLogShares},
    {Op::L2_NORMALIZATION, kEight, kSymmetric},
    {Op::PRELU, kEight, kDrawn, kFirst, {-6, 6}},
    {Op::MEAN, kEach, kDrawn, kFirstOrSame, {-2, 5}, {-5, 2}},
    // 2.9 keeps the low 16 bits of a sum of 16-bit values, of one scale.
    {Op::SUM, kEach, kDrawn, kFirstOrSame, {-2, 5}, {0, 0}},
    {Op::REDUCE_PROD, kInt8 | kInt16, kDrawn, kPower, {-1, 0}, {-1, 0}},
    {Op::ADD, kEach, kDrawn, kLarger, {-6, 6}, {-1, 4}, kBeside},
    {Op::SUB, kEach, kDrawn, kLarger, {-6, 6}, {-1, 4}, kBeside},
    {Op::MUL, kEach, kDrawn, kProduct, {kFinestProduct, 14}, {14, 19}},
    // Never so fine that TFLite ends the process.
    {Op::SQUARED_DIFFERENCE, kInt8, kDrawn, kSquare, {-11, 14}, {}, kBeside},
    // TFLite's kernel takes no divisor that is zero.
    {Op::DIV, kUint8, kDrawn, kQuotient, {-6, 3}},
    // Those of 8 bits compare the quantized values, whatever these stand for.
    {Op::MAXIMUM, kEach, kAsInput, kFirst, {0, 0}, {1, 4}, kSame},
    {Op::MINIMUM, kEach, kAsInput, kFirst, {0, 0}, {1, 4}, kSame},
    {Op::CONCATENATION, kEach, kJoined, kFirst, {-3, 3}, {1, 4}, kBeside},
    {Op::FILL, kInt8, kAsInput, kFirst, {}, {}, kSame},
    {Op::BATCH_MATMUL, kInt8 | kInt16, kSums},
};

// NULL: it moves values. Of ops without a row, those with a filter sum
// products, comparisons give bools, and functions of one value take any scale.
const Kernel* KernelOf(Op op) {
  static constexpr Kernel kAnyScale = {Op::CUSTOM, kEach},
                          kProducts = {Op::CUSTOM, kEach, kSums},
                          kCompares = {Op::CUSTOM, kEight, kBool};
  for (const Kernel& kernel : kKernels) {
    if (kernel.op == op) return &kernel;
  }
  if (cases::FilterOf(op) != nullptr) return &kProducts;
  const OpDefinition* known = FindOp(static_cast<int>(op), "");
  if (known == nullptr || known->function.empty()) return nullptr;
  return known->signature == "x y -> z:b" ? &kCompares
         : known->signature == "x -> x"   ? &kAnyScale
                                          : nullptr;
}

float BaseOf(ScaleRule scale, float first, float other) {
  const float larger = std::max(first, other);
  switch (scale) {
    case kLarger:
      return larger;
    case kProduct:
      return first * other;
    case kSquare:
      return larger * larger;
    case kQuotient:
      return first / other;
    case kTenth:
      return 0.1f;
    default:
      return first;
  }
}

// `count`: of kPower, elements of the input for each of the output.
ModelQuantization OutputOf(const Kernel& kernel, QuantizedModel& b,
                           const ModelQuantization& in,
                           const ModelQuantization& other, int count) {
  const bool wide = b.is_int16();
  const auto fixed = [wide](float scale, int zero) {
    return ModelQuantization::PerTensor(wide ? 0x1p-15f : scale,
                                        wide ? 0 : zero);
  };
  if (kernel.scale == kFirstOrSame && b.random().NextInt(0, 3) == 0) return in;
  switch (kernel.rule) {
    case kLogistic:
      return fixed(1.0f / 256, b.min());
    case kSymmetric:
      return fixed(1.0f / 128, b.min() + 128);
    case kLogShares:
      return ModelQuantization::PerTensor(16.0f / 256, b.min() + 255);
    case kAsInput:
      if (!wide) return in;
      break;
    case kJoined:
      if (b.is_signed()) return in;
      break;
    case kBool:
      return {};
    default:
      break;
  }
  const Span& span = wide && kernel.span16.low <= kernel.span16.high
                         ? kernel.span16
                         : kernel.span;
  float base = BaseOf(kernel.scale, in.scale[0], other.scale[0]);
  if (kernel.scale == kPower) {
    const float one = wide ? kPowerScale / 256 : kPowerScale;
    const float product = std::pow(base / one, static_cast<float>(count)) * one;
    base = std::clamp(product, 1e-20f, 200.0f);
  }
  return b.Scaled(b.DrawBeside(base, span.low, span.high));
}

// The quantizations of the tensors of a model.
struct Quantizations {
  ModelQuantization in, other, out;
};

// Rows of one quantized value, of the zero point and its neighbours, and of the
// ends.
std::vector<int> FewInRows(QuantizedModel& b, int row, int zero) {
  std::vector<int> values(3 * row, zero);
  for (int i = row; i < 2 * row; ++i) {
    values[i] = std::clamp(zero + b.random().NextInt(-1, 1), b.min(), b.max());
  }
  for (int i = 2 * row; i < 3 * row; ++i) {
    values[i] = b.random().NextInt(0, 9) > 0 ? b.min() : b.max();
  }
  return values;
}

// Those of which many are equal, and the first counts.
std::vector<int> FewOf(QuantizedModel& b, std::vector<int> values) {
  const int kept = b.random().NextInt(1, 5);
  const bool highest = b.random().NextInt(0, 2) == 0;
  for (int& value : values) {
    const int step = (value - b.min()) % (kept == 5 ? 256 : kept);
    value = highest ? b.max() - step : b.min() + step;
  }
  return values;
}

// Those of an operand of a model of one op.
std::vector<int> OperandOf(Op op, QuantizedModel& b, const Shape& shape,
                           int zero, int step) {
  const bool is_of_rows =
      op == Op::SOFTMAX || op == Op::LOG_SOFTMAX || op == Op::L2_NORMALIZATION;
  std::vector<int> values = is_of_rows && b.random().NextInt(0, 2) == 0
                                ? FewInRows(b, shape.back(), zero)
                                : b.AllQuantized(step);
  if (op == Op::ARG_MAX || op == Op::ARG_MIN || op == Op::TOPK_V2) {
    values = FewOf(b, std::move(values));
  }
  for (int& value : values) {
    // The CPU fails on these: roots of negative numbers, quotients by 0, for
    // which newer kernels take the least quantized value.
    if (op == Op::RSQRT) value = std::max(value, zero);
    if (op == Op::DIV && (value == zero || value == b.min())) {
      value = zero == b.max() ? zero - 1 : b.max();
    }
  }
  return values;
}

// The model of one op on its type.
SingleOpModel OnType(QuantizedModel& b, const Quantizations& q) {
  const Op op = b.OpOf(*b.graph().operators[0]);
  bool first = true;
  for (int id = 0; id < static_cast<int>(b.graph().tensors.size()); ++id) {
    const schema::TensorT& tensor = b.tensor(id);
    const size_t elements = ElementCount(tensor.shape);
    const bool is_input = b.IsInput(id);
    if (is_input && tensor.type == TensorType::BOOL) {
      std::vector<float> values(elements);
      for (float& v : values) v = static_cast<float>(b.random().NextInt(0, 1));
      b.Feed(id, std::move(values));
    }
    if (tensor.type != TensorType::FLOAT32) continue;
    if (!is_input && !b.IsConstant(id)) {
      b.Set(id, b.type(), q.out);
      continue;
    }
    const bool is_first = std::exchange(first, first && !is_input) && is_input;
    const ModelQuantization& of = is_first ? q.in : q.other;
    std::vector<int> values =
        OperandOf(op, b, tensor.shape, static_cast<int>(of.zero_point[0]),
                  is_first ? 37 : 91);
    if (!is_input && elements == 1 && op != Op::DIV) {
      values = {b.random().NextInt(b.min(), b.max())};
    }
    b.Operand(id, of, values);
  }
  return b.Finish();
}

// Whether the model's sum has the flag that asks for shifts.
bool AsksForShifts(QuantizedModel& b) {
  const auto& options = b.graph().operators[0]->builtin_options;
  if (const auto* add = options.AsAddOptions()) return add->pot_scale_int16;
  const auto* sub = options.AsSubOptions();
  return sub != nullptr && sub->pot_scale_int16;
}

// TFLite shifts where all scales are powers of two, or next to it; then the
// output's must be the larger input's.
Quantizations ForShifts(QuantizedModel& b, int number) {
  const int exponent = b.random().NextInt(-14, -4);
  const float larger = std::ldexp(number % 5 == 0 ? 1.0004f : 1.0f, exponent);
  const float smaller = std::ldexp(1.0f, exponent - b.random().NextInt(0, 9));
  const auto of = [](float scale) {
    return ModelQuantization::PerTensor(scale, 0);
  };
  Quantizations q = {of(number % 7 == 6 ? 1.1f * larger : larger), of(smaller),
                     of(larger)};
  if (number % 2 == 1) std::swap(q.in, q.other);
  return q;
}

// What the kernel takes.
// `count`: as OutputOf() takes it.
Quantizations Drawn(const Kernel& kernel, QuantizedModel& b, int count,
                    int number) {
  // That of a comparison is below 1.
  const float most = kernel.rule == kBool ? 0.99f : 1e9f;
  const float scale = kernel.scale == kPower ? b.DrawBeside(kPowerScale, -4, 1)
                                             : std::min(b.DrawScale(), most);
  Quantizations q;
  q.in = q.other = b.WithZeroPoint(scale);
  if (kernel.rule == kBool) {
    // Converters give both one quantization.
    if (number % 2 == 1) {
      q.other = b.WithZeroPoint(std::min(b.DrawBeside(scale, -3, 3), most));
    }
  } else if (kernel.other != kSame &&
             !(kernel.rule == kJoined && b.is_signed())) {
    const int span = b.is_int16() ? 6 : 8;
    const float beside = b.DrawBeside(scale, -span, span);
    q.other = b.WithZeroPoint(kernel.other == kBeside ? beside : b.DrawScale());
  }
  q.out = OutputOf(kernel, b, q.in, q.other, count);
  return q;
}

// Floats at the ties between two quantized values, and the next floats beside
// them; or any. And 0.
std::vector<float> FloatsFor(QuantizedModel& b, float scale, size_t count,
                             bool ties) {
  std::vector<float> values =
      b.random().Uniform(count, -200 * scale, 200 * scale);
  for (size_t i = 0; i < count && ties; ++i) {
    const int code = static_cast<int>(i / 3) - 130;
    const float tie = (static_cast<float>(code) + 0.5f) * scale;
    const float beside = i % 3 == 1 ? -1e9f : 1e9f;
    values[i] = i % 3 == 0 ? tie : std::nextafter(tie, beside);
  }
  values[0] = 0;
  return values;
}

// QUANTIZE and DEQUANTIZE, whose rows say the types.
SingleOpModel ConvertedFrom(const cases::CaseSpec& spec, const Quantizing& how,
                            int number) {
  QuantizedModel b(cases::BytesOf(spec), how);
  const int x = b.graph().inputs[0], y = b.graph().outputs[0];
  const TensorType from = b.tensor(x).type, to = b.tensor(y).type;
  ModelQuantization q = b.Draw();
  if (from == TensorType::FLOAT32) {
    b.Feed(x, FloatsFor(b, q.scale[0], ElementCount(b.tensor(x).shape),
                        number % 3 > 0));
  } else {
    b.Operand(x, q, b.AllQuantized(37));
  }
  if (to == TensorType::FLOAT32) {
    q = {};
  } else if (from != TensorType::FLOAT32) {
    const bool narrows = b.is_int16() && to == TensorType::INT8;
    const int min = to == TensorType::UINT8 ? 0 : -128;
    const int zeros[] = {min, min + 255, b.random().NextInt(min, min + 255)};
    const float scale =
        b.DrawBeside(q.scale[0], narrows ? -2 : -8, narrows ? 9 : 8);
    q = ModelQuantization::PerTensor(
        scale, to == TensorType::INT16   ? 0
               : to == TensorType::INT32 ? b.random().NextInt(-100000, 100000)
                                         : zeros[b.random().NextInt(0, 2)]);
  }
  b.Set(y, to, q);
  return b.Finish();
}

class Summer {
 public:
  Summer(const SingleOpModel& model, const Quantizing& how, int number)
      : b_(model.bytes, how), number_(number), qs_(b_.graph().tensors.size()) {}

  SingleOpModel Run() {
    for (int input : b_.graph().inputs) {
      const float scale = keeps_spread() ? 0.005f : b_.DrawScale();
      AddOperand(input, b_.WithZeroPoint(scale));
    }
    for (const auto& op : b_.graph().operators) AddNode(*op);
    return b_.Finish();
  }

 private:
  // In chains, whose real values must stay of one size.
  bool keeps_spread() const { return b_.codes() == Codes::kMiddle; }
  // 0 of what has none.
  float ScaleOf(int id) const {
    return qs_[id].scale.empty() ? 0 : qs_[id].scale[0];
  }
  // Whether the tensor has its type.
  bool IsSet(int id) { return id >= 0 && set_.count(id) > 0; }

  void AddOperand(int id, const ModelQuantization& q) {
    qs_[id] = q;
    set_.insert(id);
    b_.Operand(id, q, b_.AllQuantized(id == b_.graph().inputs[0] ? 37 : 91));
  }

  // The output's scale.
  float AddWeights(const cases::Filter& filter, const schema::OperatorT& op) {
    const size_t data = filter.op == Op::TRANSPOSE_CONV ? 2 : 0;
    const int bias =
        op.inputs.size() > data + 1 ? op.inputs.back() : /*none*/ -1;
    const float in_scale = ScaleOf(op.inputs[data]);
    const int weights = op.inputs[filter.input];
    const Shape& shape = b_.tensor(weights).shape;
    const int terms =
        static_cast<int>(ElementCount(shape)) / shape[filter.outputs];
    // FULLY_CONNECTED takes one scale for all channels, but any zero point.
    const bool dense = filter.op == Op::FULLY_CONNECTED;
    const float scale = keeps_spread() ? 1.5f / ScaleOfSums(1, terms)
                                       : b_.random().NextUniform(0.001f, 0.05f);
    std::vector<float> scales = {ScaleOf(weights)};
    if (set_.insert(weights).second) {
      if (dense && !b_.is_int16() && number_ % 2 == 1) {
        const ModelQuantization q = b_.WithZeroPoint(scale);
        scales = q.scale;
        b_.Operand(weights, q, b_.AllQuantized(91));
      } else {
        scales = b_.Weights(weights, static_cast<int>(filter.outputs), scale,
                            dense || number_ % 3 == 1);
      }
    }
    // Sums of 16-bit tensors that exceed 32 bits by their biases.
    // FULLY_CONNECTED of newer TFLites does not take these.
    const bool large = b_.is_int16() && !dense && number_ % 4 == 2;
    const float product = in_scale * scales[0];
    const float out = large ? product * 0x1p18f : ScaleOfSums(product, terms);
    if (bias >= 0 && bias != weights) {
      const float steps = large ? 16384 : b_.is_int16() ? 3000 : 30;
      b_.Bias(bias, in_scale, scales, steps * out);
    }
    return out;
  }

  float ScaleOfSums(float product, int terms) const {
    return product * 70 * std::sqrt(static_cast<float>(terms)) *
           (number_ % 3 == 0 ? 0.3f : 1.5f);
  }

  // Of BATCH_MATMUL.
  float ScaleOfMatrices(const schema::OperatorT& op) {
    for (int id : op.inputs) {
      if (!IsSet(id)) AddOperand(id, b_.Draw());
    }
    const bool adj_x = op.builtin_options.AsBatchMatMulOptions()->adj_x;
    const Shape& x = b_.tensor(op.inputs[0]).shape;
    // Both operands may have 16 bits, where weights have 8.
    return ScaleOfSums(ScaleOf(op.inputs[0]) * ScaleOf(op.inputs[1]) *
                           (b_.is_int16() ? 256 : 1),
                       x.size() < 2 ? 8 : x[x.size() - (adj_x ? 2 : 1)]);
  }

  // Of ops that sum no products: values stay as spread as they are.
  ModelQuantization OutputOfOther(Op code, const schema::OperatorT& op) {
    const ModelQuantization first =
        qs_[*std::find_if(op.inputs.begin(), op.inputs.end(),
                          [this](int id) { return IsSet(id); })];
    // TFLite rescales what uint8 tensors join.
    ModelQuantization joined =
        code == Op::CONCATENATION && !b_.is_signed() && !b_.is_int16()
            ? b_.Scaled(first.scale[0])
            : first;
    const bool scales = code == Op::MUL || code == Op::PRELU;
    const bool adds = code == Op::ADD || code == Op::SUB;
    for (int id : op.inputs) {
      if (IsSet(id) || b_.tensor(id).type != TensorType::FLOAT32) continue;
      AddOperand(id, scales ? b_.WithZeroPoint(0.01f)
                     : adds ? b_.Scaled(first.scale[0] / 2)
                            : joined);
    }
    float sum = 0, product = 1;
    for (int id : op.inputs) {
      sum += ScaleOf(id);
      product *= ScaleOf(id);
    }
    const Kernel* kernel = KernelOf(code);
    if (kernel != nullptr &&
        (kernel->rule == kLogistic || kernel->rule == kSymmetric ||
         kernel->rule == kLogShares)) {
      return OutputOf(*kernel, b_, first, first, /*count=*/1);
    }
    switch (code) {
      case Op::ADD:
      case Op::SUB:
        return b_.Scaled(0.9f * sum);
      case Op::MUL:
        return b_.Scaled(product * (b_.is_int16() ? 25600 : 100));
      case Op::SUM:
        return b_.Scaled(3.5f * sum);
      case Op::MEAN:
        return b_.random().NextInt(0, 2) == 0 ? first : b_.Scaled(0.4f * sum);
      case Op::AVERAGE_POOL_2D:
      case Op::MAX_POOL_2D:
      case Op::RESIZE_BILINEAR:
      case Op::MAXIMUM:
      case Op::REDUCE_MAX:
      case Op::REDUCE_MIN:
      case Op::CONCATENATION:
        return joined;
      default:
        return b_.Scaled(first.scale[0] * b_.random().NextUniform(0.9f, 1.1f));
    }
  }

  void AddNode(const schema::OperatorT& op) {
    const Op code = b_.OpOf(op);
    const cases::Filter* filter = cases::FilterOf(code);
    const ModelQuantization q =
        filter != nullptr          ? b_.Scaled(AddWeights(*filter, op))
        : code == Op::BATCH_MATMUL ? b_.Scaled(ScaleOfMatrices(op))
                                   : OutputOfOther(code, op);
    for (int output : op.outputs) {
      qs_[output] = q;
      set_.insert(output);
      b_.Set(output, b_.type(), q);
    }
  }

  QuantizedModel b_;
  const int number_;
  std::vector<ModelQuantization> qs_;  // of tensors that have one scale
  std::set<int> set_;                  // those that have their type
};

}  // namespace

int WidthsOf(Op op) {
  const Kernel* kernel = KernelOf(op);
  return kernel == nullptr ? kEach : kernel->widths;
}

bool MovesQuantized(Op op) { return KernelOf(op) == nullptr; }

SingleOpModel QuantizedFrom(const cases::CaseSpec& spec, const Quantizing& how,
                            int number, bool same) {
  const Op op = spec.nodes[0].op;
  if (op == Op::QUANTIZE || op == Op::DEQUANTIZE) {
    return ConvertedFrom(spec, how, number);
  }
  const SingleOpModel model = cases::ModelOf(spec);
  const Kernel* kernel = KernelOf(op);
  if (!model.status.ok()) return model;
  if (kernel != nullptr && kernel->rule == kSums) {
    return SummedFrom(model, how, number);
  }
  QuantizedModel b(model.bytes, how);
  if (kernel == nullptr || (same && kernel->rule == kJoined)) {
    Quantizations q;
    q.in = b.Draw();
    // No two scales that are drawn differ by this factor.
    q.other = q.out = same ? q.in : b.WithZeroPoint(1.37f * b.DrawScale());
    return OnType(b, q);
  }
  return OnType(b, b.is_int16() && AsksForShifts(b)
                       ? ForShifts(b, number)
                       : Drawn(*kernel, b, model.accuracy.terms, number));
}

SingleOpModel SummedFrom(const SingleOpModel& model, const Quantizing& how,
                         int number) {
  if (!model.status.ok()) return model;
  return Summer(model, how, number).Run();
}

}  // namespace gles_delegate::conformance
