// labels: op llvmpipe oldest_tflite
// The ops that move values, on types that no shader has: integers of 8, 16 and
// 64 bits without quantization parameters, and float16; computed and constant.
#include <functional>
#include <string>

#include "tests/testing/device_test.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/of_type.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class RawValuesTest : public DeviceTestWithParam<TensorType> {
 protected:
  void Check(const SingleOpModel& model) {
    const SingleOpModel typed = OfType(model, GetParam());
    if (!RunOnCpu(typed).status.ok()) return;  // TFLite has no such kernel
    ++ran_;
    EXPECT_THAT(RunOnDelegate(typed), MatchesCpu(typed)) << typed.description;
  }
  // An op that takes constants where the builders have inputs.
  void CheckOfConstant(const std::string& name,
                       const std::function<int(OpVariant&, int x)>& add,
                       const Shape& shape = {2, 3, 4}) {
    Check(MakeModel(name, Accuracy{/*terms=*/0}, [&](OpVariant& v) {
      return add(
          v, v.Constant("x", shape, v.random().Gaussian(ElementCount(shape))));
    }));
  }
  // That the CPU had kernels, too. TFLite 2.9 has few of float16.
  void ExpectThatRan(int count) const {
    EXPECT_GE(ran_, GetParam() == TensorType::FLOAT16 ? 0 : count);
  }
  int ran_ = 0;
};

TEST_P(RawValuesTest, Computed) {
  const Shape shape = {2, 3, 4, 5};
  Check(Reshape(shape, {6, 4, 5}));
  Check(ExpandDims({3, 4, 5}, 1));
  Check(Squeeze({3, 1, 4, 5}, {1}));
  Check(Transpose(shape, {0, 3, 1, 2}));
  Check(Slice(shape, {0, 1, 0, 1}, {2, 2, 4, 3}));
  Check(StridedSlice({shape, {1, 2, 3, 4}, {-3, 0, 0, 0}, {-1, -1, -2, -1}}));
  Check(Split(SplitKind::kUnpack, shape, 1, {1, 1, 1}));
  Check(Split(SplitKind::kSplit, {2, 3, 4, 6}, 3, {3, 3}));
  Check(Split(SplitKind::kSplitV, shape, 3, {1, 4}));
  Check(Gather(shape, 2, {3}, {3, 0, 2}));
  Check(Tile(shape, {1, 2, 1, 2}));
  Check(BroadcastTo({3, 1, 5}, {2, 3, 4, 5}));
  Check(Reverse(shape, 1));
  for (auto kind : {PadParams::Kind::kPad, PadParams::Kind::kPadV2,
                    PadParams::Kind::kMirrorSymmetric}) {
    PadParams params;
    params.kind = kind;
    params.value = 2.5f;
    Check(Pad(params));
  }
  Check(DepthToSpace({2, 3, 4, 20}, 2));
  Check(DepthToSpace({2, 4, 6, 3}, 2, /*inverse=*/true));
  Check(SpaceBatch(true, {1, 4, 6, 3}, {2, 2}, {0, 0, 0, 0}));
  Check(MakeModel("FILL", Accuracy{/*terms=*/0}, [&](OpVariant& v) {
    return v.Op(Op::FILL, 3,
                {v.IntConstant("dims", {2}, {2, 5}), v.Input("v", {}, {1.5f})},
                schema::FillOptionsT());
  }));
  ExpectThatRan(8);
}

TEST_P(RawValuesTest, Nearest) {
  for (bool align_corners : {false, true}) {
    ResizeParams params;
    params.nearest = true;
    params.align_corners = align_corners;
    Check(Resize(params));
    params.out_h = 2;
    params.out_w = 3;
    Check(Resize(params));
  }
  CheckOfConstant("RESIZE_NEAREST_NEIGHBOR of a constant",
                  [](OpVariant& v, int x) {
                    return v.Op(Op::RESIZE_NEAREST_NEIGHBOR, 2,
                                {x, v.IntConstant("size", {2}, {6, 5})},
                                schema::ResizeNearestNeighborOptionsT());
                  },
                  {1, 3, 4, 5});
  // float16 and int64 have no such kernel in any version.
  const bool has_kernel = GetParam() == TensorType::INT8 ||
                          GetParam() == TensorType::UINT8 ||
                          GetParam() == TensorType::INT16;
  EXPECT_EQ(ran_, has_kernel ? 5 : 0);
}

TEST_P(RawValuesTest, BesideConstants) {
  ConcatenationParams concatenation;
  concatenation.inputs = {{2, 3, 4, 3}, {2, 3, 4, 2}, {2, 3, 4, 5}};
  for (int constant : {0, 1}) {
    concatenation.constant_input = constant;
    Check(Concatenation(concatenation));
  }
  Check(Pack({2, 4, 5}, 3, 1, /*constant=*/1));
  for (bool v2 : {false, true}) {
    Check(MakeModel(
        v2 ? "SELECT_V2" : "SELECT", Accuracy{/*terms=*/0}, [&](OpVariant& v) {
          const int condition =
              v.OfBools(v.Input("condition", {2, 3}, {0, 1, 1, 0, 1, 0}));
          const int a = v.Input("a", {2, 3}, {1, 2, 3, 4, 5, 6});
          const int b = v.Constant("b", {2, 3}, {-1, 7, 0, 9, 2, 12});
          return v2 ? v.Op(Op::SELECT_V2, 1, {condition, a, b},
                           schema::SelectV2OptionsT())
                    : v.Op(Op::SELECT, 1, {condition, a, b},
                           schema::SelectOptionsT());
        }));
  }
  ExpectThatRan(2);
}

TEST_P(RawValuesTest, OfConstants) {
  CheckOfConstant("RESHAPE", [](OpVariant& v, int x) {
    schema::ReshapeOptionsT options;
    options.new_shape = {4, 6};
    return v.Op(Op::RESHAPE, 1, {x}, options);
  });
  CheckOfConstant("TRANSPOSE", [](OpVariant& v, int x) {
    return v.Op(Op::TRANSPOSE, 2, {x, v.IntConstant("p", {3}, {2, 0, 1})},
                schema::TransposeOptionsT());
  });
  CheckOfConstant("SLICE", [](OpVariant& v, int x) {
    return v.Op(Op::SLICE, 2,
                {x, v.IntConstant("begin", {3}, {0, 1, 1}),
                 v.IntConstant("size", {3}, {2, 1, 3})},
                schema::SliceOptionsT());
  });
  CheckOfConstant("STRIDED_SLICE", [](OpVariant& v, int x) {
    return v.Op(Op::STRIDED_SLICE, 2,
                {x, v.IntConstant("begin", {3}, {0, 1, 1}),
                 v.IntConstant("end", {3}, {2, 3, 4}),
                 v.IntConstant("strides", {3}, {1, 1, 2})},
                schema::StridedSliceOptionsT());
  });
  CheckOfConstant("TILE", [](OpVariant& v, int x) {
    return v.Op(Op::TILE, 2, {x, v.IntConstant("m", {3}, {2, 1, 2})},
                schema::TileOptionsT());
  });
  CheckOfConstant("PAD", [](OpVariant& v, int x) {
    return v.Op(Op::PAD, 2, {x, v.IntConstant("p", {3, 2}, {0, 1, 2, 0, 0, 3})},
                schema::PadOptionsT());
  });
  CheckOfConstant("BROADCAST_TO", [](OpVariant& v, int x) {
    return v.Op(Op::BROADCAST_TO, 3, {x, v.IntConstant("s", {4}, {2, 2, 3, 4})},
                schema::BroadcastToOptionsT());
  });
  // Indices, in tenths (OfType).
  CheckOfConstant("GATHER", [](OpVariant& v, int x) {
    const int at = v.OfInts(v.Input("at", {3}, {0.1f, 0, 0.1f}));
    return v.Op(Op::GATHER, 2, {x, at}, schema::GatherOptionsT());
  });
  CheckOfConstant("GATHER_ND", [](OpVariant& v, int x) {
    const int at = v.OfInts(v.Input("at", {2, 2}, {0.1f, 0, 0, 0.2f}));
    return v.Op(Op::GATHER_ND, 2, {x, at}, schema::GatherNdOptionsT());
  });
  ExpectThatRan(4);
}

INSTANTIATE_TEST_SUITE_P(Types, RawValuesTest,
                         ::testing::Values(TensorType::INT8, TensorType::UINT8,
                                           TensorType::INT16,
                                           TensorType::FLOAT16),
                         [](const auto& info) {
                           return schema::EnumNameTensorType(info.param);
                         });

}  // namespace
}  // namespace gles_delegate::testing
