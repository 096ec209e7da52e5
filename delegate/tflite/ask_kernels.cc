#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <new>
#include <set>
#include <tuple>
#include <utility>

#include "delegate/cpu_ops/custom_ops.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/float_view.h"
#include "delegate/tflite/reader.h"
#include "delegate/tflite/runtime.h"
#include "flatbuffers/flexbuffers.h"

namespace gles_delegate {
namespace {

// --- One of the runtime's kernels on separate tensors ------------------------

// Needs only the node's registration, and the context for resources shared
// by kernels (threads).

struct TrialTensor {
  TfLiteType type = kTfLiteFloat32;
  std::vector<int> dims;
  float scale = 0;                  // 0: not quantized
  std::vector<uint8_t> bytes = {};  // empty: the kernel's output
  bool is_constant = false;

  template <typename T>
  static TrialTensor Of(TfLiteType type, std::vector<int> dims,
                        const std::vector<T>& values, float scale = 0,
                        bool is_constant = false) {
    const auto* first = reinterpret_cast<const uint8_t*>(values.data());
    return {type,
            std::move(dims),
            scale,
            {first, first + values.size() * sizeof(T)},
            is_constant};
  }
};

// A node's parameters.
struct TrialParams {
  const void* data = nullptr;  // a builtin op's struct, or a custom op's bytes
  size_t custom_bytes = 0;
  int outputs = 1;
};

// A quantized tensor's scale, and 0 as its zero point, in TFLite's structs:
// their arrays are {int size; float data[]} and {int size; int data[]}.
struct TrialQuantization {
  struct {
    int size;
    float value;
  } scale;
  int zero_point[2] = {1, 0};
  TfLiteAffineQuantization whole = {};
};

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
    }
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  void AddTensor(const TrialTensor& from) {
    Add(1, nullptr);
    TfLiteTensor& t = tensors_.back();
    t.type = from.type;
    t.allocation_type = from.is_constant ? kTfLiteMmapRo : kTfLiteArenaRw;
    t.name = "trial";
    if (from.scale != 0) {
      t.params = {from.scale, 0};
      TrialQuantization& q = quantizations_.emplace_back();
      q.scale = {1, from.scale};
      q.whole.scale = reinterpret_cast<TfLiteFloatArray*>(&q.scale);
      q.whole.zero_point = reinterpret_cast<TfLiteIntArray*>(q.zero_point);
      t.quantization = {kTfLiteAffineQuantization, &q.whole};
    }
    Resize(&t, MakeIntArray(from.dims).release());
    if (!from.bytes.empty()) {
      if (!Allocate(&t)) throw std::bad_alloc();
      std::memcpy(t.data.raw, from.bytes.data(),
                  std::min(t.bytes, from.bytes.size()));
    }
  }

