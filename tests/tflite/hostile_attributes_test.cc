// labels: unit sanitize
// Attributes and shapes of a file that was made to break its reader: products
// and sums past 31 bits, which once wrapped to something that looked right.
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/op_list.h"
#include "delegate/tflite/reader.h"
#include "tests/fuzz/fake_runtime.h"
#include "tests/testing/matchers.h"
#include "tests/testing/parse_node.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

constexpr int kMax = std::numeric_limits<int32_t>::max();
constexpr int kMin = std::numeric_limits<int32_t>::min();

// (5 - 1) * 2^30 + 1 wraps to 1: a window of one element.
TEST(HostileAttributesTest, Windows) {
  for (int padding : {kPaddingSame, kPaddingValid}) {
    for (const Window& window :
         {Window{5, 1, 1 << 30}, Window{kMax, 1, kMax}, Window{3, kMax, 1},
          Window{1, kMax, kMax}, Window{kMax, 1, 1}}) {
      const auto got = ComputePadding(padding, 8, window, "height");
      if (got.ok()) ADD_FAILURE() << window.size << " " << window.dilation;
      EXPECT_THAT(std::string(got.status().message()), HasSubstr("height"));
    }
  }
  const auto whole = ComputePadding(kPaddingSame, 8, {3, 100, 1}, "height");
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(whole->out, 1);
}

// 3 + 2 * (2^31 - 1) wraps to 1.
TEST(HostileAttributesTest, Paddings) {
  EXPECT_THAT(
      Refusal(ParsePad, {FakeTensor({1, 3}), FakeInts({0, 0, kMax, kMax})},
              {FakeTensor({1, 1})}, nullptr),
      HasSubstr("4294967297 elements"));
  EXPECT_THAT(Refusal(ParsePad, {FakeTensor({1, 3}), FakeInts({0, 0, kMin, 0})},
                      {FakeTensor({1, 1})}, nullptr),
              HasSubstr("-2147483645 elements"));
  EXPECT_THAT(Refusal(ParsePad, {FakeTensor({1, 3}), FakeInts({0, 0, 2, 2})},
                      {FakeTensor({1, 5})}, nullptr),
              HasSubstr("its inputs and attributes give 1x7"));
}

// The square of 2^16 wraps to 0, which divided the channels.
TEST(HostileAttributesTest, Blocks) {
  for (int block : {1 << 16, kMax, kMin, 0}) {
    SpaceDepthParams params = {block};
    EXPECT_THAT(Refusal(ParseSpaceDepth, {FakeTensor({1, 2, 2, 4})},
                        {FakeTensor({1, 4, 4, 1})}, &params),
                HasSubstr("is not 1 to 32768"));
  }
}

TEST(HostileAttributesTest, Slices) {
  const Tensor from = FakeTensor({6});
  EXPECT_THAT(Refusal(ParseSlice, {from, FakeInts({kMin}), FakeInts({-1})},
                      {FakeTensor({6})}, nullptr),
              HasSubstr("begin -2147483648"));
  EXPECT_THAT(Refusal(ParseSlice, {from, FakeInts({2}), FakeInts({kMax})},
                      {FakeTensor({6})}, nullptr),
              HasSubstr("size 2147483647"));
  StridedSliceParams params = {};
  // One element, as TFLite has it.
  EXPECT_EQ(Refusal(ParseStridedSlice,
                    {from, FakeInts({1}), FakeInts({6}), FakeInts({kMax})},
                    {FakeTensor({1})}, &params),
            "");
  EXPECT_EQ(Refusal(ParseStridedSlice,
                    {from, FakeInts({5}), FakeInts({kMin}), FakeInts({kMin})},
                    {FakeTensor({1})}, &params),
            "");
}

TEST(HostileAttributesTest, Sizes) {
  const std::vector<Tensor> outputs(3, FakeTensor({kMax}));
  NodeView node;
  node.builtin_code = BuiltinOperator_SPLIT_V;
  EXPECT_THAT(
      RefusalOf(ParseSplit, node,
                {FakeTensor({6}), FakeInts({kMax, kMax, kMax}), FakeInts({0})},
                outputs),
      HasSubstr("have 6442450941 elements together"));
}

// Pieces that differ along another axis than the one that is counted.
TEST(HostileAttributesTest, Pieces) {
  const Tensor one = FakeTensor({1, 1, 1, 1, 1, 1});
  const Tensor wide = FakeTensor({1, 1 << 30, 1, 1, 1, 1});
  ConcatenationParams concatenation = {};
  EXPECT_THAT(Refusal(ParseConcatenation, {one, wide, wide},
                      {FakeTensor({3, 1, 1, 1, 1, 1})}, &concatenation),
              HasSubstr("is no piece of"));
  PackParams pack = {};
  const Tensor half = FakeTensor({1 << 30, 1, 1, 1, 1});
  EXPECT_THAT(Refusal(ParsePack, {half, half}, {one}, &pack),
              HasSubstr("1x1x1x1x1x1"));
  UnpackParams unpack = {};
  EXPECT_THAT(Refusal(ParseUnpack, {FakeTensor({3, 2})},
                      {FakeTensor({2}), FakeTensor({2})}, &unpack),
              HasSubstr("has 2 outputs for the 3 elements of axis 0"));
}

// A packed row ends with a bias.
TEST(HostileAttributesTest, Rows) {
  FullyConnectedParams params = {};
  EXPECT_THAT(Refusal(ParseFullyConnected,
                      {FakeTensor({1, kMax}), FakeTensor({1, kMax})},
                      {FakeTensor({1, 1})}, &params),
              HasSubstr("has rows of 2147483647 values"));
}

