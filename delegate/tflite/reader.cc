#include "delegate/tflite/reader.h"

#include <algorithm>
#include <cstring>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "delegate/graph/float_view.h"
#include "delegate/graph/op.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/recurrent/lstm_inputs.h"
#include "delegate/passes/fold_constants.h"
#include "delegate/tflite/host_view.h"
#include "delegate/tflite/hybrid_weights.h"
#include "delegate/tflite/runtime_age.h"
#include "quant/int4.h"

namespace gles_delegate {
namespace {

constexpr int kCustomCode = 32;
constexpr int kLstmCode = 16;

absl::string_view BuiltinName(int code) {
  switch (code) {
#define BUILTIN(name, value) \
  case value:                \
    return #name;
#include "delegate/tflite/builtin_names.inc"
#undef BUILTIN
    default:
      return "UNKNOWN";
  }
}

DataType ReadType(TfLiteType type) {
  switch (type) {
    case kTfLiteFloat32:
      return DataType::kFloat32;
    case kTfLiteFloat16:
      return DataType::kFloat16;
    case kTfLiteInt64:
      return DataType::kInt64;
    case kTfLiteInt32:
      return DataType::kInt32;
    case kTfLiteInt16:
      return DataType::kInt16;
    case kTfLiteInt8:
      return DataType::kInt8;
    case kTfLiteUInt8:
      return DataType::kUint8;
    case kTfLiteBool:
      return DataType::kBool;
    default:
      return DataType::kOther;
  }
}

std::vector<int> ReadInts(const TfLiteIntArray* array) {
  if (array == nullptr) return {};
  return std::vector<int>(array->data, array->data + array->size);
}

Quantization ReadQuantization(const TfLiteTensor& tensor) {
  Quantization q;
  if (tensor.quantization.type != kTfLiteAffineQuantization ||
      tensor.quantization.params == nullptr) {
    return q;
  }
  const auto* affine =
      static_cast<const TfLiteAffineQuantization*>(tensor.quantization.params);
  if (affine->scale != nullptr) {
    q.scale.assign(affine->scale->data,
                   affine->scale->data + affine->scale->size);
  }
  for (int z : ReadInts(affine->zero_point)) q.zero_point.push_back(z);
  q.dimension = affine->quantized_dimension;
  return q;
}

Sparsity ReadSparsity(const TfLiteSparsity* sparsity) {
  Sparsity s;
  if (sparsity == nullptr) return s;
  s.traversal_order = ReadInts(sparsity->traversal_order);
  s.block_map = ReadInts(sparsity->block_map);
  for (int i = 0; i < sparsity->dim_metadata_size; ++i) {
    const TfLiteDimensionMetadata& d = sparsity->dim_metadata[i];
    s.dimensions.push_back({d.format == kTfLiteDimSparseCSR, d.dense_size,
                            ReadInts(d.array_segments),
                            ReadInts(d.array_indices)});
  }
  return s;
}

std::string OpName(const TfLiteRegistration& registration) {
  if (registration.builtin_code == kCustomCode) {
    return absl::StrCat("CUSTOM ", registration.custom_name == nullptr
                                       ? "(unnamed)"
                                       : registration.custom_name);
  }
  return std::string(BuiltinName(registration.builtin_code));
}

// The types of tensors that shaders read and write. Which of them an op takes,
// its parser says.
bool RunsOnGpu(DataType type) {
  return type == DataType::kFloat32 || type == DataType::kInt32 ||
         type == DataType::kBool;
}

absl::Status WhyNotFloat(const Tensor& tensor, const ReadOptions& options) {
  if (!IsQuantizedType(tensor.stored())) {
    return absl::UnimplementedError(absl::StrCat(
        tensor.ToString(),
        ": only float32, int32 and bool activations run on the GPU"));
  }
  if (!options.enable_quantization) {
    return absl::UnimplementedError(absl::StrCat(
        tensor.ToString(),
        " is quantized, and the option enable_quantization is off"));
  }
  const absl::Status status = CheckQuantization(tensor, options.half);
  return status.ok()
             ? absl::InternalError("a quantized tensor without float view")
             : status;
}

// Quantized activations that were given no float view: why not. Before the op's
// parser, which only sees that they are no floats. Likewise activations whose
// view the op does not take.
absl::Status CheckViews(const Graph& graph, const TfLiteNode& node,
                        const OpDefinition& op, const ReadOptions& options) {
  for (const TfLiteIntArray* list : {node.inputs, node.outputs}) {
    for (int index : ReadInts(list)) {
      if (index < 0) continue;
      const Tensor& t = graph.tensor(index);
      if (t.is_constant()) continue;
      if (IsQuantizedType(t.type) ||
          !TakesHostView(op, t, /*is_output=*/list == node.outputs)) {
        return WhyNotFloat(t, options);
      }
    }
  }
  return absl::OkStatus();
}

// Shapes that only a run of the model tells.
absl::Status CheckShapesKnown(const Graph& graph, const TfLiteNode& node,
                              const UnknownShapes& unknown) {
  for (const TfLiteIntArray* list : {node.inputs, node.outputs}) {
    for (int index : ReadInts(list)) {
      if (!unknown.contains(index)) continue;
      return absl::UnimplementedError(
          absl::StrCat(graph.tensor(index).ToString(),
                       " has a shape that is known only at run time"));
    }
  }
  return absl::OkStatus();
}

// The input of a builtin that may be an int32 bias; -1: it has none.
int BiasInput(int builtin_code) {
  constexpr int kConv2d = 3, kDepthwise = 4, kFullyConnected = 9,
                kTransposeConv = 67;
  switch (builtin_code) {
    case kConv2d:
    case kDepthwise:
    case kFullyConnected:
      return 2;
    case kTransposeConv:
      return 3;
    default:
      return -1;
  }
}

// Before anything is done with a node's tensors, constants too: shapes that no
// tensor here may have.
absl::Status CheckShapes(const Graph& graph, const TfLiteNode& node) {
  for (const TfLiteIntArray* list : {node.inputs, node.outputs}) {
    for (int index : ReadInts(list)) {
      if (index < 0) continue;
      const Tensor& t = graph.tensor(index);
      if (const absl::Status s = CheckDims(t.dims); !s.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat("'", t.name, "': ", s.message()));
      }
    }
  }
  return absl::OkStatus();
}

// What every op refuses alike, before its own parser is asked.
absl::Status CheckTensors(const Graph& graph, const TfLiteNode& node,
                          const ReadOptions& options) {
  for (const TfLiteIntArray* list : {node.inputs, node.outputs}) {
    for (int index : ReadInts(list)) {
      if (index < 0) continue;
      const Tensor& t = graph.tensor(index);
      if (t.is_constant()) continue;
      if (!RunsOnGpu(t.type)) return WhyNotFloat(t, options);
      if (t.shape.elements() <= 0) {
        return absl::UnimplementedError(
            absl::StrCat(t.ToString(), " is empty"));
      }
    }
  }
  return absl::OkStatus();
}

// `other_types`: the version may be for other types than floats. With
// enable_quantization it always may: files that were made from 8-bit models, or
// hold 8-bit nodes too, give float nodes their versions (posenet's depthwise
// convolutions are of version 3).
absl::Status CheckVersion(const OpDefinition& op, int version,
                          bool other_types) {
  const int most = other_types
                       ? std::max(op.max_version, op.max_version_quantized)
                       : op.max_version;
  if (version <= most) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "version ", version, " of the op is newer than version ", most,
      ", the last that is known here", other_types ? "" : " for floats"));
}

class ModelReader {
 public:
  ModelReader(TfLiteContext* context, const ModelNodes& nodes,
              const DeviceProfile& profile, const ReadOptions& options)
      : context_(context),
        nodes_(nodes),
        profile_(profile),
        options_(options),
        runtime_of_2_14_(IsRuntimeOf214(*context)) {}

  absl::StatusOr<CheckedModel> Read() {
    for (size_t i = 0; i < context_->tensors_size; ++i) {
      Tensor tensor = ReadTensor(context_->tensors[i], static_cast<int>(i));
      if (options_.enable_quantization && IsQuantizedType(tensor.type) &&
          CheckQuantization(tensor, options_.half).ok()) {
        ViewAsFloat(&tensor);
      } else {
        ViewForHost(&tensor);
      }
      model_.graph.AddTensor(std::move(tensor));
    }
    if (auto s = LookOver(nodes_.plan); !s.ok()) return s;
    for (int index : nodes_.checked) {
      if (auto s = ReadNode(index); !s.ok()) return s;
    }
    return std::move(model_);
  }

 private:
  absl::Status ReadNode(int index) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (auto s = nodes_.find.Get(context_, index, &node, &registration);
        !s.ok()) {
      return s;
    }
    CheckedNode checked;
    checked.index = index;
    checked.op = OpName(*registration);
    checked.tensors = Tensors(*node);
    checked.inputs = ReadInts(node->inputs);
    checked.support = Check(*node, *registration, &checked);
    model_.position_of[index] = model_.nodes.size();
    model_.nodes.push_back(std::move(checked));
    return absl::OkStatus();
  }

  // int32 or bool computed at run time.
  bool HoldsIntegers(const TfLiteNode& node) const {
    for (const TfLiteIntArray* list : {node.inputs, node.outputs}) {
      for (int id : ReadInts(list)) {
        if (id < 0) continue;
        const Tensor& t = model_.graph.tensor(id);
        if (!t.is_constant() &&
            (t.type == DataType::kInt32 || t.type == DataType::kBool)) {
          return true;
        }
      }
    }
    return false;
  }

  // Which tensors keep their values from one Invoke to the next, and how many
  // nodes use each. Which versions of ops are for integers: nodes share one
  // version in the file, the highest that any of them needs, so a float node
  // may carry that of another.
  absl::Status LookOver(const std::vector<int>& plan) {
    std::vector<TfLiteNode*> nodes;
    std::vector<NodeTensors> tensors;
    absl::flat_hash_set<int> made, states;
    for (int index : plan) {
      TfLiteNode* node = nullptr;
      TfLiteRegistration* registration = nullptr;
      if (auto s = nodes_.find.Get(context_, index, &node, &registration);
          !s.ok()) {
        return s;
      }
      nodes.push_back(node);
      tensors.push_back({registration->builtin_code, ReadInts(node->inputs),
                         ReadInts(node->outputs)});
      if (HoldsIntegers(*node)) {
        integer_codes_.insert(
            {registration->builtin_code, registration->version});
      }
      for (int id : ReadInts(node->outputs)) made.insert(id);
      // LSTM's basic kernel makes variables of two inputs, declared so or not.
      if (registration->builtin_code != kLstmCode ||
          node->inputs->size != lstm::basic::kInputs) {
        continue;
      }
      states.insert(node->inputs->data[lstm::basic::kPrevActivation]);
      states.insert(node->inputs->data[lstm::basic::kPrevState]);
    }
    ChooseInt64Views(tensors, &model_.graph);
    if (options_.enable_quantization) ViewHybridInputs(tensors, &model_.graph);
    for (int id : states) {
      if (id < 0 || made.contains(id)) continue;
      Tensor& t = model_.graph.tensor(id);
      t.is_variable = !t.is_constant();
    }
    for (TfLiteNode* node : nodes) {
      const std::vector<int> inputs = ReadInts(node->inputs);
      for (int id : absl::flat_hash_set<int>(inputs.begin(), inputs.end())) {
        if (id >= 0 && model_.graph.tensor(id).is_variable)
          ++users_of_variable_[id];
      }
    }
    return absl::OkStatus();
  }

  // State stays on the GPU, so one node alone may use it (state_mark.h).
  absl::Status CheckVariables(const TfLiteNode& node) const {
    for (int id : ReadInts(node.inputs)) {
      if (id < 0 || !model_.graph.tensor(id).is_variable) continue;
      const Tensor& t = model_.graph.tensor(id);
      if (const int users = users_of_variable_.at(id); users > 1) {
        return absl::UnimplementedError(
            absl::StrCat("the state ", t.ToString(), " is used by ", users,
                         " nodes; only one may use it on the GPU"));
      }
      if (t.type != DataType::kFloat32 || t.is_float_view() ||
          t.is_host_view()) {
        return absl::UnimplementedError(absl::StrCat(
            "the state ", t.ToString(), " is ", DataTypeName(t.stored()),
            "; only float32 states are kept on the GPU"));
      }
    }
    for (int id : ReadInts(node.outputs)) {
      if (id >= 0 && model_.graph.tensor(id).is_variable) {
        return absl::UnimplementedError(
            absl::StrCat("its output ", model_.graph.tensor(id).ToString(),
                         " is a variable tensor; only inputs may be"));
      }
    }
    return absl::OkStatus();
  }

  std::string Tensors(const TfLiteNode& node) const {
    const auto list = [this](const TfLiteIntArray* ids) {
      return absl::StrJoin(
          ReadInts(ids), ", ", [this](std::string* out, int id) {
            absl::StrAppend(out,
                            id < 0 ? "-" : model_.graph.tensor(id).ToString());
          });
    };
    return absl::StrCat(list(node.inputs), " -> ", list(node.outputs));
  }

  // The option float32_nodes: what the node writes, its states among it.
  void KeepFloat32(Node* node) {
    for (const auto& [first, last] : options_.float32_nodes) {
      if (node->tflite_index < first || node->tflite_index > last) continue;
      node->always_float32 = true;
      for (TensorId id : node->outputs) {
        model_.graph.tensor(id).always_float32 = true;
      }
      for (TensorId id : node->inputs) {
        if (id == kNoTensor || !model_.graph.tensor(id).is_variable) continue;
        model_.graph.tensor(id).always_float32 = true;
      }
    }
  }

  absl::Status Check(const TfLiteNode& node,
                     const TfLiteRegistration& registration, CheckedNode* out) {
    for (const auto& [first, last] : options_.exclude_nodes) {
      if (out->index >= first && out->index <= last) {
        return absl::CancelledError("excluded by the option exclude_nodes");
      }
    }
    if (node.delegate != nullptr) {
      return absl::UnavailableError("another delegate has taken the node");
    }
    const OpDefinition* op = FindOp(
        registration.builtin_code,
        registration.custom_name == nullptr ? "" : registration.custom_name);
    if (op == nullptr)
      return absl::UnimplementedError("the op has no GPU version");
    if (auto s = CheckShapes(model_.graph, node); !s.ok()) return s;
    if (auto s = CheckVariables(node); !s.ok()) return s;
    if (auto s = CheckShapesKnown(model_.graph, node, nodes_.unknown); !s.ok())
      return s;
    if (auto s = CheckViews(model_.graph, node, *op, options_); !s.ok())
      return s;
    const bool other_types = options_.enable_quantization ||
                             integer_codes_.contains({registration.builtin_code,
                                                      registration.version});
    if (auto s = CheckVersion(*op, registration.version, other_types); !s.ok())
      return s;
    ViewBiasAsFloat(node, registration.builtin_code);
    auto parsed = Parse(*op, node, registration);
    if (!parsed.ok()) return parsed.status();
    out->node = *std::move(parsed);
    out->node.tflite_index = out->index;
    KeepFloat32(&out->node);
    auto folded = FoldConstantNode(&model_.graph, out->node);
    if (!folded.ok()) return folded.status();
    if (*folded) {
      out->folded = true;
      return absl::OkStatus();
    }
    if (options_.simulate_quantization) {
      if (auto s = AddSimulator(model_.graph, &out->node); !s.ok()) return s;
    }
    if (auto s = CheckTensors(model_.graph, node, options_); !s.ok()) return s;
    return CheckPlan(out->node);
  }

  // int32 constants are numbers to most ops; as a bias they are quantized, and
  // so are int64 ones beside int16 activations.
  void ViewBiasAsFloat(const TfLiteNode& node, int builtin_code) {
    const int input = BiasInput(builtin_code);
    if (!options_.enable_quantization || input < 0 ||
        input >= node.inputs->size)
      return;
    const int index = node.inputs->data[input];
    if (index < 0) return;
    Tensor& bias = model_.graph.tensor(index);
    if ((bias.type != DataType::kInt32 && bias.type != DataType::kInt64) ||
        !bias.is_constant()) {
      return;
    }
    if (CheckQuantization(bias, options_.half).ok()) ViewAsFloat(&bias);
  }

  absl::StatusOr<Node> Parse(const OpDefinition& op,
                             const TfLiteNode& tflite_node,
                             const TfLiteRegistration& registration) {
    Node node;
    node.op = &op;
    node.inputs = ReadInts(tflite_node.inputs);
    node.outputs = ReadInts(tflite_node.outputs);
    NodeView view;
    view.builtin_code = registration.builtin_code;
    if (registration.custom_name != nullptr)
      view.custom_name = registration.custom_name;
    view.version = registration.version;
    view.params_of_2_14 = runtime_of_2_14_;
    view.builtin_params = tflite_node.builtin_data;
    view.custom_params = {
        static_cast<const uint8_t*>(tflite_node.custom_initial_data),
        static_cast<size_t>(std::max(0, tflite_node.custom_initial_data_size))};
    for (TensorId& id : node.inputs) {
      if (id < 0) id = kNoTensor;
    }
    if (auto s =
            ReadHybridWeights(registration.builtin_code, &model_.graph, &node);
        !s.ok()) {
      return s;
    }
    for (TensorId id : node.inputs) {
      view.inputs.push_back(id == kNoTensor ? nullptr
                                            : &model_.graph.tensor(id));
    }
    for (TensorId id : node.outputs) {
      if (id < 0) {
        return absl::InvalidArgumentError(
            "one of its outputs is absent, which no op here takes");
      }
      view.outputs.push_back(&model_.graph.tensor(id));
    }
    auto parsed = op.parse(view);
    if (!parsed.ok()) return parsed.status();
    node.attributes = std::move(parsed->attributes);
    node.post_ops = std::move(parsed->post_ops);
    // Parsers name operands by their place among the inputs.
    for (PostOp& post : node.post_ops) {
      if (post.operand != kNoTensor) post.operand = node.inputs[post.operand];
    }
    return node;
  }

  // The check is the plan. Temporaries that it makes stay unused in the graph.
  absl::Status CheckPlan(const Node& node) {
    Planner planner(&model_.graph, profile_);
    return PlanNode(node, &planner);
  }

  TfLiteContext* context_;
  const ModelNodes& nodes_;
  const DeviceProfile& profile_;
  const ReadOptions& options_;
  const bool runtime_of_2_14_;
  CheckedModel model_;
  absl::flat_hash_map<int, int> users_of_variable_;  // by tensor
  absl::flat_hash_set<std::pair<int, int>>
      integer_codes_;  // builtin code, version
};

}  // namespace

namespace {

// kTfLiteInt4 of runtimes newer than the headers that we build against.
constexpr int kInt4 = 18;

// Int4 constants as int8, which is what they stand for; others and wrong ones
// stay what no op takes.
void UnpackInt4(Tensor* t) {
  const auto bytes = t->constant.bytes();
  const int64_t count = t->shape.elements();
  if (count <= 0 || static_cast<int64_t>(bytes.size()) < (count + 1) / 2)
    return;
  const std::vector<int8_t> codes = quant::UnpackInt4(bytes, count);
  t->constant =
      ConstantData::Own(std::vector<uint8_t>(codes.begin(), codes.end()));
  t->type = DataType::kInt8;
}

}  // namespace

Tensor ReadTensor(const TfLiteTensor& tensor, int index) {
  Tensor t;
  t.name =
      tensor.name == nullptr ? absl::StrCat("tensor ", index) : tensor.name;
  t.type = ReadType(tensor.type);
  t.dims = ReadInts(tensor.dims);
  t.shape = Shape::FromDims(t.dims);
  t.quantization = ReadQuantization(tensor);
  t.sparsity = ReadSparsity(tensor.sparsity);
  t.is_variable = tensor.is_variable;
  t.tflite_index = index;
  if (tensor.allocation_type == kTfLiteMmapRo && tensor.data.raw != nullptr) {
    t.constant = ConstantData::Borrow(
        {reinterpret_cast<const uint8_t*>(tensor.data.raw), tensor.bytes});
    if (static_cast<int>(tensor.type) == kInt4) UnpackInt4(&t);
  }
  return t;
}

