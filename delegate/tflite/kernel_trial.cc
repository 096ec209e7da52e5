#include "delegate/tflite/kernel_trial.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace gles_delegate {
namespace {

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

}  // namespace

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

}  // namespace gles_delegate
