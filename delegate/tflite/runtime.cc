#include "delegate/tflite/runtime.h"

#include <dlfcn.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "delegate/cpu_ops/custom_ops.h"
#include "delegate/tflite/reader.h"
#include "egl/process.h"
#include "flatbuffers/flatbuffers.h"
#include "tensorflow/lite/c/c_api.h"

#undef ARG_MAX  // of musl's <limits.h>, an operator's name in the schema
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate {
namespace {

using quant::CpuKernels;

constexpr std::pair<absl::string_view, CpuKernels> kNames[] = {
    {"tflite", CpuKernels::kTflite},
    {"tflite_arm", CpuKernels::kTfliteArm},
    {"tflite_2_14", CpuKernels::kTflite214},
    {"tflite_wheel", CpuKernels::kTfliteWheel},
    {"litert", CpuKernels::kLitert},
    {"xnnpack", CpuKernels::kXnnpack},
    {"reference", CpuKernels::kReference},
};

// The address of a function of the runtime; nullptr: the context has none.
const void* FunctionOf(const TfLiteContext& context) {
  // By memcpy: a function's address is no object's.
  const void* address = nullptr;
  static_assert(sizeof(address) == sizeof(context.GetExecutionPlan));
  std::memcpy(&address, &context.GetExecutionPlan, sizeof(address));
  return address;
}

// How far from its start a subgraph may hold its context, in bytes. (2.9: 16.)
constexpr uintptr_t kMaxOffset = 4096;

// The program or library that contains `address`; all null: none is known.
Dl_info ModuleOf(const void* address) {
  Dl_info info = {};
  if (address == nullptr || dladdr(address, &info) == 0) info = {};
  return info;
}

// The context is part of the object that impl_ points to.
bool IsPartOfSubgraph(const TfLiteContext& context) {
  const auto own = reinterpret_cast<uintptr_t>(&context);
  const auto subgraph = reinterpret_cast<uintptr_t>(context.impl_);
  return subgraph != 0 && subgraph <= own && own - subgraph < kMaxOffset;
}

// The result of function `name` of the library, which is loaded, or of one that
// it is linked with. Not of others: an app may have two runtimes.
std::string TextFrom(const std::string& library, const char* name) {
  void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return "";
  std::string text;
  if (void* symbol = dlsym(handle, name); symbol != nullptr) {
    const char* (*function)() = nullptr;
    std::memcpy(&function, &symbol, sizeof(function));
    const char* value = function();
    if (value != nullptr) text = value;
  }
  dlclose(handle);
  return text;
}

struct Release {
  int major = 0;
  int minor = 0;
};

// Of "2.14.1". nullopt: `version` is no such text.
std::optional<Release> ReleaseOf(absl::string_view version) {
  const std::vector<absl::string_view> parts = absl::StrSplit(version, '.');
  Release release;
  if (parts.size() < 2 || !absl::SimpleAtoi(parts[0], &release.major) ||
      !absl::SimpleAtoi(parts[1], &release.minor)) {
    return std::nullopt;
  }
  return release;
}

}  // namespace

// The runtime stores nodes as consecutive pairs of a TfLiteNode and a
// TfLiteRegistration.
int RegistrationBytesOf(TfLiteContext* context) {
  const NodeFinder find(*context);
  const auto plan = find.PlanOf(context);
  if (!plan.ok() || plan->size() < 2) return 0;
  const auto first = find.Get(context, (*plan)[0]);
  const auto second = find.Get(context, (*plan)[1]);
  if (!first.ok() || !second.ok()) return 0;
  const auto between = [](const void* a, const void* b) {
    return reinterpret_cast<intptr_t>(b) - reinterpret_cast<intptr_t>(a);
  };
  const intptr_t apart = (*plan)[1] - (*plan)[0];
  const intptr_t node_bytes = between(first->node, first->kernel);
  const intptr_t pair_bytes = between(first->node, second->node);
  if (apart == 0 || pair_bytes % apart != 0 ||
      between(second->node, second->kernel) != node_bytes) {
    return 0;
  }
  const intptr_t bytes = pair_bytes / apart - node_bytes;
  constexpr intptr_t kMax = 1024;
  const bool likely =
      node_bytes >= static_cast<intptr_t>(sizeof(TfLiteNode)) / 2 &&
      node_bytes < kMax && bytes > 0 && bytes < kMax;
  return likely ? static_cast<int>(bytes) : 0;
}

Runtime RuntimeOf(TfLiteContext* context) {
  Runtime runtime;
  runtime.library = std::string(
      absl::NullSafeStringView(ModuleOf(FunctionOf(*context)).dli_fname));
  if (!runtime.library.empty()) {
    for (const char* function : {"TfLiteVersion", "TF_Version"}) {
      if (!runtime.version.empty()) break;
      runtime.version = TextFrom(runtime.library, function);
    }
  }
  runtime.registration_bytes = RegistrationBytesOf(context);
  runtime.of_2_14 = IsRuntimeOf214(*context);
  return runtime;
}

bool IsRuntimeOf214(const TfLiteContext& context) {
  if (!IsPartOfSubgraph(context)) return false;
  const void* behind;
  std::memcpy(&behind,
              reinterpret_cast<const char*>(&context) + sizeof(context),
              sizeof(behind));
  const void* runtime = ModuleOf(FunctionOf(context)).dli_fbase;
  return runtime != nullptr && runtime == ModuleOf(behind).dli_fbase;
}

int ParamsMinorOf(const Runtime& runtime) {
  if (runtime.of_2_14) return 14;
  if (const std::optional<Release> release = ReleaseOf(runtime.version)) {
    return release->major == 2 ? release->minor : 0;
  }
  // Only 2.13 has registrations of this size: 80 bytes with 64-bit pointers.
  constexpr int k213 = sizeof(TfLiteRegistration) + 2 * sizeof(void*);
  return runtime.registration_bytes == k213 ? 13 : 0;
}

CpuKernels CpuKernelsOf(const Runtime& runtime) {
  if (runtime.asked) return *runtime.asked;
  // The last version that was seen to leave 8-bit nodes to the built-in
  // kernels; the next one that was measured gives them to XNNPACK.
  constexpr int kLastMajor = 2, kLastMinorWithout = 15;
  // From here on MEAN and SUM are others.
  constexpr int kMinorOfNewMeans = 13;
  if (const std::optional<Release> release = ReleaseOf(runtime.version)) {
    const bool older =
        release->major < kLastMajor ||
        (release->major == kLastMajor && release->minor <= kLastMinorWithout);
    if (!older) return CpuKernels::kXnnpack;
    return release->major == kLastMajor && release->minor >= kMinorOfNewMeans
               ? CpuKernels::kTflite214
               : CpuKernels::kTflite;
  }
  // The package tflite-runtime ended with 2.14.
  if (absl::StrContains(runtime.library, "tflite_runtime")) {
    return CpuKernels::kTfliteWheel;
  }
  // 2.14's registrations have 88 bytes with 64-bit pointers.
  constexpr int kNewest = sizeof(TfLiteRegistration) + 3 * sizeof(void*);
  if (runtime.registration_bytes > 0 && runtime.registration_bytes < kNewest) {
    return CpuKernels::kTflite;
  }
  return CpuKernels::kXnnpack;
}

absl::string_view CpuKernelsName(CpuKernels kernels) {
  for (const auto& [name, value] : kNames) {
    if (value == kernels) return name;
  }
  return "";
}

absl::StatusOr<CpuKernels> CpuKernelsFromName(absl::string_view name) {
  std::string known = "auto";
  for (const auto& [text, value] : kNames) {
    if (absl::EqualsIgnoreCase(text, name)) return value;
    absl::StrAppend(&known, ", ", text);
  }
  return Invalid("GLES_DELEGATE_DEBUG=rounding: '", name, "' is none of ",
                 known);
}

// --- Integer kernels ---------------------------------------------------------

namespace {

// --- TFLite's C functions ----------------------------------------------------

#define GLES_TFLITE_FUNCTIONS(FUNCTION)           \
  FUNCTION(TfLiteModelCreate)                     \
  FUNCTION(TfLiteModelDelete)                     \
  FUNCTION(TfLiteInterpreterOptionsCreate)        \
  FUNCTION(TfLiteInterpreterOptionsDelete)        \
  FUNCTION(TfLiteInterpreterOptionsSetNumThreads) \
  FUNCTION(TfLiteInterpreterCreate)               \
  FUNCTION(TfLiteInterpreterDelete)               \
  FUNCTION(TfLiteInterpreterAllocateTensors)      \
  FUNCTION(TfLiteInterpreterInvoke)               \
  FUNCTION(TfLiteInterpreterGetInputTensor)       \
  FUNCTION(TfLiteInterpreterGetOutputTensor)      \
  FUNCTION(TfLiteTensorCopyFromBuffer)            \
  FUNCTION(TfLiteTensorCopyToBuffer)

// The library's functions, by their names; `complete` if it has them all.
class TfliteFunctions {
 public:
  explicit TfliteFunctions(const std::string& library)
      : handle_(dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
    complete = handle_ != nullptr;
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define GLES_LOAD(name) complete = complete && Load(#name, &name);
    GLES_TFLITE_FUNCTIONS(GLES_LOAD)
#undef GLES_LOAD
  }
  ~TfliteFunctions() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  TfliteFunctions(const TfliteFunctions&) = delete;
  TfliteFunctions& operator=(const TfliteFunctions&) = delete;

  bool complete;
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define GLES_DECLARE(name) decltype(&::name) name = nullptr;
  GLES_TFLITE_FUNCTIONS(GLES_DECLARE)
#undef GLES_DECLARE

 private:
  template <typename Function>
  bool Load(const char* name, Function* function) {
    void* symbol = dlsym(handle_, name);
    std::memcpy(function, &symbol, sizeof(symbol));
    return symbol != nullptr;
  }
  void* handle_;
};

// --- Models of one op --------------------------------------------------------

struct ModelTensor {
  std::vector<int32_t> shape;
  schema::TensorType type;
  float scale = 0;  // 0: not quantized
  std::vector<uint8_t> constant;
  int64_t zero_point = 0;
};

std::vector<uint8_t> BytesOfInts(const std::vector<int32_t>& values) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  return {bytes, bytes + values.size() * sizeof(int32_t)};
}

// Inputs of the op are all tensors but the last, its output; the first is the
// model's input.
template <typename Options>
std::vector<uint8_t> ModelOf(schema::BuiltinOperator op, int version,
                             const Options& options,
                             const std::vector<ModelTensor>& tensors) {
  schema::ModelT model;
  model.version = 3;
  model.operator_codes.push_back(std::make_unique<schema::OperatorCodeT>());
  schema::OperatorCodeT& code = *model.operator_codes[0];
  code.deprecated_builtin_code = static_cast<int8_t>(op);
  code.builtin_code = op;
  code.version = version;
  model.buffers.push_back(std::make_unique<schema::BufferT>());
  model.subgraphs.push_back(std::make_unique<schema::SubGraphT>());
  schema::SubGraphT& graph = *model.subgraphs[0];
  graph.operators.push_back(std::make_unique<schema::OperatorT>());
  schema::OperatorT& node = *graph.operators[0];
  node.builtin_options.Set(Options(options));
  for (const ModelTensor& t : tensors) {
    node.inputs.push_back(static_cast<int>(graph.tensors.size()));
    graph.tensors.push_back(std::make_unique<schema::TensorT>());
    schema::TensorT& tensor = *graph.tensors.back();
    tensor.shape = t.shape;
    tensor.type = t.type;
    if (!t.constant.empty()) {
      tensor.buffer = static_cast<uint32_t>(model.buffers.size());
      model.buffers.push_back(std::make_unique<schema::BufferT>());
      model.buffers.back()->data = t.constant;
    }
    if (t.scale == 0) continue;
    tensor.quantization = std::make_unique<schema::QuantizationParametersT>();
    tensor.quantization->scale = {t.scale};
    tensor.quantization->zero_point = {t.zero_point};
  }
  graph.inputs = {0};
  graph.outputs = node.outputs = {node.inputs.back()};
  node.inputs.pop_back();
  flatbuffers::FlatBufferBuilder b;
  b.Finish(schema::Model::Pack(b, &model), schema::ModelIdentifier());
  return {b.GetBufferPointer(), b.GetBufferPointer() + b.GetSize()};
}

// The library's result for `input`; empty if it refuses the model.
std::vector<int8_t> RunModel(const TfliteFunctions& tflite,
                             const std::vector<uint8_t>& bytes,
                             const std::vector<int8_t>& input, size_t outputs) {
  std::vector<int8_t> quantized(outputs);
  bool ok = false;
  TfLiteModel* const model =
      tflite.TfLiteModelCreate(bytes.data(), bytes.size());
  if (model == nullptr) return {};
  auto* const options = tflite.TfLiteInterpreterOptionsCreate();
  tflite.TfLiteInterpreterOptionsSetNumThreads(options, 1);
  if (auto* const run = tflite.TfLiteInterpreterCreate(model, options)) {
    ok = tflite.TfLiteInterpreterAllocateTensors(run) == kTfLiteOk &&
         tflite.TfLiteTensorCopyFromBuffer(
             tflite.TfLiteInterpreterGetInputTensor(run, 0), input.data(),
             input.size()) == kTfLiteOk &&
         tflite.TfLiteInterpreterInvoke(run) == kTfLiteOk &&
         tflite.TfLiteTensorCopyToBuffer(
             tflite.TfLiteInterpreterGetOutputTensor(run, 0), quantized.data(),
             quantized.size()) == kTfLiteOk;
    tflite.TfLiteInterpreterDelete(run);
  }
  tflite.TfLiteInterpreterOptionsDelete(options);
  tflite.TfLiteModelDelete(model);
  return ok ? quantized : std::vector<int8_t>();
}

// --- Distinguishing the kernels ---------------------------------------------

enum class TiesGo { kUp, kAwayFromZero, kToEven, kElsewhere };

constexpr int kChannels = 32;
constexpr int kZeroPoint =
    8;  // of outputs, so that uint8 has quantized values below it

// How a convolution rounds sums of half a code. They are its bias alone, as its
// input is zero.
TiesGo TiesOf(const TfliteFunctions& tflite, bool depthwise,
              schema::TensorType type) {
  // Sums of -1.5, -0.5, 0.5 and 1.5 steps, for each way but the last.
  constexpr int kRows = 4;
  const int sums[kRows] = {-192, -64, 64, 192};
  constexpr int8_t kQuantized[3][kRows] = {
      {-1, 0, 1, 2}, {-2, -1, 1, 2}, {-2, 0, 0, 2}};
  std::vector<int32_t> bias(kChannels);
  for (int c = 0; c < kChannels; ++c) bias[c] = sums[c % kRows];
  const int inputs = depthwise ? kChannels : 8;
  const std::vector<int32_t> filter =
      depthwise ? std::vector<int32_t>{1, 1, 1, kChannels}
                : std::vector<int32_t>{kChannels, 1, 1, inputs};
  const std::vector<ModelTensor> tensors = {
      {{1, 1, 1, inputs}, type, 1.0f / 16, {}},
      {filter, type, 1.0f / 8,
       std::vector<uint8_t>(
           static_cast<size_t>(kChannels) * (depthwise ? 1 : inputs), 1)},
      {{kChannels}, schema::TensorType::INT32, 1.0f / 128, BytesOfInts(bias)},
      {{1, 1, 1, kChannels}, type, 1, {}, kZeroPoint}};
  schema::Conv2DOptionsT conv;
  conv.stride_w = conv.stride_h = 1;
  schema::DepthwiseConv2DOptionsT of_depthwise;
  of_depthwise.stride_w = of_depthwise.stride_h = 1;
  of_depthwise.depth_multiplier = 1;
  const std::vector<uint8_t> model =
      depthwise ? ModelOf(schema::BuiltinOperator::DEPTHWISE_CONV_2D, 3,
                          of_depthwise, tensors)
                : ModelOf(schema::BuiltinOperator::CONV_2D, 3, conv, tensors);
  const std::vector<int8_t> quantized =
      RunModel(tflite, model, std::vector<int8_t>(inputs), kChannels);
  if (quantized.empty()) return TiesGo::kElsewhere;
  for (int way = 0; way < 3; ++way) {
    bool same = true;
    for (int c = 0; c < kChannels; ++c) {
      same = same && quantized[c] == kZeroPoint + kQuantized[way][c % kRows];
    }
    if (same) return static_cast<TiesGo>(way);
  }
  return TiesGo::kElsewhere;
}

// Whether the mean of 0, 1, 1, 1 is 0: older kernels cut it off.
bool CutsMeans(const TfliteFunctions& tflite) {
  using schema::TensorType;
  const std::vector<uint8_t> model =
      ModelOf(schema::BuiltinOperator::MEAN, 2, schema::ReducerOptionsT(),
              {{{1, 4}, TensorType::INT8, 1, {}},
               {{1}, TensorType::INT32, 0, BytesOfInts({1})},
               {{1}, TensorType::INT8, 1, {}}});
  return RunModel(tflite, model, {0, 1, 1, 1}, 1) == std::vector<int8_t>{0};
}

std::optional<CpuKernels> Ask(const std::string& library) {
  const TfliteFunctions tflite(library);
  if (!tflite.complete) return std::nullopt;
  switch (TiesOf(tflite, false, schema::TensorType::INT8)) {
    case TiesGo::kToEven:
      return CpuKernels::kXnnpack;
    case TiesGo::kAwayFromZero:
      return CpuKernels::kReference;
    case TiesGo::kElsewhere:
      return std::nullopt;
    case TiesGo::kUp:
      break;
  }
  if (TiesOf(tflite, false, schema::TensorType::UINT8) ==
      TiesGo::kAwayFromZero) {
    return CpuKernels::kTfliteWheel;
  }
  const bool cuts = CutsMeans(tflite);
  if (TiesOf(tflite, true, schema::TensorType::INT8) == TiesGo::kUp) {
    return cuts ? CpuKernels::kTfliteArm : CpuKernels::kLitert;
  }
  return cuts ? CpuKernels::kTflite : CpuKernels::kTflite214;
}

}  // namespace

std::optional<CpuKernels> AskForCpuKernels(const std::string& library) {
  static std::mutex& mutex = *new std::mutex;
  static auto& answers = *new std::map<std::string, std::optional<CpuKernels>>;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [answer, is_new] = answers.try_emplace(library);
  if (is_new) answer->second = Ask(library);
  return answer->second;
}

// --- Nodes and tensors -------------------------------------------------------

namespace {

// C callbacks have no other way to these.
thread_local size_t limit = std::numeric_limits<size_t>::max();
thread_local decltype(TfLiteContext::ResizeTensor) runtimes_resize = nullptr;
thread_local std::string kept_text;

bool IsPastLimit(const TfLiteTensor& tensor, const TfLiteIntArray& dims) {
  if (!HasOwnMemory(tensor)) return false;
  double bytes = std::max<size_t>(1, ElementBytes(tensor.type));
  for (int i = 0; i < dims.size; ++i) bytes *= dims.data[i];
  return bytes > static_cast<double>(limit);
}

TfLiteStatus ResizeWithin(TfLiteContext* context, TfLiteTensor* tensor,
                          TfLiteIntArray* dims) {
  if (!IsPastLimit(*tensor, *dims)) {
    return runtimes_resize(context, tensor, dims);
  }
  std::free(dims);  // the runtime takes it from malloc(), and would own it
  context->ReportError(context, "a tensor takes more than %zu bytes", limit);
  return kTfLiteError;
}

void KeepMessage(TfLiteContext*, const char* format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  absl::string_view text(line);
  while (absl::ConsumeSuffix(&text, "\n")) continue;
  (void)egl::Caught([text] {
    absl::StrAppend(&kept_text, kept_text.empty() ? "" : "; ", text);
    return absl::OkStatus();
  });
}

}  // namespace

absl::StatusOr<FoundNode> NodeFinder::Get(TfLiteContext* context,
                                          int index) const {
  FoundNode found;
  if (get_ == nullptr ||
      get_(context, index, &found.node, &found.kernel) != kTfLiteOk) {
    return Internal("the runtime has no node ", index);
  }
  for (const TfLiteIntArray* list : {found.node->inputs, found.node->outputs}) {
    // Destructors call this, which may not allocate.
    for (int i = 0; list != nullptr && i < list->size; ++i) {
      const int id = list->data[i];
      if (id == kTfLiteOptionalTensor || HasTensor(*context, id)) continue;
      return Internal("node ", index, " names tensor ", id,
                      ", and the model has ", context->tensors_size,
                      " tensors");
    }
  }
  return found;
}

absl::StatusOr<std::vector<int>> NodeFinder::PlanOf(
    TfLiteContext* subgraph) const {
  TfLiteIntArray* plan = nullptr;
  if (get_plan_ == nullptr || get_plan_(subgraph, &plan) != kTfLiteOk) {
    return Internal("the runtime gave no execution plan");
  }
  return ReadInts(plan);
}

bool ResizeTensor(TfLiteContext* context, int id,
                  const std::vector<int>& dims) {
  TfLiteIntArray* array = NewIntArray(dims);
  return array != nullptr &&
         context->ResizeTensor(context, &context->tensors[id], array) ==
             kTfLiteOk;
}

bool IsInArena(const TfLiteTensor& t) {
  return t.allocation_type == kTfLiteArenaRw ||
         t.allocation_type == kTfLiteArenaRwPersistent;
}

bool IsConstant(const TfLiteTensor& t) {
  return t.allocation_type == kTfLiteMmapRo && t.data.raw != nullptr;
}

bool IsEmpty(const TfLiteTensor& t) {
  if (t.dims == nullptr || t.type == kTfLiteString ||
      t.allocation_type == kTfLiteDynamic) {
    return false;
  }
  const int* dims = t.dims->data;
  return std::find(dims, dims + t.dims->size, 0) != dims + t.dims->size;
}

bool HasOwnMemory(const TfLiteTensor& t) {
  return t.allocation_type == kTfLiteDynamic ||
         t.allocation_type == kTfLitePersistentRo;
}

void ReturnToArena(TfLiteTensor* tensor) {
  // Strings are dynamic from the start, and WHILE's kernel leaves them so.
  if (!HasOwnMemory(*tensor) || tensor->type == kTfLiteString) return;
  std::free(tensor->data.raw);  // The runtime takes it from malloc().
  tensor->data.raw = nullptr;
  tensor->allocation_type = kTfLiteArenaRw;
}

size_t ElementBytes(TfLiteType type) {
  switch (type) {
    case kTfLiteUInt32:
      return 4;
    case kTfLiteUInt64:
    case kTfLiteComplex64:
      return 8;
    case kTfLiteComplex128:
      return 16;
    default:
      return DataTypeSize(TypeOf(type));
  }
}

size_t BytesOf(const TfLiteTensor& t) {
  if (t.bytes != 0) return t.bytes;
  size_t bytes = ElementBytes(t.type);
  for (int i = 0; t.dims != nullptr && i < t.dims->size; ++i) {
    const int extent = t.dims->data[i];
    if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes)) return 0;
  }
  return bytes;
}

