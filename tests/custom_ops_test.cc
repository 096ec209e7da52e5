// labels: op llvmpipe softpipe
// The custom ops of vision models against the reference kernels that the
// library ships, the kernels against numbers worked out by hand, and what is
// refused.
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/ops/argmax_pool.h"
#include "delegate/ops/landmarks.h"
#include "delegate/ops/resampler.h"
#include "delegate/tflite/builtin_params.h"
#include "delegate/tflite/custom_ops/custom_params.h"
#include "flatbuffers/flexbuffers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"

namespace gles_delegate::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

std::vector<uint8_t> PoolBytes(CustomPoolParams p) {
  std::vector<uint8_t> bytes(sizeof(p));
  std::memcpy(bytes.data(), &p, sizeof(p));
  return bytes;
}

template <typename Fill>
std::vector<uint8_t> FlexMap(Fill fill) {
  flexbuffers::Builder builder;
  builder.Map([&] { fill(builder); });
  builder.Finish();
  return builder.GetBuffer();
}

// A model of one custom op of `version`, with TFLite's shapes for its outputs.
SingleOpModel CustomModel(const std::string& name, int version,
                          const std::vector<uint8_t>& params,
                          const std::vector<Shape>& inputs,
                          const std::vector<Shape>& outputs,
                          std::vector<std::vector<float>> values,
                          const Accuracy& accuracy) {
  SingleOpModel model;
  model.description = absl::StrCat(name, " v", version);
  for (const Shape& s : inputs)
    absl::StrAppend(&model.description, " ", ShapeString(s));
  ModelBuilder b;
  std::vector<int> in, out;
  for (const Shape& s : inputs) in.push_back(b.AddInput("in", s));
  for (const Shape& s : outputs) out.push_back(b.AddTensor("out", s));
  b.AddCustomOp(name, params, in, out, version);
  b.SetOutputs(out);
  model.bytes = b.Finish();
  model.inputs = std::move(values);
  model.accuracy = accuracy;
  return model;
}

void CheckBoth(const SingleOpModel& model) {
  for (Precision precision : kPrecisions) {
    EXPECT_THAT(RunOnDelegate(model, precision), MatchesCpu(model, precision));
  }
}

std::vector<float> CpuOutput(const SingleOpModel& model, int output = 0) {
  const RunResult result = RunOnCpu(model);
  EXPECT_TRUE(result.status.ok()) << result.status;
  if (!result.status.ok()) return {};
  return result.outputs[output].values;
}

class CustomOpsTest : public ::testing::Test {
 protected:
  void SetUp() override { GLES_SKIP_WITHOUT_DEVICE(); }
};

// --- MaxPoolingWithArgmax2D, MaxUnpooling2D ---------------------------------

SingleOpModel ArgmaxPool(const Shape& in, const CustomPoolParams& p) {
  const auto out = [&](int extent, int window, int stride) {
    return p.padding == kPaddingSame ? (extent + stride - 1) / stride
                                     : (extent - window + stride) / stride;
  };
  const Shape shape = {in[0], out(in[1], p.filter_height, p.stride_height),
                       out(in[2], p.filter_width, p.stride_width), in[3]};
  Random random(absl::StrCat("argmax ", ShapeString(in)));
  Accuracy accuracy;
  accuracy.ulps = 2;  // of the 0.1 that is added
  return CustomModel("MaxPoolingWithArgmax2D", 1, PoolBytes(p), {in},
                     {shape, shape}, {random.Gaussian(ElementCount(in))},
                     accuracy);
}

TEST_F(CustomOpsTest, MaxPoolingWithArgmaxOnEveryShape) {
  for (const Shape& shape : StandardShapes()) {
    CheckBoth(ArgmaxPool(shape, {kPaddingSame, 2, 2, 2, 2, kActNone}));
  }
}

TEST_F(CustomOpsTest, MaxPoolingWithArgmaxWindows) {
  for (int padding : {kPaddingSame, kPaddingValid}) {
    for (int stride : {1, 2, 3}) {
      CheckBoth(
          ArgmaxPool({3, 7, 9, 5}, {padding, stride, 1, 3, 4, kActRelu6}));
    }
  }
}

