// Longer than 300 lines: what TFLite makes of each part of a file.
#include "tests/fuzz/fake_runtime.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <utility>

#include "delegate/graph/builtin_params.h"

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

FakeRuntime* RuntimeOf(TfLiteContext* context) {
  return static_cast<FakeRuntime*>(context->impl_);
}

}  // namespace

TfLiteType TypeOf(schema::TensorType type) {
  constexpr int kInt4 = 18, kInt2 = 20;
  switch (type) {
    case schema::TensorType::FLOAT32:
      return kTfLiteFloat32;
    case schema::TensorType::FLOAT16:
      return kTfLiteFloat16;
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
    case schema::TensorType::INT4:
      return static_cast<TfLiteType>(kInt4);
    case schema::TensorType::INT2:
      return static_cast<TfLiteType>(kInt2);
    default:
      return kTfLiteNoType;
  }
}

std::unique_ptr<FakeRuntime> FakeRuntime::Create(
    absl::Span<const uint8_t> bytes, IndexFault fault) {
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!schema::VerifyModelBuffer(verifier)) return nullptr;
  std::unique_ptr<FakeRuntime> runtime(new FakeRuntime);
  if (!runtime->Load(*schema::GetModel(bytes.data()), fault)) return nullptr;
  return runtime;
}

bool FakeRuntime::Load(const schema::Model& model, IndexFault fault) {
  if (model.subgraphs() == nullptr || model.subgraphs()->size() == 0 ||
      model.operator_codes() == nullptr || model.buffers() == nullptr) {
    return false;
  }
  const schema::SubGraph& graph = *model.subgraphs()->Get(0);
  if (graph.tensors() == nullptr || graph.operators() == nullptr) return false;
  for (const schema::Tensor* tensor : *graph.tensors()) {
    if (!AddTensor(model, *tensor)) return false;
  }
  std::vector<int> plan;
  for (const schema::Operator* op : *graph.operators()) {
    plan.push_back(static_cast<int>(nodes_.size()));
    if (!AddNode(model, *op)) return false;
  }
  if (!IsInOrder()) return false;
  plan_ = Ints(std::move(plan));
  inputs_ = ToInts(graph.inputs());
  outputs_ = ToInts(graph.outputs());
  for (const std::vector<int>* list : {&inputs_, &outputs_}) {
    for (int id : *list) {
      // -1: an absent one.
      if (id < -1 || id >= static_cast<int>(tensors_.size())) return false;
    }
  }
  Break(fault);
  context_.impl_ = this;
  context_.tensors = tensors_.data();
  context_.tensors_size = tensors_.size();
  context_.ReportError = SayNothing;
  context_.GetExecutionPlan = [](TfLiteContext* context,
                                 TfLiteIntArray** plan) {
    *plan = RuntimeOf(context)->plan_;
    return kTfLiteOk;
  };
  context_.GetNodeAndRegistration = [](TfLiteContext* context, int index,
                                       TfLiteNode** node,
                                       TfLiteRegistration** registration) {
    FakeRuntime& runtime = *RuntimeOf(context);
    if (index < 0 || index >= static_cast<int>(runtime.nodes_.size())) {
      return kTfLiteError;
    }
    *node = &runtime.nodes_[index];
    *registration = &runtime.registrations_[index];
    return kTfLiteOk;
  };
  return true;
}

bool FakeRuntime::AddTensor(const schema::Model& model,
                            const schema::Tensor& tensor) {
  TfLiteTensor t = {};
  t.type = TypeOf(tensor.type());
  t.dims = Ints(ToInts(tensor.shape()));
  if (tensor.name() != nullptr) t.name = tensor.name()->c_str();
  t.is_variable = tensor.is_variable();
  t.allocation_type = t.is_variable ? kTfLiteArenaRwPersistent : kTfLiteArenaRw;
  if (tensor.buffer() >= model.buffers()->size()) return false;
  const auto* data = model.buffers()->Get(tensor.buffer())->data();
  if (data != nullptr && data->size() > 0) {
    t.allocation_type = kTfLiteMmapRo;
    t.data.raw_const = reinterpret_cast<const char*>(data->data());
    t.bytes = data->size();
  }
  if (tensor.quantization() != nullptr) {
    ReadQuantization(*tensor.quantization(), &t);
  }
  if (tensor.sparsity() != nullptr && !ReadSparsity(*tensor.sparsity(), &t)) {
    return false;
  }
  tensors_.push_back(t);
  return true;
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
  registration.invoke = [](TfLiteContext*, TfLiteNode*) { return kTfLiteOk; };
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
    // A runtime parses options by the op's code, and so never takes another
    // op's for a composite's, which has pointers.
    bytes_.push_back(
        registration.builtin_code ==
                static_cast<int>(schema::BuiltinOperator::STABLEHLO_COMPOSITE)
            ? std::vector<uint8_t>(sizeof(CompositeParams))
            : BuiltinParamsOf(op));
    node.builtin_data = bytes_.back().data();
  }
  if (op.custom_options() != nullptr) {
    node.custom_initial_data = op.custom_options()->data();
    node.custom_initial_data_size =
        static_cast<int>(op.custom_options()->size());
  }
  nodes_.push_back(node);
  registrations_.push_back(registration);
  return true;
}

void FakeRuntime::Break(IndexFault fault) {
  if (fault.kind == 0 || nodes_.empty()) return;
  TfLiteNode& node = nodes_[fault.node % nodes_.size()];
  std::vector<int*> places;
  for (TfLiteIntArray* list : {node.inputs, node.outputs, node.intermediates}) {
    for (int i = 0; i < list->size; ++i) places.push_back(&list->data[i]);
  }
  for (int& id : outputs_) places.push_back(&id);
  if (places.empty()) return;
  int& id = *places[fault.place % places.size()];
  const auto other = [&](const TfLiteIntArray* list) {
    return list->size == 0 ? -1 : list->data[fault.place % list->size];
  };
  // The model's own outputs TFLite looks at, but for -1.
  const bool is_of_node =
      fault.place % places.size() < places.size() - outputs_.size();
  TfLiteNode& next = nodes_[(fault.node + 1) % nodes_.size()];
  const auto become_variable = [&](int tensor) {
    if (tensor < 0 || tensors_[tensor].allocation_type == kTfLiteMmapRo) return;
    tensors_[tensor].is_variable = true;
    tensors_[tensor].allocation_type = kTfLiteArenaRwPersistent;
  };
  constexpr int kKinds = 8;
  switch (is_of_node ? fault.kind % kKinds : 0) {
    case 0:
      id = -1;
      break;
    case 1:  // no tensor has it
      id = fault.kind >= 128 ? INT_MAX : static_cast<int>(tensors_.size());
      break;
    case 2:
      id = -2 - fault.kind;
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
        next.inputs->data[fault.place % next.inputs->size] = id;
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
