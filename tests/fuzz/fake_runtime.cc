#include "tests/fuzz/fake_runtime.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

#include "delegate/graph/builtin_codes.h"
#include "tests/fuzz/fake_kernels.h"

namespace gles_delegate::fuzz {
namespace {

// Byte by byte: the Verifier lets 64-bit elements lie on four bytes.
template <typename T>
std::vector<int> ToInts(const flatbuffers::Vector<T>* values) {
  std::vector<int> ints;
  if (values == nullptr) return ints;
  for (size_t i = 0; i < values->size(); ++i) {
    T value;
    std::memcpy(&value, values->Data() + i * sizeof(T), sizeof(T));
    ints.push_back(static_cast<int>(value));
  }
  return ints;
}

std::vector<int> SparseIndices(schema::SparseIndexVector type,
                               const void* table) {
  if (table == nullptr) return {};
  switch (type) {
    case schema::SparseIndexVector::Int32Vector:
      return ToInts(static_cast<const schema::Int32Vector*>(table)->values());
    case schema::SparseIndexVector::Uint16Vector:
      return ToInts(static_cast<const schema::Uint16Vector*>(table)->values());
    case schema::SparseIndexVector::Uint8Vector:
      return ToInts(static_cast<const schema::Uint8Vector*>(table)->values());
    default:
      return {};
  }
}

// No lambda: clang makes none with a "...".
void SayNothing(TfLiteContext*, const char*, ...) {}

// The runtime allocates no larger tensor on its heap.
constexpr size_t kMaxHeapBytes = 64 << 20;

bool IsOnHeap(const TfLiteTensor& t) {
  return t.allocation_type == kTfLiteDynamic ||
         t.allocation_type == kTfLitePersistentRo;
}

}  // namespace

// Later than the oldest runtime's types.
constexpr int kUint16 = 17, kInt4 = 18, kInt2 = 20;

TfLiteType TypeOf(schema::TensorType type) {
  switch (type) {
    case schema::TensorType::FLOAT32:
      return kTfLiteFloat32;
    case schema::TensorType::FLOAT16:
      return kTfLiteFloat16;
    case schema::TensorType::FLOAT64:
      return kTfLiteFloat64;
    case schema::TensorType::UINT16:
      return static_cast<TfLiteType>(kUint16);
    case schema::TensorType::UINT32:
      return kTfLiteUInt32;
    case schema::TensorType::INT32:
      return kTfLiteInt32;
    case schema::TensorType::UINT8:
      return kTfLiteUInt8;
    case schema::TensorType::INT64:
      return kTfLiteInt64;
    case schema::TensorType::STRING:
      return kTfLiteString;
    case schema::TensorType::BOOL:
      return kTfLiteBool;
    case schema::TensorType::INT16:
      return kTfLiteInt16;
    case schema::TensorType::INT8:
      return kTfLiteInt8;
    case schema::TensorType::COMPLEX64:
      return kTfLiteComplex64;
    case schema::TensorType::INT4:
      return static_cast<TfLiteType>(kInt4);
    case schema::TensorType::INT2:
      return static_cast<TfLiteType>(kInt2);
    default:
      return kTfLiteNoType;
  }
}

size_t ElementBytes(TfLiteType type) {
  switch (type) {
    case kTfLiteInt64:
    case kTfLiteComplex64:
    case kTfLiteFloat64:
      return 8;
    case kTfLiteFloat32:
    case kTfLiteInt32:
    case kTfLiteUInt32:
      return 4;
    case kTfLiteFloat16:
    case kTfLiteInt16:
      return 2;
    default:
      return type == kUint16 ? 2 : 1;
  }
}

TfLiteIntArray* NewInts(const std::vector<int>& values) {
  auto* array = static_cast<TfLiteIntArray*>(
      std::malloc((values.size() + 1) * sizeof(int)));
  if (array == nullptr) std::abort();
  array->size = static_cast<int>(values.size());
  std::copy(values.begin(), values.end(), array->data);
  return array;
}

std::unique_ptr<FakeRuntime> FakeRuntime::Create(
    absl::Span<const uint8_t> bytes, const Changes& changes) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!schema::VerifyModelBuffer(verifier)) return nullptr;
  const schema::Model& model = *schema::GetModel(bytes.data());
  if (model.subgraphs() == nullptr || model.subgraphs()->size() == 0 ||
      model.operator_codes() == nullptr || model.buffers() == nullptr) {
    return nullptr;
  }
  std::unique_ptr<FakeRuntime> first(new FakeRuntime);
  if (!first->Load(model, *model.subgraphs()->Get(0))) return nullptr;
  for (uint32_t i = 1; i < model.subgraphs()->size(); ++i) {
    std::unique_ptr<FakeRuntime> other(new FakeRuntime);
    if (!other->Load(model, *model.subgraphs()->Get(i))) return nullptr;
    other->first_ = first.get();
    first->others_.push_back(std::move(other));
  }
  const auto count = static_cast<int>(1 + first->others_.size());
  constexpr int kNodes = 64;  // of which `node` tells
  first->Subgraph(changes.node / kNodes % count)->Break(changes);
  const int in = first->inputs_.empty() ? -1 : first->inputs_[0];
  const int axis = changes.free_axis - 1;
  const bool is_free =
      in >= 0 && axis >= 0 && axis < first->tensors_[in].dims->size;
  const int extent = is_free ? first->tensors_[in].dims->data[axis] : 0;
  for (int i = 0; i < count; ++i) {
    FakeRuntime* const subgraph = first->Subgraph(i);
    if (is_free) subgraph->Free(axis, extent, changes.has_placeholders);
    subgraph->SetSteps(changes.steps);
    subgraph->FillContext(changes.is_old);
  }
  return first;
}