void LendToNode(const TfLiteContext& context, const TfLiteNode& node,
                absl::FunctionRef<bool(int tensor)> keeps,
                ScratchMemory* memory, TensorChanges* changes) {
  for (const TfLiteIntArray* tensors :
       {node.outputs, node.intermediates, node.temporaries}) {
    for (int id : ReadInts(tensors)) {
      // TFLite takes a file's intermediates as they are.
      if (!HasTensor(context, id) || keeps(id)) continue;
      const TfLiteTensor& t = context.tensors[id];
      const size_t bytes = BytesOf(t);
      const bool keeps_state = t.is_variable && t.data.raw != nullptr;
      if (!IsInArena(t) || keeps_state || bytes == 0) continue;
      std::vector<uint8_t>& lent = (*memory)[id];
      lent.resize(bytes);
      changes->Set(id, &TfLiteTensor::bytes, bytes);
      changes->SetData(id, lent.data());
    }
  }
}

ResizeLimit::ResizeLimit(TfLiteContext* context, size_t bytes)
    : context_(context), before_(context->ResizeTensor), limit_before_(limit) {
  limit = std::min(limit, bytes);
  if (before_ == ResizeWithin) return;
  runtimes_resize = before_;
  context_->ResizeTensor = ResizeWithin;
}

ResizeLimit::~ResizeLimit() {
  context_->ResizeTensor = before_;
  limit = limit_before_;
}

KeptMessages::KeptMessages(TfLiteContext* context)
    : context_(context),
      told_by_(context->ReportError),
      before_(std::exchange(kept_text, "")) {
  context_->ReportError = KeepMessage;
}

KeptMessages::~KeptMessages() {
  context_->ReportError = told_by_;
  kept_text.swap(before_);  // allocates nothing
}

std::string KeptMessages::Take() { return std::exchange(kept_text, ""); }

}  // namespace gles_delegate
