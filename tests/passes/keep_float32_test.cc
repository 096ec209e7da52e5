// labels: op
// Normalizations that a model writes out, in 16-bit floats: of values whose
// squares are past what these hold.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/testing/device.h"
#include "tests/testing/single_op.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

constexpr int kRows = 6, kChannels = 40;

struct Normalization {
  const char* name;
  Op square;      // MUL, SQUARE or SQUARED_DIFFERENCE
  bool centered;  // the mean is subtracted before
  bool sum;       // of squares, not their mean
  bool divided;   // by SQRT; else multiplied by RSQRT
};
constexpr Normalization kNormalizations[] = {
    {"RmsByMul", Op::MUL, false, false, false},
    {"RmsBySquare", Op::SQUARE, false, false, false},
    {"RmsDivided", Op::SQUARE, false, false, true},
    {"LayerByMul", Op::MUL, true, false, false},
    {"LayerBySquare", Op::SQUARE, true, false, true},
    {"LayerBySquaredDifference", Op::SQUARED_DIFFERENCE, true, false, false},
    {"L2ByMul", Op::MUL, false, true, false},
    {"L2Divided", Op::SQUARE, false, true, true},
};

// Adds the ops of a model, one after another.
class Ops {
 public:
  int Unary(Op op, int x, const std::vector<int>& dims) {
    const int y = b.AddTensor(Name(), dims);
    b.AddOp(op, 1, {x}, {y});
    return y;
  }
  template <typename Options>
  int Binary(Op op, int x, int y, const std::vector<int>& dims,
             Options options) {
    const int z = b.AddTensor(Name(), dims);
    b.AddOp(op, 1, {x, y}, {z}, std::move(options));
    return z;
  }
  int Reduced(Op op, int x, int axis) {
    const int y = b.AddTensor(Name(), {1, kRows, 1});
    schema::ReducerOptionsT options;
    options.keep_dims = true;
    b.AddOp(op, 1, {x, axis}, {y}, options);
    return y;
  }
  ModelBuilder b;

 private:
  std::string Name() { return "t" + std::to_string(count_++); }
  int count_ = 0;
};

// Row r has the magnitude 60,000 / 8^r.
std::vector<float> Values() {
  std::vector<float> values;
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kChannels; ++c) {
      const double part = std::sin(7.0 * r + 3.0 * c);
      values.push_back(static_cast<float>(60000.0 * part / std::pow(8.0, r)));
    }
  }
  return values;
}

SingleOpModel ModelOf(const Normalization& n) {
  const std::vector<int> all = {1, kRows, kChannels}, one = {1, kRows, 1};
  SingleOpModel model;
  model.description = n.name;
  Ops ops;
  const int x = ops.b.AddInput("x", all);
  const int axis =
      ops.b.AddConstant<int32_t>("axis", {1}, std::vector<int32_t>{2});
  const int epsilon =
      ops.b.AddConstant<float>("epsilon", {1}, std::vector<float>{1e-6f});
  int centered = x, mean = -1;
  if (n.centered) {
    mean = ops.Reduced(Op::MEAN, x, axis);
    centered = ops.Binary(Op::SUB, x, mean, all, schema::SubOptionsT());
  }
  int square = 0;
  if (n.square == Op::MUL) {
    square =
        ops.Binary(Op::MUL, centered, centered, all, schema::MulOptionsT());
  } else if (n.square == Op::SQUARE) {
    square = ops.Unary(Op::SQUARE, centered, all);
  } else {
    square = ops.Binary(Op::SQUARED_DIFFERENCE, x, mean, all,
                        schema::SquaredDifferenceOptionsT());
  }
  int sum = ops.Reduced(n.sum ? Op::SUM : Op::MEAN, square, axis);
  sum = ops.Binary(Op::ADD, sum, epsilon, one, schema::AddOptionsT());
  const int root = ops.Unary(n.divided ? Op::SQRT : Op::RSQRT, sum, one);
  const int y =
      n.divided
          ? ops.Binary(Op::DIV, centered, root, all, schema::DivOptionsT())
          : ops.Binary(Op::MUL, centered, root, all, schema::MulOptionsT());
  ops.b.SetOutputs({y});
  model.bytes = ops.b.Finish();
  model.inputs = {Values()};
  return model;
}

std::vector<double> Expected(const Normalization& n) {
  const std::vector<float> x = Values();
  std::vector<double> y(x.begin(), x.end());
  for (int r = 0; r < kRows; ++r) {
    double* const row = &y[static_cast<size_t>(r) * kChannels];
    double mean = 0, squares = 0;
    for (int c = 0; c < kChannels; ++c) mean += row[c] / kChannels;
    for (int c = 0; c < kChannels; ++c) {
      if (n.centered) row[c] -= mean;
      squares += row[c] * row[c];
    }
    const double root =
        std::sqrt((n.sum ? squares : squares / kChannels) + 1e-6);
    for (int c = 0; c < kChannels; ++c) row[c] /= root;
  }
  return y;
}

TEST(NormalizationTest, LargeValuesAreNormalizedInSixteenBits) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const Normalization& n : kNormalizations) {
    const SingleOpModel model = ModelOf(n);
    const std::vector<double> expected = Expected(n);
    double max = 0;
    for (double y : expected) max = std::max(max, std::abs(y));
    // The input, its mean, their difference and the result are each rounded by
    // a store, at worst by 2^-10 of themselves.
    const double tolerance = 4 * max / 1024;
    for (TfLiteGlesStorage storage : kEveryStorage) {
      RunOptions options;
      options.precision = Precision::kFloat16;
      options.storage = storage;
      const RunResult gpu = RunOnDelegate(model, options);
      ASSERT_TRUE(gpu.status.ok()) << n.name << ": " << gpu.status;
      for (size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(gpu.outputs[0].values[i], expected[i], tolerance)
            << n.name << " at " << i << ", storage " << storage;
      }
    }
  }
}

// A square that something else reads, too, is stored as the others are.
TEST(KeepFloat32Test, LeavesSquaresThatOthersRead) {
  GLES_SKIP_WITHOUT_DEVICE();
  Ops ops;
  const std::vector<int> all = {1, kRows, kChannels};
  const int x = ops.b.AddInput("x", all);
  const int axis =
      ops.b.AddConstant<int32_t>("axis", {1}, std::vector<int32_t>{2});
  const int square = ops.Unary(Op::SQUARE, x, all);
  const int mean = ops.Reduced(Op::MEAN, square, axis);
  ops.b.SetOutputs({square, mean});
  SingleOpModel model;
  model.bytes = ops.b.Finish();
  model.inputs = {std::vector<float>(kRows * kChannels, 3.0f)};
  const RunResult gpu = RunOnDelegate(model, Precision::kFloat16);
  ASSERT_TRUE(gpu.status.ok()) << gpu.status;
  for (float value : gpu.outputs[0].values) EXPECT_EQ(value, 9.0f);
  for (float value : gpu.outputs[1].values) EXPECT_EQ(value, 9.0f);
}

// sin(position * frequency), as rotary embeddings and time steps are computed:
// by a CAST or a float input, a broadcast or a matrix product, a CONCATENATION.
TEST(KeepFloat32Test, AnglesOfLargePositions) {
  GLES_SKIP_WITHOUT_DEVICE();
  const std::vector<float> positions = {0,    1,     255,    2049,
                                        8191, 65537, 100003, 131071};
  const std::vector<float> frequencies = {1, 0.31622776f, 0.1f, 0.001f};
  const auto rows = static_cast<int>(positions.size());
  for (const auto& [by_matrices, of_floats] :
       {std::pair{false, false}, std::pair{true, false},
        std::pair{false, true}}) {
    Ops ops;
    int cast;
    if (of_floats) {
      cast = ops.b.AddInput("x", {rows, 1});
    } else {
      const int x = ops.b.AddInput("x", {rows, 1}, TensorType::INT32);
      cast = ops.b.AddTensor("cast", {rows, 1});
      schema::CastOptionsT casts;
      casts.in_data_type = TensorType::INT32;
      casts.out_data_type = TensorType::FLOAT32;
      ops.b.AddOp(Op::CAST, 1, {x}, {cast}, casts);
    }
    int angle;
    if (by_matrices) {
      const int f = ops.b.AddConstant<float>("f", {4, 1}, frequencies);
      angle = ops.Binary(Op::FULLY_CONNECTED, cast, f, {rows, 4},
                         schema::FullyConnectedOptionsT());
    } else {
      const int f = ops.b.AddConstant<float>("f", {1, 4}, frequencies);
      angle = ops.Binary(Op::MUL, cast, f, {rows, 4}, schema::MulOptionsT());
    }
    schema::ConcatenationOptionsT concat;
    concat.axis = 1;
    const int both =
        ops.Binary(Op::CONCATENATION, angle, angle, {rows, 8}, concat);
    ops.b.SetOutputs({ops.Unary(Op::SIN, both, {rows, 8})});
    SingleOpModel model;
    model.bytes = ops.b.Finish();
    model.inputs = {positions};
    for (int storage = 0; storage <= kTfLiteGlesStorageBuffer; ++storage) {
      RunOptions options;
      // Not Precision::kFloat16, which rounds the model's constants, too.
      options.configure = [](auto& o) { o.is_precision_loss_allowed = 1; };
      options.storage = static_cast<TfLiteGlesStorage>(storage);
      const RunResult gpu = RunOnDelegate(model, options);
      ASSERT_TRUE(gpu.status.ok()) << gpu.status;
      for (int i = 0; i < rows * 8; ++i) {
        // Rounded once in 32 bits, as on the CPU. The error of a sine: half an
        // ulp of the angle (2^-8 from 65,536 on) at most, and a half's
        // rounding.
        const float angle_of = positions[i / 8] * frequencies[i % 4];
        EXPECT_NEAR(gpu.outputs[0].values[i], std::sin(angle_of), 1e-3)
            << by_matrices << of_floats << " " << positions[i / 8] << ", "
            << storage;
      }
    }
  }
}

