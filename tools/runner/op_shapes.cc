#include "tools/runner/op_shapes.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "third_party/tflite_schema/schema_generated.h"
#include "tools/common/model_builder.h"
#include "tools/runner/model_layers.h"
#include "tools/runner/op_options.h"

namespace gles_delegate {
namespace {

using Json = nlohmann::ordered_json;

// A constant with more values is a table of numbers, not a shape or axes.
constexpr size_t kMaxValues = 64;

template <typename T>
std::vector<int> Integers(const std::vector<uint8_t>& bytes) {
  std::vector<T> read(bytes.size() / sizeof(T));
  if (read.empty()) return {};
  std::memcpy(read.data(), bytes.data(), read.size() * sizeof(T));
  std::vector<int> values;
  values.reserve(read.size());
  for (T v : read) {
    values.push_back(static_cast<int>(std::clamp<int64_t>(
        v, std::numeric_limits<int>::min(), std::numeric_limits<int>::max())));
  }
  return values;
}

class Lister {
 public:
  explicit Lister(const schema::ModelT& model)
      : model_(model), graph_(*model.subgraphs[0]) {
    for (const auto& tensor : graph_.tensors) {
      constant_.push_back(!Bytes(*tensor).empty());
    }
  }

  absl::StatusOr<std::vector<OpShape>> List() {
    std::vector<OpShape> shapes;
    std::map<std::string, size_t> known;
    for (size_t n = 0; n < graph_.operators.size(); ++n) {
      ASSIGN_OR_RETURN(auto shape, Read(*graph_.operators[n]));
      const auto [it, is_new] =
          known.try_emplace(OpShapesToText("", {shape}), shapes.size());
      if (!is_new) {
        ++shapes[it->second].count;
        continue;
      }
      shape.node = static_cast<int>(n);
      shapes.push_back(std::move(shape));
    }
    return shapes;
  }

 private:
  absl::StatusOr<OpShape> Read(const schema::OperatorT& node) {
    if (node.opcode_index >= model_.operator_codes.size()) {
      return absl::InvalidArgumentError("an operator code leads nowhere");
    }
    const schema::OperatorCodeT& code =
        *model_.operator_codes[node.opcode_index];
    OpShape shape;
    shape.op = OpName(code);
    shape.version = code.version;
    ASSIGN_OR_RETURN(shape.options, OptionsToJson(node));
    for (int id : node.inputs) {
      if (id >= static_cast<int>(graph_.tensors.size())) {
        return absl::InvalidArgumentError("an input index leads nowhere");
      }
      shape.inputs.push_back(Describe(id));
    }
    for (int id : node.outputs) {
      if (id < 0 || id >= static_cast<int>(graph_.tensors.size())) {
        return absl::InvalidArgumentError("an output index leads nowhere");
      }
      if (shape.on_constants()) constant_[id] = true;
      shape.outputs.push_back(Describe(id));
    }
    return shape;
  }

  TensorShape Describe(int id) const {
    TensorShape shape;
    shape.absent = id < 0;
    if (shape.absent) return shape;
    const schema::TensorT& tensor = *graph_.tensors[id];
    shape.type = schema::EnumNameTensorType(tensor.type);
    shape.dims.assign(tensor.shape.begin(), tensor.shape.end());
    shape.quantized =
        tensor.quantization != nullptr && !tensor.quantization->scale.empty();
    shape.constant = constant_[id];
    shape.variable = tensor.is_variable;
    const std::vector<uint8_t>& bytes = Bytes(tensor);
    if (shape.quantized || bytes.empty()) return shape;
    if (tensor.type == schema::TensorType::INT32) {
      shape.values = Integers<int32_t>(bytes);
    } else if (tensor.type == schema::TensorType::INT64) {
      shape.values = Integers<int64_t>(bytes);
    }
    if (shape.values.size() > kMaxValues) shape.values.clear();
    return shape;
  }

  const std::vector<uint8_t>& Bytes(const schema::TensorT& tensor) const {
    static const auto* const none = new std::vector<uint8_t>();
    if (tensor.buffer >= model_.buffers.size()) return *none;
    const auto& buffer = model_.buffers[tensor.buffer];
    return buffer == nullptr ? *none : buffer->data;
  }

