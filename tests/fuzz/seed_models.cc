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

std::vector<uint8_t> WithDefaults(const std::vector<uint8_t>& file) {
  const std::unique_ptr<schema::ModelT> model(
      schema::GetModel(file.data())->UnPack());
  flatbuffers::FlatBufferBuilder builder;
  builder.ForceDefaults(true);
  schema::FinishModelBuffer(builder, schema::Model::Pack(builder, model.get()));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
}

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
  flatbuffers::FlatBufferBuilder builder;
  builder.ForceDefaults(true);
  schema::FinishModelBuffer(builder, schema::Model::Pack(builder, first.get()));
  return {builder.GetBufferPointer(),
          builder.GetBufferPointer() + builder.GetSize()};
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
  return seeds;
}

}  // namespace gles_delegate::fuzz
