#include "tools/cases/model.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "flatbuffers/flexbuffers.h"
#include "tools/common/tflite_host.h"
#include "tools/op_models/random.h"

namespace gles_delegate::cases {
namespace {

using testing::Op;
using testing::TensorType;

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
      halves.reserve(numbers.size());
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

// Every dimension dense but the last, which is compressed: for each row, where
// its nonzero values start, and their columns.
schema::SparsityParametersT CompressLastDimension(
    const testing::Shape& shape, const std::vector<float>& values,
    std::vector<float>* stored) {
  schema::SparsityParametersT sparsity;
  for (size_t d = 0; d < shape.size(); ++d) {
    sparsity.traversal_order.push_back(static_cast<int32_t>(d));
    auto dimension = std::make_unique<schema::DimensionMetadataT>();
    dimension->dense_size = shape[d];
    sparsity.dim_metadata.push_back(std::move(dimension));
  }
  schema::Int32VectorT segments, indices;
  const size_t columns = shape.back();
  for (size_t i = 0; i < values.size(); ++i) {
    if (i % columns == 0) {
      segments.values.push_back(static_cast<int32_t>(stored->size()));
    }
    if (values[i] == 0) continue;
    stored->push_back(values[i]);
    indices.values.push_back(static_cast<int32_t>(i % columns));
  }
  segments.values.push_back(static_cast<int32_t>(stored->size()));
  schema::DimensionMetadataT& last = *sparsity.dim_metadata.back();
  last.format = schema::DimensionType::SPARSE_CSR;
  last.array_segments.Set(std::move(segments));
  last.array_indices.Set(std::move(indices));
  return sparsity;
}

// Builds a case's model. Its data are those of the text's own stream, so that
// they are the same in the variant on absolute values (single_op.h says what
// that is for). That variant has no activation, ADD in place of SUB, and
// constants without signs.
class Builder {
 public:
  Builder(const CaseSpec& spec, bool absolute, bool with_data = true)
      : random_(spec.text), absolute_(absolute), with_data_(with_data) {
    for (const NodeSpec& node : spec.nodes) AddNode(node);
    std::vector<int> outputs;
    std::copy_if(made_.begin(), made_.end(), std::back_inserter(outputs),
                 [this](int id) { return used_.count(id) == 0; });
    if (const auto keep = spec.flags.find("keep"); keep != spec.flags.end()) {
      outputs.push_back(Known(keep->second));
    }
    builder_.SetOutputs(std::move(outputs));
  }

  // What is wrong with the text.
  const absl::Status& status() const { return status_; }
  ModelBuilder& builder() { return builder_; }
  // The values of the model's inputs.
  std::vector<std::vector<float>>& inputs() { return inputs_; }

 private:
  int Known(const std::string& name) {
    const auto known = ids_.find(name);
    if (known != ids_.end()) return known->second;
    status_ =
        absl::InvalidArgumentError(absl::StrCat("no tensor is named ", name));
    return -1;
  }

  int Add(const TensorSpec& tensor, float deviation) {
    if (tensor.absent) return -1;
    if (tensor.known) return Known(tensor.name);
    if (const auto twin = ids_.find(tensor.name); twin != ids_.end()) {
      status_ = absl::InvalidArgumentError(
          absl::StrCat("two tensors are named ", tensor.name));
      return twin->second;
    }
    if (tensor.variable) {
      return ids_[tensor.name] =
                 builder_.AddVariable(tensor.name, tensor.shape);
    }
    // A refused model is not run, and may be as large as its text says.
    const bool computed = tensor.weights == Weights::kRuntime;
    const std::vector<double> numbers =
        computed && !with_data_ ? std::vector<double>()
                                : Numbers(tensor, deviation, &random_);
    const std::vector<float> floats(numbers.begin(), numbers.end());
    int id = 0;
    if (computed) {
      inputs_.push_back(Real(tensor, floats));
      id = builder_.AddInput(tensor.name, tensor.shape, tensor.type);
    } else if (numbers.empty()) {
      id = builder_.AddTensor(tensor.name, tensor.shape, tensor.type);
    } else if (tensor.type == TensorType::FLOAT32) {
      id = Constant(tensor, floats);
    } else {
      id = builder_.AddConstantBytes(tensor.name, tensor.shape, tensor.type,
                                     BytesOfType(tensor.type, numbers));
    }
    builder_.SetQuantization(id, tensor.quantization);
    return ids_[tensor.name] = id;
  }

  // A constant of floats, as its weights get to the op.
  int Constant(const TensorSpec& tensor, std::vector<float> values) {
    if (absolute_) {
      for (float& value : values) value = std::fabs(value);
    }
    switch (tensor.weights) {
      case Weights::kHalf:
        return Dequantize(tensor,
                          builder_.AddHalfConstant(tensor.name + "_half",
                                                   tensor.shape, values));
      case Weights::kInt8:
        return Dequantize(tensor, Int8Constant(tensor, values));
      case Weights::kSparse:
        return SparseConstant(tensor, std::move(values), /*half=*/false);
      case Weights::kSparseHalf:
        return SparseConstant(tensor, std::move(values), /*half=*/true);
      default:
        return builder_.AddConstant<float>(tensor.name, tensor.shape, values);
    }
  }

  int Int8Constant(const TensorSpec& tensor, const std::vector<float>& values) {
    constexpr float kScale = 0x1p-5f;  // exact in 16-bit floats
    std::vector<int8_t> quantized;
    quantized.reserve(values.size());
    for (float value : values) {
      quantized.push_back(static_cast<int8_t>(
          std::clamp(std::round(value / kScale), -127.0f, 127.0f)));
    }
    return builder_.AddConstant<int8_t>(
        tensor.name + "_int8", tensor.shape, quantized,
        ModelQuantization::PerTensor(kScale, 0));
  }

  int Dequantize(const TensorSpec& tensor, int constant) {
    const int floats = builder_.AddTensor(tensor.name, tensor.shape);
    // Version 3 brought float16.
    builder_.AddOp(Op::DEQUANTIZE, 3, {constant}, {floats});
    return floats;
  }

  // Two of three values are zeroed first.
  int SparseConstant(const TensorSpec& tensor, std::vector<float> values,
                     bool half) {
    for (float& value : values) {
      if (random_.NextInt(0, 2) != 0) value = 0;
    }
    std::vector<float> stored;
    schema::SparsityParametersT sparsity =
        CompressLastDimension(tensor.shape, values, &stored);
    const std::string name = tensor.name + "_sparse";
    const int constant =
        half ? builder_.AddHalfConstant(name, tensor.shape, stored)
             : builder_.AddConstant<float>(name, tensor.shape, stored);
    builder_.SetSparsity(constant, std::move(sparsity));
    const int dense = builder_.AddTensor(
        half ? tensor.name + "_half" : tensor.name, tensor.shape,
        half ? TensorType::FLOAT16 : TensorType::FLOAT32);
    builder_.AddOp(Op::DENSIFY, 1, {constant}, {dense});
    return half ? Dequantize(tensor, dense) : dense;
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
    return *builder_.model().subgraphs[0]->tensors[id];
  }

  OutputSpec TypeOf(int id) {
    OutputSpec spec;
    spec.type = TensorAt(id).type;
    if (const auto& q = TensorAt(id).quantization; q != nullptr) {
      spec.quantization = {q->scale, q->zero_point, q->quantized_dimension};
    }
    return spec;
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
          builder_.AddTensor(name, output.shape, of.type, of.quantization);
      ids_[name] = id;
      made_.push_back(id);
      outputs.push_back(id);
    }
    AddOperator(node, inputs, outputs);
  }

  void AddOperator(const NodeSpec& node, const std::vector<int>& inputs,
                   const std::vector<int>& outputs) {
    if (!node.custom.empty()) {
      builder_.AddCustomOp(
          node.custom,
          node.map.empty()
              ? BytesOfType(node.parameters.type, node.parameters.data.values)
              : FlexBytes(node.map),
          inputs, outputs, node.version);
      return;
    }
    Op op = node.op;
    nlohmann::ordered_json options = node.options;
    if (absolute_) {
      if (options.contains("builtin_options")) {
        options["builtin_options"].erase("fused_activation_function");
      }
      if (op == Op::SUB && IsFloat(TypeOf(outputs[0]).type)) {
        op = Op::ADD;
        options["builtin_options_type"] = "AddOptions";
      }
    }
    auto parsed = OptionsFromJson(options);
    if (!parsed.ok()) status_ = parsed.status();
    builder_.AddOp(op, node.version, inputs, outputs,
                   parsed.ok() ? std::move(parsed->builtin_options)
                               : schema::BuiltinOptionsUnion());
  }

  ModelBuilder builder_;
  testing::Random random_;
  const bool absolute_, with_data_;
  std::vector<std::vector<float>> inputs_;
  absl::Status status_;
  std::map<std::string, int> ids_;
  std::vector<int> made_;  // outputs of nodes, in order
  std::set<int> used_;
};

// The shapes that TFLite gives the model's outputs, which go into the file.
absl::Status FillOutputShapes(const std::string& description,
                              ModelBuilder* builder) {
  ASSIGN_OR_RETURN(auto model,
                   Model::FromBuffer(builder->Finish(), description));
  auto interpreter = Interpreter::Create(*model);
  if (!interpreter.ok()) {
    return absl::Status(interpreter.status().code(),
                        absl::StrCat("TFLite refuses ", description, ": ",
                                     interpreter.status().message()));
  }
  schema::SubGraphT& graph = *builder->model().subgraphs[0];
  for (int i = 0; i < (*interpreter)->outputs(); ++i) {
    const std::vector<int> dims = (*interpreter)->output(i).dims();
    graph.tensors[graph.outputs[i]]->shape.assign(dims.begin(), dims.end());
  }
  return absl::OkStatus();
}

}  // namespace

testing::SingleOpModel ModelOf(const CaseSpec& spec) {
  testing::SingleOpModel model;
  model.description = spec.text;
  model.accuracy = AccuracyOf(spec);
  Builder plain(spec, /*absolute=*/false);
  model.status = plain.status();
  if (model.status.ok()) {
    model.status = FillOutputShapes(spec.text, &plain.builder());
  }
  if (model.status.ok()) {
    plain.builder().SetDescription(spec.text);
    model.bytes = plain.builder().Finish();
    model.inputs = std::move(plain.inputs());
    if (HasMagnitude(spec)) {
      model.magnitude_bytes =
          Builder(spec, /*absolute=*/true).builder().Finish();
    }
  }
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

void EndUnlessOk(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  std::abort();
}

ModelBuilder BuilderOf(const CaseSpec& spec) {
  Builder builder(spec, /*absolute=*/false, /*with_data=*/false);
  EndUnlessOk(builder.status());
  return std::move(builder.builder());
}

}  // namespace

ModelBuilder BuilderOf(absl::string_view text) {
  const auto spec = ParseCase(text);
  EndUnlessOk(spec.status());
  return BuilderOf(*spec);
}

std::vector<uint8_t> BytesOf(const CaseSpec& spec) {
  return BuilderOf(spec).Finish();
}

}  // namespace gles_delegate::cases
