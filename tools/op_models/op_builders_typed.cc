// Builders for ops of integers and bools: CAST, arithmetic on int32, logic,
// comparisons, SELECT.
// Longer than 300 lines: one function for each op.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/op_models/op_variant.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

std::vector<float> Bools(OpVariant& v, const Shape& shape) {
  std::vector<float> values(ElementCount(shape));
  for (float& value : values) value = v.random().NextInt(0, 1);
  return values;
}

}  // namespace

std::vector<float> FewValues(OpVariant& v, TensorType type,
                             const Shape& shape) {
  std::vector<float> values(ElementCount(shape));
  for (float& value : values) {
    value = v.random().NextInt(type == TensorType::BOOL ? 0 : -2,
                               type == TensorType::BOOL ? 1 : 2);
    if (type == TensorType::FLOAT32) value *= 0.75f;
  }
  return values;
}

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

namespace {

bool Divides(Op op) {
  return op == Op::DIV || op == Op::FLOOR_DIV || op == Op::FLOOR_MOD;
}

// Exponents and shifts, which are not negative.
bool Counts(Op op) { return op == Op::POW || op == Op::RIGHT_SHIFT; }

// Integers from -most to most; divisors are not 0, which TFLite refuses.
std::vector<int32_t> Integers(OpVariant& v, const IntegerBinaryParams& c,
                              bool second, const Shape& shape) {
  std::vector<int32_t> values(ElementCount(shape));
  const bool counts = second && Counts(c.op);
  const int max = second && Divides(c.op) && c.max > 100 ? 100 : c.max;
  for (int32_t& value : values) {
    do {
      value = counts ? v.random().NextInt(0, c.op == Op::POW ? 3 : 31)
                     : v.random().NextInt(-max, max);
    } while (second && Divides(c.op) && value == 0);
  }
  return values;
}

template <typename Options>
int AddFused(OpVariant& v, const IntegerBinaryParams& c, int a, int b) {
  Options options;
  options.fused_activation_function = v.Fused(c.activation);
  return v.Op(c.op, 1, {a, b}, options);
}

int AddOp(OpVariant& v, const IntegerBinaryParams& c, int a, int b) {
  switch (c.op) {
    case Op::ADD:
      return AddFused<schema::AddOptionsT>(v, c, a, b);
    case Op::SUB:
      return AddFused<schema::SubOptionsT>(v, c, a, b);
    case Op::MUL:
      return AddFused<schema::MulOptionsT>(v, c, a, b);
    case Op::DIV:
      return AddFused<schema::DivOptionsT>(v, c, a, b);
    default:
      return v.Op(c.op, 1, {a, b});
  }
}

}  // namespace

SingleOpModel IntegerBinary(const IntegerBinaryParams& c) {
  const std::string description = absl::StrCat(
      schema::EnumNameBuiltinOperator(c.op), " of int32 ", ShapeString(c.a),
      " and ", ShapeString(c.b), " up to ", c.max, " constant ",
      static_cast<int>(c.constant), " ", ActivationName(c.activation));
  return MakeModel(description, Accuracy{/*terms=*/0}, [&](OpVariant& v) {
    const auto operand = [&](const char* name, const Shape& shape, bool second,
                             Constant constant) {
      const std::vector<int32_t> values = Integers(v, c, second, shape);
      if (c.constant == constant) return v.IntConstant(name, shape, values);
      return v.OfInts(v.Input(
          name, shape, std::vector<float>(values.begin(), values.end())));
    };
    const int a = operand("a", c.a, false, Constant::kFirst);
    const int b = operand("b", c.b, true, Constant::kSecond);
    return v.OfInts(AddOp(v, c, a, b));
  });
}

SingleOpModel Logical(Op op, const Shape& a, const Shape& b, bool constant) {
  return MakeModel(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " ", ShapeString(a),
                   " and ", ShapeString(b), constant ? " constant" : ""),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const int x = v.OfBools(v.Input("a", a, Bools(v, a)));
        int y = 0;
        if (constant) {
          const std::vector<float> values = Bools(v, b);
          const std::vector<uint8_t> bytes(values.begin(), values.end());
          y = v.builder().AddConstantBytes("b", b, TensorType::BOOL, bytes);
        } else {
          y = v.OfBools(v.Input("b", b, Bools(v, b)));
        }
        return v.OfBools(v.Op(op, 1, {x, y}));
      });
}

SingleOpModel LogicalNot(const Shape& shape) {
  return MakeModel(absl::StrCat("LOGICAL_NOT ", ShapeString(shape)),
                   Accuracy{/*terms=*/0}, [&](OpVariant& v) {
                     const int x =
                         v.OfBools(v.Input("x", shape, Bools(v, shape)));
                     return v.OfBools(v.Op(Op::LOGICAL_NOT, 1, {x}));
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

SingleOpModel IntegerNeg(const Shape& shape) {
  return MakeModel(
      absl::StrCat("NEG of int32 ", ShapeString(shape)), Accuracy{/*terms=*/0},
      [&](OpVariant& v) {
        const int x = v.OfInts(v.Input(
            "x", shape, v.random().Uniform(ElementCount(shape), -1000, 1000)));
        return v.OfInts(v.Op(Op::NEG, 1, {x}));
      });
}

SingleOpModel ComparisonOp(Op op, TensorType type, const Shape& a,
                           const Shape& b, Constant constant) {
  return MakeModel(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " ", ShapeString(a),
                   " and ", ShapeString(b), " of ",
                   schema::EnumNameTensorType(type), " constant ",
                   static_cast<int>(constant)),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        const auto operand = [&](const char* name, const Shape& shape,
                                 Constant which) {
          const std::vector<float> values = FewValues(v, type, shape);
          if (constant != which) {
            return v.OfType(v.Input(name, shape, values), type);
          }
          if (type == TensorType::FLOAT32) {
            return v.Constant(name, shape, values);
          }
          return v.IntConstant(
              name, shape, std::vector<int32_t>(values.begin(), values.end()));
        };
        const int x = operand("a", a, Constant::kFirst);
        const int y = operand("b", b, Constant::kSecond);
        return v.OfBools(v.Op(op, 1, {x, y}));
      });
}

SingleOpModel Select(const SelectParams& c) {
  return MakeModel(
      absl::StrCat(schema::EnumNameBuiltinOperator(c.op), " ",
                   ShapeString(c.condition), " ", ShapeString(c.x), " ",
                   ShapeString(c.y), " constant ", c.constant),
      Accuracy{/*terms=*/0}, [&](OpVariant& v) {
        std::vector<float> holds(ElementCount(c.condition));
        for (float& h : holds) h = v.random().NextInt(0, 1);
        int condition = 0;
        if (c.constant == 0) {
          const std::vector<uint8_t> bytes(holds.begin(), holds.end());
          condition = v.builder().AddConstantBytes("condition", c.condition,
                                                   TensorType::BOOL, bytes);
        } else {
          condition = v.OfBools(v.Input("condition", c.condition, holds));
        }
        const auto operand = [&](const char* name, const Shape& shape, int at) {
          return v.Constant(
              name, shape, v.random().Gaussian(ElementCount(shape)),
              c.constant == at ? Weights::kFloat : Weights::kRuntime);
        };
        const int x = operand("x", c.x, 1);
        return v.Op(c.op, 1, {condition, x, operand("y", c.y, 2)});
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
