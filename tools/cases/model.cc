#include "tools/cases/model.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "flatbuffers/flexbuffers.h"
#include "tools/op_models/op_variant.h"
#include "tools/runner/op_options.h"

namespace gles_delegate::cases {
namespace {

using testing::OpVariant;
using testing::TensorType;
using testing::Weights;

// The least and the largest number that a type's data have, if a row does not
// say more.
std::pair<int, int> RangeOf(TensorType type) {
  switch (type) {
    case TensorType::BOOL:
      return {0, 1};
    case TensorType::INT8:
      return {-128, 127};
    case TensorType::UINT8:
      return {0, 255};
    case TensorType::INT16:
      return {-32768, 32767};
    case TensorType::UINT16:
      return {0, 65535};
    default:
      return {-100, 100};
  }
}

bool IsFloat(TensorType type) {
  return type == TensorType::FLOAT32 || type == TensorType::FLOAT16 ||
         type == TensorType::FLOAT64;
}

std::vector<double> Numbers(const TensorSpec& tensor, float deviation,
                            testing::Random* random) {
  const size_t n = testing::ElementCount(tensor.shape);
  const Data& data = tensor.data;
  const bool floats = IsFloat(tensor.type);
  const auto of_floats = [](const std::vector<float>& values) {
    return std::vector<double>(values.begin(), values.end());
  };
  std::vector<double> numbers(n);
  switch (data.kind) {
    case Data::Kind::kValues:
      for (size_t i = 0; i < n; ++i) {
        const size_t at = data.by_rows ? i / tensor.shape.back() : i;
        numbers[i] = data.values[at % data.values.size()];
      }
      return numbers;
    case Data::Kind::kRanges:
      for (size_t i = 0; i < n; ++i) {
        const auto [low, high] = data.ranges[i % data.ranges.size()];
        numbers[i] = floats && !data.whole
                         ? random->NextUniform(static_cast<float>(low),
                                               static_cast<float>(high))
                         : random->NextInt(static_cast<int>(low),
                                           static_cast<int>(high)) /
                               data.divisor;
      }
      return numbers;
    case Data::Kind::kCorners:
      return of_floats(random->WithCorners(n));
    case Data::Kind::kFew:
      // Many are equal.
      for (double& number : numbers) {
        number = (floats ? 0.75 : 1.0) * random->NextInt(-2, 2);
      }
      return numbers;
    case Data::Kind::kGaussian:
      return of_floats(random->Gaussian(n, static_cast<float>(data.mean),
                                        static_cast<float>(data.deviation)));
    case Data::Kind::kDefault:
      break;
  }
  if (floats) return of_floats(random->Gaussian(n, 0, deviation));
  const auto [low, high] = RangeOf(tensor.type);
  for (double& number : numbers) number = random->NextInt(low, high);
  return numbers;
}

template <typename T>
std::vector<uint8_t> BytesAs(const std::vector<double>& numbers) {
  std::vector<uint8_t> bytes;
  for (double number : numbers) {
    const T value = static_cast<T>(number);
    const auto* begin = reinterpret_cast<const uint8_t*>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof(T));
  }
  return bytes;
}

std::vector<uint8_t> BytesOfType(TensorType type,
                                 const std::vector<double>& numbers) {
  switch (type) {
    case TensorType::FLOAT16: {
      std::vector<double> halves;
      for (double number : numbers) {
        halves.push_back(FloatToHalf(static_cast<float>(number)));
      }
      return BytesAs<uint16_t>(halves);
    }
    case TensorType::FLOAT64:
      return BytesAs<double>(numbers);
    case TensorType::INT64:
      return BytesAs<int64_t>(numbers);
    case TensorType::INT16:
      return BytesAs<int16_t>(numbers);
    case TensorType::UINT16:
      return BytesAs<uint16_t>(numbers);
    case TensorType::INT8:
      return BytesAs<int8_t>(numbers);
    case TensorType::UINT8:
    case TensorType::BOOL:
      return BytesAs<uint8_t>(numbers);
    default:
      return BytesAs<int32_t>(numbers);
  }
}

// A flexbuffer of the map.
std::vector<uint8_t> FlexBytes(const nlohmann::ordered_json& map) {
  flexbuffers::Builder b;
  b.Map([&] {
    for (const auto& [name, value] : map.items()) {
      const char* key = name.c_str();
      if (value.is_boolean()) {
        b.Bool(key, value.get<bool>());
      } else if (value.is_number_integer()) {
        b.Int(key, value.get<int64_t>());
      } else if (value.is_number()) {
        b.Float(key, value.get<float>());
      } else if (value.is_string()) {
        b.String(key, value.get<std::string>());
      } else {
        b.TypedVector(key, [&b, &items = value] {
          for (const auto& item : items) b.Int(item.get<int64_t>());
        });
      }
    }
  });
  b.Finish();
  return b.GetBuffer();
}

// Adds a case's tensors and nodes to a model that is built.
class Builder {
 public:
  Builder(OpVariant& v, bool with_data) : v_(v), with_data_(with_data) {}