  const schema::ModelT& model_;
  const schema::SubGraphT& graph_;
  std::vector<bool> constant_;  // by tensor
};

Json ToJson(const TensorShape& shape) {
  if (shape.absent) return nullptr;
  Json json;
  json["type"] = shape.type;
  json["shape"] = shape.dims;
  if (shape.quantized) json["quantized"] = true;
  if (shape.constant) json["constant"] = true;
  if (shape.variable) json["variable"] = true;
  if (!shape.values.empty()) json["values"] = shape.values;
  return json;
}

// Thrown where a list of op shapes has something in an int's place that no int
// holds.
struct NoInt {
  std::string text;
};

int IntFromJson(const Json& json) {
  constexpr int64_t kMin = std::numeric_limits<int>::min();
  constexpr int64_t kMax = std::numeric_limits<int>::max();
  const bool fits = json.is_number_unsigned()
                        ? json.get<uint64_t>() <= static_cast<uint64_t>(kMax)
                        : json.is_number_integer() &&
                              json.get<int64_t>() >= kMin &&
                              json.get<int64_t>() <= kMax;
  if (!fits) {
    throw NoInt{json.dump(-1, ' ', false, Json::error_handler_t::replace)};
  }
  return json.get<int>();
}

std::vector<int> IntsFromJson(const Json& json) {
  std::vector<int> values;
  for (const Json& value : json) values.push_back(IntFromJson(value));
  return values;
}

TensorShape TensorFromJson(const Json& json) {
  TensorShape shape;
  shape.absent = json.is_null();
  if (shape.absent) return shape;
  shape.type = json.at("type");
  shape.dims = IntsFromJson(json.at("shape"));
  shape.quantized = json.value("quantized", false);
  shape.constant = json.value("constant", false);
  shape.variable = json.value("variable", false);
  shape.values = IntsFromJson(json.value("values", Json::array()));
  return shape;
}

Json ToJson(const OpShape& shape) {
  Json json;
  json["op"] = shape.op;
  json["version"] = shape.version;
  json["node"] = shape.node;
  json["count"] = shape.count;
  json["inputs"] = Json::array();
  json["outputs"] = Json::array();
  for (const TensorShape& t : shape.inputs) json["inputs"].push_back(ToJson(t));
  for (const TensorShape& t : shape.outputs) {
    json["outputs"].push_back(ToJson(t));
  }
  json["options"] = shape.options;
  return json;
}

OpShape OpFromJson(const Json& json) {
  OpShape shape;
  shape.op = json.at("op");
  shape.version = IntFromJson(json.at("version"));
  shape.node = IntFromJson(json.at("node"));
  shape.count = IntFromJson(json.at("count"));
  for (const Json& t : json.at("inputs")) {
    shape.inputs.push_back(TensorFromJson(t));
  }
  for (const Json& t : json.at("outputs")) {
    shape.outputs.push_back(TensorFromJson(t));
  }
  shape.options = json.at("options");
  return shape;
}

}  // namespace

int64_t TensorShape::elements() const {
  int64_t product = 1;
  for (int d : dims) product *= d;
  return product;
}

bool OpShape::on_constants() const {
  return std::all_of(inputs.begin(), inputs.end(), [](const TensorShape& t) {
    return t.absent || t.constant;
  });
}

absl::StatusOr<std::vector<OpShape>> OpShapesOf(
    absl::Span<const uint8_t> model) {
  ASSIGN_OR_RETURN(const auto read, UnpackModel(model));
  return Lister(*read).List();
}

std::string OpShapesToText(const std::string& model,
                           const std::vector<OpShape>& shapes) {
  std::string text =
      absl::StrCat("{\"model\":", Json(model).dump(), ",\"ops\":[");
  const char* separator = "\n";
  for (const OpShape& shape : shapes) {
    // Bytes of a custom op's name that are no UTF-8 are replaced.
    absl::StrAppend(
        &text, separator,
        ToJson(shape).dump(-1, ' ', false, Json::error_handler_t::replace));
    separator = ",\n";
  }
  absl::StrAppend(&text, "\n]}\n");
  return text;
}

absl::StatusOr<std::vector<OpShape>> OpShapesFromText(const std::string& text) {
  try {  // nlohmann's accessors throw
    std::vector<OpShape> shapes;
    const Json list = Json::parse(text);
    for (const Json& op : list.at("ops")) shapes.push_back(OpFromJson(op));
    return shapes;
  } catch (const Json::exception& e) {
    return absl::InvalidArgumentError(
        absl::StrCat("no list of op shapes: ", e.what()));
  } catch (const NoInt& e) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no list of op shapes: ", e.text, " is no integer of 32 bits"));
  }
}