FakeRuntime::~FakeRuntime() {
  for (const TfLiteTensor& t : tensors_) {
    if (IsOnHeap(t)) std::free(t.data.raw);
    std::free(t.dims);
  }
}

bool FakeRuntime::Load(const schema::Model& model,
                       const schema::SubGraph& graph) {
  if (graph.tensors() == nullptr || graph.operators() == nullptr) return false;
  for (const schema::Tensor* tensor : *graph.tensors()) {
    if (!AddTensor(model, *tensor)) return false;
  }
  for (const schema::Operator* op : *graph.operators()) {
    plan_.push_back(static_cast<int>(nodes_.size()));
    if (!AddNode(model, *op)) return false;
  }
  if (!IsInOrder()) return false;
  inputs_ = ToInts(graph.inputs());
  outputs_ = ToInts(graph.outputs());
  for (const std::vector<int>* list : {&inputs_, &outputs_}) {
    for (int id : *list) {
      // -1: an absent one.
      if (id < -1 || id >= static_cast<int>(tensors_.size())) return false;
    }
  }
  return true;
}

void FakeRuntime::FillContext(bool is_old) {
  TfLiteContext& c = shown_.context;
  c.impl_ = this;
  c.tensors = tensors_.data();
  c.tensors_size = tensors_.size();
  c.ReportError = SayNothing;
  c.GetExecutionPlan = [](TfLiteContext* context, TfLiteIntArray** plan) {
    *plan = Of(context).Ints(Of(context).plan_);
    return kTfLiteOk;
  };
  c.GetNodeAndRegistration = [](TfLiteContext* context, int index,
                                TfLiteNode** node,
                                TfLiteRegistration** registration) {
    FakeRuntime& runtime = Of(context);
    if (index < 0 || index >= static_cast<int>(runtime.nodes_.size())) {
      return kTfLiteError;
    }
    *node = &runtime.nodes_[index];
    *registration = &runtime.registrations_[index];
    return kTfLiteOk;
  };
  c.ResizeTensor = [](TfLiteContext* context, TfLiteTensor* tensor,
                      TfLiteIntArray* dims) {
    return Of(context).Resize(tensor, dims);
  };
  c.AddTensors = [](TfLiteContext* context, int count, int* first) {
    return Of(context).AddTensors(count, first);
  };
  // By this the delegate knows that subgraphs are of one interpreter.
  c.GetExternalContext = [](TfLiteContext* context, TfLiteExternalContextType) {
    return reinterpret_cast<TfLiteExternalContext*>(Of(context).first_);
  };
  if (is_old) return;
  shown_.acquire = [](TfLiteContext* context, int place,
                      TfLiteContext** found) {
    FakeRuntime* const subgraph = Of(context).Subgraph(place);
    if (subgraph == nullptr) return kTfLiteError;
    *found = subgraph->context();
    return kTfLiteOk;
  };
  shown_.release = [](TfLiteContext*, int) { return kTfLiteOk; };
}