// The names of the ops that stay in 32 bits in 16-bit storage, with reasons.
std::string KeptOf(Ops& ops, const std::vector<std::vector<float>>& inputs) {
  SingleOpModel model;
  model.bytes = ops.b.Finish();
  model.inputs = inputs;
  RunOptions options;
  options.configure = [](auto& o) { o.is_precision_loss_allowed = 1; };
  const RunResult gpu = RunOnDelegate(model, options);
  EXPECT_TRUE(gpu.status.ok()) << gpu.status;
  const auto report = nlohmann::json::parse(gpu.report);
  return report.at("partition").at(0).at("nodes_in_float32").dump();
}

TEST(KeepFloat32Test, TheReportSaysHowManyAndWhy) {
  GLES_SKIP_WITHOUT_DEVICE();
  const std::vector<int> dims = {1, 8};
  const std::vector<std::vector<float>> inputs = {std::vector<float>(8, 0.5f)};
  {
    Ops ops;  // the logarithm of a spectrum's power
    const int x = ops.b.AddInput("x", dims);
    const int square = ops.Unary(Op::SQUARE, x, dims);
    const int epsilon =
        ops.b.AddConstant<float>("e", {1}, std::vector<float>{1e-6f});
    const int sum =
        ops.Binary(Op::ADD, square, epsilon, dims, schema::AddOptionsT());
    ops.b.SetOutputs({ops.Unary(Op::LOG, sum, dims)});
    EXPECT_EQ(KeptOf(ops, inputs), R"({"a logarithm near zero":2})");
  }
  {
    Ops ops;  // a softplus
    const int x = ops.b.AddInput("x", dims);
    const int exp = ops.Unary(Op::EXP, x, dims);
    const int one = ops.b.AddConstant<float>("one", {1}, std::vector<float>{1});
    const int sum = ops.Binary(Op::ADD, exp, one, dims, schema::AddOptionsT());
    ops.b.SetOutputs({ops.Unary(Op::LOG, sum, dims)});
    EXPECT_EQ(KeptOf(ops, inputs), "{}");
  }
  {
    Ops ops;  // the length of a vector
    const int x = ops.b.AddInput("x", dims);
    const int a = ops.Unary(Op::SQUARE, x, dims);
    const int b = ops.Binary(Op::MUL, x, x, dims, schema::MulOptionsT());
    const int c = ops.Unary(Op::SQUARE, x, dims);
    const int ab = ops.Binary(Op::ADD, a, b, dims, schema::AddOptionsT());
    const int sum = ops.Binary(Op::ADD, ab, c, dims, schema::AddOptionsT());
    ops.b.SetOutputs({ops.Unary(Op::SQRT, sum, dims)});
    EXPECT_EQ(KeptOf(ops, inputs), R"({"squares":5})");
  }
  {
    // A quotient of integers: 3 * (1 / 3) is 1.
    for (const auto& [type, from_integers] :
         {std::pair{TensorType::INT32, 1}, std::pair{TensorType::INT8, 0}}) {
      Ops ops;
      schema::CastOptionsT casts;
      casts.in_data_type = type;
      casts.out_data_type = TensorType::FLOAT32;
      const int x = ops.b.AddInput("x", dims, type);
      const int real = ops.b.AddTensor("real", dims);
      ops.b.AddOp(Op::CAST, 1, {x}, {real}, casts);
      const int third =
          ops.b.AddConstant<float>("w", {1}, std::vector<float>{1 / 3.f});
      const int at =
          ops.Binary(Op::MUL, real, third, dims, schema::MulOptionsT());
      const int y = ops.b.AddTensor("y", dims, type);
      std::swap(casts.in_data_type, casts.out_data_type);
      ops.b.AddOp(Op::CAST, 1, {at}, {y}, casts);
      ops.b.SetOutputs({y});
      EXPECT_EQ(KeptOf(ops, {std::vector<float>(8, 3)}),
                from_integers
                    ? R"({"integers":1,"numbers that become integers":1})"
                    : R"({"numbers that become integers":2})");
    }
  }
}

// A finite constant stays finite: a mask's.
TEST(KeepFloat32Test, ConstantsPastTheRangeOfHalvesAreFinite) {
  GLES_SKIP_WITHOUT_DEVICE();
  Ops ops;
  const int x = ops.b.AddInput("x", {1, 4});
  const int masked = ops.b.AddConstant<float>(
      "masked", {1, 4}, std::vector<float>{-3.4e38f, -1e9f, 1e9f, -INFINITY});
  ops.b.SetOutputs({ops.Binary(Op::MAXIMUM, x, masked, {1, 4},
                               schema::MaximumMinimumOptionsT())});
  SingleOpModel model;
  model.bytes = ops.b.Finish();
  model.inputs = {{-INFINITY, -INFINITY, -INFINITY, -INFINITY}};
  RunOptions options;
  options.configure = [](auto& o) { o.is_precision_loss_allowed = 1; };
  const RunResult gpu = RunOnDelegate(model, options);
  ASSERT_TRUE(gpu.status.ok()) << gpu.status;
  EXPECT_EQ(gpu.outputs[0].values,
            (std::vector<float>{-65504, -65504, 65504, -INFINITY}));
}

}  // namespace
}  // namespace gles_delegate::testing
