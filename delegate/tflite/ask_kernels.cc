#include "delegate/tflite/ask_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"
#include "flatbuffers/flexbuffers.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {
namespace {

// --- One of the runtime's kernels on separate tensors ------------------------

// Needs only the node's registration, and the context for resources shared
// by kernels (threads).

struct TrialTensor {
  TfLiteType type = kTfLiteFloat32;
  std::vector<int> dims;
  float scale = 0;  // 0: not quantized
  int zero_point = 0;
  std::vector<uint8_t> bytes;  // empty: the kernel's output
  bool is_constant = false;

  template <typename T>
  static TrialTensor Of(TfLiteType type, std::vector<int> dims,
                        const std::vector<T>& values, float scale = 0,
                        int zero_point = 0) {
    const auto* first = reinterpret_cast<const uint8_t*>(values.data());
    return {type,
            std::move(dims),
            scale,
            zero_point,
            {first, first + values.size() * sizeof(T)}};
  }
};

// A node's parameters: a builtin op's struct, or a custom op's bytes.
struct TrialParams {
  TrialParams(const void* builtin) : builtin(builtin) {}
  TrialParams(const std::vector<uint8_t>& custom, int outputs)
      : custom(custom.data()), bytes(custom.size()), outputs(outputs) {}
  const void* builtin = nullptr;
  const uint8_t* custom = nullptr;
  size_t bytes = 0;
  int outputs = 1;
};

// As the runtime's own arrays, which kernels free by free().
template <typename Array, typename T>
Array* NewArray(const std::vector<T>& values) {
  auto* array = static_cast<Array*>(
      std::malloc(sizeof(Array) + values.size() * sizeof(T)));
  if (array == nullptr) throw std::bad_alloc();
  array->size = static_cast<int>(values.size());
  if (!values.empty()) {
    std::memcpy(array->data, values.data(), values.size() * sizeof(T));
  }
  return array;
}

size_t BytesOfElement(TfLiteType type) {
  switch (type) {
    case kTfLiteInt8:
    case kTfLiteUInt8:
    case kTfLiteBool:
      return 1;
    case kTfLiteInt16:
    case kTfLiteFloat16:
      return 2;
    case kTfLiteInt64:
    case kTfLiteFloat64:
      return 8;
    default:
      return 4;
  }
}

void IgnoreError(TfLiteContext*, const char*, ...) {}

// A context that knows the trial's tensors alone.
class Trial {
 public:
  explicit Trial(TfLiteContext* model) : model_(model) {
    tensors_.reserve(kMaxTensors);
    TfLiteContext& c = fake_.context;
    c = *model;
    c.GetExecutionPlan = nullptr;
    c.GetNodeAndRegistration = nullptr;
    c.ResizeTensor = [](TfLiteContext* context, TfLiteTensor* tensor,
                        TfLiteIntArray* dims) {
      return Of(context).Resize(tensor, dims);
    };
    c.AddTensors = [](TfLiteContext* context, int count, int* first) {
      return Of(context).Add(count, first);
    };
    c.GetTensor = [](const TfLiteContext* context, int index) {
      return context->tensors + index;
    };
    c.GetExternalContext = [](TfLiteContext* context,
                              TfLiteExternalContextType type) {
      TfLiteContext* model = Of(context).model_;
      return model->GetExternalContext(model, type);
    };
    c.ReportError = &IgnoreError;
    c.profiler = nullptr;
    fake_.trial = this;
    ShowTensors();
  }
  ~Trial() {
    for (TfLiteTensor& t : tensors_) {
      std::free(t.dims);
      std::free(t.data.raw);
      auto* q = static_cast<TfLiteAffineQuantization*>(t.quantization.params);
      if (q == nullptr) continue;
      std::free(q->scale);
      std::free(q->zero_point);
      std::free(q);
    }
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  int AddTensor(const TrialTensor& from) {
    int id = 0;
    Add(1, &id);
    TfLiteTensor& t = tensors_[id];
    t.type = from.type;
    t.allocation_type = from.is_constant ? kTfLiteMmapRo : kTfLiteArenaRw;
    t.name = "trial";
    if (from.scale != 0) {
      t.params = {from.scale, from.zero_point};
      auto* q = static_cast<TfLiteAffineQuantization*>(
          std::calloc(1, sizeof(TfLiteAffineQuantization)));
      if (q == nullptr) throw std::bad_alloc();
      t.quantization = {kTfLiteAffineQuantization, q};
      q->scale = NewArray<TfLiteFloatArray, float>({from.scale});
      q->zero_point = NewArray<TfLiteIntArray, int>({from.zero_point});
    }
    Resize(&t, NewArray<TfLiteIntArray>(from.dims));
    if (!from.bytes.empty()) {
      if (!Allocate(&t)) throw std::bad_alloc();
      std::memcpy(t.data.raw, from.bytes.data(),
                  std::min(t.bytes, from.bytes.size()));
    }
    return id;
  }

  std::vector<uint8_t> Run(const TfLiteRegistration& kernel,
                           const TrialParams& params, int tensors) {
    std::vector<int> inputs, outputs;
    const int first_output = tensors - params.outputs;
    for (int i = 0; i < tensors; ++i) {
      (i < first_output ? inputs : outputs).push_back(i);
    }
    TfLiteNode node = {};
    node.inputs = NewArray<TfLiteIntArray>(inputs);
    node.outputs = NewArray<TfLiteIntArray>(outputs);
    node.intermediates = NewArray<TfLiteIntArray, int>({});
    node.temporaries = NewArray<TfLiteIntArray, int>({});
    node.builtin_data = const_cast<void*>(params.builtin);
    node.custom_initial_data = params.custom;
    node.custom_initial_data_size = static_cast<int>(params.bytes);
    TfLiteContext* const context = &fake_.context;
    if (kernel.init != nullptr) {
      const void* const of_init =
          params.custom != nullptr ? params.custom : params.builtin;
      node.user_data =
          kernel.init(context, static_cast<const char*>(of_init), params.bytes);
    }
    bool ok = kernel.prepare == nullptr ||
              kernel.prepare(context, &node) == kTfLiteOk;
    if (ok) {
      for (TfLiteTensor& t : tensors_) ok = Allocate(&t) && ok;
      ok = ok && kernel.invoke(context, &node) == kTfLiteOk;
    }
    if (kernel.free != nullptr) kernel.free(context, node.user_data);
    for (TfLiteIntArray* array :
         {node.inputs, node.outputs, node.intermediates, node.temporaries}) {
      std::free(array);
    }
    if (!ok) return {};
    const TfLiteTensor& out = tensors_[first_output];
    return {out.data.raw, out.data.raw + out.bytes};
  }

 private:
  // Kernels keep pointers to tensors while they add some.
  static constexpr int kMaxTensors = 64;

  // A newer runtime's context is longer; what it reads there is null.
  struct Fake {
    TfLiteContext context;
    void* newer[16];
    Trial* trial;
  };
  static Trial& Of(TfLiteContext* context) {
    return *reinterpret_cast<Fake*>(context)->trial;
  }

  void ShowTensors() {
    fake_.context.tensors = tensors_.data();
    fake_.context.tensors_size = tensors_.size();
  }
  TfLiteStatus Add(int count, int* first) {
    const auto size = static_cast<int>(tensors_.size());
    if (count < 0 || size + count > kMaxTensors) return kTfLiteError;
    if (first != nullptr) *first = size;
    tensors_.resize(size + count);
    for (int i = size; i < size + count; ++i) {
      tensors_[i] = {};
      tensors_[i].dims =
          static_cast<TfLiteIntArray*>(std::calloc(1, sizeof(TfLiteIntArray)));
      if (tensors_[i].dims == nullptr) return kTfLiteError;
      tensors_[i].allocation_type = kTfLiteArenaRw;
      tensors_[i].buffer_handle = kTfLiteNullBufferHandle;
    }
    ShowTensors();
    return kTfLiteOk;
  }
  static TfLiteStatus Resize(TfLiteTensor* tensor, TfLiteIntArray* dims) {
    if (tensor->dims != dims) std::free(tensor->dims);
    tensor->dims = dims;
    tensor->bytes = BytesOfElement(tensor->type);
    for (int i = 0; i < dims->size; ++i) tensor->bytes *= dims->data[i];
    if (tensor->allocation_type == kTfLiteDynamic ||
        tensor->allocation_type == kTfLitePersistentRo) {
      std::free(tensor->data.raw);  // kernels write these at once
      tensor->data.raw = nullptr;
      return Allocate(tensor) ? kTfLiteOk : kTfLiteError;
    }
    return kTfLiteOk;
  }
  // False: memory has run out.
  static bool Allocate(TfLiteTensor* tensor) {
    if (tensor->data.raw != nullptr) return true;
    // Some bytes more: kernels of vectors may read past the end.
    constexpr size_t kAlignment = 64;
    const size_t bytes =
        (tensor->bytes + 2 * kAlignment) / kAlignment * kAlignment;
    tensor->data.raw =
        static_cast<char*>(std::aligned_alloc(kAlignment, bytes));
    if (tensor->data.raw == nullptr) return false;
    std::memset(tensor->data.raw, 0, bytes);
    return true;
  }

  TfLiteContext* model_;
  Fake fake_ = {};
  std::vector<TfLiteTensor> tensors_;
};

// The bytes of the first output. `tensors`: the node's inputs and, last, its
// outputs. Empty: the kernel refuses the node, or the runtime does not give
// kernels what they need. The context is left as it was; to be called in the
// delegate's Prepare.
std::vector<uint8_t> TryKernel(TfLiteContext* context,
                               const TfLiteRegistration& kernel,
                               const std::vector<TrialTensor>& tensors,
                               const TrialParams& params) {
  // Kernels that share threads end the process if there is no such context.
  if (kernel.invoke == nullptr || context->GetExternalContext == nullptr ||
      context->GetExternalContext(context, kTfLiteCpuBackendContext) ==
          nullptr) {
    return {};
  }
  Trial trial(context);
  for (const TrialTensor& tensor : tensors) trial.AddTensor(tensor);
  return trial.Run(kernel, params, static_cast<int>(tensors.size()));
}

using quant::KernelTraits;

// The types of a node's first input and first output, which say what to ask.
struct Question {
  int op = 0;
  TfLiteType from = kTfLiteNoType;
  TfLiteType to = kTfLiteNoType;