FakeRuntime* FakeRuntime::Subgraph(int place) {
  if (place == 0) return first_;
  const auto& others = first_->others_;
  return place > 0 && place <= static_cast<int>(others.size())
             ? others[place - 1].get()
             : nullptr;
}

int FakeRuntime::FreeAxis(int tensor) const {
  return tensor < static_cast<int>(free_axes_.size()) ? free_axes_[tensor] : -1;
}

bool FakeRuntime::PrepareNodes() {
  return std::all_of(plan_.begin(), plan_.end(), [this](int index) {
    return registrations_[index].prepare(context(), &nodes_[index]) ==
           kTfLiteOk;
  });
}

int FakeRuntime::AddNode(const TfLiteNode& node,
                         const TfLiteRegistration& registration) {
  nodes_.push_back(node);
  registrations_.push_back(registration);
  return static_cast<int>(nodes_.size()) - 1;
}

void FakeRuntime::SetPlan(std::vector<int> plan) { plan_ = std::move(plan); }

// As the runtime does: a tensor of the arena has no memory until all nodes are
// prepared.
TfLiteStatus FakeRuntime::Resize(TfLiteTensor* tensor, TfLiteIntArray* dims) {
  size_t bytes = ElementBytes(tensor->type);
  bool fits = tensor->allocation_type != kTfLiteMmapRo &&
              tensor->allocation_type != kTfLiteCustom;
  for (int i = 0; i < dims->size; ++i) {
    fits &= dims->data[i] >= 0 &&
            !__builtin_mul_overflow(bytes, dims->data[i], &bytes);
  }
  fits &= !IsOnHeap(*tensor) || bytes <= kMaxHeapBytes;
  if (!fits) {
    std::free(dims);
    return kTfLiteError;
  }
  if (tensor->dims != dims) std::free(tensor->dims);
  tensor->dims = dims;
  tensor->bytes = bytes;
  if (IsOnHeap(*tensor)) std::free(tensor->data.raw);
  tensor->data.raw = IsOnHeap(*tensor) && bytes > 0
                         ? static_cast<char*>(std::calloc(bytes, 1))
                         : nullptr;
  return kTfLiteOk;
}

TfLiteStatus FakeRuntime::AddTensors(int count, int* first) {
  if (first != nullptr) *first = static_cast<int>(tensors_.size());
  tensors_.resize(tensors_.size() + count);
  shown_.context.tensors = tensors_.data();
  shown_.context.tensors_size = tensors_.size();
  return kTfLiteOk;
}

void FakeRuntime::Free(int axis, int extent, bool has_placeholders) {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    TfLiteTensor& t = tensors_[i];
    if (t.allocation_type != kTfLiteArenaRw || axis >= t.dims->size ||
        t.dims->data[axis] != extent) {
      continue;
    }
    std::vector<int> signature(t.dims->data, t.dims->data + t.dims->size);
    signature[axis] = -1;
    t.dims_signature = Ints(std::move(signature));
    free_axes_[i] = axis;
    if (has_placeholders) t.dims->data[axis] = 1;
  }
}

// Changes the number that a loop counts to: constants of one integer in the
// condition. Long loops take long, so that each is one value of 256.
void FakeRuntime::SetSteps(uint8_t steps) {
  constexpr int kSteps[] = {0, 1, 2, 3, 16, 300, 20000, -1, INT_MIN, INT_MAX};
  constexpr size_t kShort = 5;
  if (steps == 0) return;
  for (size_t n = 0; n < nodes_.size(); ++n) {
    if (registrations_[n].builtin_code != BuiltinOperator_LESS) continue;
    for (int i = 0; i < nodes_[n].inputs->size; ++i) {
      const int id = nodes_[n].inputs->data[i];
      if (id < 0) continue;
      TfLiteTensor& t = tensors_[id];
      if (t.type != kTfLiteInt32 || t.allocation_type != kTfLiteMmapRo ||
          t.bytes < sizeof(int)) {
        continue;
      }
      // One more than there are: it is known only at run time.
      const size_t which = steps <= std::size(kSteps) ? steps : steps % kShort;
      const bool is_known = which < std::size(kSteps);
      t.data.raw = nullptr;
      if (is_known) {
        t.data.raw = reinterpret_cast<char*>(Ints({kSteps[which]})->data);
      }
      t.bytes = sizeof(int);
      t.allocation_type = is_known ? kTfLiteMmapRo : kTfLiteArenaRw;
    }
  }
}

