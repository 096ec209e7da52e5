// labels: op quant
// int16 values (16x8 models): pooling, resizes and BATCH_MATMUL. TFLite's
// codes, every one; 208 cases an op.
#include <string>
#include <vector>

#include "tests/testing/code_cases.h"
#include "tests/testing/device_test.h"
#include "tests/testing/int16_values.h"
#include "tests/testing/pool_cases.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Cases = CodeCases<int16_t>;
using Dims = ModelBuilder::Shape;

// A scale of every size, a power of two among four.
ModelQuantization DrawScale(Cases* cases) {
  const float power = std::exp2(static_cast<float>(cases->Int(-16, -3)));
  return cases->Int(0, 3) == 0 ? WideScale(power) : cases->Draw(2 * power);
}

// That of an output, within 2^5 of the input's, or the same.
ModelQuantization Beside(Cases* cases, const ModelQuantization& in) {
  if (cases->Int(0, 3) == 0) return in;
  return cases->Draw(in.scale[0] *
                     std::exp2(static_cast<float>(cases->Int(-4, 6))));
}

// --- Windows -----------------------------------------------------------------

// Whether it is a node in integers: MAX_POOL_2D between tensors of one scale
// moves values, and is none.
bool AddPool(Cases* cases, Op op, int i) {
  const ModelQuantization in = DrawScale(cases);
  // TFLite looks at no scale.
  const ModelQuantization out = i % 3 == 0 ? Beside(cases, in) : in;
  const bool activates = AddPoolCase(cases, op, 3, in, out, i);
  return op == Op::AVERAGE_POOL_2D || in.scale != out.scale || activates;
}

class Int16WindowsTest : public DeviceTest {};

TEST_F(Int16WindowsTest, PoolingIsTflites) {
  for (Op op : {Op::AVERAGE_POOL_2D, Op::MAX_POOL_2D}) {
    for (int seed = 1; seed <= kCaseSeeds; ++seed) {
      Cases cases(seed);
      int integer_path = 0;
      for (int i = 0; i < kCasesOfOne; ++i)
        integer_path += AddPool(&cases, op, i);
      cases.ExpectQuantized(
          absl::StrCat(schema::EnumNameBuiltinOperator(op), " seed ", seed),
          integer_path);
    }
  }
}

struct ResizeSize {
  int h, w, to_h, to_w, channels;
};
constexpr ResizeSize kResizeSizes[] = {{5, 6, 30, 29, 5}, {7, 9, 4, 3, 8},
                                       {3, 4, 24, 32, 8}, {4, 5, 8, 10, 3},
                                       {1, 1, 3, 5, 4},   {9, 8, 1, 1, 1}};

TEST_F(Int16WindowsTest, ResizesAreTflites) {
  for (int seed = 1; seed <= kCaseSeeds; ++seed) {
    Cases bilinear(seed), nearest(seed);
    for (int i = 0; i < kCasesOfOne; ++i) {
      const ResizeSize& s = kResizeSizes[(seed + i % 3) % 6];
      const Dims dims = {2, s.h, s.w, s.channels},
                 out = {2, s.to_h, s.to_w, s.channels};
      for (Cases* cases : {&bilinear, &nearest}) {
        const ModelQuantization in = DrawScale(cases);
        // TFLite resizes quantized values, whatever they stand for.
        ModelQuantization to = i % 5 == 0 ? Beside(cases, in) : in;
        if (cases == &nearest) to = WideScale(in.scale[0] * 1.3f);
        const int x = cases->Input(dims, in);
        const int size = cases->Ints({2}, {s.to_h, s.to_w});
        const int y = cases->Output(out, to);
        if (cases == &bilinear) {
          schema::ResizeBilinearOptionsT options;
          options.align_corners = i % 4 == 1;
          options.half_pixel_centers = i % 4 >= 2;
          cases->b.AddOp(Op::RESIZE_BILINEAR, 4, {x, size}, {y}, options);
        } else {
          schema::ResizeNearestNeighborOptionsT options;
          options.align_corners = i % 4 == 1;
          options.half_pixel_centers = i % 4 >= 2;
          cases->b.AddOp(Op::RESIZE_NEAREST_NEIGHBOR, 4, {x, size}, {y},
                         options);
        }
      }
    }
    bilinear.ExpectQuantized(absl::StrCat("RESIZE_BILINEAR seed ", seed));
    nearest.ExpectQuantized(
        absl::StrCat("RESIZE_NEAREST_NEIGHBOR seed ", seed));
  }
}

// --- Products of two -------------------------------------------------------

enum class Sides { kComputed, kFirstConstant, kSecondConstant };

void AddBatchMatMul(Cases* cases, int depth, Sides sides, int i) {
  const ModelQuantization a = DrawScale(cases), b = DrawScale(cases);
  schema::BatchMatMulOptionsT options;
  options.adj_y = i % 2 == 1;
  options.adj_x = i % 4 == 3;
  const Dims of_x = options.adj_x ? Dims{2, depth, 6} : Dims{2, 6, depth};
  const Dims of_y = options.adj_y ? Dims{2, 7, depth} : Dims{2, depth, 7};
  const int x = sides == Sides::kFirstConstant ? cases->Constant(of_x, a)
                                               : cases->Input(of_x, a);
  const int y = sides == Sides::kSecondConstant ? cases->Constant(of_y, b)
                                                : cases->Input(of_y, b);
  const float spread = std::sqrt(static_cast<float>(depth));
  const float scale = a.scale[0] * b.scale[0] * 15000 * spread;
  const int z =
      cases->Output({2, 6, 7}, cases->Draw(scale * (i % 5 == 0 ? 0.3f : 2.0f)));
  cases->b.AddOp(Op::BATCH_MATMUL, 3, {x, y}, {z}, options);
}

// Sums of a thousand terms and more pass 32 bits.
TEST(Int16MatricesTest, BatchMatMulIsTflites) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int depth : {1, 5, 33, 700, 1024, 2049, 5003}) {
    Cases cases(depth);
    for (int i = 0; i < kCasesOfOne; ++i) {
      AddBatchMatMul(&cases, depth, Sides::kComputed, i);
    }
    cases.ExpectQuantized(absl::StrCat("BATCH_MATMUL of ", depth));
  }
}

TEST(Int16MatricesTest, BatchMatMulOfAConstantIsTflites) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int depth : {1, 9, 64, 1024, 3001}) {
    Cases cases(depth);
    for (int i = 0; i < kCasesOfOne; ++i) {
      AddBatchMatMul(
          &cases, depth,
          i % 3 == 0 ? Sides::kFirstConstant : Sides::kSecondConstant, i);
    }
    cases.ExpectQuantized(absl::StrCat("BATCH_MATMUL of a constant, ", depth));
  }
}

}  // namespace
}  // namespace gles_delegate::testing