  // Kept by the caller's model: what is wrong with the text.
  absl::Status status() const { return status_; }

  std::vector<int> Build(const CaseSpec& spec) {
    for (const NodeSpec& node : spec.nodes) AddNode(node);
    std::vector<int> outputs;
    std::copy_if(made_.begin(), made_.end(), std::back_inserter(outputs),
                 [this](int id) { return used_.count(id) == 0; });
    const auto keep = spec.flags.find("keep");
    if (keep == spec.flags.end()) return outputs;
    const auto kept = ids_.find(keep->second);
    if (kept != ids_.end()) {
      outputs.push_back(kept->second);
    } else {
      status_ = absl::InvalidArgumentError(
          absl::StrCat("no tensor is named ", keep->second));
    }
    return outputs;
  }

 private:
  int Add(const TensorSpec& tensor, float deviation) {
    if (tensor.absent) return -1;
    const auto known = ids_.find(tensor.name);
    if (known != ids_.end()) {
      if (tensor.known) return known->second;
      status_ = absl::InvalidArgumentError(
          absl::StrCat("two tensors are named ", tensor.name));
      return known->second;
    }
    if (tensor.known) {
      status_ = absl::InvalidArgumentError(
          absl::StrCat("no tensor is named ", tensor.name));
      return -1;
    }
    if (tensor.variable) {
      return ids_[tensor.name] =
                 v_.builder().AddVariable(tensor.name, tensor.shape);
    }
    // A refused model is not run, and may be as large as its text says.
    const bool computed = tensor.weights == Weights::kRuntime;
    const std::vector<double> numbers =
        computed && !with_data_ ? std::vector<double>()
                                : Numbers(tensor, deviation, &v_.random());
    const std::vector<float> floats(numbers.begin(), numbers.end());
    int id = 0;
    if (computed) {
      id = v_.OfType(v_.Input(tensor.name, tensor.shape, Real(tensor, floats)),
                     tensor.type);
    } else if (numbers.empty()) {
      id = v_.builder().AddTensor(tensor.name, tensor.shape, tensor.type);
    } else if (tensor.type == TensorType::FLOAT32) {
      id = v_.Constant(tensor.name, tensor.shape, floats, tensor.weights);
    } else {
      id = v_.builder().AddConstantBytes(tensor.name, tensor.shape, tensor.type,
                                         BytesOfType(tensor.type, numbers));
    }
    Quantize(id, tensor.quantization);
    return ids_[tensor.name] = id;
  }

  // The real values of an input.
  static std::vector<float> Real(const TensorSpec& tensor,
                                 std::vector<float> values) {
    const ModelQuantization& q = tensor.quantization;
    if (q.scale.empty()) return values;
    for (float& value : values) {
      value = q.scale[0] * (value - static_cast<float>(q.zero_point[0]));
    }
    return values;
  }

  schema::TensorT& TensorAt(int id) {
    return *v_.builder().model().subgraphs[0]->tensors[id];
  }

  OutputSpec TypeOf(int id) {
    OutputSpec spec;
    spec.type = TensorAt(id).type;
    if (const auto& q = TensorAt(id).quantization; q != nullptr) {
      spec.quantization = {q->scale, q->zero_point, q->quantized_dimension};
    }
    return spec;
  }

  void Quantize(int id, const ModelQuantization& q) {
    if (q.scale.empty()) return;
    auto& of_tensor = TensorAt(id).quantization;
    of_tensor = std::make_unique<schema::QuantizationParametersT>();
    of_tensor->scale = q.scale;
    of_tensor->zero_point = q.zero_point;
  }

