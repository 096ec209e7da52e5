#include "delegate/tflite/shape_values.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/host_budget.h"
#include "delegate/tflite/as_constants.h"
#include "delegate/tflite/resize_limit.h"
#include "delegate/tflite/scratch_memory.h"

namespace gles_delegate {
namespace {

// More than any shape has. The GPU may compute what is larger: masks.
constexpr size_t kMaxIntegers = 4096;
// A shape times a factor, on its way back to integers.
constexpr size_t kMaxFloats = 32;
// RANGE has no GPU version: the positions of a long sequence.
constexpr size_t kMaxRange = 1 << 20;

bool IsRange(const TfLiteRegistration& registration) {
  return registration.builtin_code == BuiltinOperator_RANGE;
}

bool GivesShape(int builtin_code) {
  return builtin_code == BuiltinOperator_SHAPE ||
         builtin_code == BuiltinOperator_RANK;
}

// Whether a builtin's results depend on its inputs alone, and its kernel may
// run outside of the model's Invoke.
bool IsFunctionOfInputs(int builtin_code) {
  switch (builtin_code) {
    case BuiltinOperator_CUSTOM:
    case BuiltinOperator_DELEGATE:
    case BuiltinOperator_PLACEHOLDER_FOR_GREATER_OP_CODES:
    // They run subgraphs.
    case BuiltinOperator_CALL:
    case BuiltinOperator_CALL_ONCE:
    case BuiltinOperator_IF:
    case BuiltinOperator_WHILE:
    case BuiltinOperator_STABLEHLO_CASE:
    case BuiltinOperator_STABLEHLO_COMPOSITE:
    case BuiltinOperator_STABLEHLO_WHILE:
    // They draw numbers.
    case BuiltinOperator_MULTINOMIAL:
    case BuiltinOperator_RANDOM_STANDARD_NORMAL:
    case BuiltinOperator_RANDOM_UNIFORM:
    // Their results may stay constants of the file's type on the GPU.
    case BuiltinOperator_DENSIFY:
    case BuiltinOperator_DEQUANTIZE:
      return false;
    default:
      return true;
  }
}

bool IsFloat(TfLiteType type) {
  return type == kTfLiteFloat32 || type == kTfLiteFloat64;
}

// 0: not a type for which values are known. `of_range`: RANGE writes it.
size_t MaxBytes(TfLiteType type, bool of_range) {
  switch (type) {
    case kTfLiteFloat32:
    case kTfLiteFloat64:
    case kTfLiteInt32:
    case kTfLiteInt64:
    case kTfLiteUInt32:
    case kTfLiteUInt64:
    case kTfLiteBool:
      return ElementBytes(type) * (of_range        ? kMaxRange
                                   : IsFloat(type) ? kMaxFloats
                                                   : kMaxIntegers);
    default:
      return 0;
  }
}

bool IsSmall(const TfLiteTensor& t, bool of_range = false) {
  const size_t most = MaxBytes(t.type, of_range);
  return most > 0 && BytesOf(t) <= most;
}

bool HasOwnMemory(const TfLiteTensor& t) {
  return t.allocation_type == kTfLiteDynamic ||
         t.allocation_type == kTfLitePersistentRo;
}

template <typename Visit>
void ForEachPresent(const TfLiteIntArray* tensors, const Visit& visit) {
  for (int i = 0; i < tensors->size; ++i) {
    if (tensors->data[i] >= 0) visit(tensors->data[i]);
  }
}

// While it lives, what a node writes is in the arena, whatever it was before.
// Memory of a tensor's own is kept unless the tensor has another size by then.
class OutputsSetAside {
 public:
  OutputsSetAside(TfLiteContext* context, const TfLiteNode& node)
      : OutputsSetAside(context) {
    ForEachPresent(node.outputs, [&](int id) {
      TfLiteTensor& t = context->tensors[id];
      before_.push_back({id, t.allocation_type, t.data.raw, t.bytes});
      if (!HasOwnMemory(t)) return;
      t.allocation_type = kTfLiteArenaRw;
      t.data.raw = nullptr;
    });
  }
  ~OutputsSetAside() {
    for (const Before& before : before_) {
      TfLiteTensor& t = context_->tensors[before.id];
      ReturnToArena(&t);
      t.allocation_type = before.type;
      t.data.raw = before.data;
      if (!HasOwnMemory(t) || t.bytes == before.bytes) continue;
      std::free(t.data.raw);
      t.data.raw = nullptr;
    }
  }
  OutputsSetAside(const OutputsSetAside&) = delete;
  OutputsSetAside& operator=(const OutputsSetAside&) = delete;