  std::vector<uint8_t> Run(const TfLiteRegistration& kernel,
                           const TrialParams& params) {
    std::vector<int> inputs, outputs;
    const auto tensors = static_cast<int>(tensors_.size());
    const int first_output = tensors - params.outputs;
    for (int i = 0; i < tensors; ++i) {
      (i < first_output ? inputs : outputs).push_back(i);
    }
    TfLiteNode node = {};
    // By malloc(), as kernels free such arrays.
    node.inputs = MakeIntArray(inputs).release();
    node.outputs = MakeIntArray(outputs).release();
    node.intermediates = MakeIntArray({}).release();
    node.temporaries = MakeIntArray({}).release();
    if (params.custom_bytes == 0) {
      node.builtin_data = const_cast<void*>(params.data);
    } else {
      node.custom_initial_data = params.data;
    }
    node.custom_initial_data_size = static_cast<int>(params.custom_bytes);
    TfLiteContext* const context = &fake_.context;
    if (kernel.init != nullptr) {
      node.user_data = kernel.init(
          context, static_cast<const char*>(params.data), params.custom_bytes);
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
      tensors_[i].dims = NewIntArray({});
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
    tensor->bytes = ElementBytes(tensor->type);
    for (int i = 0; i < dims->size; ++i) tensor->bytes *= dims->data[i];
    if (HasOwnMemory(*tensor)) {
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
  std::deque<TrialQuantization> quantizations_;
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
  return trial.Run(kernel, params);
}

using quant::KernelTraits;

template <typename T>
std::vector<int> Values(const std::vector<uint8_t>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return {values.begin(), values.end()};
}

// A kernel that is asked, and the traits that its answers change.
struct Asked {
  TfLiteContext* context;
  const TfLiteRegistration& kernel;
  TfLiteType to;  // of the node's output
  KernelTraits* traits;

  // The values of the output, the last of `tensors`. Empty: no answer.
  std::vector<int> Run(const std::vector<TrialTensor>& tensors,
                       const void* params) const {
    const std::vector<uint8_t> bytes =
        TryKernel(context, kernel, tensors, {params});
    switch (tensors.back().type) {
      case kTfLiteInt8:
        return Values<int8_t>(bytes);
      case kTfLiteUInt8:
        return Values<uint8_t>(bytes);
      default:
        return Values<int16_t>(bytes);
    }
  }

  // Sets `*trait` to whether the first value is `expected`, if there is one.
  void Compare(bool* trait, int expected,
               const std::vector<TrialTensor>& tensors,
               const void* params) const {
    const std::vector<int> values = Run(tensors, params);
    if (!values.empty()) *trait = values[0] == expected;
  }
};

template <typename T>
TrialTensor Constant(TfLiteType type, std::vector<int> dims,
                     const std::vector<T>& values, float scale = 0) {
  return TrialTensor::Of(type, std::move(dims), values, scale, true);
}

// The ends of a type of 8 or 16 bits.
std::pair<int, int> EndsOf(TfLiteType type) {
  if (type == kTfLiteInt8) return {-128, 127};
  return type == kTfLiteUInt8 ? std::pair<int, int>{0, 255}
                              : std::pair<int, int>{-32768, 32767};
}

// Sums of -1.5 and 1.5 codes.
void AskBatchMatMul(const Asked& asked) {
  const std::vector<int8_t> left(16 * 8, 1);
  std::vector<int8_t> right(8 * 16);
  for (int i = 0; i < 16; ++i) right[i] = i % 2 == 0 ? -24 : 24;
  const BatchMatMulParams params = {};
  const std::vector<int> sums =
      asked.Run({TrialTensor::Of(kTfLiteInt8, {1, 16, 8}, left, 0.25f),
                 TrialTensor::Of(kTfLiteInt8, {1, 8, 16}, right, 0.25f),
                 {kTfLiteInt8, {1, 16, 16}, 1}},
                &params);
  if (sums.empty()) return;
  asked.traits->batch_matmul_away_from_zero = sums[0] == -2;
  asked.traits->batch_matmul_by_xnnpack &= sums[0] == -2;
}

// 0.5 and 1.5 quantized values, of which ties to even make 0 and 2.
void AskQuantize(const Asked& asked) {
  std::vector<float> values(32);
  for (int i = 0; i < 32; ++i) values[i] = i % 2 == 0 ? 0.5f : 1.5f;
  asked.Compare(&asked.traits->quantize_multiplies, 0,
                {TrialTensor::Of(kTfLiteFloat32, {1, 32}, values),
                 {asked.to, {1, 32}, 1}},
                nullptr);
}

void AskCast(const Asked& asked) {
  const auto [low, high] = EndsOf(asked.to);
  const float past = static_cast<float>(2 * high);
  const std::vector<float> some = {past, -past, 3e9f, -3e9f,
                                   std::numeric_limits<float>::quiet_NaN()};
  std::vector<float> values(80);
  for (size_t i = 0; i < values.size(); ++i) values[i] = some[i % some.size()];
  const struct {
    int in_data_type, out_data_type;
  } params = {kTfLiteFloat32, asked.to};
  const std::vector<int> quantized = asked.Run(
      {TrialTensor::Of(kTfLiteFloat32, {1, 80}, values), {asked.to, {1, 80}}},
      &params);
  if (quantized.empty()) return;
  const bool saturates = quantized[0] == high && quantized[1] == low &&
                         quantized[2] == high && quantized[3] == low;
  KernelTraits& traits = *asked.traits;
  (asked.to == kTfLiteInt8    ? traits.to_int8
   : asked.to == kTfLiteUInt8 ? traits.to_uint8
                              : traits.to_int16) = {saturates, quantized[4]};
}

// The code of a sum, of a row of one weight. `bias_type`: of an empty `bias`.
std::vector<int> Int16Row(const Asked& asked, float weight_scale, int16_t input,
                          const std::vector<int64_t>& bias,
                          TfLiteType bias_type = kTfLiteFloat32) {
  std::vector<TrialTensor> tensors = {
      TrialTensor::Of(kTfLiteInt16, {1, 8}, std::vector<int16_t>(8, input), 1),
      Constant(kTfLiteInt8, {8, 8}, std::vector<int8_t>(64, 1), weight_scale)};
  if (!bias.empty()) {
    tensors.push_back(Constant(kTfLiteInt64, {8}, bias, weight_scale));
  }
  tensors.push_back({kTfLiteInt16, {1, 8}, 1});
  const struct {
    NewerFullyConnectedParams known;
    int newer[8];
  } params = {{{}, bias_type}, {}};
  return asked.Run(tensors, &params);
}

void AskFullyConnected(const Asked& asked) {
  // 8 * 20,000 times a factor just below 3 / 16: 29,998.4 quantized values, of
  // which 16 bits of the multiplier make 29,999.
  constexpr float kFactor = 0.18749f;
  const std::vector<int> with_bias =
      Int16Row(asked, kFactor, 20000, std::vector<int64_t>(8, 0));
  if (!with_bias.empty()) {
    const double exact = 160000.0 * static_cast<double>(kFactor);
    asked.traits->int16_rows_keep_31_bits =
        with_bias[0] == static_cast<int>(std::lround(exact));
  }
  // Not quite half a code: the first of two roundings makes half a code of it,
  // and the second a code.
  constexpr float kTwiceOne = 0.0624999f;
  const std::vector<int> without = Int16Row(asked, kTwiceOne, 1, {});
  if (without.empty()) return;
  asked.traits->int16_rows_without_bias_round_twice = without[0] == 1;
  const std::vector<int> of_64_bits =
      Int16Row(asked, kTwiceOne, 1, {}, kTfLiteInt64);
  asked.traits->int16_rows_name_bias_type =
      !of_64_bits.empty() && of_64_bits[0] != without[0];
}

// A code of 8,192.25 units, which two roundings make 8,193, plus nothing; the
// sum is of two units.
void AskInt16Add(const Asked& asked) {
  const std::vector<int16_t> ones(32, 1), zeros(32, 0);
  const struct {
    int activation;
    bool pot_scale_int16;
    int newer[4];
  } params = {};
  asked.Compare(
      &asked.traits->int16_adds_round_once, 4096,
      {TrialTensor::Of(kTfLiteInt16, {1, 32}, ones, 2 * 8192.25f / 32768),
       TrialTensor::Of(kTfLiteInt16, {1, 32}, zeros, 1),
       {kTfLiteInt16, {1, 32}, 2.0f / 16384}},
      &params);
}

// Twice 20,000, in quantized values of the input; a kernel that takes one scale
// refuses.
void AskInt16Sum(const Asked& asked) {
  const ReducerParams params = {};
  asked.Compare(
      &asked.traits->int16_sums_saturate, 32767,
      {TrialTensor::Of(kTfLiteInt16, {1, 2}, std::vector<int16_t>(2, 20000), 1),
       Constant(kTfLiteInt32, {1}, std::vector<int32_t>{1}),
       {kTfLiteInt16, {1}, 1}},
      &params);
}

// Sums of -0.5 quantized values, which are the bias alone.
void AskRowsTo16Bits(const Asked& asked) {
  if (asked.to != kTfLiteInt16) return;
  const FullyConnectedParams params = {};
  asked.Compare(
      &asked.traits->rows_to_16_bits_round_up, 0,
      {TrialTensor::Of(kTfLiteUInt8, {1, 8}, std::vector<uint8_t>(8), 0.25f),
       Constant(kTfLiteUInt8, {8, 8}, std::vector<uint8_t>(8 * 8), 0.25f),
       Constant(kTfLiteInt32, {8}, std::vector<int32_t>(8, -8), 0.0625f),
       {kTfLiteInt16, {1, 8}, 1}},
      &params);
}

// Eight sums of -0.5 quantized values, which are the bias alone, as the input
// is zero: of convolutions of one pixel.
constexpr int kPixelChannels = quant::kChannelsOfVector;
TrialTensor ConvolvedPixel(int channels) {
  return TrialTensor::Of(kTfLiteInt8, {1, 1, 1, channels},
                         std::vector<int8_t>(kPixelChannels), 0.25f);
}
TrialTensor PixelWeights(std::vector<int> dims) {
  return Constant(kTfLiteInt8, std::move(dims),
                  std::vector<int8_t>(kPixelChannels, 1), 0.25f);
}
TrialTensor PixelBias() {
  return Constant(kTfLiteInt32, {kPixelChannels},
                  std::vector<int32_t>(kPixelChannels, -8), 0.0625f);
}
TrialTensor PixelOutput() {
  return {kTfLiteInt8, {1, 1, 1, kPixelChannels}, 1};
}
void AskDepthwise(const Asked& asked) {
  const DepthwiseConvParams params = {kPaddingValid, 1, 1, 1, 0, 1, 1};
  asked.Compare(
      &asked.traits->scales_in_vectors, 0,
      {ConvolvedPixel(kPixelChannels), PixelWeights({1, 1, 1, kPixelChannels}),
       PixelBias(), PixelOutput()},
      &params);
}
void AskTransposed(const Asked& asked) {
  const struct {
    TransposeConvParams known;
    int newer[8];
  } params = {{kPaddingValid, 1, 1, kActNone}, {}};
  asked.Compare(&asked.traits->scales_in_vectors, 0,
                {Constant(kTfLiteInt32, {4},
                          std::vector<int32_t>{1, 1, 1, kPixelChannels}),
                 PixelWeights({kPixelChannels, 1, 1, 1}), ConvolvedPixel(1),
                 PixelBias(), PixelOutput()},
                &params);
}

// Two boxes far apart, the first of class 0, the second of class 1, of equal
// scores.
void AskDetections(const Asked& asked) {
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
  const auto floats = [](std::vector<int> dims,
                         const std::vector<float>& values) {
    return TrialTensor::Of(kTfLiteFloat32, std::move(dims), values);
  };
  const TrialTensor out = {kTfLiteFloat32, {1}};
  const std::vector<uint8_t>& custom = options.GetBuffer();
  const std::vector<uint8_t> boxes =
      TryKernel(asked.context, asked.kernel,
                {floats({1, 2, 4}, std::vector<float>(8)),
                 floats({1, 2, 2}, {0.75f, 0, 0, 0.75f}),
                 floats({2, 4}, {0, 0, 1, 1, 9, 9, 1, 1}), out, out, out, out},
                {custom.data(), custom.size(), 4});
  float top = 0;
  if (boxes.size() < sizeof(top)) return;
  std::memcpy(&top, boxes.data(), sizeof(top));
  asked.traits->last_class_first = top > 1;
}

struct KernelQuestion {
  int op;
  TfLiteType from;
  bool says_how_quantized_round;
  void (*answer)(const Asked&);
};
constexpr KernelQuestion kQuestions[] = {
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

TfLiteType FirstType(const TfLiteContext& context,
                     const TfLiteIntArray* tensors) {
  return tensors == nullptr || tensors->size == 0 || tensors->data[0] < 0
             ? kTfLiteNoType
             : context.tensors[tensors->data[0]].type;
}

}  // namespace

quant::KernelTraits AskKernels(TfLiteContext* context, const ModelNodes& nodes,
                               quant::KernelTraits traits, bool follows) {
  // By op and the types of the first input and the first output.
  std::set<std::tuple<int, TfLiteType, TfLiteType>> done;
  const auto ask = [&](TfLiteContext* subgraph, int index) {
    const auto found = nodes.find.Get(subgraph, index);
    if (!found.ok()) return;
    const TfLiteRegistration& kernel = *found->kernel;
    const int op = kernel.builtin_code;
    const TfLiteType from = FirstType(*subgraph, found->node->inputs);
    const TfLiteType to = FirstType(*subgraph, found->node->outputs);
    const Asked asked = {context, kernel, to, &traits};
    const bool is_detector =
        op == BuiltinOperator_CUSTOM && kernel.custom_name != nullptr &&
        std::strcmp(kernel.custom_name, "TFLite_Detection_PostProcess") == 0;
    if (is_detector && done.insert({op, {}, {}}).second) AskDetections(asked);
    if (!IsQuantizedType(TypeOf(to)) || !done.insert({op, from, to}).second) {
      return;
    }
    for (const auto& q : kQuestions) {
      if (q.op == op && q.from == from &&
          (follows || !q.says_how_quantized_round)) {
        q.answer(asked);
      }
    }
  };
  for (int index : nodes.plan) ask(context, index);
  for (const auto& [key, decomposition] : nodes.decompositions) {
    for (int index : decomposition.plan) ask(decomposition.context, index);
  }
  return traits;
}

}  // namespace gles_delegate