TEST_F(CustomOpsTest, TheFirstOfEqualMaximaCounts) {
  SingleOpModel model = ArgmaxPool({1, 2, 2, 3}, {kPaddingSame, 2, 2, 2, 2, 0});
  model.inputs = {{5, 1, -2, 5, 2, -2, 5, 2, -1, 5, 1, -1}};
  EXPECT_THAT(CpuOutput(model, 0), ElementsAre(5, 2, -1));
  EXPECT_THAT(CpuOutput(model, 1),
              ElementsAre(FloatEq(0.1f), FloatEq(1.1f), FloatEq(2.1f)));
  CheckBoth(model);
}

SingleOpModel Unpool(const Shape& in, int height, int width) {
  Random random(absl::StrCat("unpool ", ShapeString(in)));
  std::vector<float> indices(ElementCount(in));
  for (float& i : indices) i = random.NextInt(0, height * width - 1) + 0.1f;
  Accuracy accuracy;
  accuracy.terms = 0;
  return CustomModel(
      "MaxUnpooling2D", 1,
      PoolBytes({kPaddingSame, width, height, width, height, kActNone}),
      {in, in}, {{in[0], in[1] * height, in[2] * width, in[3]}},
      {random.Gaussian(ElementCount(in)), indices}, accuracy);
}

TEST_F(CustomOpsTest, MaxUnpoolingOnEveryShape) {
  for (const Shape& shape : StandardShapes()) CheckBoth(Unpool(shape, 2, 2));
  CheckBoth(Unpool({3, 4, 5, 5}, 3, 2));
}

TEST_F(CustomOpsTest, MaxUnpoolingPutsBackAndDropsStrays) {
  SingleOpModel model = Unpool({1, 1, 2, 1}, 2, 2);
  model.inputs = {{7, 8}, {2.1f, 9.1f}};  // 9 points outside its window
  EXPECT_THAT(CpuOutput(model), ElementsAre(0, 0, 0, 0, 7, 0, 0, 0));
  CheckBoth(model);
}

TEST(ArgmaxPoolParseTest, Refusals) {
  const auto refusal = [](auto parse, const std::vector<Tensor>& inputs,
                          const std::vector<Tensor>& outputs,
                          const std::vector<uint8_t>& bytes) {
    return CustomRefusal(parse, inputs, outputs, bytes);
  };
  const Tensor in = FakeTensor({1, 4, 4, 3});
  const Tensor out = FakeTensor({1, 2, 2, 3});
  const auto bytes = PoolBytes({kPaddingSame, 2, 2, 2, 2, kActNone});
  EXPECT_EQ(refusal(ParseMaxPoolingWithArgmax, {in}, {out, out}, bytes), "");
  EXPECT_THAT(refusal(ParseMaxPoolingWithArgmax, {in}, {out, in}, bytes),
              HasSubstr("output is 1x4x4x3"));
  EXPECT_THAT(refusal(ParseMaxPoolingWithArgmax, {in}, {out, out},
                      {bytes.begin(), bytes.begin() + 20}),
              HasSubstr("carries 20 bytes of parameters, wants 24"));
  EXPECT_THAT(refusal(ParseMaxPoolingWithArgmax, {in}, {out, out},
                      PoolBytes({kPaddingSame, 0, 2, 2, 2, kActNone})),
              HasSubstr("stride 2x0 must be positive"));
  EXPECT_THAT(refusal(ParseMaxPoolingWithArgmax, {in}, {out, out},
                      PoolBytes({kPaddingSame, 2, 2, 2, 2, kActTanh})),
              HasSubstr("fused activation 4"));
  EXPECT_EQ(refusal(ParseMaxUnpooling, {out, out}, {in}, bytes), "");
  EXPECT_THAT(refusal(ParseMaxUnpooling, {out, in}, {in}, bytes),
              HasSubstr("indices are 1x4x4x3"));
  EXPECT_THAT(refusal(ParseMaxUnpooling, {out, out}, {out}, bytes),
              HasSubstr("must be 1x4x4x3"));
  EXPECT_THAT(refusal(ParseMaxUnpooling, {out, out}, {in},
                      PoolBytes({kPaddingSame, 1, 1, 2, 2, kActNone})),
              HasSubstr("the stride 1x1 is not the window's 2x2"));
}

// --- Resampler --------------------------------------------------------------