absl::StatusOr<ModelNodes> FindNodes(TfLiteContext* context) {
  ModelNodes nodes;
  nodes.find = NodeFinder(*context);
  TfLiteIntArray* plan = nullptr;
  if (context->GetExecutionPlan(context, &plan) != kTfLiteOk) {
    return absl::InternalError("the runtime gave no execution plan");
  }
  nodes.plan = ReadInts(plan);
  nodes.checked = nodes.plan;
  return nodes;
}

absl::StatusOr<CheckedModel> ReadModel(TfLiteContext* context,
                                       const ModelNodes& nodes,
                                       const DeviceProfile& profile,
                                       const ReadOptions& options) {
  return ModelReader(context, nodes, profile, options).Read();
}

absl::StatusOr<CheckedModel> ReadModel(TfLiteContext* context,
                                       const DeviceProfile& profile,
                                       const ReadOptions& options) {
  auto nodes = FindNodes(context);
  if (!nodes.ok()) return nodes.status();
  return ReadModel(context, *nodes, profile, options);
}

Graph ExtractPartition(const CheckedModel& model, absl::Span<const int> nodes,
                       absl::Span<const int> inputs,
                       absl::Span<const int> outputs) {
  Graph graph;
  absl::flat_hash_map<TensorId, TensorId> ids;
  const auto map = [&](TensorId id) {
    if (id == kNoTensor) return kNoTensor;
    const auto [it, inserted] = ids.try_emplace(id, kNoTensor);
    if (inserted) it->second = graph.AddTensor(model.graph.tensor(id));
    return it->second;
  };
  for (int id : inputs) {
    if (id >= 0 && !model.graph.tensor(id).is_constant())
      graph.inputs.push_back(map(id));
  }
  for (int index : nodes) {
    const CheckedNode& checked = model.nodes[model.position_of.at(index)];
    if (checked.folded) continue;
    Node node = checked.node;
    for (TensorId& id : node.inputs) id = map(id);
    for (TensorId& id : node.outputs) id = map(id);
    for (PostOp& post : node.post_ops) post.operand = map(post.operand);
    graph.nodes.push_back(std::move(node));
  }
  for (int id : outputs) graph.outputs.push_back(map(id));
  return graph;
}

}  // namespace gles_delegate
