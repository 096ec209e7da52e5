#include "tests/fuzz/fake_kernels.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"
#include "tests/fuzz/fake_runtime.h"

namespace gles_delegate::fuzz {
namespace {

// Of subgraphs that call one another: TFLite's kernels do not return from more
// than the stack holds.
constexpr int kMaxDepth = 8;
int g_depth = 0;

// nullptr: it is absent, or there is no such tensor.
TfLiteTensor* TensorOf(TfLiteContext* context, const TfLiteIntArray* list,
                       int place) {
  const int id = place < list->size ? list->data[place] : -1;
  const bool has = id >= 0 && id < static_cast<int>(context->tensors_size);
  return has ? &context->tensors[id] : nullptr;
}

std::vector<int> DimsOf(const TfLiteTensor& t) {
  return {t.dims->data, t.dims->data + t.dims->size};
}

TfLiteStatus Resize(TfLiteContext* context, TfLiteTensor* tensor,
                    const std::vector<int>& dims) {
  return context->ResizeTensor(context, tensor, NewInts(dims));
}

bool IsKnown(const TfLiteTensor& t) {
  return t.data.raw != nullptr && (t.allocation_type == kTfLiteMmapRo ||
                                   t.allocation_type == kTfLitePersistentRo);
}

void MakeDynamic(TfLiteTensor* t) {
  if (t->allocation_type == kTfLiteDynamic) return;
  t->allocation_type = kTfLiteDynamic;
  t->data.raw = nullptr;
}

// As many as its shape has; fewer if a constant of the file has too few.
size_t BytesIn(const TfLiteTensor& t) {
  size_t elements = 1;
  for (int n : DimsOf(t)) elements *= std::max(n, 0);
  return std::min(t.bytes, elements * ElementBytes(t.type));
}

std::vector<int> IntsIn(const TfLiteTensor& t) {
  std::vector<int> values(t.type == kTfLiteInt32 ? BytesIn(t) / sizeof(int)
                                                 : 0);
  if (!values.empty()) {
    std::memcpy(values.data(), t.data.raw, values.size() * sizeof(int));
  }
  return values;
}

// The inputs' free extent; 0: they have none. The delegate hides signatures
// from kernels, which have them of the runtime here.
int FreeExtent(TfLiteContext* context, const TfLiteNode& node) {
  for (int i = 0; i < node.inputs->size; ++i) {
    const TfLiteTensor* t = TensorOf(context, node.inputs, i);
    if (t == nullptr) continue;
    const int axis = FakeRuntime::Of(context).FreeAxis(node.inputs->data[i]);
    if (axis >= 0 && axis < t->dims->size) return t->dims->data[axis];
  }
  return 0;
}

TfLiteStatus Prepare(TfLiteContext* context, TfLiteNode* node) {
  const int extent = FreeExtent(context, *node);
  bool is_dynamic = false;
  for (int i = 0; i < node->inputs->size; ++i) {
    const TfLiteTensor* t = TensorOf(context, node->inputs, i);
    is_dynamic |= t != nullptr && t->allocation_type == kTfLiteDynamic;
  }
  for (int i = 0; i < node->outputs->size; ++i) {
    TfLiteTensor* t = TensorOf(context, node->outputs, i);
    if (t == nullptr || t->is_variable) continue;
    if (is_dynamic) {
      MakeDynamic(t);
      continue;
    }
    std::vector<int> dims = DimsOf(*t);
    const int axis = FakeRuntime::Of(context).FreeAxis(node->outputs->data[i]);
    if (extent > 0 && axis >= 0 && axis < t->dims->size) dims[axis] = extent;
    if (Resize(context, t, dims) != kTfLiteOk) return kTfLiteError;
  }
  return kTfLiteOk;
}

// Of an op whose second input is its output's shape.
TfLiteStatus PrepareReshape(TfLiteContext* context, TfLiteNode* node) {
  const TfLiteTensor* shape = TensorOf(context, node->inputs, 1);
  TfLiteTensor* out = TensorOf(context, node->outputs, 0);
  if (shape == nullptr || out == nullptr || shape->type != kTfLiteInt32) {
    return Prepare(context, node);
  }
  if (!IsKnown(*shape)) {
    MakeDynamic(out);
    return kTfLiteOk;
  }
  const std::vector<int> dims = IntsIn(*shape);
  const bool is_plain =
      std::all_of(dims.begin(), dims.end(), [](int n) { return n >= 0; });
  return is_plain ? Resize(context, out, dims) : Prepare(context, node);
}

TfLiteStatus PrepareShape(TfLiteContext* context, TfLiteNode* node) {
  const TfLiteTensor* in = TensorOf(context, node->inputs, 0);
  TfLiteTensor* out = TensorOf(context, node->outputs, 0);
  if (in == nullptr || out == nullptr || out->type != kTfLiteInt32) {
    return Prepare(context, node);
  }
  const std::vector<int> dims = DimsOf(*in);
  out->allocation_type = kTfLitePersistentRo;
  if (Resize(context, out, {in->dims->size}) != kTfLiteOk) return kTfLiteError;
  if (!dims.empty()) {
    std::memcpy(out->data.raw, dims.data(), dims.size() * sizeof(int));
  }
  return kTfLiteOk;
}

// Prepares a subgraph with a node's inputs.
TfLiteStatus PrepareCalled(TfLiteContext* context, const TfLiteNode& node,
                           FakeRuntime* called) {
  const std::vector<int>& inputs = called->inputs();
  if (g_depth >= kMaxDepth ||
      static_cast<int>(inputs.size()) != node.inputs->size) {
    return kTfLiteError;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TfLiteTensor* from =
        TensorOf(context, node.inputs, static_cast<int>(i));
    if (from == nullptr || inputs[i] < 0) continue;
    TfLiteTensor* to = &called->context()->tensors[inputs[i]];
    to->type = from->type;
    if (Resize(called->context(), to, DimsOf(*from)) != kTfLiteOk) {
      return kTfLiteError;
    }
  }
  ++g_depth;
  const bool is_prepared = called->PrepareNodes();
  --g_depth;
  return is_prepared ? kTfLiteOk : kTfLiteError;
}

// Gives a node's outputs the shapes of a subgraph's.
TfLiteStatus TakeShapes(TfLiteContext* context, const TfLiteNode& node,
                        FakeRuntime* called, bool is_dynamic) {
  for (int i = 0; i < node.outputs->size; ++i) {
    TfLiteTensor* to = TensorOf(context, node.outputs, i);
    const int id = called->outputs()[i];
    if (to == nullptr || id < 0) continue;
    const TfLiteTensor& from = called->context()->tensors[id];
    if (is_dynamic || from.allocation_type == kTfLiteDynamic) {
      MakeDynamic(to);
    } else if (Resize(context, to, DimsOf(from)) != kTfLiteOk) {
      return kTfLiteError;
    }
  }
  return kTfLiteOk;
}

TfLiteStatus PrepareWhile(TfLiteContext* context, TfLiteNode* node) {
  const auto& params = *static_cast<const WhileParams*>(node->builtin_data);
  FakeRuntime* const condition =
      FakeRuntime::Of(context).Subgraph(params.condition);
  FakeRuntime* const body = FakeRuntime::Of(context).Subgraph(params.body);
  const int count = node->inputs->size;
  if (condition == nullptr || body == nullptr || node->outputs->size != count ||
      condition->outputs().size() != 1 || condition->outputs()[0] < 0 ||
      static_cast<int>(body->outputs().size()) != count ||
      PrepareCalled(context, *node, condition) != kTfLiteOk) {
    return kTfLiteError;
  }
  const TfLiteTensor& answer =
      condition->context()->tensors[condition->outputs()[0]];
  if (answer.allocation_type != kTfLiteDynamic) {
    const std::vector<int> dims = DimsOf(answer);
    const bool is_one = dims.empty() || dims == std::vector<int>{1};
    if (answer.type != kTfLiteBool || !is_one) return kTfLiteError;
  }
  if (PrepareCalled(context, *node, body) != kTfLiteOk) return kTfLiteError;
  bool is_dynamic = false;
  for (int i = 0; i < count; ++i) {
    const int in = body->inputs()[i], out = body->outputs()[i];
    if (in < 0 || out < 0) continue;
    const TfLiteTensor* const tensors = body->context()->tensors;
    is_dynamic |= tensors[out].allocation_type == kTfLiteDynamic ||
                  DimsOf(tensors[in]) != DimsOf(tensors[out]);
  }
  return TakeShapes(context, *node, body, is_dynamic);
}

TfLiteStatus PrepareComposite(TfLiteContext* context, TfLiteNode* node) {
  const auto& params = *static_cast<const CompositeParams*>(node->builtin_data);
  FakeRuntime* const called =
      FakeRuntime::Of(context).Subgraph(params.subgraph);
  if (called == nullptr ||
      static_cast<int>(called->outputs().size()) != node->outputs->size ||
      PrepareCalled(context, *node, called) != kTfLiteOk) {
    return kTfLiteError;
  }
  return TakeShapes(context, *node, called, /*is_dynamic=*/false);
}

// The inputs' bytes, again and again.
TfLiteStatus Invoke(TfLiteContext* context, TfLiteNode* node) {
  const TfLiteTensor* in = TensorOf(context, node->inputs, 0);
  for (int i = 0; i < node->outputs->size; ++i) {
    const TfLiteTensor* out = TensorOf(context, node->outputs, i);
    if (in == nullptr || in->data.raw == nullptr || out == nullptr ||
        out->data.raw == nullptr) {
      return kTfLiteError;
    }
    const size_t bytes = BytesIn(*in);
    for (size_t k = 0; k < out->bytes && bytes > 0; ++k) {
      out->data.raw[k] = in->data.raw[k % bytes];
    }
  }
  return kTfLiteOk;
}

TfLiteStatus InvokeNothing(TfLiteContext*, TfLiteNode*) { return kTfLiteOk; }

int Sum(int a, int b) {
  return static_cast<int>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}
int IsLess(int a, int b) { return a < b ? 1 : 0; }

// Of two scalars.
template <int (*kFunction)(int, int)>
TfLiteStatus InvokeInts(TfLiteContext* context, TfLiteNode* node) {
  const TfLiteTensor* a = TensorOf(context, node->inputs, 0);
  const TfLiteTensor* b = TensorOf(context, node->inputs, 1);
  TfLiteTensor* out = TensorOf(context, node->outputs, 0);
  if (a == nullptr || b == nullptr || out == nullptr || IntsIn(*a).empty() ||
      IntsIn(*b).empty() || out->data.raw == nullptr || out->bytes == 0) {
    return Invoke(context, node);
  }
  const int value = kFunction(IntsIn(*a)[0], IntsIn(*b)[0]);
  std::memcpy(out->data.raw, &value, std::min(out->bytes, sizeof(value)));
  return kTfLiteOk;
}

void* Init(TfLiteContext*, const char*, size_t) { return nullptr; }
void Free(TfLiteContext*, void*) {}

}  // namespace

void SetKernel(TfLiteRegistration* registration) {
  registration->init = Init;
  registration->free = Free;
  registration->prepare = Prepare;
  registration->invoke = Invoke;
  switch (registration->builtin_code) {
    case BuiltinOperator_WHILE:
      registration->prepare = PrepareWhile;
      registration->invoke = InvokeNothing;
      break;
    case BuiltinOperator_STABLEHLO_COMPOSITE:
      registration->prepare = PrepareComposite;
      registration->invoke = InvokeNothing;
      break;
    case BuiltinOperator_SHAPE:
      registration->prepare = PrepareShape;
      registration->invoke = InvokeNothing;  // written when prepared
      break;
    case BuiltinOperator_RESHAPE:
    case BuiltinOperator_BROADCAST_TO:
      registration->prepare = PrepareReshape;
      break;
    case BuiltinOperator_ADD:
      registration->invoke = InvokeInts<Sum>;
      break;
    case BuiltinOperator_LESS:
      registration->invoke = InvokeInts<IsLess>;
      break;
    default:
      break;
  }
}

}  // namespace gles_delegate::fuzz
