// labels: op quant
// 8-bit MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD and pooling: TFLite's
// quantized values, every one.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/testing/code_cases.h"
#include "tests/testing/device.h"
#include "tests/testing/pool_cases.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Dims = ModelBuilder::Shape;

struct ReduceShape {
  Dims dims;
  std::vector<int> axes;
  bool keep;
};

// Over a plane, kept or not; over channels, rows, everything.
const std::vector<ReduceShape>& ReduceShapes() {
  static const auto& shapes = *new std::vector<ReduceShape>{
      {{2, 7, 5, 9}, {1, 2}, true},        {{1, 4, 4, 17}, {2, 1}, true},
      {{2, 7, 5, 9}, {1, 2}, false},       {{2, 3, 5, 33}, {3}, false},
      {{2, 3, 5, 33}, {-1}, true},         {{9, 5, 8}, {1}, true},
      {{2, 5, 6, 7}, {0, 1, 2, 3}, false}, {{3, 1, 2, 5}, {-3, -2}, true}};
  return shapes;
}

Dims Reduced(const ReduceShape& shape) {
  Dims dims;
  const int rank = static_cast<int>(shape.dims.size());
  for (int i = 0; i < rank; ++i) {
    bool over = false;
    for (int axis : shape.axes) over |= (axis + rank) % rank == i;
    if (!over) dims.push_back(shape.dims[i]);
    if (over && shape.keep) dims.push_back(1);
  }
  return dims;
}

// The scale of products of `count` values that are spread over the codes.
float ScaleOfProducts(float scale, int count) {
  const float product = std::pow(40 * scale, static_cast<float>(count)) / 40;
  return std::min(std::max(product, 1e-20f), 200.0f);
}

template <typename Code>
void AddReduction(CodeCases<Code>* cases, Op op, const ReduceShape& shape,
                  bool same) {
  const ModelQuantization in = cases->Draw(cases->Power(-4, 0));
  ModelQuantization out = in;
  if (!same) {
    const float ratios[] = {0.3f, 1.0f, 3.0f, 40.0f};
    out = cases->Draw(in.scale[0] * ratios[cases->Int(0, 3)]);
  }
  if (op == Op::REDUCE_PROD) {
    int count = 1;
    const int rank = static_cast<int>(shape.dims.size());
    for (int axis : shape.axes) count *= shape.dims[(axis + rank) % rank];
    out = cases->Draw(ScaleOfProducts(in.scale[0], count));
  }
  const int x = cases->Input(shape.dims, in);
  const std::vector<int32_t> axes(shape.axes.begin(), shape.axes.end());
  const int a = cases->Ints({static_cast<int>(axes.size())}, axes);
  schema::ReducerOptionsT options;
  options.keep_dims = shape.keep;
  cases->b.AddOp(op, 2, {x, a}, {cases->Output(Reduced(shape), out)}, options);
}

// 26 cases of each shape: between two quantizations, and of one.
template <typename Code>
void ExpectReductions(Op op, bool always_same) {
  int seed = 0;
  for (const ReduceShape& shape : ReduceShapes()) {
    CodeCases<Code> cases(++seed);
    for (int i = 0; i < 26; ++i) {
      AddReduction(&cases, op, shape, always_same || i % 4 == 0);
    }
    cases.ExpectQuantized(
        absl::StrCat(schema::EnumNameBuiltinOperator(op), " shape ", seed));
  }
}

class ReduceQuantizedTest : public ::testing::TestWithParam<Op> {};

TEST_P(ReduceQuantizedTest, AreTflites) {
  GLES_SKIP_WITHOUT_DEVICE();
  const bool always_same =
      GetParam() == Op::REDUCE_MAX || GetParam() == Op::REDUCE_MIN;
  ExpectReductions<int8_t>(GetParam(), always_same);
  // TFLite has no uint8 kernel of it.
  if (GetParam() == Op::REDUCE_PROD) return;
  ExpectReductions<uint8_t>(GetParam(), always_same);
}

INSTANTIATE_TEST_SUITE_P(Ops, ReduceQuantizedTest,
                         ::testing::Values(Op::MEAN, Op::SUM, Op::REDUCE_MAX,
                                           Op::REDUCE_MIN, Op::REDUCE_PROD),
                         [](const auto& info) {
                           return schema::EnumNameBuiltinOperator(info.param);
                         });

// Sums past 2^24, which floats do not hold.
TEST(ReduceQuantizedTest, MeansOfLargePlanes) {
  GLES_SKIP_WITHOUT_DEVICE();
  CodeCases<uint8_t> cases(1);
  for (bool same : {false, true}) {
    AddReduction(&cases, Op::MEAN, {{1, 300, 310, 1}, {1, 2}, true}, same);
    AddReduction(&cases, Op::SUM, {{1, 300, 310, 1}, {1, 2}, true}, same);
  }
  cases.ExpectQuantized("large planes");
}

template <typename Code>
void ExpectPools(Op op, int seed) {
  CodeCases<Code> cases(seed);
  for (int i = 0; i < 52; ++i) {
    const ModelQuantization in = cases.Draw(cases.Power(-3, 1));
    const ModelQuantization out = i % 3 == 0 ? cases.Draw(in.scale[0]) : in;
    AddPoolCase(&cases, op, 2, in, out, i);
  }
  cases.ExpectQuantized(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " seed ", seed));
}

TEST(PoolQuantizedTest, AreTflites) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int seed = 1; seed <= 4; ++seed) {
    for (Op op : {Op::AVERAGE_POOL_2D, Op::MAX_POOL_2D}) {
      ExpectPools<int8_t>(op, seed);
      ExpectPools<uint8_t>(op, seed);
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing
