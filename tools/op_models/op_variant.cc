#include "tools/op_models/op_variant.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate::testing {
namespace {

// Every dimension dense but the last, which is compressed: for each row, where
// its nonzero values start, and their columns.
schema::SparsityParametersT CompressLastDimension(
    const Shape& shape, const std::vector<float>& values,
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

int OpVariant::Input(const std::string& name, const Shape& shape,
                     std::vector<float> values) {
  inputs_.push_back(std::move(values));
  return builder_.AddInput(name, shape);
}

int OpVariant::Constant(const std::string& name, const Shape& shape,
                        std::vector<float> values, Weights weights) {
  if (weights == Weights::kRuntime) {
    return Input(name, shape, std::move(values));
  }
  if (absolute_) {
    for (float& value : values) value = std::fabs(value);
  }
  switch (weights) {
    case Weights::kHalf:
      return Dequantize(
          name, shape, builder_.AddHalfConstant(name + "_half", shape, values));
    case Weights::kInt8:
      return Dequantize(name, shape, Int8Constant(name, shape, values));
    case Weights::kSparse:
      return SparseConstant(name, shape, std::move(values), /*half=*/false);
    case Weights::kSparseHalf:
      return SparseConstant(name, shape, std::move(values), /*half=*/true);
    default:
      return builder_.AddConstant<float>(name, shape, values);
  }
}

int OpVariant::OfType(int tensor, schema::TensorType type) {
  builder_.model().subgraphs[0]->tensors[tensor]->type = type;
  return tensor;
}

int OpVariant::Int8Constant(const std::string& name, const Shape& shape,
                            const std::vector<float>& values) {
  constexpr float kScale = 0x1p-5f;  // exact in 16-bit floats
  std::vector<int8_t> quantized;
  quantized.reserve(values.size());
  for (float value : values) {
    quantized.push_back(static_cast<int8_t>(
        std::clamp(std::round(value / kScale), -127.0f, 127.0f)));
  }
  return builder_.AddConstant<int8_t>(name + "_int8", shape, quantized,
                                      ModelQuantization::PerTensor(kScale, 0));
}

int OpVariant::Dequantize(const std::string& name, const Shape& shape,
                          int constant) {
  const int tensor = builder_.AddTensor(name, shape);
  // Version 3 brought float16.
  builder_.AddOp(schema::BuiltinOperator::DEQUANTIZE, 3, {constant}, {tensor});
  return tensor;
}

int OpVariant::SparseConstant(const std::string& name, const Shape& shape,
                              std::vector<float> values, bool half) {
  for (float& value : values) {
    if (random_.NextInt(0, 2) != 0) value = 0;
  }
  std::vector<float> stored;
  schema::SparsityParametersT sparsity =
      CompressLastDimension(shape, values, &stored);
  const int constant =
      half ? builder_.AddHalfConstant(name + "_sparse", shape, stored)
           : builder_.AddConstant<float>(name + "_sparse", shape, stored);
  builder_.SetSparsity(constant, std::move(sparsity));
  const int dense = builder_.AddTensor(
      half ? name + "_half" : name, shape,
      half ? schema::TensorType::FLOAT16 : schema::TensorType::FLOAT32);
  builder_.AddOp(schema::BuiltinOperator::DENSIFY, 1, {constant}, {dense});
  return half ? Dequantize(name, shape, dense) : dense;
}

SingleOpModel MakeModel(const std::string& description,
                        const Accuracy& accuracy, bool with_magnitude,
                        absl::FunctionRef<std::vector<int>(OpVariant&)> build) {
  SingleOpModel model;
  model.description = description;
  model.accuracy = accuracy;
  OpVariant plain(description, /*absolute=*/false);
  plain.builder().SetOutputs(build(plain));
  model.status = FillOutputShapes(description, &plain.builder());
  if (!model.status.ok()) return model;
  plain.builder().SetDescription(description);
  model.bytes = plain.builder().Finish();
  model.inputs = plain.TakeInputs();
  if (with_magnitude) {
    OpVariant absolute(description, /*absolute=*/true);
    absolute.builder().SetOutputs(build(absolute));
    model.magnitude_bytes = absolute.builder().Finish();
  }
  return model;
}

}  // namespace gles_delegate::testing
