// labels: op llvmpipe softpipe
// PRELU against TFLite's own kernel.
#include "delegate/ops/elementwise/prelu.h"

#include <string>
#include <vector>

#include "tests/testing/device_test.h"
#include "tests/testing/op_models.h"
#include "tests/testing/parse_node.h"

namespace gles_delegate {
namespace {

using ::testing::HasSubstr;
using testing::MatchesCpu;
using testing::Prelu;
using testing::RunOnDelegate;
using testing::SingleOpModel;
using testing::Weights;

class PreluTest : public testing::DeviceTest {};

TEST_F(PreluTest, EveryChannelTail) {
  for (const testing::Shape& shape : testing::StandardShapes()) {
    const SingleOpModel model = Prelu(shape, {1, 1, shape.back()});
    EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model));
  }
}

TEST_F(PreluTest, EveryAlpha) {
  for (const testing::Shape& alpha :
       std::vector<testing::Shape>{{},
                                   {1},
                                   {5},
                                   {1, 1, 5},
                                   {2, 3, 5},
                                   {2, 1, 1},
                                   {3, 1},
                                   {1, 2, 3, 5}}) {
    for (Weights weights :
         {Weights::kFloat, Weights::kHalf, Weights::kRuntime}) {
      const SingleOpModel model = Prelu({3, 2, 3, 5}, alpha, weights);
      EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model));
    }
  }
}

TEST_F(PreluTest, EveryStorageAndPrecision) {
  testing::ExpectMatchesCpu(Prelu({3, 2, 3, 5}, {1, 1, 5}));
  testing::ExpectMatchesCpu(Prelu({3, 2, 3, 5}, {2, 3, 5}));
}

TEST(PreluParseTest, RefusesAnAlphaWiderThanTheInput) {
  Tensor x, alpha, y;
  x.dims = {1, 1, 1, 4};
  x.shape = Shape::FromDims(x.dims);
  alpha.dims = y.dims = {1, 2, 2, 4};
  alpha.shape = y.shape = Shape::FromDims(y.dims);
  NodeView node;
  node.inputs = {&x, &alpha};
  node.outputs = {&y};
  const auto parsed = testing::Parsed(ParsePrelu, node);
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(parsed.status().message()),
      HasSubstr("output is 1x2x2x4, its inputs and attributes give 1x1x1x4"));
}

}  // namespace
}  // namespace gles_delegate
