// Builds .tflite models in memory: for tests, for benches and for the models
// that the project generates itself.
//
//   ModelBuilder builder;
//   int x = builder.AddInput("x", {1, 8, 8, 3});
//   int w = builder.AddConstant<float>("w", {4, 3, 3, 3}, weights);
//   int b = builder.AddConstant<float>("b", {4}, bias);
//   int y = builder.AddTensor("y", {1, 8, 8, 4});
//   schema::Conv2DOptionsT conv;
//   conv.stride_w = conv.stride_h = 1;
//   builder.AddOp(schema::BuiltinOperator::CONV_2D, /*version=*/1, {x, w, b},
//                 {y}, conv);
//   builder.SetOutputs({y});
//   std::vector<uint8_t> model = builder.Finish();
//
// Nothing is validated here, on purpose: tests build wrong models too.
// Every Add is constant time (bar the copy of its data), so models of thousands
// of ops are fine. Threads: one at a time. Errors: none.
#ifndef GLES_DELEGATE_TOOLS_COMMON_MODEL_BUILDER_H_
#define GLES_DELEGATE_TOOLS_COMMON_MODEL_BUILDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "quant/half.h"
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate {

// Scales and zero points: one each for the whole tensor, or one each per index
// of dimension `dimension`. Empty: not quantized.
struct ModelQuantization {
  std::vector<float> scale;
  std::vector<int64_t> zero_point;
  int dimension = 0;

  static ModelQuantization PerTensor(float scale, int64_t zero_point) {
    return {{scale}, {zero_point}, 0};
  }
};

template <schema::TensorType type>
struct IsTensorType {
  static constexpr schema::TensorType kValue = type;
};

// The type of a C++ element, TensorTypeOf<T>::kValue. Half values are uint16_t
// with the type named.
template <typename T>
struct TensorTypeOf;
template <>
struct TensorTypeOf<float> : IsTensorType<schema::TensorType::FLOAT32> {};
template <>
struct TensorTypeOf<int32_t> : IsTensorType<schema::TensorType::INT32> {};
template <>
struct TensorTypeOf<int64_t> : IsTensorType<schema::TensorType::INT64> {};
template <>
struct TensorTypeOf<int16_t> : IsTensorType<schema::TensorType::INT16> {};
template <>
struct TensorTypeOf<int8_t> : IsTensorType<schema::TensorType::INT8> {};
template <>
struct TensorTypeOf<uint8_t> : IsTensorType<schema::TensorType::UINT8> {};
template <>
struct TensorTypeOf<bool> : IsTensorType<schema::TensorType::BOOL> {};

class ModelBuilder {
 public:
  using Shape = std::vector<int32_t>;

  ModelBuilder();

  // A tensor that the caller fills; it is listed as an input, in call order.
  int AddInput(std::string name, Shape shape,
               schema::TensorType type = schema::TensorType::FLOAT32,
               ModelQuantization quantization = {});

  // A tensor that an op writes.
  int AddTensor(std::string name, Shape shape,
                schema::TensorType type = schema::TensorType::FLOAT32,
                ModelQuantization quantization = {});

  // A tensor that keeps its value from one Invoke to the next; zero at first.
  int AddVariable(std::string name, Shape shape,
                  schema::TensorType type = schema::TensorType::FLOAT32,
                  ModelQuantization quantization = {});

  // A tensor with data in the file. `data` is copied, byte for byte.
  int AddConstantBytes(std::string name, Shape shape, schema::TensorType type,
                       absl::Span<const uint8_t> data,
                       ModelQuantization quantization = {});

  template <typename T>
  int AddConstant(const std::string& name, const Shape& shape,
                  absl::Span<const T> data,
                  const ModelQuantization& quantization = {}) {
    return AddConstantBytes(
        name, shape, TensorTypeOf<T>::kValue,
        absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(data.data()),
                            data.size() * sizeof(T)),
        quantization);
  }
  template <typename T>
  int AddConstant(const std::string& name, const Shape& shape,
                  const std::vector<T>& data,
                  const ModelQuantization& quantization = {}) {
    return AddConstant<T>(name, shape, absl::MakeConstSpan(data), quantization);
  }

  // float32 values stored as FLOAT16 (rounded to the nearest half, ties to
  // even).
  int AddHalfConstant(std::string name, Shape shape,
                      absl::Span<const float> data);

  // Without a scale: not quantized.
  void SetQuantization(int tensor, ModelQuantization quantization);

  // Marks a constant as sparse: its data are the stored values alone.
  void SetSparsity(int tensor, schema::SparsityParametersT sparsity);

  // The shape signature: -1 for each dimension that may change.
  void SetShapeSignature(int tensor, Shape signature);

  // A builtin op. -1 in `inputs` is an optional input that is absent.
  // `options` is the op's object-API struct (schema::Conv2DOptionsT, ...).
  template <typename Options>
  int AddOp(schema::BuiltinOperator op, int version, std::vector<int> inputs,
            std::vector<int> outputs, Options options) {
    schema::BuiltinOptionsUnion u;
    u.Set(std::move(options));
    return AddOp(op, version, std::move(inputs), std::move(outputs),
                 std::move(u));
  }
  // The same with options of any op.
  int AddOp(schema::BuiltinOperator op, int version, std::vector<int> inputs,
            std::vector<int> outputs, schema::BuiltinOptionsUnion options) {
    return AddOperator(op, "", version, std::move(inputs), std::move(outputs),
                       std::move(options), {});
  }
  // A builtin op without options.
  int AddOp(schema::BuiltinOperator op, int version, std::vector<int> inputs,
            std::vector<int> outputs);

  // A custom op: `parameters` are its custom_options, byte for byte.
  int AddCustomOp(const std::string& name, absl::Span<const uint8_t> parameters,
                  std::vector<int> inputs, std::vector<int> outputs,
                  int version = 1);

  // A STABLEHLO_COMPOSITE without attributes, which stands for a subgraph.
  int AddComposite(const std::string& name, int subgraph,
                   std::vector<int> inputs, std::vector<int> outputs);

  // Adds the first subgraph of `other` and returns its place in the model.
  int AddSubgraph(ModelBuilder other);

  void SetOutputs(std::vector<int> outputs);

  void SetDescription(std::string description);

  // The model being built, for what has no function here (other subgraphs,
  // signatures, deliberately broken indices).
  schema::ModelT& model() { return model_; }

  // The file's bytes. The builder can go on after it.
  std::vector<uint8_t> Finish() const;

 private:
  int AddTensorWithBuffer(std::string name, Shape shape,
                          schema::TensorType type, uint32_t buffer,
                          ModelQuantization quantization);
  int AddOperator(schema::BuiltinOperator op, const std::string& custom_name,
                  int version, std::vector<int> inputs,
                  std::vector<int> outputs, schema::BuiltinOptionsUnion options,
                  absl::Span<const uint8_t> custom_options);
  uint32_t AddBuffer(absl::Span<const uint8_t> data);

  schema::SubGraphT& graph() { return *model_.subgraphs[0]; }

  schema::ModelT model_;
  std::map<std::tuple<int, std::string, int>, uint32_t> opcodes_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_COMMON_MODEL_BUILDER_H_
