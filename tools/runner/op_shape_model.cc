#include "tools/runner/op_shape_model.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tools/common/model_builder.h"
#include "tools/runner/op_options.h"

namespace gles_delegate {
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
