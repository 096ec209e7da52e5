// labels: op quant
// 8-bit pooling: TFLite's quantized values, every one.
#include "tests/testing/code_cases.h"
#include "tests/testing/device.h"
#include "tests/testing/pool_cases.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

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