 private:
  // Once it is done, the destructor runs if the other constructor throws.
  explicit OutputsSetAside(TfLiteContext* context) : context_(context) {}

  struct Before {
    int id;
    TfLiteAllocationType type;
    char* data;
    size_t bytes;
  };
  TfLiteContext* context_;
  std::vector<Before> before_;
};

// Nothing of a tensor without elements can change. A value of no bytes would be
// none (ConstantData::empty()).
ConstantData EmptyValue() { return ConstantData::Own({0}); }

bool InputsAreKnown(const TfLiteContext& context, const TfLiteNode& node,
                    const TensorValues& values) {
  bool known = true, any = false;
  ForEachPresent(node.inputs, [&](int id) {
    any = true;
    known &= values.contains(id) || IsConstant(context.tensors[id]);
  });
  return known && any;
}

bool IsKnownBefore(const TfLiteContext& context, const TfLiteNode& node,
                   const TfLiteRegistration& registration,
                   const TensorValues& values) {
  if (registration.invoke == nullptr) return false;
  return GivesShape(registration.builtin_code) ||
         (IsFunctionOfInputs(registration.builtin_code) &&
          InputsAreKnown(context, node, values));
}

bool OutputsAreSmall(const TfLiteContext& context, const TfLiteNode& node,
                     bool of_range) {
  bool small = true;
  ForEachPresent(node.outputs, [&](int id) {
    const TfLiteTensor& t = context.tensors[id];
    // The kernel will size a dynamic tensor as it runs.
    small &= !t.is_variable &&
             (t.allocation_type == kTfLiteDynamic || IsSmall(t, of_range));
  });
  return small;
}

// While it lives, a node's inputs do not show which of their extents are free
// (-1 in the file). Its outputs do: SLICE would hold them to the file's sizes.
class HiddenSignatures {
 public:
  HiddenSignatures(TfLiteContext* context, const TfLiteNode& node)
      : HiddenSignatures(context) {
    ForEachPresent(node.inputs, [&](int id) {
      before_.emplace_back(id, SignatureOf(id));
      SignatureOf(id) = nullptr;
    });
  }
  ~HiddenSignatures() {
    for (auto it = before_.rbegin(); it != before_.rend(); ++it) {
      SignatureOf(it->first) = it->second;
    }
  }
  HiddenSignatures(const HiddenSignatures&) = delete;
  HiddenSignatures& operator=(const HiddenSignatures&) = delete;

 private:
  // Once it is done, the destructor runs if the other constructor throws.
  explicit HiddenSignatures(TfLiteContext* context) : context_(context) {}

  using Signature = decltype(TfLiteTensor::dims_signature);

  // By index: kernels add tensors, which may move the others.
  Signature& SignatureOf(int id) const {
    return context_->tensors[id].dims_signature;
  }

