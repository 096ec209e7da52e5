// labels: op quant softpipe
// Pooling in integers: TFLite's integer kernels' own quantized values, every
// one.
#include "absl/strings/str_cat.h"
#include "tests/testing/code_model.h"
#include "tests/testing/device_test.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Dims = ModelBuilder::Shape;

class IntegerPathOpsTest : public DeviceTest {};

template <typename Code>
void ExpectPool(Op op, int window, int stride, int seed) {
  CodeModel<Code> m(seed);
  const ModelQuantization q = m.Draw(0.05f);
  const Dims dims = {2, 9, 8, 5};
  const int x = m.Input(dims, q);
  schema::Pool2DOptionsT options;
  options.padding =
      seed % 2 == 0 ? schema::Padding::SAME : schema::Padding::VALID;
  options.filter_width = options.filter_height = window;
  options.stride_w = options.stride_h = stride;
  const auto size = [&](int in) {
    return seed % 2 == 0 ? (in + stride - 1) / stride
                         : (in - window) / stride + 1;
  };
  const int y = m.Output({2, size(9), size(8), 5}, q);
  m.b.AddOp(op, 2, {x}, {y}, options);
  m.ExpectQuantized(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), " by ", window));
}

TEST_F(IntegerPathOpsTest, Pooling) {
  int seed = 0;
  for (auto op : {Op::AVERAGE_POOL_2D, Op::MAX_POOL_2D}) {
    for (int window : {2, 3, 8}) {
      ExpectPool<int8_t>(op, window, 1 + window % 2, ++seed);
      ExpectPool<uint8_t>(op, window, 1 + window % 2, seed);
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing
