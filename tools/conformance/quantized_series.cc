#include "tools/conformance/quantized_series.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tools/conformance/quantized_sums.h"

namespace gles_delegate::conformance {

float DrawScale(QuantizedBuilder& b) {
  constexpr float kOdd[] = {1.0f / 255, 0.1f,       6.0f / 255,
                            2.0f / 255, 1.0f / 127, 0.023528477f};
  testing::Random& random = b.random();
  const float power = std::exp2(static_cast<float>(random.NextInt(-8, 2)));
  switch (random.NextInt(0, 4)) {
    case 0:
      return power;
    case 1:
      return std::nextafter(power, 1000.0f);
    case 2:
      return std::nextafter(power, 0.0f);
    case 3:
      return kOdd[random.NextInt(0, 5)];
    default:
      return std::exp2(random.NextUniform(-8, 2));
  }
}

float DrawBeside(QuantizedBuilder& b, float scale, int low, int high) {
  testing::Random& random = b.random();
  switch (random.NextInt(0, 3)) {
    case 0:
      return scale * std::exp2(static_cast<float>(random.NextInt(low, high)));
    case 1:
      return scale * std::exp2(static_cast<float>(std::clamp(0, low, high)));
    default:
      return scale * std::exp2(random.NextUniform(static_cast<float>(low),
                                                  static_cast<float>(high)));
  }
}

ModelQuantization WithZeroPoint(QuantizedBuilder& b, float scale) {
  // int16 values have the zero point 0, and finer scales.
  if (b.is_int16()) return ModelQuantization::PerTensor(scale / 256, 0);
  if (b.codes() != Codes::kRandom) {
    const int middle = b.min() + b.random().NextInt(100, 155);
    return ModelQuantization::PerTensor(
        scale, b.codes() == Codes::kLowest    ? b.min()
               : b.codes() == Codes::kHighest ? b.max()
                                              : middle);
  }
  const int choices[] = {b.min(), b.max(), b.min() + 128,
                         b.random().NextInt(b.min(), b.max())};
  return ModelQuantization::PerTensor(scale, choices[b.random().NextInt(0, 3)]);
}

std::vector<int> AllQuantized(QuantizedBuilder& b, int step) {
  // A stride of a prime number visits all parts of the 65,536.
  const int count = b.is_int16() ? 4096 : 256;
  const int range = b.max() - b.min() + 1;
  const int stride = b.is_int16() ? 251 * step : step;
  std::vector<int> quantized(count);
  for (int i = 0; i < count; ++i) {
    quantized[i] = b.min() + (i * stride + 7) % range;
  }
  return quantized;
}

int Operand(QuantizedBuilder& b, const char* name, const Shape& shape,
            const ModelQuantization& q, bool constant, int step) {
  const std::vector<int> quantized = AllQuantized(b, step);
  return constant ? b.Constant(name, shape, q, quantized)
                  : b.InputOfQuantized(name, shape, q, quantized);
}

namespace {

// Near the scale with which a product of quantized values is one again.
constexpr float kPowerScale = 1.0f / 40;
constexpr float kInt16Fraction = 1.0f / 32768;
// TFLite's MUL for ARM adds the zero point in 16 bits, where products of more
// overflow (docs/boards.md).
#if defined(__aarch64__)
constexpr int kFinestProduct = 2;
#else
constexpr int kFinestProduct = -2;
#endif

constexpr int kEight = kInt8 | kUint8, kEach = kEight | kInt16;

constexpr Kernel Products(Op op, int widths) {
  return {op, widths, OutputRule::kSums};
}

constexpr Kernel Sum(Op op) {
  return {op,      kEach,   OutputRule::kRange, Scale::kLarger,
          {-6, 6}, {-1, 4}, Other::kBeside};
}

// Those of 8 bits compare the quantized values, whatever these stand for.
constexpr Kernel Extreme(Op op) {
  return {op,     kEach,  OutputRule::kSame, Scale::kFirst,
          {0, 0}, {1, 4}, Other::kSame};
}

// The widths, then how the output's scale is drawn.
constexpr Kernel kKernels[] = {
    {Op::RELU, kEach},
    {Op::RELU6, kEach},
    {Op::RELU_N1_TO_1, kEight},
    {Op::LEAKY_RELU, kEach},
    {Op::QUANTIZE, kEach},
    {Op::ABS, kInt8 | kInt16},
    {Op::ELU, kInt8},
    {Op::GELU, kEight},
    // The CPU refuses a finer output than this.
    {Op::HARD_SWISH, kEight, OutputRule::kRange, Scale::kFirst, {-6, 8}},
    {Op::LOGISTIC, kEach, OutputRule::kLogistic},
    {Op::TANH, kEach, OutputRule::kSymmetric},
    {Op::RSQRT, kInt8, OutputRule::kRange, Scale::kTenth, {-4, 4}},
    {Op::SOFTMAX, kEach, OutputRule::kLogistic},
    {Op::LOG_SOFTMAX, kEight, OutputRule::kLogSoftmax},
    {Op::L2_NORMALIZATION, kEight, OutputRule::kSymmetric},
    {Op::PRELU, kEight, OutputRule::kRange, Scale::kFirst, {-6, 6}},
    {Op::MEAN,
     kEach,
     OutputRule::kRange,
     Scale::kFirstOrSame,
     {-2, 5},
     {-5, 2}},
    // 2.9 keeps the low 16 bits of a sum of 16-bit values, of one scale.
    {Op::SUM, kEach, OutputRule::kRange, Scale::kFirstOrSame, {-2, 5}, {0, 0}},
    {Op::REDUCE_PROD,
     kInt8 | kInt16,
     OutputRule::kRange,
     Scale::kPower,
     {-1, 0},
     {-1, 0}},
    Sum(Op::ADD),
    Sum(Op::SUB),
    {Op::MUL,
     kEach,
     OutputRule::kRange,
     Scale::kProduct,
     {kFinestProduct, 14},
     {14, 19}},
    // Never so fine that TFLite ends the process.
    {Op::SQUARED_DIFFERENCE,
     kInt8,
     OutputRule::kRange,
     Scale::kSquare,
     {-11, 14},
     {},
     Other::kBeside},
    // TFLite's kernel takes no divisor that is zero.
    {Op::DIV, kUint8, OutputRule::kRange, Scale::kQuotient, {-6, 3}},
    Extreme(Op::MAXIMUM),
    Extreme(Op::MINIMUM),
    {Op::CONCATENATION,
     kEach,
     OutputRule::kJoined,
     Scale::kFirst,
     {-3, 3},
     {1, 4},
     Other::kBeside},
    {Op::FILL, kInt8, OutputRule::kSame, Scale::kFirst, {}, {}, Other::kSame},
    Products(Op::CONV_2D, kEach),
    Products(Op::DEPTHWISE_CONV_2D, kEach),
    Products(Op::FULLY_CONNECTED, kEach),
    Products(Op::TRANSPOSE_CONV, kEach),
    Products(Op::BATCH_MATMUL, kInt8 | kInt16),
    {Op::EQUAL, kEight, OutputRule::kBool},
    {Op::NOT_EQUAL, kEight, OutputRule::kBool},
    {Op::LESS, kEight, OutputRule::kBool},
    {Op::LESS_EQUAL, kEight, OutputRule::kBool},
    {Op::GREATER, kEight, OutputRule::kBool},
    {Op::GREATER_EQUAL, kEight, OutputRule::kBool},
};

float BaseOf(Scale scale, float first, float other) {
  const float larger = std::max(first, other);
  switch (scale) {
    case Scale::kFirst:
    case Scale::kFirstOrSame:
    case Scale::kPower:
      return first;
    case Scale::kLarger:
      return larger;
    case Scale::kProduct:
      return first * other;
    case Scale::kSquare:
      return larger * larger;
    case Scale::kQuotient:
      return first / other;
    case Scale::kTenth:
      return 0.1f;
  }
  return first;
}

ModelQuantization OutputOf(const Kernel& kernel, QuantizedBuilder& b,
                           const ModelQuantization& in,
                           const ModelQuantization& other, int count) {
  const bool wide = b.is_int16();
  if (kernel.scale == Scale::kFirstOrSame && b.random().NextInt(0, 3) == 0) {
    return in;
  }
  switch (kernel.rule) {
    case OutputRule::kLogistic:
      return ModelQuantization::PerTensor(wide ? kInt16Fraction : 1.0f / 256,
                                          wide ? 0 : b.min());
    case OutputRule::kSymmetric:
      return ModelQuantization::PerTensor(wide ? kInt16Fraction : 1.0f / 128,
                                          wide ? 0 : b.min() + 128);
    case OutputRule::kLogSoftmax:
      return ModelQuantization::PerTensor(16.0f / 256, b.min() + 255);
    case OutputRule::kSame:
      if (!wide) return in;
      break;
    case OutputRule::kJoined:
      if (b.is_signed()) return in;
      break;
    case OutputRule::kBool:
      return {};
    default:
      break;
  }
  const Span& span = wide && kernel.span16.low <= kernel.span16.high
                         ? kernel.span16
                         : kernel.span;
  float base = BaseOf(kernel.scale, in.scale[0], other.scale[0]);
  if (kernel.scale == Scale::kPower) {
    const float one = wide ? kPowerScale / 256 : kPowerScale;
    const float product = std::pow(base / one, static_cast<float>(count)) * one;
    base = std::clamp(product, 1e-20f, 200.0f);
  }
  const float scale = DrawBeside(b, base, span.low, span.high);
  return wide ? ModelQuantization::PerTensor(scale, 0)
              : WithZeroPoint(b, scale);
}

// The quantizations of the tensors of a model.
struct Quantizations {
  ModelQuantization in, other, out;
};

// Rows of one quantized value, of the zero point and its neighbours, and of the
// ends.
std::vector<int> FewInRows(QuantizedBuilder& b, int row, int zero) {
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
std::vector<int> FewOf(QuantizedBuilder& b, std::vector<int> values) {
  const int kept = b.random().NextInt(1, 5);
  const bool highest = b.random().NextInt(0, 2) == 0;
  for (int& value : values) {
    const int step = (value - b.min()) % (kept == 5 ? 256 : kept);
    value = highest ? b.max() - step : b.min() + step;
  }
  return values;
}

bool IsOfRows(Op op) {
  return op == Op::SOFTMAX || op == Op::LOG_SOFTMAX ||
         op == Op::L2_NORMALIZATION;
}

// The model of floats on the builder's type, its first input with all quantized
// values.
SingleOpModel OnType(const SingleOpModel& model, QuantizedBuilder& b,
                     const Quantizations& q) {
  if (!model.status.ok()) return model;
  const std::unique_ptr<schema::ModelT> root(
      schema::UnPackModel(model.bytes.data()));
  const schema::SubGraphT& graph = *root->subgraphs[0];
  const Op op =
      root->operator_codes[graph.operators[0]->opcode_index]->builtin_code;
  std::vector<int> ids(graph.tensors.size(), -1);
  const auto is_input = [&](size_t i) {
    return std::count(graph.inputs.begin(), graph.inputs.end(), i) > 0;
  };
  bool first = true;
  for (size_t i = 0; i < ids.size(); ++i) {
    const schema::TensorT& tensor = *graph.tensors[i];
    const std::vector<uint8_t>& data = root->buffers[tensor.buffer]->data;
    if (is_input(i) && tensor.type == TensorType::BOOL) {
      ids[i] = b.BoolInput(tensor.name, tensor.shape);
    } else if (tensor.type != TensorType::FLOAT32 && data.empty()) {
      ids[i] = b.OutputOf(tensor.name, tensor.shape, tensor.type, {});
    } else if (tensor.type != TensorType::FLOAT32) {
      ids[i] = b.builder().AddConstantBytes(tensor.name, tensor.shape,
                                            tensor.type, data);
    } else if (is_input(i) || !data.empty()) {
      const bool is_first = is_input(i) && first;
      const ModelQuantization& of = is_first ? q.in : q.other;
      std::vector<int> values = AllQuantized(b, is_first ? 37 : 91);
      const int zero = static_cast<int>(of.zero_point[0]);
      if (IsOfRows(op) && b.random().NextInt(0, 2) == 0) {
        values = FewInRows(b, tensor.shape.back(), zero);
      }
      if (op == Op::ARG_MAX || op == Op::ARG_MIN || op == Op::TOPK_V2) {
        values = FewOf(b, std::move(values));
      }
      for (int& value : values) {
        // The CPU fails on these: roots of negative numbers, quotients by 0,
        // for which newer kernels take the least quantized value.
        if (op == Op::RSQRT) value = std::max(value, zero);
        if (op == Op::DIV && (value == zero || value == b.min())) {
          value = zero == b.max() ? zero - 1 : b.max();
        }
      }
      if (is_input(i)) {
        ids[i] = b.InputOfQuantized(tensor.name, tensor.shape, of, values);
        first = false;
      } else {
        if (testing::ElementCount(tensor.shape) == 1 && op != Op::DIV) {
          values = {b.random().NextInt(b.min(), b.max())};
        }
        ids[i] = b.Constant(tensor.name, tensor.shape, of, values);
      }
    } else {
      ids[i] = b.Output(tensor.name, tensor.shape, q.out);
    }
  }
  const auto renamed = [&](std::vector<int> of) {
    for (int& id : of) id = id < 0 ? id : ids[id];
    return of;
  };
  for (const auto& node : graph.operators) {
    const schema::OperatorCodeT& code =
        *root->operator_codes[node->opcode_index];
    b.builder().AddOp(code.builtin_code, code.version, renamed(node->inputs),
                      renamed(node->outputs), node->builtin_options);
  }
  return b.Finish(renamed(graph.outputs));
}

// Elements of the input for each of the output, of a reduction.
int ReducedBy(const SingleOpModel& model) {
  if (!model.status.ok()) return 1;
  const auto* graph = schema::GetModel(model.bytes.data())->subgraphs()->Get(0);
  const auto elements = [graph](const auto* ids) {
    const auto* shape = graph->tensors()->Get(ids->Get(0))->shape();
    int count = 1;
    if (shape == nullptr) return count;
    for (int extent : *shape) count *= extent;
    return count;
  };
  return elements(graph->inputs()) / elements(graph->outputs());
}

// Whether the model's sum has the flag that asks for shifts.
bool AsksForShifts(const SingleOpModel& model) {
  const auto* op = schema::GetModel(model.bytes.data())
                       ->subgraphs()
                       ->Get(0)
                       ->operators()
                       ->Get(0);
  const auto* add = op->builtin_options_as_AddOptions();
  const auto* sub = op->builtin_options_as_SubOptions();
  return add != nullptr ? add->pot_scale_int16()
                        : sub != nullptr && sub->pot_scale_int16();
}

// TFLite shifts where all scales are powers of two, or next to it; then the
// output's must be the larger input's.
Quantizations ForShifts(QuantizedBuilder& b, int number) {
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

}  // namespace

const Kernel* KernelOf(Op op) {
  const auto* kernel =
      std::find_if(std::begin(kKernels), std::end(kKernels),
                   [op](const Kernel& one) { return one.op == op; });
  return kernel == std::end(kKernels) ? nullptr : kernel;
}

ModelQuantization OutputOf(const Kernel& kernel, QuantizedBuilder& b,
                           const ModelQuantization& in) {
  return OutputOf(kernel, b, in, in, /*count=*/1);
}

SingleOpModel ComputedFrom(const SingleOpModel& model, const Kernel& kernel,
                           QuantizedBuilder& b, int number) {
  if (kernel.rule == OutputRule::kSums) {
    return SummedFrom(model, b, number);
  }
  if (b.is_int16() && model.status.ok() && AsksForShifts(model)) {
    return OnType(model, b, ForShifts(b, number));
  }
  // That of a comparison is below 1.
  const float most = kernel.rule == OutputRule::kBool ? 0.99f : 1e9f;
  const float scale = kernel.scale == Scale::kPower
                          ? DrawBeside(b, kPowerScale, -4, 1)
                          : std::min(DrawScale(b), most);
  const ModelQuantization in = WithZeroPoint(b, scale);
  ModelQuantization other = in;
  if (kernel.rule == OutputRule::kBool) {
    // Converters give both one quantization.
    if (number % 2 == 1) {
      other = WithZeroPoint(b, std::min(DrawBeside(b, scale, -3, 3), most));
    }
  } else if (kernel.other != Other::kSame &&
             !(kernel.rule == OutputRule::kJoined && b.is_signed())) {
    const float beside = b.is_int16() ? DrawBeside(b, scale, -6, 6)
                                      : DrawBeside(b, scale, -8, 8);
    other = WithZeroPoint(
        b, kernel.other == Other::kBeside ? beside : DrawScale(b));
  }
  const int count = kernel.scale == Scale::kPower ? ReducedBy(model) : 1;
  return OnType(model, b, {in, other, OutputOf(kernel, b, in, other, count)});
}

SingleOpModel MovedFrom(const SingleOpModel& model, QuantizedBuilder& b,
                        bool same) {
  const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
  // No two scales that are drawn differ by this factor.
  const ModelQuantization out =
      same ? in : WithZeroPoint(b, 1.37f * DrawScale(b));
  return OnType(model, b, {in, out, out});
}

void AddSeries(CaseList* list, Op op, const std::string& what,
               const Shape& shape, const BuildOne& build, SeriesTypes types,
               int families, bool integer_path) {
  const std::string name = schema::EnumNameBuiltinOperator(op);
  for (TensorType type : {TensorType::INT8, TensorType::UINT8}) {
    const SeriesTypes other =
        type == TensorType::UINT8 ? SeriesTypes::kInt8 : SeriesTypes::kUint8;
    if (types == other) continue;
    const int count = types == SeriesTypes::kBoth ? families : 2 * families;
    const std::string type_name =
        absl::AsciiStrToLower(schema::EnumNameTensorType(type));
    for (int i = 0; i < count; ++i) {
      const std::string attributes = absl::StrCat(type_name, "_", what, "_", i);
      Family& family = list->AddQuantized(name, attributes, shape, [=] {
        QuantizedBuilder b(absl::StrCat(name, " ", attributes), type,
                           Codes::kRandom);
        return build(b, i);
      });
      family.integer_path = integer_path;
    }
  }
}

void AddInt16Series(CaseList* list, Op op, const std::string& what,
                    const Shape& shape, const BuildOne& build, int families,
                    bool integer_path) {
  const std::string name = schema::EnumNameBuiltinOperator(op);
  for (int i = 0; i < families; ++i) {
    const std::string attributes = absl::StrCat("int16_", what, "_", i);
    Family& family = list->AddQuantized(name, attributes, shape, [=] {
      QuantizedBuilder b(absl::StrCat(name, " ", attributes), TensorType::INT16,
                         Codes::kRandom);
      return build(b, i);
    });
    family.integer_path = integer_path;
  }
}

}  // namespace gles_delegate::conformance
