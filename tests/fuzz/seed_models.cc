#include "tests/fuzz/seed_models.h"

#include <memory>
#include <string>
#include <utility>

#include "third_party/tflite_schema/schema_generated.h"
#include "tools/conformance/suite.h"

namespace gles_delegate::fuzz {
namespace {

using conformance::Family;

constexpr size_t kMaxBytes = 8 << 10;

std::vector<uint8_t> Packed(const schema::ModelT& model) {
  flatbuffers::FlatBufferBuilder builder;
  builder.ForceDefaults(true);
  schema::FinishModelBuffer(builder, schema::Model::Pack(builder, &model));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

std::vector<uint8_t> WithDefaults(const std::vector<uint8_t>& file) {
  const std::unique_ptr<schema::ModelT> model(
      schema::GetModel(file.data())->UnPack());
  return Packed(*model);
}

// A model around another one, which becomes a subgraph that it calls.
class Caller {
 public:
  explicit Caller(const std::vector<uint8_t>& called)
      : model_(schema::GetModel(called.data())->UnPack()),
        called_(model_->subgraphs[0].get()) {
    model_->subgraphs.insert(model_->subgraphs.begin(),
                             std::make_unique<schema::SubGraphT>());
  }

  // A WHILE whose body it is. Its first output is its first input in the next
  // step.
  std::vector<uint8_t> AsLoop() {
    schema::SubGraphT* const outer = model_->subgraphs[0].get();
    schema::SubGraphT* const condition =
        model_->subgraphs.emplace_back(std::make_unique<schema::SubGraphT>())
            .get();
    std::vector<int32_t> inputs = {AddInt(outer, 0)}, outputs;
    std::vector<int32_t> in_body = {AddInt(called_)}, from_body;
    condition->inputs = {AddInt(condition)};
    outputs.push_back(AddInt(outer));
    from_body.push_back(AddInt(called_));
    AddOp(called_, schema::BuiltinOperator::ADD,
          {in_body[0], AddInt(called_, 1)}, from_body)
        ->builtin_options.Set(schema::AddOptionsT());
    for (int32_t id : called_->inputs) {
      const schema::TensorT like = Like(*called_->tensors[id]);
      from_body.push_back(from_body.size() == 1 && !called_->outputs.empty()
                              ? called_->outputs[0]
                              : id);
      in_body.push_back(id);
      inputs.push_back(Add(outer, like));
      outputs.push_back(Add(outer, like));
      outer->inputs.push_back(inputs.back());
      outer->outputs.push_back(outputs.back());
      condition->inputs.push_back(Add(condition, like));
    }
    called_->inputs = in_body;
    called_->outputs = from_body;
    const int32_t limit = AddInt(condition, 3);
    condition->outputs = {AddInt(condition)};
    condition->tensors.back()->type = schema::TensorType::BOOL;
    AddOp(condition, schema::BuiltinOperator::LESS,
          {condition->inputs[0], limit}, condition->outputs)
        ->builtin_options.Set(schema::LessOptionsT());
    schema::WhileOptionsT options;
    options.body_subgraph_index = 1;
    options.cond_subgraph_index = 2;
    AddOp(outer, schema::BuiltinOperator::WHILE, inputs, outputs)
        ->builtin_options.Set(options);
    return Packed(*model_);
  }

  // A STABLEHLO_COMPOSITE whose decomposition it is.
  std::vector<uint8_t> AsComposite() {
    schema::SubGraphT* const outer = model_->subgraphs[0].get();
    for (int32_t id : called_->inputs) {
      outer->inputs.push_back(Add(outer, Like(*called_->tensors[id])));
    }
    for (int32_t id : called_->outputs) {
      outer->outputs.push_back(Add(outer, Like(*called_->tensors[id])));
    }
    schema::StableHLOCompositeOptionsT options;
    options.name = "odml.any";
    options.decomposition_subgraph_index = 1;
    AddOp(outer, schema::BuiltinOperator::STABLEHLO_COMPOSITE, outer->inputs,
          outer->outputs)
        ->builtin_options_2.Set(options);
    return Packed(*model_);
  }

 private:
  static int32_t Add(schema::SubGraphT* graph, const schema::TensorT& tensor) {
    graph->tensors.push_back(std::make_unique<schema::TensorT>(tensor));
    return static_cast<int32_t>(graph->tensors.size()) - 1;
  }
  static schema::TensorT Like(const schema::TensorT& from) {
    schema::TensorT tensor;
    tensor.shape = from.shape;
    tensor.type = from.type;
    if (from.quantization != nullptr) {
      tensor.quantization =
          std::make_unique<schema::QuantizationParametersT>(*from.quantization);
    }
    return tensor;
  }
  static int32_t AddInt(schema::SubGraphT* graph) {
    schema::TensorT tensor;
    tensor.type = schema::TensorType::INT32;
    return Add(graph, tensor);
  }
  int32_t AddInt(schema::SubGraphT* graph, uint8_t value) {
    const int32_t id = AddInt(graph);
    graph->tensors.back()->buffer =
        static_cast<uint32_t>(model_->buffers.size());
    model_->buffers.push_back(std::make_unique<schema::BufferT>());
    model_->buffers.back()->data = {value, 0, 0, 0};
    return id;
  }
  schema::OperatorT* AddOp(schema::SubGraphT* graph,
                           schema::BuiltinOperator code,
                           const std::vector<int32_t>& inputs,
                           const std::vector<int32_t>& outputs) {
    auto op = std::make_unique<schema::OperatorT>();
    op->opcode_index = static_cast<uint32_t>(model_->operator_codes.size());
    op->inputs = inputs;
    op->outputs = outputs;
    auto of_op = std::make_unique<schema::OperatorCodeT>();
    of_op->builtin_code = code;
    model_->operator_codes.push_back(std::move(of_op));
    graph->operators.push_back(std::move(op));
    return graph->operators.back().get();
  }

  std::unique_ptr<schema::ModelT> model_;
  schema::SubGraphT* called_;
};

// `a` with the op of `b` behind it: b's first input is a's first output. Shapes
// seldom fit, which is as it should be.
std::vector<uint8_t> Chained(const std::vector<uint8_t>& a,
                             const std::vector<uint8_t>& b) {
  const std::unique_ptr<schema::ModelT> first(
      schema::GetModel(a.data())->UnPack());
  const std::unique_ptr<schema::ModelT> second(
      schema::GetModel(b.data())->UnPack());
  schema::SubGraphT& graph = *first->subgraphs[0];
  schema::SubGraphT& tail = *second->subgraphs[0];
  const auto tensors = static_cast<int32_t>(graph.tensors.size());
  const auto buffers = static_cast<uint32_t>(first->buffers.size());
  const auto quantized = static_cast<uint32_t>(first->operator_codes.size());
  if (graph.outputs.empty() || tail.inputs.empty()) return a;
  const int32_t joint = graph.outputs[0];
  const int32_t replaced = tail.inputs[0];
  const auto moved = [&](int32_t id) {
    return id < 0 ? id : id == replaced ? joint : id + tensors;
  };
  for (auto& buffer : second->buffers) {
    first->buffers.push_back(std::move(buffer));
  }
  for (auto& code : second->operator_codes) {
    first->operator_codes.push_back(std::move(code));
  }
  for (auto& tensor : tail.tensors) {
    tensor->buffer += buffers;
    graph.tensors.push_back(std::move(tensor));
  }
  for (auto& op : tail.operators) {
    op->opcode_index += quantized;
    for (int32_t& id : op->inputs) id = moved(id);
    for (int32_t& id : op->outputs) id = moved(id);
    graph.operators.push_back(std::move(op));
  }
  graph.outputs.clear();
  for (int32_t id : tail.outputs) graph.outputs.push_back(moved(id));
  return Packed(*first);
}

}  // namespace

std::vector<std::vector<uint8_t>> SeedModels() {
  std::vector<std::vector<uint8_t>> seeds;
  const auto families = conformance::AllFamilies();
  if (!families.ok()) return seeds;
  std::vector<std::vector<uint8_t>> whole;
  std::string last;
  for (const Family& family : *families) {
    // Two of each op and kind: the one that slow drivers run, and the next.
    if (family.build == nullptr || (!family.small && family.op == last)) {
      continue;
    }
    if (!family.small) last = family.op;
    const testing::SingleOpModel model = family.build({16, 16});
    if (!model.status.ok() || model.bytes.size() > kMaxBytes) continue;
    seeds.push_back(WithDefaults(model.bytes));
    if (family.small) whole.push_back(model.bytes);
  }
  // Each small model with the seventh next one behind it.
  constexpr size_t kStep = 7;
  for (size_t i = 0; i + kStep < whole.size(); ++i) {
    seeds.push_back(Chained(whole[i], whole[i + kStep]));
  }
  constexpr size_t kOneOf = 5;
  for (size_t i = 0; i < whole.size(); i += kOneOf) {
    seeds.push_back(Caller(whole[i]).AsLoop());
    seeds.push_back(Caller(whole[i]).AsComposite());
  }
  return seeds;
}

}  // namespace gles_delegate::fuzz
