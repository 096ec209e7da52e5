// labels: op llvmpipe softpipe
// ATAN2 against std::atan2 in double, over its whole domain and at its special
// values: TFLite 2.9 has no kernel of it. Later ones call std::atan2.
#include <cmath>

#include "delegate/ops/elementwise/elementwise_binary.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_node.h"
#include "tests/testing/special_floats.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {
namespace {

constexpr int kAtan2 = 156;

absl::StatusOr<ParsedNode> Parse(const Tensor& y, const Tensor& x,
                                 const Tensor& output) {
  NodeView node;
  node.builtin_code = kAtan2;
  node.inputs = {&y, &x};
  node.outputs = {&output};
  return Parsed(ParseBinary, node);
}

std::vector<float> Atan2(const std::vector<float>& y,
                         const std::vector<float>& x) {
  const Shape shape = {1, static_cast<int>(y.size()), 1, 1};
  const Tensor tensor = FakeTensor(shape);
  auto parsed = Parse(tensor, tensor, tensor);
  if (!parsed.ok()) {
    ADD_FAILURE() << parsed.status();
    return {};
  }
  const NodeRun run = RunNode("ATAN2", *std::move(parsed), {shape, shape},
                              shape, {y, x}, [](DeviceProfile&) {});
  EXPECT_TRUE(run.result.status.ok()) << run.result.status;
  return run.result.outputs[0].values;
}

// Magnitudes from 2^-30 to 2^30 and all quadrants. The bound: a quotient of 2.5
// units, the polynomial's two roundings, one each for the octant, the quadrant
// and pi itself.
TEST(Atan2Test, WithinUlpsOfTheExactResult) {
  GLES_SKIP_WITHOUT_DEVICE();
  constexpr int kValues = 2000;
  Random random("atan2");
  std::vector<float> y, x;
  for (int i = 0; i < kValues; ++i) {
    const float spread = i % 2 == 0 ? 2 : 30;
    y.push_back(std::exp2(random.NextUniform(-spread, spread)));
    x.push_back(std::exp2(random.NextUniform(-spread, spread)));
    if (i % 3 == 0) y.back() = -y.back();
    if (i % 5 < 2) x.back() = -x.back();
  }
  const std::vector<float> got = Atan2(y, x);
  ASSERT_EQ(got.size(), y.size());
  double worst = 0;
  for (int i = 0; i < kValues; ++i) {
    const double exact = std::atan2(double{y[i]}, double{x[i]});
    const double ulp = std::ldexp(1.0, std::ilogb(exact) - 23);
    worst = std::max(worst, std::abs(got[i] - exact) / ulp);
  }
  std::cout << "ATAN2: " << worst << " ULP\n";
  EXPECT_LE(worst, 6);
}

TEST(Atan2Test, SpecialValues) {
  GLES_SKIP_WITHOUT_DEVICE();
  const float values[] = {0.0f, -0.0f, 1,      -1,     kInf,   -kInf,
                          NAN,  3e38f, -3e38f, 2e-38f, -2e-38f};
  std::vector<float> y, x;
  for (float a : values) {
    for (float b : values) {
      y.push_back(a);
      x.push_back(b);
    }
  }
  const std::vector<float> got = Atan2(y, x);
  ASSERT_EQ(got.size(), y.size());
  for (size_t i = 0; i < y.size(); ++i) {
    const float want = std::atan2(y[i], x[i]);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got[i])) << y[i] << ", " << x[i];
      continue;
    }
    // Results below the least normal may be flushed to zero.
    EXPECT_NEAR(got[i], want, 4e-7 * std::abs(want) + 1.2e-38)
        << y[i] << ", " << x[i];
    EXPECT_EQ(std::signbit(got[i]), std::signbit(want)) << y[i] << ", " << x[i];
  }
}

TEST(ParseAtan2Test, Refusals) {
  const Tensor input = FakeTensor({2, 3});
  EXPECT_TRUE(Parse(input, input, input).ok());
  EXPECT_THAT(Parse(input, FakeTensor({1, 3}), input).status().message(),
              HasSubstr("they must be equal"));
  EXPECT_THAT(Parse(input, FakeTensor({2, 4}), input).status().message(),
              HasSubstr("they must be equal"));
}

}  // namespace
}  // namespace gles_delegate::testing