SingleOpModel Resample(const Shape& data, const Shape& warp) {
  Random random(absl::StrCat("resampler ", ShapeString(data)));
  std::vector<float> at(ElementCount(warp));
  for (size_t i = 0; i < at.size(); ++i) {
    const int extent = i % 2 == 0 ? data[2] : data[1];
    // Halves hold these; some lie outside.
    at[i] = random.NextInt(-5, 4 * extent + 4) / 4.0f;
  }
  Accuracy accuracy;
  accuracy.terms = 4;
  accuracy.magnitude_of_inputs = true;
  return CustomModel("Resampler", 1, {}, {data, warp},
                     {{data[0], warp[1], warp[2], data[3]}},
                     {random.Gaussian(ElementCount(data)), at}, accuracy);
}

TEST_F(CustomOpsTest, ResamplerOnEveryShape) {
  for (const Shape& s : StandardShapes()) {
    CheckBoth(Resample(s, {s[0], s[1], s[2], 2}));
  }
  CheckBoth(Resample({3, 4, 5, 5}, {3, 7, 2, 2}));
}

TEST_F(CustomOpsTest, ResamplerAtTheEdges) {
  SingleOpModel model = Resample({1, 1, 2, 1}, {1, 1, 6, 2});
  const float nan = std::nanf("");
  model.inputs = {{4, 8}, {0.25f, 0, -0.5f, 0, 1.5f, 0, -1, 0, 2, 0, nan, 0}};
  EXPECT_THAT(CpuOutput(model), ElementsAre(5, 2, 4, 0, 0, 0));
  CheckBoth(model);
}

TEST(ResamplerParseTest, Refusals) {
  const Tensor data = FakeTensor({2, 4, 5, 3});
  const Tensor warp = FakeTensor({2, 6, 7, 2});
  const Tensor out = FakeTensor({2, 6, 7, 3});
  EXPECT_EQ(Refusal(ParseResampler, {data, warp}, {out}), "");
  EXPECT_THAT(Refusal(ParseResampler, {data, FakeTensor({1, 6, 7, 2})}, {out}),
              HasSubstr("must be BHWC and Bhw2"));
  EXPECT_THAT(Refusal(ParseResampler, {data, FakeTensor({2, 6, 7, 3})}, {out}),
              HasSubstr("must be BHWC and Bhw2"));
  EXPECT_THAT(Refusal(ParseResampler, {data, warp}, {data}),
              HasSubstr("output is 2x4x5x3"));
}

// --- TransformTensorBilinear ------------------------------------------------

std::vector<uint8_t> TransformTensorBytes(int version, int height, int width) {
  return FlexMap([&](flexbuffers::Builder& b) {
    if (version == 1) {
      b.String("mode", "bilinear");
      b.TypedVector("output_size", [&] {
        b.Int(height);
        b.Int(width);
      });
    } else {
      b.Int("output_height", height);
      b.Int("output_width", width);
    }
  });
}

SingleOpModel TransformTensor(int version, const Shape& data, int height,
                              int width, std::vector<float> matrix) {
  Random random(absl::StrCat("transform ", ShapeString(data)));
  Accuracy accuracy;
  accuracy.terms = 4;
  accuracy.magnitude_of_inputs = true;
  return CustomModel("TransformTensorBilinear", version,
                     TransformTensorBytes(version, height, width),
                     {data, {1, 4, 4}}, {{1, height, width, data[3]}},
                     {random.Gaussian(ElementCount(data)), std::move(matrix)},
                     accuracy);
}

// Exact in half: multiples of 1/16.
const std::vector<float>& Shear() {
  static const auto& m = *new std::vector<float>{
      0.5f, 0.25f, 9, 0.75f, -0.125f, 0.875f, 9, 1.0625f,
      0,    0,     1, 0,     0,       0,      0, 1};
  return m;
}

TEST_F(CustomOpsTest, TransformTensorOnEveryShape) {
  for (int version : {1, 2}) {
    for (const Shape& s : StandardShapesBatch1()) {
      CheckBoth(TransformTensor(version, s, s[1] + 1, s[2] + 2, Shear()));
    }
  }
}

