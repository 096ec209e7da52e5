// labels: op quant
// Which versions of ops on int16 values (16x8 models) are taken.
#include <utility>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/op_list.h"
#include "gtest/gtest.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// Versions that TFLite 2.9 does not have yet, of its 16-bit kernels.
TEST(Int16VersionTest, OfNewerRuntimesAreTaken) {
  const std::vector<std::pair<Op, int>> versions = {
      {Op::SOFTMAX, 3},
      {Op::MEAN, 3},
      {Op::REDUCE_MAX, 3},
      {Op::REDUCE_MIN, 3},
      {Op::SQRT, 2},
      {Op::AVERAGE_POOL_2D, 3},
      {Op::MAX_POOL_2D, 3},
      {Op::PADV2, 5},
      {Op::PAD, 5},
      {Op::MIRROR_PAD, 3},
      {Op::CONCATENATION, 3},
      {Op::SPACE_TO_BATCH_ND, 4},
      {Op::BATCH_TO_SPACE_ND, 4},
      {Op::EQUAL, 5},
      {Op::SPLIT, 4},
      {Op::UNPACK, 4},
      {Op::PACK, 3},
  };
  for (const auto& [op, version] : versions) {
    const OpDefinition* definition = FindOp(static_cast<int>(op), "");
    ASSERT_NE(definition, nullptr) << schema::EnumNameBuiltinOperator(op);
    EXPECT_GE(definition->max_version_quantized, version)
        << schema::EnumNameBuiltinOperator(op);
  }
}

}  // namespace
}  // namespace gles_delegate::testing
