// labels: op llvmpipe softpipe oldest_tflite
// RFFT2D with COMPLEX_ABS against TFLite's own kernels, and what the parsers
// refuse.
#include "delegate/ops/reduction/rfft2d.h"

#include <vector>

#include "delegate/ops/all_ops.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/parse_node.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

class Rfft2dTest : public DeviceTest {};

TEST_F(Rfft2dTest, Lengths) {
  for (int length = 2; length <= 2048; length *= 2) {
    ExpectMatchesCpuOnce(Spectrum({2, 1, length}, length));
  }
}

TEST_F(Rfft2dTest, RowsAreFilledUpAndCut) {
  for (int samples : {1, 7, 400, 511, 513, 700}) {
    ExpectMatchesCpuOnce(Spectrum({2, 1, samples}, 512));
  }
}

TEST_F(Rfft2dTest, Ranks) {
  for (const Shape& shape : {Shape{1, 16}, Shape{3, 1, 16}, Shape{2, 3, 1, 16},
                             Shape{2, 3, 2, 1, 16}}) {
    ExpectMatchesCpuOnce(Spectrum(shape, 16));
  }
}

TEST_F(Rfft2dTest, PrecisionsAndStorages) {
  ExpectMatchesCpu(Spectrum({2, 5, 1, 100}, 128));
}

// As tf.signal.stft is exported.
TEST_F(Rfft2dTest, ReshapedBetween) {
  SingleOpModel model = Spectrum({1, 5, 1, 32}, 32);
  const Accuracy accuracy = model.accuracy;
  model = MakeModel("a mel front end", accuracy, [](OpVariant& v) {
    const int x = v.Input("x", {1, 5, 1, 32}, v.random().Gaussian(160));
    const int lengths = v.IntConstant("lengths", {2}, {1, 32});
    const int bins =
        v.OfType(v.Op(Op::RFFT2D, 1, {x, lengths}), TensorType::COMPLEX64);
    const int dims = v.IntConstant("dims", {3}, {1, 5, 17});
    const int rows =
        v.OfType(v.Op(Op::RESHAPE, 1, {bins, dims}, schema::ReshapeOptionsT()),
                 TensorType::COMPLEX64);
    return v.Op(Op::COMPLEX_ABS, 1, {rows});
  });
  ExpectMatchesCpu(model);
}

// Complex numbers that leave the partition, and that come into it.
TEST_F(Rfft2dTest, ComplexEnds) {
  for (Op op : {Op::REAL, Op::IMAG}) {
    const SingleOpModel model = Spectrum({2, 1, 64}, 64, op);
    ExpectMatchesCpuOnce(model);
    for (const char* node : {"0", "1"}) {
      RunOptions options;
      options.expect_delegated = false;
      options.configure = [&](TfLiteGlesDelegateOptions& o) {
        o.exclude_nodes = node;
        o.max_delegated_partitions = 1;
      };
      const RunResult result = RunOnDelegate(model, options);
      EXPECT_THAT(result, MatchesCpu(model));
      EXPECT_EQ(result.nodes_delegated, 1);
    }
  }
}

TEST(ParseRfft2dTest, Refusals) {
  const auto refusal = [](std::vector<int> input, const Tensor& lengths,
                          std::vector<int> output) {
    Tensor complex = FakeTensor(std::move(output));
    complex.is_complex = true;
    return Refusal(ParseRfft2d, {FakeTensor(std::move(input)), lengths},
                   {complex});
  };
  EXPECT_EQ(refusal({3, 1, 400}, FakeInts({1, 512}), {3, 1, 514}), "");
  EXPECT_THAT(refusal({3, 1, 400}, FakeInts({1, 500}), {3, 1, 502}),
              HasSubstr("a row has 500 samples; powers of two"));
  EXPECT_THAT(refusal({3, 2, 8}, FakeInts({2, 8}), {3, 2, 10}),
              HasSubstr("transforms of 2 rows of the input 3x2x8"));
  EXPECT_THAT(refusal({3, 1, 8}, FakeRuntimeInts({2}), {3, 1, 10}),
              HasSubstr("the lengths: known only at run time"));
  EXPECT_THAT(refusal({3, 1, 8}, FakeInts({1, 8}), {3, 1, 12}),
              HasSubstr("output is 3x1x12"));
  EXPECT_THAT(
      Refusal(ParseComplexPart, {FakeTensor({3, 10})}, {FakeTensor({3, 5})}),
      HasSubstr("takes complex64"));
}

}  // namespace
}  // namespace gles_delegate::testing
