// Builders for CAST, reductions of integers and bools, and ops of positions.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/op_models/op_variant.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
SingleOpModel Cast(TensorType from, TensorType to, const Shape& shape,
                   float max) {
  return MakeModel(
      absl::StrCat("CAST ", ShapeString(shape), " from ",
                   schema::EnumNameTensorType(from), " to ",
                   schema::EnumNameTensorType(to), " up to ", max),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        std::vector<float> values =
            v.random().Uniform(ElementCount(shape), -max, max);
        for (size_t i = 0; i < values.size(); i += 3) values[i] = 0;
        if (from != TensorType::FLOAT32) {
          for (float& value : values) value = std::round(value);
        }
        schema::CastOptionsT options;
        options.in_data_type = from;
        options.out_data_type = to;
        return v.OfType(
            v.Op(Op::CAST, 1, {v.OfType(v.Input("x", shape, values), from)},
                 options),
            to);
      });
}

SingleOpModel ReduceBools(Op op, const Shape& shape,
                          const std::vector<int>& axes, bool keep_dims) {
  return MakeModel(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " ", ShapeString(shape),
                   " over ", absl::StrJoin(axes, ","),
                   keep_dims ? " kept" : ""),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const bool usual = op == Op::REDUCE_ALL;
        std::vector<float> values(ElementCount(shape), usual ? 1.0f : 0.0f);
        for (float& value : values) {
          if (v.random().NextInt(0, 15) == 0) value = 1 - value;
        }
        const int x = v.OfBools(v.Input("x", shape, values));
        const int over =
            v.IntConstant("axes", {static_cast<int>(axes.size())}, axes);
        schema::ReducerOptionsT options;
        options.keep_dims = keep_dims;
        return v.OfBools(v.Op(op, 1, {x, over}, options));
      });
}

SingleOpModel ReduceInts(Op op, const Shape& shape,
                         const std::vector<int>& axes, bool keep_dims) {
  return MakeModel(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " of int32 ",
                   ShapeString(shape), " over ", absl::StrJoin(axes, ","),
                   keep_dims ? " kept" : ""),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        std::vector<float> values(ElementCount(shape));
        for (float& value : values) value = v.random().NextInt(-999, 999);
        const int x = v.OfInts(v.Input("x", shape, values));
        const int over =
            v.IntConstant("axes", {static_cast<int>(axes.size())}, axes);
        schema::ReducerOptionsT options;
        options.keep_dims = keep_dims;
        return v.OfInts(v.Op(op, 1, {x, over}, options));
      });
}

SingleOpModel ArgExtreme(Op op, const Shape& shape, int axis, TensorType type,
                         int max) {
  return MakeModel(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " ", ShapeString(shape),
                   " along ", axis, " of ", schema::EnumNameTensorType(type),
                   " up to ", max),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        std::vector<float> values(ElementCount(shape));
        for (float& value : values) value = v.random().NextInt(-max, max);
        const int x = v.OfType(v.Input("x", shape, values), type);
        const int along = v.IntConstant("axis", {}, {axis});
        if (op == Op::ARG_MAX) {
          schema::ArgMaxOptionsT options;
          options.output_type = TensorType::INT32;
          return v.OfInts(v.Op(op, 1, {x, along}, options));
        }
        schema::ArgMinOptionsT options;
        options.output_type = TensorType::INT32;
        return v.OfInts(v.Op(op, 1, {x, along}, options));
      });
}

SingleOpModel TopK(const Shape& shape, int k, TensorType type, int max,
                   const ModelQuantization& quantization) {
  SingleOpModel model;
  model.description =
      absl::StrCat("TOPK_V2 ", ShapeString(shape), " k ", k, " of ",
                   schema::EnumNameTensorType(type), " up to ", max);
  model.accuracy = Accuracy{/*terms=*/0};
  OpVariant v(model.description, /*absolute=*/false);
  std::vector<float> data(ElementCount(shape));
  for (float& value : data) value = v.random().NextInt(-max, max);
  const int x = v.builder().AddInput("x", shape, type, quantization);
  Shape dims = shape;
  dims.back() = k;
  const int values = v.builder().AddTensor("values", dims, type, quantization);
  const int positions =
      v.builder().AddTensor("positions", dims, TensorType::INT32);
  v.builder().AddOp(Op::TOPK_V2, 1, {x, v.IntConstant("k", {}, {k})},
                    {values, positions}, schema::TopKV2OptionsT());
  v.builder().SetOutputs({values, positions});
  model.bytes = v.builder().Finish();
  model.inputs = {data};
  return model;
}

}  // namespace gles_delegate::testing
