// labels: op llvmpipe softpipe
// Constants folded into weights: models against TFLite's CPU. fold_scales.txt
// has the graphs.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/testing/device_test.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class FoldScalesModelTest : public DeviceTest {};

// MUL and ADD of constants before and after a convolution.
SingleOpModel Scaled(int in, int out, schema::Padding padding) {
  return MakeModel(
      absl::StrCat("scaled convolution ", in, " to ", out,
                   padding == schema::Padding::SAME ? " padded" : ""),
      Accuracy{/*terms=*/9 * in + 4}, /*with_magnitude=*/true,
      [&](OpVariant& v) {
        const Shape shape = {2, 5, 6, in};
        const auto constant = [&](const char* name, int channels) {
          return v.Constant(name, {channels}, v.random().Gaussian(channels));
        };
        int x = v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        x = v.Op(Op::ADD, 1, {x, constant("add before", in)},
                 schema::AddOptionsT());
        x = v.Op(Op::MUL, 1, {x, constant("mul before", in)},
                 schema::MulOptionsT());
        schema::Conv2DOptionsT conv;
        conv.padding = padding;
        conv.stride_w = conv.stride_h = 1;
        const int filter = 9 * in * out;
        const int w =
            v.Constant("w", {out, 3, 3, in}, v.random().Gaussian(filter));
        x = v.Op(Op::CONV_2D, 1, {x, w, constant("bias", out)}, conv);
        x = v.Op(Op::MUL, 1, {x, constant("mul after", out)},
                 schema::MulOptionsT());
        return v.Op(Op::ADD, 1, {constant("add after", out), x},
                    schema::AddOptionsT());
      });
}

TEST_F(FoldScalesModelTest, AroundAConvolution) {
  for (const auto padding : {schema::Padding::VALID, schema::Padding::SAME}) {
    for (const SingleOpModel& model :
         {Scaled(3, 5, padding), Scaled(8, 4, padding)}) {
      EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model)) << model.description;
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing
