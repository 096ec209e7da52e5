// labels: op quant softpipe
// What no float view is given. Rows of tools/cases run quantized models.
#include "delegate/graph/float_view.h"

#include <cmath>
#include <string>
#include <vector>

#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

class FloatViewTest : public DeviceTest {};

TEST_F(FloatViewTest, TheOptionTurnsItOff) {
  RunOptions options;
  options.expect_delegated = false;
  options.configure = [](TfLiteGlesDelegateOptions& o) {
    o.quantized_compute = kTfLiteGlesQuantizedCpu;
  };
  const RunResult result =
      RunOnDelegate(cases::ModelOf("ADD@2 x=i8@(0.1,0)[1,4,4,4] x"), options);
  ASSERT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(result.nodes_delegated, 0);
  EXPECT_THAT(result.report, HasSubstr("quantized_compute is cpu"));
}

Tensor Activation(std::vector<float> scale, std::vector<int64_t> zero) {
  Tensor t;
  t.name = "x";
  t.type = DataType::kInt8;
  t.dims = {1, 2, 2, 3};
  t.shape = gles_delegate::Shape::FromDims(t.dims);
  t.quantization = {std::move(scale), std::move(zero), 3};
  return t;
}

TEST(CheckQuantizationTest, RefusesWhatItCannotCarry) {
  const auto why = [](const Tensor& t) {
    return std::string(CheckQuantization(t).message());
  };
  EXPECT_EQ(why(Activation({0.1f}, {0})), "");
  EXPECT_THAT(why(Activation({}, {})), HasSubstr("no quantization parameters"));
  EXPECT_THAT(why(Activation({0.0f}, {0})), HasSubstr("not above zero"));
  EXPECT_THAT(why(Activation({-1.0f}, {0})), HasSubstr("not above zero"));
  EXPECT_THAT(why(Activation({INFINITY}, {0})), HasSubstr("not above zero"));
  EXPECT_THAT(why(Activation({0.1f}, {200})), HasSubstr("zero point 200"));
  EXPECT_THAT(why(Activation({0.1f, 0.2f, 0.3f}, {0, 0, 0})),
              HasSubstr("only constants may have one per channel"));
  EXPECT_EQ(why(Activation({1000.0f}, {0})), "");
  Tensor weights = Activation({0.1f, 0.2f}, {0, 0});
  weights.constant = ConstantData::Own(std::vector<uint8_t>(12));
  EXPECT_THAT(why(weights), HasSubstr("do not fit dimension 3"));
}

}  // namespace
}  // namespace gles_delegate::testing
