// labels: op llvmpipe softpipe
// PAD, PADV2 and MIRROR_PAD against TFLite's own kernels, and what their
// parsers refuse.
#include "delegate/ops/movement/pad.h"

#include "delegate/graph/builtin_params.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Kind = PadParams::Kind;
using Paddings = std::vector<std::pair<int, int>>;

class PadTest : public DeviceTest {};

SingleOpModel Model(Kind kind, const Shape& input, const Paddings& paddings,
                    float value = 0) {
  PadParams params;
  params.kind = kind;
  params.input = input;
  params.paddings = paddings;
  params.value = value;
  return Pad(params);
}

TEST_F(PadTest, SpatialEveryShape) {
  for (const Shape& shape : StandardShapes()) {
    ExpectMatchesCpuOnce(
        Model(Kind::kPad, shape, {{0, 0}, {1, 2}, {3, 0}, {0, 0}}));
  }
}

TEST_F(PadTest, EveryAxis) {
  for (int channels : StandardChannels()) {
    for (const Paddings& paddings :
         {Paddings{{1, 2}, {0, 1}, {2, 0}, {0, 0}},
          Paddings{{0, 0}, {0, 0}, {0, 0}, {0, 3}},
          Paddings{{0, 0}, {1, 1}, {0, 0}, {4, 0}},
          Paddings{{0, 0}, {0, 0}, {0, 0}, {3, 6}},
          Paddings{{0, 0}, {0, 0}, {0, 0}, {0, 0}}}) {
      for (float value : {0.0f, -2.5f}) {
        ExpectMatchesCpuOnce(Model(value == 0 ? Kind::kPad : Kind::kPadV2,
                                   {2, 3, 4, channels}, paddings, value));
      }
    }
  }
}

TEST_F(PadTest, LowerRanks) {
  for (Kind kind : {Kind::kPad, Kind::kPadV2, Kind::kMirrorSymmetric}) {
    for (const auto& [shape, paddings] :
         {std::pair<Shape, Paddings>{{5}, {{1, 2}}},
          {{3, 5}, {{1, 0}, {2, 1}}},
          {{2, 4, 3}, {{1, 1}, {0, 2}, {2, 0}}}}) {
      ExpectMatchesCpuOnce(Model(kind, shape, paddings, 7));
    }
  }
}

TEST_F(PadTest, Mirrors) {
  for (Kind kind : {Kind::kMirrorReflect, Kind::kMirrorSymmetric}) {
    for (const Paddings& paddings :
         {Paddings{{0, 0}, {1, 2}, {3, 2}, {0, 0}},
          Paddings{{1, 1}, {0, 0}, {0, 1}, {4, 3}}}) {
      ExpectMatchesCpuOnce(Model(kind, {2, 3, 4, 5}, paddings));
    }
  }
}

TEST_F(PadTest, RuntimeValue) {
  for (int channels : {3, 8}) {
    const SingleOpModel model = MakeModel(
        absl::StrCat("PADV2 by a runtime value, ", channels),
        Accuracy{/*terms=*/0}, [&](OpVariant& v) {
          const Shape shape = {1, 3, 4, channels};
          const int x =
              v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
          const int paddings =
              v.IntConstant("paddings", {4, 2}, {0, 0, 1, 0, 0, 2, 1, 1});
          const int value = v.Input("value", {1}, {-3.25f});
          return v.Op(Op::PADV2, 1, {x, paddings, value},
                      schema::PadV2OptionsT());
        });
    ExpectMatchesCpuOnce(model);
  }
}

TEST_F(PadTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Model(Kind::kPadV2, {2, 3, 4, 5},
                         {{0, 1}, {1, 2}, {0, 1}, {1, 0}}, 1.5f));
  ExpectMatchesCpu(
      Model(Kind::kPad, {1, 3, 4, 5}, {{0, 0}, {1, 2}, {0, 1}, {0, 3}}));
  ExpectMatchesCpu(Model(Kind::kMirrorReflect, {1, 3, 4, 5},
                         {{0, 0}, {1, 2}, {0, 1}, {2, 3}}));
}

TEST(ParsePadTest, Refusals) {
  const Tensor input = FakeTensor({1, 4, 4, 3});
  const Tensor paddings = FakeInts({0, 0, 1, 1, 0, 2, 0, 0}, {4, 2});
  const Tensor output = FakeTensor({1, 6, 6, 3});
  EXPECT_EQ(Refusal(ParsePad, {input, paddings}, {output}), "");
  EXPECT_THAT(
      Refusal(ParsePad, {input, paddings}, {input}),
      HasSubstr("output is 1x4x4x3, its inputs and attributes give 1x6x6x3"));
  EXPECT_THAT(Refusal(ParsePad, {input, FakeRuntimeInts({4, 2})}, {output}),
              HasSubstr("the paddings: known only at run time"));
  EXPECT_THAT(Refusal(ParsePad, {input, FakeInts({1, 1})}, {output}),
              HasSubstr("an input of rank 4 wants 8"));
  EXPECT_THAT(
      Refusal(ParsePad, {input, FakeInts({0, 0, -1, 1, 0, 0, 0, 0})}, {input}),
      HasSubstr("must not be negative"));
  EXPECT_THAT(
      Refusal(ParsePad, {FakeTensor({1, 1, 1, 4, 4, 3}), paddings}, {output}),
      HasSubstr("more than the 5 axes"));
}

TEST(ParsePadTest, RefusalsOfValuesAndMirrors) {
  const Tensor input = FakeTensor({1, 4, 4, 3});
  const Tensor paddings = FakeInts({0, 0, 1, 1, 0, 2, 0, 0}, {4, 2});
  const Tensor output = FakeTensor({1, 6, 6, 3});
  EXPECT_EQ(Refusal(ParsePadV2, {input, paddings, FakeTensor({1})}, {output}),
            "");
  EXPECT_THAT(Refusal(ParsePadV2, {input, paddings, FakeTensor({2})}, {output}),
              HasSubstr("wants one element"));
  // Without a value it is a PAD.
  EXPECT_EQ(Refusal(ParsePadV2, {input, paddings}, {output}), "");
  EXPECT_THAT(Refusal(ParsePadV2, {input}, {output}),
              HasSubstr("has 1 inputs, wants"));
  MirrorPadParams params = {1};
  EXPECT_EQ(Refusal(ParseMirrorPad, {input, paddings}, {output}, &params), "");
  const Tensor wide = FakeInts({0, 0, 4, 0, 0, 0, 0, 0});
  EXPECT_THAT(Refusal(ParseMirrorPad, {input, wide}, {FakeTensor({1, 8, 4, 3})},
                      &params),
              HasSubstr("the mirror holds 3"));
  params.mode = 2;
  EXPECT_EQ(Refusal(ParseMirrorPad, {input, wide}, {FakeTensor({1, 8, 4, 3})},
                    &params),
            "");
  params.mode = 0;
  EXPECT_THAT(Refusal(ParseMirrorPad, {input, paddings}, {output}, &params),
              HasSubstr("mode 0"));
}

}  // namespace
}  // namespace gles_delegate::testing
