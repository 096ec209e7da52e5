// labels: op llvmpipe softpipe
// TILE, BROADCAST_TO and MATRIX_DIAG against TFLite's own kernels, and what
// their parsers refuse.
#include "delegate/ops/movement/tile.h"

#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/of_type.h"

namespace gles_delegate::testing {
namespace {

class TileTest : public DeviceTest {};

TEST_F(TileTest, EveryAxis) {
  for (int channels : StandardChannels()) {
    ExpectMatchesCpuOnce(Tile({2, 3, 4, channels}, {1, 2, 3, 1}));
    ExpectMatchesCpuOnce(Tile({2, 3, 4, channels}, {2, 1, 1, 3}));
  }
  ExpectMatchesCpuOnce(Tile({5}, {3}));
  ExpectMatchesCpuOnce(Tile({2, 3}, {3, 2}));
  ExpectMatchesCpuOnce(Tile({2, 3, 4}, {2, 1, 2}));
}

TEST_F(TileTest, Broadcasts) {
  ExpectMatchesCpuOnce(BroadcastTo({1, 1, 1, 1}, {2, 3, 4, 5}));
  ExpectMatchesCpuOnce(BroadcastTo({5}, {2, 3, 4, 5}));
  ExpectMatchesCpuOnce(BroadcastTo({4, 1}, {3, 4, 5}));
  ExpectMatchesCpuOnce(BroadcastTo({3, 1, 1}, {2, 3, 4, 8}));
  ExpectMatchesCpuOnce(BroadcastTo({1, 3, 1, 7}, {2, 3, 4, 7}));
  ExpectMatchesCpuOnce(BroadcastTo({2, 3}, {2, 3}));
}

TEST_F(TileTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Tile({2, 3, 4, 5}, {1, 2, 1, 2}));
  ExpectMatchesCpu(BroadcastTo({3, 1, 1}, {2, 3, 4, 5}));
}

TEST_F(TileTest, Diagonals) {
  for (const Shape& shape :
       {Shape{7}, {1}, {3, 4}, {2, 3, 1}, {2, 1, 3, 17}, {2, 3, 2, 3, 5}}) {
    ExpectMatchesCpuOnce(MatrixDiag(shape));
    ExpectMatchesCpuOnce(OfType(MatrixDiag(shape), TensorType::INT32));
  }
  for (const TensorType type : {TensorType::INT64, TensorType::INT16,
                                TensorType::INT8, TensorType::UINT8}) {
    ExpectMatchesCpuOnce(OfType(MatrixDiag({2, 3, 5}), type));
  }
  ExpectMatchesCpu(MatrixDiag({2, 3, 5}));
  ExpectMatchesCpu(MatrixDiag({2, 3, 4, 5}));
}

TEST(ParseMatrixDiagTest, Refusals) {
  EXPECT_EQ(
      Refusal(ParseMatrixDiag, {FakeTensor({2, 3})}, {FakeTensor({2, 3, 3})}),
      "");
  EXPECT_THAT(
      Refusal(ParseMatrixDiag, {FakeTensor({2, 3})}, {FakeTensor({2, 2, 3})}),
      HasSubstr("output is 2x2x3, its inputs and attributes give "
                "2x3x3"));
  EXPECT_THAT(Refusal(ParseMatrixDiag, {FakeTensor({})}, {FakeTensor({})}),
              HasSubstr("a scalar"));
  Tensor quantized = FakeTensor({2, 3});
  quantized.quantized = DataType::kInt8;
  EXPECT_THAT(Refusal(ParseMatrixDiag, {quantized}, {FakeTensor({2, 3, 3})}),
              HasSubstr("fills in 0 as a quantized value"));
}

TEST(ParseTileTest, Refusals) {
  const Tensor input = FakeTensor({2, 3});
  const Tensor output = FakeTensor({2, 6});
  EXPECT_EQ(Refusal(ParseTile, {input, FakeInts({1, 2})}, {output}), "");
  EXPECT_THAT(Refusal(ParseTile, {input, FakeInts({2, 2})}, {output}),
              HasSubstr("output is 2x6, its inputs and attributes give 4x6"));
  EXPECT_THAT(Refusal(ParseTile, {input, FakeInts({2})}, {output}),
              HasSubstr("1 multiples for an input of rank 2"));
  EXPECT_THAT(Refusal(ParseTile, {input, FakeRuntimeInts({2})}, {output}),
              HasSubstr("the multiples: known only at run time"));
}

TEST(ParseBroadcastToTest, Refusals) {
  const Tensor output = FakeTensor({2, 6});
  const Tensor shape = FakeInts({2, 6});
  EXPECT_EQ(Refusal(ParseBroadcastTo, {FakeTensor({2, 1}), shape}, {output}),
            "");
  EXPECT_THAT(Refusal(ParseBroadcastTo, {FakeTensor({2, 3}), shape}, {output}),
              HasSubstr("input 2x3 does not broadcast to 2x6"));
  EXPECT_THAT(
      Refusal(ParseBroadcastTo, {FakeTensor({1, 2, 6}), shape}, {output}),
      HasSubstr("does not broadcast"));
  EXPECT_THAT(
      Refusal(ParseBroadcastTo, {FakeTensor({6}), FakeInts({3, 6})}, {output}),
      HasSubstr("output is 2x6, its inputs and attributes give 3x6"));
}

}  // namespace
}  // namespace gles_delegate::testing