namespace {

using schema::BuiltinOperator;
using schema::TensorType;

absl::StatusOr<TensorType> SchemaTypeOf(const TensorShape& shape) {
  // The model's op computes real numbers, so a quantized tensor, such as a bias
  // of int32 quantized values, becomes a float one.
  if (shape.quantized || shape.type == "FLOAT16") return TensorType::FLOAT32;
  for (TensorType type : schema::EnumValuesTensorType()) {
    if (shape.type == schema::EnumNameTensorType(type)) return type;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no tensor type is called ", shape.type));
}

absl::StatusOr<BuiltinOperator> CodeOf(const OpShape& shape) {
  for (BuiltinOperator code : schema::EnumValuesBuiltinOperator()) {
    if (shape.op == schema::EnumNameBuiltinOperator(code)) return code;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no builtin op is called ", shape.op));
}

template <typename T>
int AddIntegers(const TensorShape& shape, const std::string& name,
                ModelBuilder* builder) {
  std::vector<T> values(shape.elements());
  for (size_t i = 0; i < values.size() && i < shape.values.size(); ++i) {
    values[i] = shape.values[i];
  }
  return builder->AddConstant<T>(name, shape.dims, values);
}

int AddConstant(const TensorShape& shape, TensorType type,
                const std::string& name, ModelBuilder* builder) {
  switch (type) {
    case TensorType::INT32:
      return AddIntegers<int32_t>(shape, name, builder);
    case TensorType::INT64:
      return AddIntegers<int64_t>(shape, name, builder);
    case TensorType::FLOAT32: {
      // Small values, so that sums of thousands of them fit a 16-bit float. No
      // two are the same, and none is zero: of weights that stand in a program
      // as literals, a compiler leaves out products that it has had before.
      std::vector<float> values(shape.elements());
      for (size_t i = 0; i < values.size(); ++i) {
        const uint32_t mixed = static_cast<uint32_t>(i) * 2654435761u;
        values[i] =
            (static_cast<float>(mixed >> 8) + 0.5f) * 0x1p-29f - 0x1p-6f;
      }
      return builder->AddConstant<float>(name, shape.dims, values);
    }
    default: {
      const std::vector<uint8_t> zeros(shape.elements() * sizeof(int64_t));
      return builder->AddConstantBytes(name, shape.dims, type, zeros);
    }
  }
}

absl::StatusOr<int> AddInput(const TensorShape& shape, const std::string& name,
                             ModelBuilder* builder) {
  if (shape.absent) return -1;
  ASSIGN_OR_RETURN(const auto type, SchemaTypeOf(shape));
  if (shape.constant) return AddConstant(shape, type, name, builder);
  if (shape.variable) return builder->AddVariable(name, shape.dims, type);
  return builder->AddInput(name, shape.dims, type);
}

}  // namespace

absl::StatusOr<std::vector<uint8_t>> OneOpModel(const OpShape& shape) {
  ASSIGN_OR_RETURN(auto options, OptionsFromJson(shape.options));
  ModelBuilder builder;
  std::vector<int> inputs;
  std::vector<int> outputs;
  for (const TensorShape& t : shape.inputs) {
    ASSIGN_OR_RETURN(
        auto id, AddInput(t, absl::StrCat("input", inputs.size()), &builder));
    inputs.push_back(id);
  }
  for (const TensorShape& t : shape.outputs) {
    ASSIGN_OR_RETURN(const auto type, SchemaTypeOf(t));
    outputs.push_back(builder.AddTensor(absl::StrCat("output", outputs.size()),
                                        t.dims, type));
  }
  const auto code = CodeOf(shape);
  if (code.ok()) {
    builder.AddOp(*code, shape.version, inputs, outputs);
    builder.model().subgraphs[0]->operators[0]->builtin_options =
        std::move(options.builtin_options);
  } else {
    builder.AddCustomOp(shape.op, options.custom_options, inputs, outputs,
                        shape.version);
  }
  builder.SetOutputs(outputs);
  return builder.Finish();
}

}  // namespace gles_delegate
