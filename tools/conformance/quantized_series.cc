#include "tools/conformance/quantized_series.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace gles_delegate::conformance {

float DrawScale(QuantizedBuilder& b) {
  constexpr float kOdd[] = {1.0f / 255, 0.1f,       6.0f / 255,
                            2.0f / 255, 1.0f / 127, 0.023528477f};
  testing::Random& random = b.random();
  const float power = std::exp2(static_cast<float>(random.NextInt(-8, 2)));
  switch (random.NextInt(0, 4)) {
    case 0:
      return power;
    case 1:
      return std::nextafter(power, 1000.0f);
    case 2:
      return std::nextafter(power, 0.0f);
    case 3:
      return kOdd[random.NextInt(0, 5)];
    default:
      return std::exp2(random.NextUniform(-8, 2));
  }
}

float DrawBeside(QuantizedBuilder& b, float scale, int low, int high) {
  testing::Random& random = b.random();
  switch (random.NextInt(0, 3)) {
    case 0:
      return scale * std::exp2(static_cast<float>(random.NextInt(low, high)));
    case 1:
      return scale * std::exp2(static_cast<float>(std::clamp(0, low, high)));
    default:
      return scale * std::exp2(random.NextUniform(static_cast<float>(low),
                                                  static_cast<float>(high)));
  }
}

ModelQuantization WithZeroPoint(QuantizedBuilder& b, float scale) {
  // int16 values have the zero point 0, and finer scales.
  if (b.is_int16()) return ModelQuantization::PerTensor(scale / 256, 0);
  const int choices[] = {b.min(), b.max(), b.min() + 128,
                         b.random().NextInt(b.min(), b.max())};
  return ModelQuantization::PerTensor(scale, choices[b.random().NextInt(0, 3)]);
}

std::vector<int> AllQuantized(QuantizedBuilder& b, int step) {
  // A stride of a prime number visits all parts of the 65,536.
  const int count = b.is_int16() ? 4096 : 256;
  const int range = b.max() - b.min() + 1;
  const int stride = b.is_int16() ? 251 * step : step;
  std::vector<int> quantized(count);
  for (int i = 0; i < count; ++i) {
    quantized[i] = b.min() + (i * stride + 7) % range;
  }
  return quantized;
}

int Operand(QuantizedBuilder& b, const char* name, const Shape& shape,
            const ModelQuantization& q, bool constant, int step) {
  const std::vector<int> quantized = AllQuantized(b, step);
  return constant ? b.Constant(name, shape, q, quantized)
                  : b.InputOfQuantized(name, shape, q, quantized);
}

SingleOpModel MovedFrom(const SingleOpModel& model, QuantizedBuilder& b,
                        bool same) {
  if (!model.status.ok()) return model;
  const std::unique_ptr<schema::ModelT> root(
      schema::UnPackModel(model.bytes.data()));
  schema::SubGraphT& graph = *root->subgraphs[0];
  const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
  // No two scales that are drawn differ by this factor.
  const ModelQuantization out =
      same ? in : WithZeroPoint(b, 1.37f * DrawScale(b));
  std::vector<int> ids(graph.tensors.size(), -1);
  const auto is_input = [&](size_t i) {
    return std::count(graph.inputs.begin(), graph.inputs.end(), i) > 0;
  };
  bool first = true;
  for (size_t i = 0; i < ids.size(); ++i) {
    const schema::TensorT& tensor = *graph.tensors[i];
    const std::vector<uint8_t>& data = root->buffers[tensor.buffer]->data;
    if (tensor.type != TensorType::FLOAT32) {
      ids[i] = b.builder().AddConstantBytes(tensor.name, tensor.shape,
                                            tensor.type, data);
    } else if (is_input(i)) {
      ids[i] = b.InputOfQuantized(tensor.name, tensor.shape, first ? in : out,
                                  AllQuantized(b, first ? 37 : 91));
      first = false;
    } else if (!data.empty()) {
      // TFLite asks that a value has the output's quantization.
      ids[i] = b.Constant(tensor.name, tensor.shape, out,
                          {b.random().NextInt(b.min(), b.max())});
    } else {
      ids[i] = b.Output(tensor.name, tensor.shape, out);
    }
  }
  const auto renamed = [&](std::vector<int> of) {
    for (int& id : of) id = id < 0 ? id : ids[id];
    return of;
  };
  for (const auto& op : graph.operators) {
    const schema::OperatorCodeT& code = *root->operator_codes[op->opcode_index];
    b.builder().AddOp(code.builtin_code, code.version, renamed(op->inputs),
                      renamed(op->outputs), op->builtin_options);
  }
  return b.Finish(renamed(graph.outputs));
}

SingleOpModel JoinOf(QuantizedBuilder& b, int x, int z, const Shape& shape,
                     int axis, const ModelQuantization& out) {
  schema::ConcatenationOptionsT options;
  options.axis = axis;
  Shape joined = shape;
  joined[axis] *= 2;
  const int y = b.Output("y", joined, out);
  b.builder().AddOp(Op::CONCATENATION, 2, {x, z}, {y}, options);
  return b.Finish({y});
}

void AddSeries(CaseList* list, Op op, const std::string& what,
               const Shape& shape, const BuildOne& build, SeriesTypes types,
               int families) {
  const std::string name = schema::EnumNameBuiltinOperator(op);
  for (TensorType type : {TensorType::INT8, TensorType::UINT8}) {
    const SeriesTypes other =
        type == TensorType::UINT8 ? SeriesTypes::kInt8 : SeriesTypes::kUint8;
    if (types == other) continue;
    const int count = types == SeriesTypes::kBoth ? families : 2 * families;
    const std::string type_name =
        absl::AsciiStrToLower(schema::EnumNameTensorType(type));
    for (int i = 0; i < count; ++i) {
      const std::string attributes = absl::StrCat(type_name, "_", what, "_", i);
      Family& family = list->AddQuantized(name, attributes, shape, [=] {
        QuantizedBuilder b(absl::StrCat(name, " ", attributes), type,
                           Codes::kRandom);
        return build(b, i);
      });
      family.integer_path = true;
    }
  }
}

void AddInt16Series(CaseList* list, Op op, const std::string& what,
                    const Shape& shape, const BuildOne& build, int families,
                    bool integer_path) {
  const std::string name = schema::EnumNameBuiltinOperator(op);
  for (int i = 0; i < families; ++i) {
    const std::string attributes = absl::StrCat("int16_", what, "_", i);
    Family& family = list->AddQuantized(name, attributes, shape, [=] {
      QuantizedBuilder b(absl::StrCat(name, " ", attributes), TensorType::INT16,
                         Codes::kRandom);
      return build(b, i);
    });
    family.integer_path = integer_path;
  }
}

}  // namespace gles_delegate::conformance