  void AddNode(const NodeSpec& node) {
    std::vector<int> inputs;
    // The outputs' type and quantization, if the row does not say them: those
    // of the first input that is computed, or of the first.
    OutputSpec like;
    bool from_constant = true;
    for (const TensorSpec& tensor : node.inputs) {
      const int id = Add(tensor, DeviationOf(node, inputs.size()));
      inputs.push_back(id);
      if (id >= 0 && from_constant) {
        from_constant = !tensor.known && tensor.weights == Weights::kFloat;
        if (!from_constant || inputs.size() == 1) like = TypeOf(id);
      }
      used_.insert(id);
    }
    std::vector<int> outputs;
    for (const OutputSpec& output : node.outputs) {
      std::string name = output.name.empty() ? "output" : output.name;
      if (node.outputs.size() > 1 || ids_.count(name) > 0) {
        absl::StrAppend(&name, made_.size());
      }
      const OutputSpec& of = output.has_type ? output : like;
      const int id =
          v_.builder().AddTensor(name, output.shape, of.type, of.quantization);
      ids_[name] = id;
      made_.push_back(id);
      outputs.push_back(id);
    }
    AddOperator(node, inputs, outputs);
  }

  void AddOperator(const NodeSpec& node, const std::vector<int>& inputs,
                   const std::vector<int>& outputs) {
    if (!node.custom.empty()) {
      v_.builder().AddCustomOp(
          node.custom,
          node.map.empty()
              ? BytesOfType(node.parameters.type, node.parameters.data.values)
              : FlexBytes(node.map),
          inputs, outputs, node.version);
      return;
    }
    testing::Op op = node.op;
    nlohmann::ordered_json options = node.options;
    if (v_.absolute()) {
      if (options.contains("builtin_options")) {
        options["builtin_options"].erase("fused_activation_function");
      }
      if (op == testing::Op::SUB && IsFloat(TypeOf(outputs[0]).type)) {
        op = testing::Op::ADD;
        options["builtin_options_type"] = "AddOptions";
      }
    }
    auto parsed = OptionsFromJson(options);
    if (!parsed.ok()) status_ = parsed.status();
    v_.builder().AddOp(op, node.version, inputs, outputs,
                       parsed.ok() ? std::move(parsed->builtin_options)
                                   : schema::BuiltinOptionsUnion());
  }

  OpVariant& v_;
  const bool with_data_;
  absl::Status status_;
  std::map<std::string, int> ids_;
  std::vector<int> made_;  // outputs of nodes, in order
  std::set<int> used_;
};

}  // namespace

testing::SingleOpModel ModelOf(const CaseSpec& spec) {
  absl::Status wrong;
  testing::SingleOpModel model = testing::MakeModel(
      spec.text, AccuracyOf(spec), HasMagnitude(spec), [&](OpVariant& v) {
        Builder builder(v, /*with_data=*/true);
        std::vector<int> outputs = builder.Build(spec);
        if (!builder.status().ok()) wrong = builder.status();
        return outputs;
      });
  if (!wrong.ok()) model.status = wrong;
  SetSpectrum(spec, &model);
  SetHybrid(spec, &model);
  SetUnwritten(spec, &model);
  model.stateful = IsStateful(spec);
  return model;
}

testing::SingleOpModel ModelOf(absl::string_view text) {
  auto spec = ParseCase(text);
  if (spec.ok()) return ModelOf(*spec);
  testing::SingleOpModel model;
  model.description = std::string(text);
  model.status = spec.status();
  return model;
}

namespace {

ModelBuilder BuilderOf(const CaseSpec& spec) {
  OpVariant v(spec.text, /*absolute=*/false);
  v.builder().SetOutputs(Builder(v, /*with_data=*/false).Build(spec));
  return std::move(v.builder());
}

}  // namespace

ModelBuilder BuilderOf(absl::string_view text) {
  auto spec = ParseCase(text);
  if (spec.ok()) return BuilderOf(*spec);
  std::fprintf(stderr, "%s\n", std::string(spec.status().message()).c_str());
  std::abort();
}

std::vector<uint8_t> BytesOf(const CaseSpec& spec) {
  return BuilderOf(spec).Finish();
}

}  // namespace gles_delegate::cases
