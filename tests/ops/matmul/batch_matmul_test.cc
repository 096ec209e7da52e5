// labels: op llvmpipe softpipe
// BATCH_MATMUL against TFLite's own kernel, and what its parser refuses.
#include "delegate/ops/matmul/batch_matmul.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_graph.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {
namespace {

using Product = MatMulParams;

class BatchMatMulTest : public DeviceTestWithParam<std::pair<bool, bool>> {
 protected:
  void Check(Product p, Precision precision = Precision::kFloat32) {
    std::tie(p.adj_x, p.adj_y) = GetParam();
    const SingleOpModel model = BatchMatMul(p);
    // Each row by itself; small tiles in shared memory; large ones.
    for (const char* tuning :
         {"split_k_target=0", "split_k_target=1000000", "split_k_target=1"}) {
      setenv("GLES_DELEGATE_TUNING", tuning, /*overwrite=*/1);
      EXPECT_THAT(RunOnDelegate(model, precision), MatchesCpu(model, precision))
          << tuning;
    }
    unsetenv("GLES_DELEGATE_TUNING");
  }
};

TEST_P(BatchMatMulTest, EveryTail) {
  for (Precision precision : kPrecisions) {
    for (int n : {1, 3, 4, 5, 8, 17}) {
      Check({{3, 2, 5, n}, {3, 2, n, 7}}, precision);
      Check({{1, 2, n, 6}, {1, 2, 6, 9}}, precision);
      Check({{1, 1, 9, 3}, {1, 1, 3, n}}, precision);
      Check({{2, 3, 18, n}, {2, 3, n, 21}}, precision);
    }
  }
}

TEST_P(BatchMatMulTest, EveryRank) {
  Check({{5, 6}, {6, 7}});
  Check({{3, 5, 6}, {3, 6, 7}});
  Check({{3, 2, 5, 6}, {3, 2, 6, 7}});
}

TEST_P(BatchMatMulTest, Broadcasts) {
  Check({{3, 2, 5, 6}, {1, 2, 6, 7}});
  Check({{3, 1, 5, 6}, {3, 2, 6, 7}});
  Check({{3, 1, 5, 6}, {1, 2, 6, 7}});
  Check({{1, 1, 5, 6}, {3, 2, 6, 7}});
  Check({{3, 2, 5, 6}, {2, 6, 7}});
  Check({{2, 5, 6}, {3, 2, 6, 7}});
  Check({{3, 2, 5, 6}, {6, 7}});
  Check({{5, 6}, {3, 2, 6, 7}});
  Check({{1, 5, 6}, {3, 6, 7}});
  Check({{3, 2, 9, 6}, {1, 2, 6, 7}});
  Check({{3, 1, 9, 6}, {1, 2, 6, 7}});
}

TEST_P(BatchMatMulTest, ConstantSides) {
  for (Weights weights : {Weights::kFloat, Weights::kHalf}) {
    Product y = {{3, 5, 6}, {3, 6, 9}};
    y.y_weights = weights;
    Check(y);
    Product x = {{3, 5, 6}, {3, 6, 9}};
    x.x_weights = weights;
    Check(x);
    Product matrix = {{3, 9, 6}, {6, 5}};
    matrix.y_weights = weights;
    Check(matrix);
  }
}

// One row, and more rows than a work group. With enough terms for products in
// 16 bits, also an odd number of texels of them.
TEST_P(BatchMatMulTest, LongAndShort) {
  for (Precision precision : {Precision::kFloat32, Precision::kFloat16,
                              Precision::kFloat16Arithmetic}) {
    Check({{2, 1, 300}, {2, 300, 5}}, precision);
    Check({{1, 70, 3}, {1, 3, 70}}, precision);
    Check({{3, 70, 300}, {3, 300, 70}}, precision);
    Check({{3, 2, 9, 66}, {1, 2, 66, 21}}, precision);
  }
}

TEST_P(BatchMatMulTest, PrecisionsAndStorages) {
  Product p = {{3, 2, 5, 6}, {1, 2, 6, 7}};
  std::tie(p.adj_x, p.adj_y) = GetParam();
  ExpectMatchesCpu(BatchMatMul(p));
}

// Terms past the last are no part of the sum, even where 0 * inf would be NaN.
TEST_P(BatchMatMulTest, InfinitiesStayInTheirRowsAndColumns) {
  Product p = {{1, 5, 6}, {1, 6, 7}};
  std::tie(p.adj_x, p.adj_y) = GetParam();
  SingleOpModel model = BatchMatMul(p);
  for (std::vector<float>& input : model.inputs) {
    for (float& v : input) v = std::fabs(v) + 0.5f;
    input.back() = std::numeric_limits<float>::infinity();
  }
  model.magnitude_bytes.clear();
  EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model));
}

INSTANTIATE_TEST_SUITE_P(
    Adjoints, BatchMatMulTest,
    ::testing::Values(std::pair(false, false), std::pair(false, true),
                      std::pair(true, false), std::pair(true, true)),
    [](const auto& info) {
      return absl::StrCat(info.param.first ? "AdjX" : "X",
                          info.param.second ? "AdjY" : "Y");
    });

// Rank 5, which TFLite takes from 2.11 on: as many products of rank 2, in
// double.
TEST(BatchMatMulRank5Test, FoldsTheLeadingAxes) {
  GLES_SKIP_WITHOUT_DEVICE();
  constexpr int kMatrices = 12, kRows = 5, kTerms = 6, kColumns = 7;
  for (const std::vector<int>& y_leading :
       {std::vector<int>{2, 3, 2}, {1, 1, 2}, {2}, {}}) {
    Graph graph;
    Node node;
    std::vector<int> y_dims = y_leading;
    y_dims.insert(y_dims.end(), {kTerms, kColumns});
    BatchMatMulAttributes attributes;
    attributes.x = {2, 3, 2, kRows, kTerms};
    attributes.y = y_dims;
    attributes.product = {2, 3, 2, kRows, kColumns};
    node.attributes = attributes;
    node.inputs = {AddTensor(&graph, {2, 3, 2, kRows, kTerms}),
                   AddTensor(&graph, y_dims)};
    node.outputs = {AddTensor(&graph, {2, 3, 2, kRows, kColumns})};
    Random random("rank 5");
    const std::vector<float> x = random.Gaussian(kMatrices * kRows * kTerms);
    const std::vector<float> y =
        random.Gaussian(ElementCount(Shape(y_dims.begin(), y_dims.end())));
    const auto got = RunGraphOf("BATCH_MATMUL", std::move(node),
                                std::move(graph), {x, y}, [](auto&) {});
    ASSERT_TRUE(got.ok()) << got.status();
    ASSERT_EQ(got->size(), kMatrices * kRows * kColumns);
    for (size_t i = 0; i < got->size(); ++i) {
      const size_t row = i / kColumns;
      const size_t y_first = row / kRows * kTerms * kColumns % y.size();
      double sum = 0, magnitude = 0;
      for (int k = 0; k < kTerms; ++k) {
        const double term = double{x[row * kTerms + k]} *
                            y[y_first + k * kColumns + i % kColumns];
        sum += term;
        magnitude += std::fabs(term);
      }
      // At most one rounding a product and one an addition.
      ASSERT_NEAR((*got)[i], sum, 0x1p-24 * (kTerms + 1) * magnitude) << i;
    }
  }
}

// --- What is refused --------------------------------------------------------

std::string RefusalOf(std::vector<int> x, std::vector<int> y,
                      std::vector<int> output) {
  const BatchMatMulParams params = {};
  return Refusal(ParseBatchMatMul,
                 {FakeTensor(std::move(x)), FakeTensor(std::move(y))},
                 {FakeTensor(std::move(output))}, &params);
}

TEST(BatchMatMulParseTest, TakesRank5WhereItFolds) {
  EXPECT_EQ(RefusalOf({2, 3, 4, 5, 6}, {2, 3, 4, 6, 7}, {2, 3, 4, 5, 7}), "");
  EXPECT_EQ(RefusalOf({2, 3, 4, 5, 6}, {6, 7}, {2, 3, 4, 5, 7}), "");
  EXPECT_THAT(RefusalOf({2, 3, 4, 5, 6}, {2, 1, 4, 6, 7}, {2, 3, 4, 5, 7}),
              HasSubstr("2x3x4 and 2x1x4 broadcast within their first two"));
}

TEST(BatchMatMulParseTest, RefusesShapesThatDisagree) {
  EXPECT_THAT(RefusalOf({5, 6}, {5, 7}, {5, 7}),
              HasSubstr("x has 6 terms a row, y has 5 a column"));
  EXPECT_THAT(RefusalOf({2, 5, 6}, {3, 6, 7}, {3, 5, 7}),
              HasSubstr("1x1x2 and 1x1x3 do not broadcast"));
  EXPECT_THAT(RefusalOf({5, 6}, {6, 7}, {5, 6}), HasSubstr("give 5x7"));
  EXPECT_THAT(RefusalOf({6}, {6, 7}, {7}),
              HasSubstr("its rank must be 2 to 5"));
  EXPECT_THAT(RefusalOf({1, 1, 1, 1, 5, 6}, {6, 7}, {1, 1, 1, 1, 5, 7}),
              HasSubstr("its rank must be 2 to 5"));
}

TEST(BatchMatMulParseTest, RefusesOtherTypesAndNoParameters) {
  const BatchMatMulParams params = {};
  Tensor y = FakeTensor({6, 7});
  y.type = DataType::kInt32;
  EXPECT_THAT(Refusal(ParseBatchMatMul, {FakeTensor({5, 6}), y},
                      {FakeTensor({5, 7})}, &params),
              HasSubstr("input 1 is int32"));
  EXPECT_THAT(
      Refusal(ParseBatchMatMul, {FakeTensor({5, 6}), FakeTensor({6, 7})},
              {FakeTensor({5, 7})}),
      HasSubstr("no parameters"));
}

}  // namespace
}  // namespace gles_delegate::testing
