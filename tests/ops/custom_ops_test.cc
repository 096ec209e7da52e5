// labels: op llvmpipe softpipe
// The custom ops of vision models against the reference kernels that the
// library ships, the kernels against numbers worked out by hand, and what is
// refused.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/custom_params.h"
#include "delegate/ops/all_ops.h"
#include "delegate/ops/pooling/argmax_pool.h"
#include "flatbuffers/flexbuffers.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/op_builders_custom.h"

namespace gles_delegate::testing {
namespace {

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

class CustomOpsTest : public DeviceTest {};

// --- MaxPoolingWithArgmax2D, MaxUnpooling2D ---------------------------------

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
              HasSubstr("input 1 is 1x4x4x3, input 0 is 1x2x2x3"));
  EXPECT_THAT(refusal(ParseMaxUnpooling, {out, out}, {out}, bytes),
              HasSubstr("must be 1x4x4x3"));
  EXPECT_THAT(refusal(ParseMaxUnpooling, {out, out}, {in},
                      PoolBytes({kPaddingSame, 1, 1, 2, 2, kActNone})),
              HasSubstr("the stride 1x1 is not the window's 2x2"));
}

// --- Resampler --------------------------------------------------------------

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
  const auto refusal = [&](int version, const std::vector<int>& dims,
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
  TfLiteGlesDelegateRegisterCustomOps(
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
