// labels: op llvmpipe softpipe
// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR against TFLite's own kernels, and
// what their parser refuses.
#include "delegate/ops/image/resize.h"

#include "delegate/graph/builtin_params.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"

namespace gles_delegate::testing {
namespace {

struct ResizeCase {
  const char* name;
  bool nearest;
  bool align_corners;
  bool half_pixel_centers;
};

constexpr ResizeCase kCases[] = {
    {"Bilinear", false, false, false},
    {"BilinearAlignCorners", false, true, false},
    {"BilinearHalfPixelCenters", false, false, true},
    {"Nearest", true, false, false},
    {"NearestAlignCorners", true, true, false},
    {"NearestHalfPixelCenters", true, false, true},
};

class ResizeTest : public DeviceTestWithParam<ResizeCase> {
 protected:
  SingleOpModel Model(const Shape& input, int out_h, int out_w) {
    ResizeParams params;
    params.nearest = GetParam().nearest;
    params.align_corners = GetParam().align_corners;
    params.half_pixel_centers = GetParam().half_pixel_centers;
    params.input = input;
    params.out_h = out_h;
    params.out_w = out_w;
    return Resize(params);
  }
};

TEST_P(ResizeTest, UpAndDown) {
  for (const Shape& shape : FewShapes()) {
    for (const auto& [out_h, out_w] :
         {std::array<int, 2>{14, 18}, {3, 4}, {1, 1}, {7, 300}, {5, 9}}) {
      ExpectMatchesCpuOnce(Model(shape, out_h, out_w));
    }
  }
}

// Every size up to 20 from every size up to 12: if a product is on the
// edge between two pixels, they are not the same pixel by chance.
TEST_P(ResizeTest, ManyScales) {
  for (int in = 1; in <= 12; in += 2) {
    for (int out = 1; out <= 20; out += 3) {
      ExpectMatchesCpuOnce(Model({1, in, in + 1, 1}, out, out + 1));
    }
  }
}

TEST_P(ResizeTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Model({3, 5, 7, 5}, 9, 4));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ResizeTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(ParseResizeTest, Refusals) {
  ::gles_delegate::ResizeParams params = {};
  const Tensor input = FakeTensor({1, 4, 4, 3});
  const Tensor size = FakeInts({8, 6});
  const Tensor output = FakeTensor({1, 8, 6, 3});
  EXPECT_EQ(Refusal(ParseResize, {input, size}, {output}, &params), "");
  EXPECT_THAT(
      Refusal(ParseResize, {input, size}, {FakeTensor({1, 6, 8, 3})}, &params),
      HasSubstr("output is 1x6x8x3, its inputs and attributes give 1x8x6x3"));
  EXPECT_THAT(
      Refusal(ParseResize, {input, FakeRuntimeInts({2})}, {output}, &params),
      HasSubstr("the size: known only at run time"));
  EXPECT_THAT(Refusal(ParseResize, {input, FakeInts({8})}, {output}, &params),
              HasSubstr("the size has 1 elements"));
  EXPECT_THAT(
      Refusal(ParseResize, {FakeTensor({4, 4, 3}), size}, {output}, &params),
      HasSubstr("rank 4"));
  params.align_corners = params.half_pixel_centers = true;
  EXPECT_THAT(Refusal(ParseResize, {input, size}, {output}, &params),
              HasSubstr("both set"));
}

}  // namespace
}  // namespace gles_delegate::testing