bool FakeRuntime::AddTensor(const schema::Model& model,
                            const schema::Tensor& tensor) {
  if (tensor.buffer() >= model.buffers()->size()) return false;
  TfLiteTensor t = {};
  t.type = TypeOf(tensor.type());
  t.dims = NewInts(ToInts(tensor.shape()));
  if (tensor.name() != nullptr) t.name = tensor.name()->c_str();
  t.is_variable = tensor.is_variable();
  t.allocation_type = t.is_variable ? kTfLiteArenaRwPersistent : kTfLiteArenaRw;
  const auto* data = model.buffers()->Get(tensor.buffer())->data();
  if (data != nullptr && data->size() > 0) {
    t.allocation_type = kTfLiteMmapRo;
    t.data.raw_const = reinterpret_cast<const char*>(data->data());
    t.bytes = data->size();
  }
  if (tensor.quantization() != nullptr) {
    ReadQuantization(*tensor.quantization(), &t);
  }
  const bool is_read =
      tensor.sparsity() == nullptr || ReadSparsity(*tensor.sparsity(), &t);
  std::vector<int> signature = ToInts(tensor.shape_signature());
  const auto free = std::find(signature.begin(), signature.end(), -1);
  free_axes_.push_back(free == signature.end()
                           ? -1
                           : static_cast<int>(free - signature.begin()));
  if (!signature.empty()) t.dims_signature = Ints(std::move(signature));
  tensors_.push_back(t);
  return is_read;
}

void FakeRuntime::ReadQuantization(const schema::QuantizationParameters& from,
                                   TfLiteTensor* to) {
  if (const auto* blocks = from.details_as_BlockwiseQuantization()) {
    constexpr int kBlockwise = 2;
    ints_.push_back({blocks->scales(), blocks->zero_points(),
                     blocks->block_size(), from.quantized_dimension()});
    to->quantization = {static_cast<TfLiteQuantizationType>(kBlockwise),
                        ints_.back().data()};
    return;
  }
  if (from.scale() == nullptr || from.scale()->size() == 0) return;
  TfLiteAffineQuantization q = {};
  q.scale = Floats({from.scale()->begin(), from.scale()->end()});
  q.zero_point = Ints(ToInts(from.zero_point()));
  q.quantized_dimension = from.quantized_dimension();
  quantizations_.push_back(q);
  to->quantization = {kTfLiteAffineQuantization, &quantizations_.back()};
  if (q.scale->size == 1 && q.zero_point->size == 1) {
    to->params = {q.scale->data[0], q.zero_point->data[0]};
  }
}

bool FakeRuntime::ReadSparsity(const schema::SparsityParameters& from,
                               TfLiteTensor* to) {
  TfLiteSparsity s = {};
  s.traversal_order = Ints(ToInts(from.traversal_order()));
  s.block_map = Ints(ToInts(from.block_map()));
  std::vector<TfLiteDimensionMetadata>& levels = dimensions_.emplace_back();
  if (from.dim_metadata() == nullptr) return false;
  for (const schema::DimensionMetadata* level : *from.dim_metadata()) {
    const bool csr = level->format() == schema::DimensionType::SPARSE_CSR;
    levels.push_back({csr ? kTfLiteDimSparseCSR : kTfLiteDimDense,
                      level->dense_size(),
                      Ints(SparseIndices(level->array_segments_type(),
                                         level->array_segments())),
                      Ints(SparseIndices(level->array_indices_type(),
                                         level->array_indices()))});
  }
  s.dim_metadata = levels.data();
  s.dim_metadata_size = static_cast<int>(levels.size());
  sparsities_.push_back(s);
  to->sparsity = &sparsities_.back();
  return true;
}

bool FakeRuntime::AddNode(const schema::Model& model,
                          const schema::Operator& op) {
  if (op.opcode_index() >= model.operator_codes()->size()) return false;
  const schema::OperatorCode& code =
      *model.operator_codes()->Get(op.opcode_index());
  TfLiteNode node = {};
  for (const auto& [from, to] :
       {std::pair(op.inputs(), &node.inputs),
        std::pair(op.outputs(), &node.outputs),
        std::pair(op.intermediates(), &node.intermediates)}) {
    *to = Ints(ToInts(from));
    for (int i = 0; i < (*to)->size; ++i) {
      const int id = (*to)->data[i];
      if (id != kTfLiteOptionalTensor &&
          (id < 0 || id >= static_cast<int>(tensors_.size()))) {
        return false;
      }
    }
  }
  TfLiteRegistration registration = {};
  // Files from before 2.4 have the code in the deprecated field.
  registration.builtin_code =
      std::max(static_cast<int>(code.builtin_code()),
               static_cast<int>(code.deprecated_builtin_code()));
  registration.version = code.version();
  if (registration.builtin_code ==
      static_cast<int>(schema::BuiltinOperator::CUSTOM)) {
    if (code.custom_code() == nullptr) return false;
    registration.custom_name = code.custom_code()->c_str();
  } else {
    bytes_.push_back(BuiltinParamsOf(op, registration.builtin_code));
    node.builtin_data = bytes_.back().data();
  }
  if (op.custom_options() != nullptr) {
    node.custom_initial_data = op.custom_options()->data();
    node.custom_initial_data_size =
        static_cast<int>(op.custom_options()->size());
  }
  SetKernel(&registration);
  AddNode(node, registration);
  return true;
}

void FakeRuntime::Break(const Changes& changes) {
  if (changes.fault == 0 || nodes_.empty()) return;
  TfLiteNode& node = nodes_[changes.node % nodes_.size()];
  std::vector<int*> places;
  for (TfLiteIntArray* list : {node.inputs, node.outputs, node.intermediates}) {
    for (int i = 0; i < list->size; ++i) places.push_back(&list->data[i]);
  }
  for (int& id : outputs_) places.push_back(&id);
  if (places.empty()) return;
  int& id = *places[changes.place % places.size()];
  const auto other = [&](const TfLiteIntArray* list) {
    return list->size == 0 ? -1 : list->data[changes.place % list->size];
  };
  // The model's own outputs TFLite looks at, but for -1.
  const bool is_of_node =
      changes.place % places.size() < places.size() - outputs_.size();
  TfLiteNode& next = nodes_[(changes.node + 1) % nodes_.size()];
  const auto become_variable = [&](int tensor) {
    if (tensor < 0 || tensors_[tensor].allocation_type == kTfLiteMmapRo) return;
    tensors_[tensor].is_variable = true;
    tensors_[tensor].allocation_type = kTfLiteArenaRwPersistent;
  };
  constexpr int kKinds = 8;
  switch (is_of_node ? changes.fault % kKinds : 0) {
    case 0:
      id = -1;
      break;
    case 1:  // no tensor has it
      id = changes.fault >= 128 ? INT_MAX : static_cast<int>(tensors_.size());
      break;
    case 2:
      id = -2 - changes.fault;
      break;
    case 3:  // a node that reads what it writes
      id = other(node.outputs);
      break;
    case 5:  // two nodes that write one tensor, or the next reads it
      if (next.outputs->size > 0) id = next.outputs->data[0];
      break;
    case 6:  // a state, perhaps one that a node writes
      become_variable(id);
      break;
    case 7:  // one state of two nodes
      become_variable(id);
      if (next.inputs->size > 0) {
        next.inputs->data[changes.place % next.inputs->size] = id;
      }
      break;
    default:  // the same twice, or a node that writes what it reads
      id = other(node.inputs);
      break;
  }
}

bool FakeRuntime::IsInOrder() const {
  std::vector<bool> made_later(tensors_.size(), false);
  for (const TfLiteNode& node : nodes_) {
    for (int i = 0; i < node.outputs->size; ++i) {
      const int id = node.outputs->data[i];
      if (id >= 0) made_later[id] = true;
    }
  }
  for (const TfLiteNode& node : nodes_) {
    for (int i = 0; i < node.inputs->size; ++i) {
      const int id = node.inputs->data[i];
      if (id >= 0 && made_later[id]) return false;
    }
    for (int i = 0; i < node.outputs->size; ++i) {
      const int id = node.outputs->data[i];
      if (id >= 0) made_later[id] = false;
    }
  }
  return true;
}

TfLiteIntArray* FakeRuntime::Ints(std::vector<int> values) {
  values.insert(values.begin(), static_cast<int>(values.size()));
  ints_.push_back(std::move(values));
  return reinterpret_cast<TfLiteIntArray*>(ints_.back().data());
}

TfLiteFloatArray* FakeRuntime::Floats(const std::vector<float>& values) {
  std::vector<int> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  return reinterpret_cast<TfLiteFloatArray*>(Ints(std::move(bits)));
}

}  // namespace gles_delegate::fuzz
