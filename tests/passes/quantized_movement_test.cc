// labels: op llvmpipe softpipe
// 8-bit tensors through the ops that move values or pick them: their quantized
// values stay what they are, as in TFLite's own kernels.
#include "absl/strings/str_cat.h"
#include "tests/testing/device_test.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class QuantizedMovementTest : public DeviceTestWithParam<TensorType> {
 protected:
  ModelQuantization quantization() const {
    return ModelQuantization::PerTensor(
        0.25f, GetParam() == TensorType::UINT8 ? 117 : -11);
  }
  // An 8-bit input.
  int Input(OpVariant& v, const std::string& name, const Shape& shape) {
    const int x =
        v.Input(name, shape, v.random().Uniform(ElementCount(shape), -25, 25));
    return Coded(v, x);
  }
  int Coded(OpVariant& v, int tensor) {
    schema::TensorT& t = *v.builder().model().subgraphs[0]->tensors[tensor];
    t.type = GetParam();
    t.quantization = std::make_unique<schema::QuantizationParametersT>();
    t.quantization->scale = quantization().scale;
    t.quantization->zero_point = quantization().zero_point;
    return tensor;
  }
  void Check(const std::string& name,
             absl::FunctionRef<int(OpVariant&)> build) {
    const SingleOpModel model = MakeModel(
        absl::StrCat(name, " of ", schema::EnumNameTensorType(GetParam())),
        Accuracy{/*terms=*/0}, build);
    EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model));
  }
};

TEST_P(QuantizedMovementTest, SpaceAndBatch) {
  Check("SPACE_TO_BATCH_ND", [&](OpVariant& v) {
    const int x = Input(v, "x", {1, 5, 4, 5});
    return Coded(v, v.Op(Op::SPACE_TO_BATCH_ND, 2,
                         {x, v.IntConstant("b", {2}, {2, 3}),
                          v.IntConstant("p", {2, 2}, {1, 0, 0, 2})},
                         schema::SpaceToBatchNDOptionsT()));
  });
  Check("BATCH_TO_SPACE_ND", [&](OpVariant& v) {
    const int x = Input(v, "x", {6, 3, 2, 5});
    return Coded(v, v.Op(Op::BATCH_TO_SPACE_ND, 2,
                         {x, v.IntConstant("b", {2}, {2, 3}),
                          v.IntConstant("c", {2, 2}, {1, 0, 0, 2})},
                         schema::BatchToSpaceNDOptionsT()));
  });
}

TEST_P(QuantizedMovementTest, Picks) {
  Check("GATHER", [&](OpVariant& v) {
    const int x = Input(v, "x", {6, 5});
    const int at = v.OfInts(v.Input("at", {4}, {5, 0, 3, 3}));
    return Coded(v, v.Op(Op::GATHER, 2, {x, at}, schema::GatherOptionsT()));
  });
  Check("GATHER_ND", [&](OpVariant& v) {
    const int x = Input(v, "x", {6, 5});
    const int at = v.OfInts(v.Input("at", {2, 2}, {5, 0, 3, 3}));
    return Coded(v,
                 v.Op(Op::GATHER_ND, 1, {x, at}, schema::GatherNdOptionsT()));
  });
  Check("SELECT_V2", [&](OpVariant& v) {
    const int c = v.OfBools(v.Input("c", {3, 1}, {1, 0, 1}));
    const int x = Input(v, "x", {3, 5});
    return Coded(v, v.Op(Op::SELECT_V2, 1, {c, x, Input(v, "y", {5})},
                         schema::SelectV2OptionsT()));
  });
}

TEST_P(QuantizedMovementTest, Positions) {
  Check("ARG_MAX", [&](OpVariant& v) {
    schema::ArgMaxOptionsT options;
    options.output_type = TensorType::INT32;
    const int x = Input(v, "x", {3, 17});
    return v.OfInts(
        v.Op(Op::ARG_MAX, 2, {x, v.IntConstant("axis", {}, {1})}, options));
  });
}

TEST_P(QuantizedMovementTest, Reverse) {
  if (GetParam() == TensorType::INT8) return;  // not in TFLite 2.9
  Check("REVERSE_V2", [&](OpVariant& v) {
    const int x = Input(v, "x", {3, 5});
    return Coded(v,
                 v.Op(Op::REVERSE_V2, 1, {x, v.IntConstant("axis", {1}, {1})},
                      schema::ReverseV2OptionsT()));
  });
}

INSTANTIATE_TEST_SUITE_P(Types, QuantizedMovementTest,
                         ::testing::Values(TensorType::UINT8, TensorType::INT8),
                         [](const auto& info) {
                           return schema::EnumNameTensorType(info.param);
                         });

}  // namespace
}  // namespace gles_delegate::testing
