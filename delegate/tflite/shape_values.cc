#include "delegate/tflite/shape_values.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "delegate/graph/builtin_codes.h"
#include "delegate/tflite/as_constants.h"
#include "delegate/tflite/scratch_memory.h"

namespace gles_delegate {
namespace {

// More than any shape has. The GPU may compute what is larger: positions,
// masks.
constexpr size_t kMaxIntegers = 4096;
// A shape times a factor, on its way back to integers.
constexpr size_t kMaxFloats = 32;

bool GivesShape(int builtin_code) {
  return builtin_code == BuiltinOperator_SHAPE ||
         builtin_code == BuiltinOperator_RANK;
}

// Ops that arithmetic on shapes consists of: functions of their inputs alone.
bool IsShapeArithmetic(int builtin_code) {
  static constexpr int kOps[] = {
      BuiltinOperator_ABS,           BuiltinOperator_ADD,
      BuiltinOperator_ARG_MAX,       BuiltinOperator_ARG_MIN,
      BuiltinOperator_CAST,          BuiltinOperator_CEIL,
      BuiltinOperator_CONCATENATION, BuiltinOperator_CUMSUM,
      BuiltinOperator_DIV,           BuiltinOperator_EQUAL,
      BuiltinOperator_EXPAND_DIMS,   BuiltinOperator_FILL,
      BuiltinOperator_FLOOR,         BuiltinOperator_FLOOR_DIV,
      BuiltinOperator_FLOOR_MOD,     BuiltinOperator_GATHER,
      BuiltinOperator_GATHER_ND,     BuiltinOperator_GREATER,
      BuiltinOperator_GREATER_EQUAL, BuiltinOperator_LESS,
      BuiltinOperator_LESS_EQUAL,    BuiltinOperator_LOGICAL_AND,
      BuiltinOperator_LOGICAL_NOT,   BuiltinOperator_LOGICAL_OR,
      BuiltinOperator_MAXIMUM,       BuiltinOperator_MINIMUM,
      BuiltinOperator_MUL,           BuiltinOperator_NEG,
      BuiltinOperator_NOT_EQUAL,     BuiltinOperator_PACK,
      BuiltinOperator_PAD,           BuiltinOperator_POW,
      BuiltinOperator_RANGE,         BuiltinOperator_REDUCE_ALL,
      BuiltinOperator_REDUCE_ANY,    BuiltinOperator_REDUCE_MAX,
      BuiltinOperator_REDUCE_MIN,    BuiltinOperator_REDUCE_PROD,
      BuiltinOperator_RESHAPE,       BuiltinOperator_REVERSE_V2,
      BuiltinOperator_ROUND,         BuiltinOperator_SELECT,
      BuiltinOperator_SELECT_V2,     BuiltinOperator_SLICE,
      BuiltinOperator_SPLIT,         BuiltinOperator_SPLIT_V,
      BuiltinOperator_SQUARE,        BuiltinOperator_SQUEEZE,
      BuiltinOperator_STRIDED_SLICE, BuiltinOperator_SUB,
      BuiltinOperator_SUM,           BuiltinOperator_TILE,
      BuiltinOperator_TRANSPOSE,     BuiltinOperator_UNPACK,
      BuiltinOperator_ZEROS_LIKE,    BuiltinOperator_BROADCAST_TO};
  return std::find(std::begin(kOps), std::end(kOps), builtin_code) !=
         std::end(kOps);
}

bool IsSmall(const TfLiteTensor& t) {
  switch (t.type) {
    case kTfLiteInt32:
      return t.bytes <= kMaxIntegers * sizeof(int32_t);
    case kTfLiteInt64:
      return t.bytes <= kMaxIntegers * sizeof(int64_t);
    case kTfLiteBool:
      return t.bytes <= kMaxIntegers;
    case kTfLiteFloat32:
      return t.bytes <= kMaxFloats * sizeof(float);
    default:
      return false;
  }
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
      : context_(context) {
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
  struct Before {
    int id;
    TfLiteAllocationType type;
    char* data;
    size_t bytes;
  };
  TfLiteContext* context_;
  std::vector<Before> before_;
};

// The node's inputs are all known, some of them by the shapes of others.
bool InputsAreKnown(const TfLiteContext& context, const TfLiteNode& node,
                    const TensorValues& values) {
  bool known = true, follows_from_shapes = false;
  ForEachPresent(node.inputs, [&](int id) {
    const TfLiteTensor& t = context.tensors[id];
    const bool has_value = values.contains(id);
    follows_from_shapes |= has_value;
    known &= has_value || IsConstant(t);
  });
  return known && follows_from_shapes;
}

bool FollowsFromShapes(const TfLiteContext& context, const TfLiteNode& node,
                       const TfLiteRegistration& registration,
                       const TensorValues& values) {
  if (registration.invoke == nullptr) return false;
  return GivesShape(registration.builtin_code) ||
         (IsShapeArithmetic(registration.builtin_code) &&
          InputsAreKnown(context, node, values));
}

bool OutputsAreSmall(const TfLiteContext& context, const TfLiteNode& node) {
  bool small = true;
  ForEachPresent(node.outputs, [&](int id) {
    const TfLiteTensor& t = context.tensors[id];
    // The kernel will size a dynamic tensor as it runs.
    small &= t.allocation_type == kTfLiteDynamic || IsSmall(t);
  });
  return small;
}

// Runs a node that has been prepared, and adds what it writes to `values`.
void RunForValues(TfLiteContext* context, TfLiteNode* node,
                  const TfLiteRegistration& registration,
                  TensorValues* values) {
  ScratchMemory::Blocks blocks;
  ScratchMemory scratch(context, &blocks);
  scratch.LendToNode(*node, [](int) { return false; });
  if (registration.invoke(context, node) != kTfLiteOk) return;
  ForEachPresent(node->outputs, [&](int id) {
    const TfLiteTensor& t = context->tensors[id];
    if (t.data.raw == nullptr || t.bytes == 0 || !IsSmall(t)) return;
    const auto* bytes = reinterpret_cast<const uint8_t*>(t.data.raw);
    (*values)[id] =
        ConstantData::Own(std::vector<uint8_t>(bytes, bytes + t.bytes));
  });
}

}  // namespace

void ReturnToArena(TfLiteTensor* tensor) {
  if (!HasOwnMemory(*tensor)) return;
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
  const bool follows =
      FollowsFromShapes(*context, *node, registration, *values);
  AsConstants constants(context, *node, *values);
  constants.AddSegments(*node, registration.builtin_code);
  const TfLiteStatus prepared = registration.prepare(context, node);
  if (prepared != kTfLiteOk || !follows) return prepared;
  if (OutputsAreSmall(*context, *node)) {
    RunForValues(context, node, registration, values);
  }
  ForEachPresent(node->outputs, [&](int id) {
    if (values->contains(id)) ReturnToArena(&context->tensors[id]);
  });
  return kTfLiteOk;
}

void EvaluateBeside(TfLiteContext* context, TfLiteNode* node,
                    const TfLiteRegistration& registration,
                    TensorValues* values) {
  if (registration.prepare == nullptr ||
      !FollowsFromShapes(*context, *node, registration, *values)) {
    return;
  }
  const AsConstants constants(context, *node, *values);
  const OutputsSetAside outputs(context, *node);
  if (registration.prepare(context, node) == kTfLiteOk &&
      OutputsAreSmall(*context, *node)) {
    RunForValues(context, node, registration, values);
  }
}

std::optional<ConstantData> KnownIntegers(const TfLiteTensor& tensor) {
  if (!IsConstant(tensor) || tensor.bytes == 0 ||
      tensor.type == kTfLiteFloat32 || !IsSmall(tensor)) {
    return std::nullopt;
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(tensor.data.raw);
  return ConstantData::Own(std::vector<uint8_t>(bytes, bytes + tensor.bytes));
}

TfLiteStatus HoldValue(TfLiteContext* context, int tensor,
                       const ConstantData& value) {
  TfLiteTensor& t = context->tensors[tensor];
  if (!HasOwnMemory(t)) t.data.raw = nullptr;
  t.allocation_type = kTfLitePersistentRo;
  // The runtime frees the array that it is given.
  const size_t bytes = sizeof(int) * (t.dims->size + 1);
  auto* dims = static_cast<TfLiteIntArray*>(std::malloc(bytes));
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