  TfLiteContext* context_;
  std::vector<std::pair<int, Signature>> before_;
};

TfLiteStatus PrepareKnown(TfLiteContext* context, TfLiteNode* node,
                          const TfLiteRegistration& registration) {
  const HiddenSignatures hidden(context, *node);
  return registration.prepare(context, node);
}

// Runs a node that has been prepared, and adds what it writes to `values`.
void RunForValues(TfLiteContext* context, TfLiteNode* node,
                  const TfLiteRegistration& registration,
                  TensorValues* values) {
  ScratchMemory::Blocks blocks;
  ScratchMemory scratch(context, &blocks);
  scratch.LendToNode(*node, [](int) { return false; });
  // Of an output that the kernel sizes as it runs.
  const ResizeLimit limit(context, kMaxRange * sizeof(int64_t));
  if (registration.invoke(context, node) != kTfLiteOk) return;
  ForEachPresent(node->outputs, [&](int id) {
    const TfLiteTensor& t = context->tensors[id];
    const size_t size = BytesOf(t);
    if (t.data.raw == nullptr || size == 0 ||
        !IsSmall(t, IsRange(registration)) ||
        !HostBudget::Take(size, "what follows from shapes").ok()) {
      return;
    }
    const auto* bytes = reinterpret_cast<const uint8_t*>(t.data.raw);
    (*values)[id] =
        ConstantData::Own(std::vector<uint8_t>(bytes, bytes + size));
  });
}

void AddEmptyOutputs(const TfLiteContext& context, const TfLiteNode& node,
                     TensorValues* values) {
  ForEachPresent(node.outputs, [&](int id) {
    if (IsEmpty(context.tensors[id])) (*values)[id] = EmptyValue();
  });
}

}  // namespace

bool IsEmpty(const TfLiteTensor& t) {
  if (t.dims == nullptr || t.type == kTfLiteString ||
      t.allocation_type == kTfLiteDynamic) {
    return false;
  }
  const int* dims = t.dims->data;
  return std::find(dims, dims + t.dims->size, 0) != dims + t.dims->size;
}

void AddEmptyInputs(const TfLiteContext& context, const TfLiteNode& node,
                    const HashSet<int>& made, TensorValues* values) {
  ForEachPresent(node.inputs, [&](int id) {
    if (made.contains(id) || !IsEmpty(context.tensors[id])) return;
    values->try_emplace(id, EmptyValue());
  });
}

void ReturnToArena(TfLiteTensor* tensor) {
  // Strings are dynamic from the start, and WHILE's kernel leaves them so.
  if (!HasOwnMemory(*tensor) || tensor->type == kTfLiteString) return;
  std::free(tensor->data.raw);  // The runtime takes it from malloc().
  tensor->data.raw = nullptr;
  tensor->allocation_type = kTfLiteArenaRw;
}

TfLiteStatus PrepareWithValues(TfLiteContext* context, TfLiteNode* node,
                               const TfLiteRegistration& registration,
                               TensorValues* values) {
  if (registration.prepare == nullptr) return kTfLiteOk;
  ForEachPresent(node->outputs, [&](int id) {
    values->erase(id);
    ReturnToArena(&context->tensors[id]);
  });
  const bool follows = IsKnownBefore(*context, *node, registration, *values);
  AsConstants constants(context, *node, *values);
  constants.AddSegments(*node, registration.builtin_code);
  const TfLiteStatus prepared = PrepareKnown(context, node, registration);
  if (prepared != kTfLiteOk) return prepared;
  if (follows && OutputsAreSmall(*context, *node, IsRange(registration))) {
    RunForValues(context, node, registration, values);
  }
  AddEmptyOutputs(*context, *node, values);
  ForEachPresent(node->outputs, [&](int id) {
    if (values->contains(id)) ReturnToArena(&context->tensors[id]);
  });
  return kTfLiteOk;
}

void EvaluateBeside(TfLiteContext* context, TfLiteNode* node,
                    const TfLiteRegistration& registration,
                    TensorValues* values) {
  if (registration.prepare == nullptr ||
      !IsKnownBefore(*context, *node, registration, *values)) {
    return;
  }
  const AsConstants constants(context, *node, *values);
  const OutputsSetAside outputs(context, *node);
  if (PrepareKnown(context, node, registration) != kTfLiteOk) return;
  if (OutputsAreSmall(*context, *node, IsRange(registration))) {
    RunForValues(context, node, registration, values);
  }
  AddEmptyOutputs(*context, *node, values);
}

std::optional<ConstantData> KnownIntegers(const TfLiteTensor& tensor) {
  if (!IsConstant(tensor) || tensor.bytes == 0 || IsFloat(tensor.type) ||
      !IsSmall(tensor)) {
    return std::nullopt;
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(tensor.data.raw);
  return ConstantData::Own(std::vector<uint8_t>(bytes, bytes + tensor.bytes));
}

TfLiteStatus HoldValue(TfLiteContext* context, int tensor,
                       const ConstantData& value) {
  TfLiteTensor& t = context->tensors[tensor];
  if (IsEmpty(t)) return kTfLiteOk;
  if (!HasOwnMemory(t)) t.data.raw = nullptr;
  t.allocation_type = kTfLitePersistentRo;
  // The runtime frees the array that it is given.
  const size_t bytes = sizeof(int) * (t.dims->size + 1);
  auto* dims = static_cast<TfLiteIntArray*>(std::malloc(bytes));
  if (dims == nullptr) return kTfLiteError;
  std::memcpy(dims, t.dims, bytes);
  if (context->ResizeTensor(context, &t, dims) != kTfLiteOk) {
    return kTfLiteError;
  }
  if (t.data.raw == nullptr || t.bytes != value.bytes().size()) {
    return kTfLiteError;
  }
  std::memcpy(t.data.raw, value.bytes().data(), t.bytes);
  return kTfLiteOk;
}

}  // namespace gles_delegate
