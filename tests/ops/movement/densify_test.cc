// labels: op llvmpipe
// DENSIFY: TFLite's sparse constants (dense and CSR dimensions, blocks, any
// traversal order) become dense, and run.
#include <string>
#include <vector>

#include "delegate/ops/movement/transpose.h"
#include "delegate/ops/op_list.h"
#include "tests/testing/matchers.h"
#include "tests/testing/parse_node.h"

namespace gles_delegate::testing {
namespace {

using Dimension = Sparsity::Dimension;

Dimension Dense(int size) { return {false, size, {}, {}}; }
Dimension Csr(std::vector<int> segments, std::vector<int> indices) {
  return {true, 0, std::move(segments), std::move(indices)};
}

Tensor Sparse(const std::vector<int>& dims, const std::vector<uint8_t>& stored,
              Sparsity sparsity) {
  Tensor t;
  t.name = "w";
  t.type = DataType::kInt8;
  t.dims = dims;
  t.shape = gles_delegate::Shape::FromDims(dims);
  t.constant = ConstantData::Own(stored);
  t.sparsity = std::move(sparsity);
  return t;
}

std::vector<uint8_t> Densified(const Tensor& t) {
  auto bytes = DenseBytes(t);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : std::vector<uint8_t>();
}

// 3x4, rows dense, columns CSR.
const Sparsity kCsr = {{0, 1}, {}, {Dense(3), Csr({0, 2, 2, 3}, {0, 3, 1})}};

TEST(DenseBytesTest, Csr) {
  EXPECT_THAT(Densified(Sparse({3, 4}, {5, 6, 7}, kCsr)),
              ElementsAre(5, 0, 0, 6,  //
                          0, 0, 0, 0,  //
                          0, 7, 0, 0));
}

TEST(DenseBytesTest, ColumnsFirst) {
  const Sparsity s = {{1, 0}, {}, {Dense(4), Csr({0, 1, 2, 2, 3}, {0, 2, 0})}};
  EXPECT_THAT(Densified(Sparse({3, 4}, {5, 6, 7}, s)),
              ElementsAre(5, 0, 0, 7,  //
                          0, 0, 0, 0,  //
                          0, 6, 0, 0));
}

// Blocks of 2x2: the upper left, and the right one of the second row.
TEST(DenseBytesTest, Blocks) {
  const Sparsity s = {{0, 1, 2, 3},
                      {0, 1},
                      {Dense(2), Csr({0, 1, 2}, {0, 1}), Dense(2), Dense(2)}};
  EXPECT_THAT(Densified(Sparse({4, 4}, {1, 2, 3, 4, 5, 6, 7, 8}, s)),
              ElementsAreArray({1, 2, 0, 0,  //
                                3, 4, 0, 0,  //
                                0, 0, 5, 6,  //
                                0, 0, 7, 8}));
}

void ExpectRefused(const Tensor& t, const char* why) {
  const auto bytes = DenseBytes(t);
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(bytes.status().message()), HasSubstr(why));
}

TEST(DenseBytesTest, RefusesAnIndexOutsideTheShape) {
  Sparsity s = kCsr;
  s.dimensions[1].indices[1] = 4;
  ExpectRefused(Sparse({3, 4}, {5, 6, 7}, s), "an index outside its shape");
  s.dimensions[1].indices[1] = -1;
  ExpectRefused(Sparse({3, 4}, {5, 6, 7}, s), "an index outside its shape");
}

TEST(DenseBytesTest, RefusesASegmentPastTheIndices) {
  Sparsity s = kCsr;
  s.dimensions[1].segments[3] = 5;
  ExpectRefused(Sparse({3, 4}, {5, 6, 7}, s), "a segment past its indices");
}

TEST(DenseBytesTest, RefusesTooFewSegments) {
  Sparsity s = kCsr;
  s.dimensions[1].segments.pop_back();
  ExpectRefused(Sparse({3, 4}, {5, 6, 7}, s), "ends before its last segment");
}

TEST(DenseBytesTest, RefusesTooFewElements) {
  ExpectRefused(Sparse({3, 4}, {5, 6}, kCsr), "more elements than are stored");
}

TEST(DenseBytesTest, RefusesAWrongTraversalOrder) {
  Sparsity s = kCsr;
  s.traversal_order = {0, 0};
  ExpectRefused(Sparse({3, 4}, {5, 6, 7}, s), "no valid traversal order");
  s.traversal_order = {0, 7};
  ExpectRefused(Sparse({3, 4}, {5, 6, 7}, s), "no valid traversal order");
}

TEST(DenseBytesTest, RefusesAWrongRank) {
  ExpectRefused(Sparse({3, 2, 2}, {5, 6, 7}, kCsr),
                "wrong number of dimensions");
}

TEST(DenseBytesTest, RefusesAWrongBlockMap) {
  Sparsity s = {{0, 1, 2}, {5}, {Dense(2), Csr({0, 1, 2}, {0, 1}), Dense(2)}};
  ExpectRefused(Sparse({4, 4}, {1, 2, 3, 4}, s), "no valid block map");
}

// [65537, 65536, 1, 1, 4]: its product wraps to 262,144 in 32 bits, which were
// allocated, and the elements were written behind them.
TEST(DenseBytesTest, RefusesAShapePast31Bits) {
  const Sparsity s = {
      {0, 1, 2, 3, 4},
      {},
      {Csr({0, 1}, {1}), Csr({0, 1}, {0}), Dense(1), Dense(1), Dense(4)}};
  const std::vector<int> dims = {65537, 65536, 1, 1, 4};
  ExpectRefused(Sparse(dims, {1, 2, 3, 4}, s), "more than 2147483647 elements");
  EXPECT_EQ(gles_delegate::Shape::FromDims(dims).elements(), 0);
  ExpectRefused(Sparse({2, -1}, {1}, kCsr), "a negative extent");
}

TEST(DenseBytesTest, RefusesMoreThanItWillAllocate) {
  const Sparsity s = {{0, 1}, {}, {Dense(65536), Dense(32767)}};
  const auto bytes = DenseBytes(Sparse({65536, 32767}, {1}, s));
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(bytes.status().message()),
              HasSubstr("takes 2147418112 bytes; of 268435456"));
}