TEST_F(CustomOpsTest, TransformTensorShiftsAndCountsPixels) {
  const std::vector<float> half_right = {1, 0, 0, 0.5f, 0, 1, 0, 0,
                                         0, 0, 1, 0,    0, 0, 0, 1};
  SingleOpModel model = TransformTensor(1, {1, 1, 3, 1}, 1, 3, half_right);
  model.inputs[0] = {2, 4, 8};
  EXPECT_THAT(CpuOutput(model), ElementsAre(3, 6, 0));
  CheckBoth(model);
  // Twice as many pixels, counted by their middles: 0.5 * x - 0.25.
  const std::vector<float> twice = {0.5f, 0, 0, 0, 0, 1, 0, 0,
                                    0,    0, 1, 0, 0, 0, 0, 1};
  model = TransformTensor(2, {1, 1, 3, 1}, 1, 6, twice);
  model.inputs[0] = {2, 4, 8};
  EXPECT_THAT(CpuOutput(model), ElementsAre(0, 2.5f, 3.5f, 5, 7, 0));
  CheckBoth(model);
}

TEST(TransformTensorParseTest, Refusals) {
  const Tensor data = FakeTensor({1, 4, 5, 3});
  const Tensor matrix = FakeTensor({1, 4, 4});
  const Tensor out = FakeTensor({1, 6, 7, 3});
  const auto refusal = [&](int version, const std::vector<Tensor>& inputs,
                           const Tensor& output,
                           const std::vector<uint8_t>& bytes) {
    return CustomRefusal(ParseTransformTensorBilinear, inputs, {output}, bytes,
                         version);
  };
  for (int version : {1, 2}) {
    const auto bytes = TransformTensorBytes(version, 6, 7);
    EXPECT_EQ(refusal(version, {data, matrix}, out, bytes), "");
    EXPECT_THAT(refusal(version, {data, matrix}, data, bytes),
                HasSubstr("output is 1x4x5x3"));
    EXPECT_THAT(
        refusal(version, {FakeTensor({2, 4, 5, 3}), matrix}, out, bytes),
        HasSubstr("must be 1HWC"));
    EXPECT_THAT(refusal(version, {data, FakeTensor({1, 4, 5})}, out, bytes),
                HasSubstr("the matrix is 1x4x5"));
    EXPECT_THAT(refusal(version, {data, matrix}, out, {}),
                HasSubstr("no map in a valid flexbuffer"));
    EXPECT_THAT(refusal(version, {data, matrix}, out,
                        TransformTensorBytes(version, 0, 7)),
                HasSubstr("output 0x7 must be positive"));
  }
  EXPECT_THAT(refusal(2, {data, matrix}, out, TransformTensorBytes(1, 6, 7)),
              HasSubstr("output_height is absent"));
  const auto nearest =
      FlexMap([](flexbuffers::Builder& b) { b.String("mode", "nearest"); });
  EXPECT_THAT(refusal(1, {data, matrix}, out, nearest),
              HasSubstr("only the mode \"bilinear\""));
}

// --- TransformLandmarks -----------------------------------------------------

std::vector<uint8_t> LandmarksBytes(int dimensions, float scale) {
  return FlexMap([&](flexbuffers::Builder& b) {
    b.Int("dimensions", dimensions);
    b.Float("scale", scale);
  });
}

SingleOpModel TransformPoints(int version, int count, int dimensions,
                              float scale) {
  Random random("points");
  const Shape shape = version == 1 ? Shape{1, 1, 1, count * dimensions}
                                   : Shape{1, count, dimensions};
  Accuracy accuracy;
  accuracy.terms = 3;
  accuracy.absolute = 0x1p-20f;  // terms of up to 4 that cancel: 4 ulps of them
  return CustomModel(
      "TransformLandmarks", version,
      version == 1 ? LandmarksBytes(dimensions, scale) : std::vector<uint8_t>(),
      {shape, {1, 4, 4}}, {shape},
      {random.Gaussian(ElementCount(shape)), Shear()}, accuracy);
}

TEST_F(CustomOpsTest, TransformLandmarks) {
  for (int count : {1, 3, 4, 17, 468}) {
    for (int dimensions : {2, 3}) {
      CheckBoth(TransformPoints(1, count, dimensions, 2.0f));
      CheckBoth(TransformPoints(2, count, dimensions, 1.0f));
    }
  }
  SingleOpModel model = TransformPoints(1, 2, 3, 2.0f);
  model.inputs[0] = {4, 8, 5, 0, 0, 6};
  EXPECT_THAT(CpuOutput(model), ElementsAre(5.5f, 8.625f, 5, 1.5f, 2.125f, 6));
  CheckBoth(model);
}

TEST(TransformLandmarksParseTest, Refusals) {
  const Tensor matrix = FakeTensor({1, 4, 4});
  const auto refusal = [&](int version, std::vector<int> dims,
                           const std::vector<uint8_t>& bytes) {
    return CustomRefusal(ParseTransformLandmarks, {FakeTensor(dims), matrix},
                         {FakeTensor(dims)}, bytes, version);
  };
  EXPECT_EQ(refusal(1, {1, 1, 1, 12}, LandmarksBytes(3, 1)), "");
  EXPECT_EQ(refusal(2, {1, 4, 3}, {}), "");
  EXPECT_THAT(refusal(1, {1, 1, 1, 13}, LandmarksBytes(3, 1)),
              HasSubstr("landmarks are 1x1x1x13"));
  EXPECT_THAT(refusal(1, {1, 1, 1, 12}, LandmarksBytes(4, 1)),
              HasSubstr("dimensions 4 must be 2 or 3"));
  EXPECT_THAT(refusal(1, {1, 1, 1, 12}, LandmarksBytes(3, 0)),
              HasSubstr("must not be 0"));
  EXPECT_THAT(refusal(2, {1, 4, 5}, {}), HasSubstr("have 5 dimensions"));
  EXPECT_THAT(refusal(2, {2, 4, 3}, {}), HasSubstr("landmarks are 2x4x3"));
}

// --- Landmarks2TransformMatrix ----------------------------------------------

struct MatrixCase {
  int version = 2;
  int left = 1, right = 3;
  float target = 0.5f;
  std::vector<int> subset = {0, 2, 4, 5, 1};
};

std::vector<uint8_t> MatrixBytes(const MatrixCase& c) {
  return FlexMap([&](flexbuffers::Builder& b) {
    b.Int("left_rotation_idx", c.left);
    b.Int("right_rotation_idx", c.right);
    const auto ints = [&](const char* key, const std::vector<int>& values) {
      b.TypedVector(key, [&] {
        for (int v : values) b.Int(v);
      });
    };
    if (c.version == 1) {
      ints("input_hw", {64, 48});
      ints("output_hw", {16, 32});
      b.Int("dimensions", 3);
      b.Int("landmarks_range", 64);
      b.Float("bbox_size_multiplier", 1.25f);
      ints("subset", c.subset);
    } else {
      b.Int("output_height", 16);
      b.Int("output_width", 32);
      b.Float("target_rotation_radians", c.target);
      b.Float("scale_x", 1.5f);
      b.Float("scale_y", 2.0f);
      ints("subset_idxs", c.subset);
    }
  });
}

SingleOpModel ToMatrix(const MatrixCase& c, int count = 7) {
  Random random("to matrix");
  const Shape shape =
      c.version == 1 ? Shape{1, 1, 1, count * 3} : Shape{1, count, 3};
  std::vector<float> points(count * 3);
  for (float& p : points) p = random.NextInt(0, 256) / 4.0f;  // exact in half
  Accuracy accuracy;
  // Landmarks of up to 64 are rotated, boxed and rotated back: a few dozen
  // roundings of 64 * 2^-24, times the scales of at most 2 (half a grid of 64).
  accuracy.absolute = 32 * 64 * 2 * 0x1p-24f;
  return CustomModel("Landmarks2TransformMatrix", c.version, MatrixBytes(c),
                     {shape}, {{1, 4, 4}}, {points}, accuracy);
}

TEST_F(CustomOpsTest, LandmarksToTransformMatrix) {
  for (int version : {1, 2}) {
    for (int count : {6, 7, 468}) {
      MatrixCase c;
      c.version = version;
      CheckBoth(ToMatrix(c, count));
      std::swap(c.left, c.right);
      c.subset = {count - 1, 0};
      CheckBoth(ToMatrix(c, count));
    }
  }
}

// Two landmarks on one row, the right one on the left: turned by half a circle,
// or in version 1, which knows no direction, not at all.
TEST_F(CustomOpsTest, LandmarksToTransformMatrixByHand) {
  MatrixCase c;
  c.left = 1;
  c.right = 0;
  c.target = 0;
  c.subset = {0, 1, 2};
  SingleOpModel model = ToMatrix(c, 3);
  model.inputs = {{10, 20, 0, 42, 20, 0, 30, 36, 0}};
  // Middle (26, 28), box 32 x 16, scales 1.5 * 32 / 32 and 2 * 16 / 16.
  EXPECT_THAT(CpuOutput(model),
              Pointwise(FloatNear(1e-4f),
                        std::vector<float>{-1.5f, 0, 0, 50, 0, -2, 0, 44, 0, 0,
                                           1, 0, 0, 0, 0, 1}));
  CheckBoth(model);
  c.version = 1;
  model = ToMatrix(c, 3);
  model.inputs = {{10, 20, 0, 42, 20, 0, 30, 36, 0}};
  // x: 23.5 * (40 / 64 * (2 x / 31 - 1) + 2 * 26 / 64 - 1) + 23.5, and so on.
  EXPECT_THAT(
      CpuOutput(model),
      Pointwise(FloatNear(1e-4f),
                std::vector<float>{
                    23.5f * 0.625f * 2 / 31, 0, 0, 23.5f * (-0.625f + 0.8125f),
                    0, 31.5f * 0.3125f * 2 / 15, 0, 31.5f * (-0.3125f + 0.875f),
                    0, 0, 1, 0, 0, 0, 0, 1}));
  CheckBoth(model);
}

TEST(LandmarksToMatrixParseTest, Refusals) {
  const auto refusal = [](const MatrixCase& c, std::vector<int> dims,
                          std::vector<int> out = {1, 4, 4}) {
    return CustomRefusal(
        ParseLandmarksToTransformMatrix, {FakeTensor(std::move(dims))},
        {FakeTensor(std::move(out))}, MatrixBytes(c), c.version);
  };
  MatrixCase c;
  EXPECT_EQ(refusal(c, {1, 7, 3}), "");
  EXPECT_THAT(refusal(c, {1, 5, 3}), HasSubstr("landmark 5 is none of the 5"));
  EXPECT_THAT(refusal(c, {1, 7, 2}), HasSubstr("landmarks are 1x7x2"));
  EXPECT_THAT(refusal(c, {1, 7, 3}, {4, 4}), HasSubstr("the output is 4x4"));
  c.left = -1;
  EXPECT_THAT(refusal(c, {1, 7, 3}), HasSubstr("landmark -1 is none"));
  c.left = 1;
  c.subset = {};
  EXPECT_THAT(refusal(c, {1, 7, 3}), HasSubstr("subset"));
  c.subset = {1};
  c.version = 1;
  EXPECT_EQ(refusal(c, {1, 1, 1, 21}), "");
  EXPECT_THAT(refusal(c, {1, 1, 1, 22}), HasSubstr("landmarks are 1x1x1x22"));
}

// Any bytes at all are refused or read, never past their end.
TEST(CustomParamsTest, DamagedBytesAreRefusedOrRead) {
  MatrixCase c;
  for (int version : {1, 2}) {
    c.version = version;
    const std::vector<uint8_t> good = MatrixBytes(c);
    for (size_t i = 0; i < good.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::vector<uint8_t> bad = good;
        bad[i] ^= 1 << bit;
        (void)ReadLandmarksToMatrixParams(bad, version, 7);
        (void)ReadTransformTensorParams(bad, version);
        (void)ReadTransformLandmarksParams(bad, version);
      }
      const std::vector<uint8_t> cut(good.begin(), good.begin() + i);
      (void)ReadLandmarksToMatrixParams(cut, version, 7);
    }
  }
}

// --- The C API --------------------------------------------------------------

TEST(CustomOpsApiTest, GivesAndAddsEveryKernel) {
  size_t count = 0;
  const TfLiteGlesCustomOp* ops = TfLiteGlesDelegateCustomOps(&count);
  ASSERT_EQ(count, 10);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_NE(ops[i].registration->invoke, nullptr) << ops[i].name;
    EXPECT_STREQ(ops[i].registration->custom_name, ops[i].name);
    if (i > 0) {
      EXPECT_LT(std::pair(std::string(ops[i - 1].name), ops[i - 1].version),
                std::pair(std::string(ops[i].name), ops[i].version));
    }
  }
  static std::vector<std::string>& added = *new std::vector<std::string>;
  TfLiteGlesDelegateAddCustomOps(
      nullptr, [](TfLiteInterpreterOptions*, const char* name,
                  const TfLiteRegistration*, int32_t min, int32_t max) {
        EXPECT_EQ(min, max);
        added.push_back(absl::StrCat(name, " ", min));
      });
  EXPECT_EQ(added.size(), count);
  EXPECT_EQ(added.front(), "Convolution2DTransposeBias 1");
}

}  // namespace
}  // namespace gles_delegate::testing