  bool operator<(const Question& other) const {
    return std::tie(op, from, to) < std::tie(other.op, other.from, other.to);
  }
};

// The outputs' values; empty: no answer.
template <typename T>
std::vector<int> Values(const std::vector<uint8_t>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return {values.begin(), values.end()};
}
std::vector<int> Values(TfLiteType type, const std::vector<uint8_t>& bytes) {
  switch (type) {
    case kTfLiteInt8:
      return Values<int8_t>(bytes);
    case kTfLiteUInt8:
      return Values<uint8_t>(bytes);
    default:
      return Values<int16_t>(bytes);
  }
}

// The ends of a type of 8 or 16 bits.
std::pair<int, int> EndsOf(TfLiteType type) {
  if (type == kTfLiteInt8) return {-128, 127};
  return type == kTfLiteUInt8 ? std::pair<int, int>{0, 255}
                              : std::pair<int, int>{-32768, 32767};
}

using Answer = void (*)(TfLiteContext*, const TfLiteRegistration&,
                        const Question&, KernelTraits*);

// Sums of -1.5 and 1.5 codes.
void AskBatchMatMul(TfLiteContext* context, const TfLiteRegistration& kernel,
                    const Question&, KernelTraits* traits) {
  const std::vector<int8_t> left(16 * 8, 1);
  std::vector<int8_t> right(8 * 16);
  for (int i = 0; i < 16; ++i) right[i] = i % 2 == 0 ? -24 : 24;
  const BatchMatMulParams params = {};
  const std::vector<int> quantized =
      Values(kTfLiteInt8,
             TryKernel(context, kernel,
                       {TrialTensor::Of(kTfLiteInt8, {1, 16, 8}, left, 0.25f),
                        TrialTensor::Of(kTfLiteInt8, {1, 8, 16}, right, 0.25f),
                        {kTfLiteInt8, {1, 16, 16}, 1, 0, {}}},
                       &params));
  if (quantized.empty()) return;
  traits->batch_matmul_away_from_zero = quantized[0] == -2;
  traits->batch_matmul_by_xnnpack &= traits->batch_matmul_away_from_zero;
}

// 0.5 and 1.5 quantized values, of which ties to even make 0 and 2.
void AskQuantize(TfLiteContext* context, const TfLiteRegistration& kernel,
                 const Question& question, KernelTraits* traits) {
  std::vector<float> values(32);
  for (int i = 0; i < 32; ++i) values[i] = i % 2 == 0 ? 0.5f : 1.5f;
  const std::vector<int> quantized = Values(
      question.to, TryKernel(context, kernel,
                             {TrialTensor::Of(kTfLiteFloat32, {1, 32}, values),
                              {question.to, {1, 32}, 1, 0, {}}},
                             nullptr));
  if (!quantized.empty()) traits->quantize_multiplies = quantized[0] == 0;
}

void AskCast(TfLiteContext* context, const TfLiteRegistration& kernel,
             const Question& question, KernelTraits* traits) {
  const auto [low, high] = EndsOf(question.to);
  const float past = static_cast<float>(2 * high);
  const std::vector<float> some = {past, -past, 3e9f, -3e9f,
                                   std::numeric_limits<float>::quiet_NaN()};
  std::vector<float> values;
  for (int i = 0; i < 80; ++i) values.push_back(some[i % some.size()]);
  const struct {
    int in_data_type, out_data_type;
  } params = {kTfLiteFloat32, question.to};
  const std::vector<int> quantized = Values(
      question.to, TryKernel(context, kernel,
                             {TrialTensor::Of(kTfLiteFloat32, {1, 80}, values),
                              {question.to, {1, 80}, 0, 0, {}}},
                             &params));
  if (quantized.empty()) return;
  const bool saturates = quantized[0] == high && quantized[1] == low &&
                         quantized[2] == high && quantized[3] == low;
  KernelTraits::Cast& cast = question.to == kTfLiteInt8    ? traits->to_int8
                             : question.to == kTfLiteUInt8 ? traits->to_uint8
                                                           : traits->to_int16;
  cast = {saturates, quantized[4]};
}

// The code of a sum, of a row of one weight. `bias_type`: of an empty `bias`.
std::vector<int> Int16Row(TfLiteContext* context,
                          const TfLiteRegistration& kernel, float weight_scale,
                          int16_t input, const std::vector<int64_t>& bias,
                          TfLiteType bias_type = kTfLiteFloat32) {
  const std::vector<int16_t> row(8, input);
  TrialTensor weights = TrialTensor::Of(
      kTfLiteInt8, {8, 8}, std::vector<int8_t>(64, 1), weight_scale);
  weights.is_constant = true;
  std::vector<TrialTensor> tensors = {
      TrialTensor::Of(kTfLiteInt16, {1, 8}, row, 1), weights};
  if (!bias.empty()) {
    tensors.push_back(TrialTensor::Of(kTfLiteInt64, {8}, bias, weight_scale));
    tensors.back().is_constant = true;
  }
  tensors.push_back({kTfLiteInt16, {1, 8}, 1, 0, {}});
  const struct {
    NewerFullyConnectedParams known;
    int newer[8];
  } params = {{{}, bias_type}, {}};
  return Values(kTfLiteInt16, TryKernel(context, kernel, tensors, &params));
}

void AskFullyConnected(TfLiteContext* context, const TfLiteRegistration& kernel,
                       const Question&, KernelTraits* traits) {
  // 8 * 20,000 times a factor just below 3 / 16: 29,998.4 quantized values, of
  // which 16 bits of the multiplier make 29,999.
  constexpr float kFactor = 0.18749f;
  const std::vector<int> with_bias =
      Int16Row(context, kernel, kFactor, 20000, std::vector<int64_t>(8, 0));
  if (!with_bias.empty()) {
    const double exact = 160000.0 * static_cast<double>(kFactor);
    traits->int16_rows_keep_31_bits =
        with_bias[0] == static_cast<int>(std::lround(exact));
  }
  // Not quite half a code: the first of two roundings makes half a code of it,
  // and the second a code.
  constexpr float kTwiceOne = 0.0624999f;
  const std::vector<int> without = Int16Row(context, kernel, kTwiceOne, 1, {});
  if (without.empty()) return;
  traits->int16_rows_without_bias_round_twice = without[0] == 1;
  const std::vector<int> of_64_bits =
      Int16Row(context, kernel, kTwiceOne, 1, {}, kTfLiteInt64);
  traits->int16_rows_name_bias_type =
      !of_64_bits.empty() && of_64_bits[0] != without[0];
}

// A code of 8,192.25 units, which two roundings make 8,193, plus nothing; the
// sum is of two units.
void AskInt16Add(TfLiteContext* context, const TfLiteRegistration& kernel,
                 const Question&, KernelTraits* traits) {
  const std::vector<int16_t> ones(32, 1), zeros(32, 0);
  const struct {
    int activation;
    bool pot_scale_int16;
    int newer[4];
  } params = {};
  const std::vector<int> quantized = Values(
      kTfLiteInt16, TryKernel(context, kernel,
                              {TrialTensor::Of(kTfLiteInt16, {1, 32}, ones,
                                               2 * 8192.25f / 32768),
                               TrialTensor::Of(kTfLiteInt16, {1, 32}, zeros, 1),
                               {kTfLiteInt16, {1, 32}, 2.0f / 16384, 0, {}}},
                              &params));
  if (!quantized.empty()) traits->int16_adds_round_once = quantized[0] == 4096;
}

// Twice 20,000, in quantized values of the input; a kernel that takes one scale
// refuses.
void AskInt16Sum(TfLiteContext* context, const TfLiteRegistration& kernel,
                 const Question&, KernelTraits* traits) {
  TrialTensor axis =
      TrialTensor::Of(kTfLiteInt32, {1}, std::vector<int32_t>{1});
  axis.is_constant = true;
  const ReducerParams params = {};
  const std::vector<int> quantized =
      Values(kTfLiteInt16,
             TryKernel(context, kernel,
                       {TrialTensor::Of(kTfLiteInt16, {1, 2},
                                        std::vector<int16_t>(2, 20000), 1),
                        axis,
                        {kTfLiteInt16, {1}, 1, 0, {}}},
                       &params));
  if (!quantized.empty()) traits->int16_sums_saturate = quantized[0] == 32767;
}

// Sums of -0.5 quantized values, which are the bias alone.
void AskRowsTo16Bits(TfLiteContext* context, const TfLiteRegistration& kernel,
                     const Question& question, KernelTraits* traits) {
  if (question.to != kTfLiteInt16) return;
  const std::vector<uint8_t> zeros(8 * 8);
  TrialTensor weights = TrialTensor::Of(kTfLiteUInt8, {8, 8}, zeros, 0.25f);
  TrialTensor bias =
      TrialTensor::Of(kTfLiteInt32, {8}, std::vector<int32_t>(8, -8), 0.0625f);
  weights.is_constant = bias.is_constant = true;
  const FullyConnectedParams params = {};
  const std::vector<int> quantized = Values(
      kTfLiteInt16, TryKernel(context, kernel,
                              {TrialTensor::Of(kTfLiteUInt8, {1, 8},
                                               std::vector<uint8_t>(8), 0.25f),
                               weights,
                               bias,
                               {kTfLiteInt16, {1, 8}, 1, 0, {}}},
                              &params));
  if (!quantized.empty()) traits->rows_to_16_bits_round_up = quantized[0] == 0;
}

// Eight sums of -0.5 quantized values, which are the bias alone, as the input
// is zero: of `depthwise` or transposed convolutions of one pixel.
void AskSums(TfLiteContext* context, const TfLiteRegistration& kernel,
             bool depthwise, KernelTraits* traits) {
  constexpr int kChannels = quant::kChannelsOfVector;
  const std::vector<int8_t> zeros(kChannels), ones(kChannels, 1);
  TrialTensor data = TrialTensor::Of(kTfLiteInt8, {1, 1, 1, 1}, zeros, 0.25f);
  TrialTensor weights =
      TrialTensor::Of(kTfLiteInt8, {kChannels, 1, 1, 1}, ones, 0.25f);
  TrialTensor bias = TrialTensor::Of(
      kTfLiteInt32, {kChannels}, std::vector<int32_t>(kChannels, -8), 0.0625f);
  weights.is_constant = bias.is_constant = true;
  std::vector<TrialTensor> tensors = {data, weights, bias};
  DepthwiseConvParams of_depthwise = {kPaddingValid, 1, 1, 1, 0, 1, 1};
  const struct {
    TransposeConvParams known;
    int newer[8];
  } of_transposed = {{kPaddingValid, 1, 1, kActNone}, {}};
  if (depthwise) {
    tensors[1].dims = {1, 1, 1, kChannels};
    tensors[0].dims = {1, 1, 1, kChannels};
  } else {
    TrialTensor shape = TrialTensor::Of(
        kTfLiteInt32, {4}, std::vector<int32_t>{1, 1, 1, kChannels});
    shape.is_constant = true;
    tensors = {shape, weights, data, bias};
  }
  tensors.push_back({kTfLiteInt8, {1, 1, 1, kChannels}, 1, 0, {}});
  const void* const params = depthwise
                                 ? static_cast<const void*>(&of_depthwise)
                                 : static_cast<const void*>(&of_transposed);
  const std::vector<int> quantized =
      Values(kTfLiteInt8, TryKernel(context, kernel, tensors, params));
  if (!quantized.empty()) traits->scales_in_vectors = quantized[0] == 0;
}
void AskDepthwise(TfLiteContext* context, const TfLiteRegistration& kernel,
                  const Question&, KernelTraits* traits) {
  AskSums(context, kernel, /*depthwise=*/true, traits);
}
void AskTransposed(TfLiteContext* context, const TfLiteRegistration& kernel,
                   const Question&, KernelTraits* traits) {
  AskSums(context, kernel, /*depthwise=*/false, traits);
}

// Two boxes far apart, the first of class 0, the second of class 1, of equal
// scores.
void AskDetections(TfLiteContext* context, const TfLiteRegistration& kernel,
                   KernelTraits* traits) {
  flexbuffers::Builder options;
  options.Map([&options] {
    options.Int("max_detections", 2);
    options.Int("max_classes_per_detection", 1);
    options.Int("detections_per_class", 2);
    options.Bool("use_regular_nms", true);
    options.Float("nms_score_threshold", 0.5f);
    options.Float("nms_iou_threshold", 0.5f);
    options.Int("num_classes", 2);
    for (const char* key : {"y_scale", "x_scale", "h_scale", "w_scale"}) {
      options.Float(key, 1);
    }
  });
  options.Finish();
  const auto floats = [](std::vector<int> dims, std::vector<float> values) {
    return TrialTensor::Of(kTfLiteFloat32, std::move(dims), values);
  };
  const TrialTensor out = {kTfLiteFloat32, {1}, 0, 0, {}};
  const std::vector<uint8_t> boxes =
      TryKernel(context, kernel,
                {floats({1, 2, 4}, std::vector<float>(8)),
                 floats({1, 2, 2}, {0.75f, 0, 0, 0.75f}),
                 floats({2, 4}, {0, 0, 1, 1, 9, 9, 1, 1}), out, out, out, out},
                {options.GetBuffer(), 4});
  float top = 0;
  if (boxes.size() < sizeof(top)) return;
  std::memcpy(&top, boxes.data(), sizeof(top));
  traits->last_class_first = top > 1;
}

struct Asked {
  int op;
  TfLiteType from;
  bool says_how_quantized_round;
  Answer answer;
};
constexpr Asked kAsked[] = {
    {BuiltinOperator_ADD, kTfLiteInt16, true, &AskInt16Add},
    {BuiltinOperator_BATCH_MATMUL, kTfLiteInt8, true, &AskBatchMatMul},
    {BuiltinOperator_CAST, kTfLiteFloat32, false, &AskCast},
    {BuiltinOperator_DEPTHWISE_CONV_2D, kTfLiteInt8, true, &AskDepthwise},
    {BuiltinOperator_FULLY_CONNECTED, kTfLiteInt16, true, &AskFullyConnected},
    {BuiltinOperator_FULLY_CONNECTED, kTfLiteUInt8, true, &AskRowsTo16Bits},
    {BuiltinOperator_QUANTIZE, kTfLiteFloat32, true, &AskQuantize},
    {BuiltinOperator_SUM, kTfLiteInt16, true, &AskInt16Sum},
    {BuiltinOperator_TRANSPOSE_CONV, kTfLiteInt32, true, &AskTransposed},
};

bool IsQuantized(TfLiteType type) {
  return type == kTfLiteInt8 || type == kTfLiteUInt8 || type == kTfLiteInt16;
}

TfLiteType FirstType(const TfLiteContext& context,
                     const TfLiteIntArray* tensors) {
  return tensors == nullptr || tensors->size == 0 || tensors->data[0] < 0
             ? kTfLiteNoType
             : context.tensors[tensors->data[0]].type;
}

}  // namespace

quant::KernelTraits AskKernels(TfLiteContext* context, const ModelNodes& nodes,
                               quant::KernelTraits traits, bool follows) {
  std::set<Question> asked;
  const auto ask = [&](TfLiteContext* subgraph, int index) {
    const auto found = nodes.find.Get(subgraph, index);
    if (!found.ok()) return;
    Question question = {found->kernel->builtin_code,
                         FirstType(*subgraph, found->node->inputs),
                         FirstType(*subgraph, found->node->outputs)};
    const bool is_detector =
        found->kernel->builtin_code == BuiltinOperator_CUSTOM &&
        found->kernel->custom_name != nullptr &&
        std::strcmp(found->kernel->custom_name,
                    "TFLite_Detection_PostProcess") == 0;
    if (is_detector && asked.insert({question.op}).second) {
      AskDetections(context, *found->kernel, &traits);
    }
    if (!IsQuantized(question.to) || !asked.insert(question).second) return;
    for (const Asked& a : kAsked) {
      if (a.op != question.op || a.from != question.from ||
          (a.says_how_quantized_round && !follows)) {
        continue;
      }
      a.answer(context, *found->kernel, question, &traits);
    }
  };
  for (int index : nodes.plan) ask(context, index);
  for (const auto& [key, decomposition] : nodes.decompositions) {
    for (int index : decomposition.plan) ask(decomposition.context, index);
  }
  return traits;
}

}  // namespace gles_delegate