// Files that would take forever, or too deep a stack, before they prove wrong.
TEST(DenseBytesTest, RefusesLevelsThatDoNotFitTheShape) {
  const Sparsity none = {{0, 1}, {}, {Dense(2147483647), Dense(0)}};
  ExpectRefused(Sparse({3, 4}, {5}, none), "do not fit its shape");
  const Sparsity longer = {{0, 1}, {}, {Dense(3), Dense(5)}};
  ExpectRefused(Sparse({3, 4}, {5}, longer), "do not fit its shape");
  Sparsity blocks = {{0}, {}, {Dense(1)}};
  for (int i = 1; i < 100000; ++i) {
    blocks.traversal_order.push_back(i);
    blocks.block_map.push_back(0);
    blocks.dimensions.push_back(Dense(1));
  }
  ExpectRefused(Sparse({1}, {5}, blocks), "more block dimensions than axes");
}

TEST(DenseBytesTest, RefusesSegmentsThatGoBack) {
  Sparsity s = kCsr;
  s.dimensions[1].segments = {0, 2, 1, 3};
  ExpectRefused(Sparse({3, 4}, {5, 6, 7}, s), "segments that do not ascend");
}

TEST(DensifyParseTest, RefusesADenseInput) {
  Tensor in = Sparse({3, 4}, {5, 6, 7}, Sparsity());
  Tensor out = in;
  NodeView node;
  node.inputs = {&in};
  node.outputs = {&out};
  EXPECT_THAT(std::string(Parsed(ParseDensify, node).status().message()),
              HasSubstr("is not sparse"));
  in.constant = ConstantData();
  EXPECT_EQ(Parsed(ParseDensify, node).status().code(),
            absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace gles_delegate::testing