// Updates of no element for each index.
TEST(HostileAttributesTest, Updates) {
  Tensor indices = FakeTensor({4, 1});
  indices.type = DataType::kInt32;
  EXPECT_THAT(Refusal(ParseScatterNd, {indices, FakeTensor({1}), FakeInts({4})},
                      {FakeTensor({4})}, nullptr),
              HasSubstr("is not of 4 equal parts"));
  const Tensor whole = FakeTensor({2, 3});
  for (const std::vector<int>& dims :
       std::vector<std::vector<int>>{{3, 3}, {2, 4}, {3}, {1, 2, 3}}) {
    EXPECT_THAT(
        Refusal(ParseDynamicUpdateSlice,
                {whole, FakeTensor(dims), FakeInts({0, 0})}, {whole}, nullptr),
        HasSubstr("does not fit into 2x3"));
  }
}

// --- Shapes, through the reader ---------------------------------------------

std::string ReaderSays(const std::vector<uint8_t>& file) {
  const auto runtime = fuzz::FakeRuntime::Create(file);
  if (runtime == nullptr) return "no model";
  const auto model = ReadModel(runtime->context(), DeviceProfile(), {});
  if (!model.ok()) return std::string(model.status().message());
  return std::string(model->nodes.at(0).support.message());
}

std::string ReaderSaysOfNeg(const std::vector<int>& dims) {
  ModelBuilder builder;
  const int x = builder.AddInput("x", dims);
  const int y = builder.AddTensor("y", dims);
  builder.AddOp(Op::NEG, 1, {x}, {y});
  builder.SetOutputs({y});
  return ReaderSays(builder.Finish());
}

TEST(HostileShapesTest, AreRefusedForEveryOp) {
  EXPECT_EQ(ReaderSaysOfNeg({1, 4, 4, 3}), "");
  for (const std::vector<int>& dims :
       std::vector<std::vector<int>>{{65536, 32768},
                                     {65537, 65536, 1, 1, 4},
                                     {kMax, kMax, kMax, kMax},
                                     {65536, 65536, 0}}) {
    EXPECT_THAT(
        ReaderSaysOfNeg(dims),
        AllOf(HasSubstr("'x'"), HasSubstr("more than 2147483647 elements")));
  }
  EXPECT_THAT(ReaderSaysOfNeg({2, -3}), HasSubstr("a negative extent"));
  EXPECT_THAT(ReaderSaysOfNeg(std::vector<int>(33, 1)), HasSubstr("33 axes"));
}

// The sparse constant of densify_test, out of a file.
TEST(HostileShapesTest, ASparseConstantOfAFile) {
  const std::vector<int> dims = {65537, 65536, 1, 1, 4};
  ModelBuilder builder;
  const int w =
      builder.AddConstant<int8_t>("w", dims, std::vector<int8_t>{1, 2, 3, 4});
  schema::SparsityParametersT sparsity;
  sparsity.traversal_order = {0, 1, 2, 3, 4};
  for (int i = 0; i < 5; ++i) {
    auto level = std::make_unique<schema::DimensionMetadataT>();
    if (i < 2) {
      level->format = schema::DimensionType::SPARSE_CSR;
      schema::Int32VectorT segments, indices;
      segments.values = {0, 1};
      indices.values = {1 - i};
      level->array_segments.Set(std::move(segments));
      level->array_indices.Set(std::move(indices));
    } else {
      level->dense_size = dims[i];
    }
    sparsity.dim_metadata.push_back(std::move(level));
  }
  builder.SetSparsity(w, std::move(sparsity));
  const int y = builder.AddTensor("y", dims, TensorType::INT8);
  builder.AddOp(Op::DENSIFY, 1, {w}, {y});
  builder.SetOutputs({y});
  EXPECT_THAT(ReaderSays(builder.Finish()),
              AllOf(HasSubstr("'w'"), HasSubstr("more than 2147483647")));
}

// The state is the last input, and the bias before it may be absent.
TEST(HostileShapesTest, AnSvdfWithoutAState) {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1, 4});
  const int feature = builder.AddInput("feature", {2, 4});
  const int time = builder.AddInput("time", {2, 3});
  const int state = builder.AddInput("state", {1, 6});
  const int y = builder.AddTensor("y", {1, 2});
  schema::SVDFOptionsT options;
  options.rank = 1;
  builder.AddOp(Op::SVDF, 1, {x, feature, time, state}, {y}, options);
  builder.SetOutputs({y});
  EXPECT_THAT(ReaderSays(builder.Finish()), HasSubstr("has 4 inputs, wants 5"));
}

// TFLite takes -1 for any output of a node, as it does for optional inputs.
TEST(HostileShapesTest, AnAbsentOutput) {
  for (const bool beside_another : {false, true}) {
    ModelBuilder builder;
    const int x = builder.AddInput("x", {1, 4, 4, 4});
    const int y = builder.AddTensor("y", {1, 4, 4, 2});
    if (beside_another) {
      const int axis =
          builder.AddConstant<int32_t>("axis", {}, std::vector<int32_t>{3});
      schema::SplitOptionsT options;
      options.num_splits = 2;
      builder.AddOp(Op::SPLIT, 1, {axis, x}, {y, -1}, options);
    } else {
      builder.AddOp(Op::NEG, 1, {x}, {-1});
    }
    builder.SetOutputs({y});
    EXPECT_THAT(ReaderSays(builder.Finish()), HasSubstr("lacks an output"));
  }
}

}  // namespace
}  // namespace gles_delegate::testing
