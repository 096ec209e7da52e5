// labels: unit sanitize
// Attention as one node: the pass on graphs, and when it must not fire.
// ops/matmul/attention_test.cc compares models with the CPU.
#include "delegate/ops/matmul/attention.h"
#include "delegate/ops/stages.h"
#include "delegate/passes/passes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/attention_graph.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

DeviceProfile GpuProfile() {
  DeviceProfile profile = RoomyH200Profile();
  profile.choices.simd_lanes = 1;
  return profile;
}

// Three heads of `rows` queries, and 64 keys.
class Decoder : public Attention {
 public:
  explicit Decoder(int rows) : rows_(rows) {}
  TensorId Scores() {
    const TensorId q = Input({1, 3, rows_, 32}), k = Input({1, 3, 64, 32});
    return Product(q, k, {1, 3, rows_, 64}, /*adj_y=*/true);
  }
  TensorId Values(TensorId probabilities) {
    return Product(probabilities, Input({1, 3, 64, 16}), {1, 3, rows_, 16});
  }
  TensorId Masked(TensorId scores) {
    PostOp mask{"add"};
    mask.operand = Input({1, 1, 1, 64});
    graph.nodes.back().post_ops = {mask};
    return scores;
  }

 private:
  int rows_;
};

TEST(FuseAttentionTest, FewRowsAreOneNode) {
  Decoder b(1);
  const TensorId product = b.Values(b.Softmax(b.Masked(b.Scores())));
  const TensorId row = b.Reshape(product, {1, 1, 48});
  b.graph.outputs = {row};
  RunPass("fuse_attention", &b.graph, GpuProfile());
  ASSERT_THAT(b.Ops(), ElementsAre("ATTENTION"));
  EXPECT_EQ(b.graph.nodes[0].inputs.size(), 3u);
  EXPECT_THAT(b.graph.nodes[0].outputs, ElementsAre(row));
  const auto& a =
      std::any_cast<const AttentionAttributes&>(b.graph.nodes[0].attributes);
  EXPECT_TRUE(a.in_one_row);
  EXPECT_EQ(StageOf(b.graph.nodes[0], kScoreStage).size(), 1u);
}

// Work groups share tiles of keys and values if there are enough of them.
TEST(FuseAttentionTest, ManyRows) {
  DeviceProfile profile = GpuProfile();
  Decoder many(2000);
  const TensorId product =
      many.Values(many.Softmax(many.Masked(many.Scores())));
  many.graph.outputs = {many.Reshape(product, {1, 1, 3 * 2000 * 16})};
  RunPass("fuse_attention", &many.graph, profile);
  EXPECT_THAT(many.Ops(), ElementsAre("ATTENTION", "RESHAPE"));
  EXPECT_EQ(many.graph.nodes[0].inputs.size(), 3u);
  const auto ops_of = [](int rows, const DeviceProfile& profile) {
    Decoder b(rows);
    b.graph.outputs = {b.Values(b.Softmax(b.Scores()))};
    RunPass("fuse_attention", &b.graph, profile);
    return b.Ops();
  };
  EXPECT_THAT(ops_of(16, profile),
              ElementsAre("BATCH_MATMUL", "SOFTMAX", "BATCH_MATMUL"));
  profile.choices.split_k_target = 0;
  EXPECT_THAT(ops_of(2000, profile),
              ElementsAre("BATCH_MATMUL", "SOFTMAX", "BATCH_MATMUL"));
}

TEST(FuseAttentionTest, NotTilesThatSharedMemoryCannotHold) {
  DeviceProfile profile = GpuProfile();
  profile.limits.max_shared_memory_bytes = 1 << 11;
  Decoder b(2000);
  b.graph.outputs = {b.Values(b.Softmax(b.Scores()))};
  RunPass("fuse_attention", &b.graph, profile);
  EXPECT_THAT(b.Ops(), ElementsAre("BATCH_MATMUL", "SOFTMAX", "BATCH_MATMUL"));
}

TEST(FuseAttentionTest, NotScoresThatAreReadElsewhere) {
  Decoder b(4);
  const TensorId probabilities = b.Softmax(b.Scores());
  b.graph.outputs = {b.Values(probabilities), probabilities};
  RunPass("fuse_attention", &b.graph, GpuProfile());
  EXPECT_THAT(b.Ops(), ElementsAre("BATCH_MATMUL", "SOFTMAX", "BATCH_MATMUL"));
}

TEST(FuseAttentionTest, NotRowsThatSharedMemoryCannotHold) {
  Decoder b(1);
  b.graph.outputs = {b.Values(b.Softmax(b.Scores()))};
  DeviceProfile profile = GpuProfile();
  profile.limits.max_shared_memory_bytes = 16 * 16;  // the scores alone
  RunPass("fuse_attention", &b.graph, profile);
  EXPECT_THAT(b.Ops(), ElementsAre("BATCH_MATMUL", "SOFTMAX", "BATCH_MATMUL"));
}

// A processor's vectors take a row in each lane.
TEST(FuseAttentionTest, ManyRowsOnProcessors) {
  DeviceProfile profile = GpuProfile();
  profile.choices.simd_lanes = 8;
  Decoder many(32);
  const TensorId product =
      many.Values(many.Softmax(many.Masked(many.Scores())));
  many.graph.outputs = {many.Reshape(product, {1, 1, 3 * 32 * 16})};
  RunPass("fuse_attention", &many.graph, profile);
  EXPECT_THAT(many.Ops(), ElementsAre("ATTENTION", "RESHAPE"));
  EXPECT_EQ(many.graph.nodes[0].inputs.size(), 3u);
  Decoder few(31);
  few.graph.outputs = {few.Values(few.Softmax(few.Scores()))};
  RunPass("fuse_attention", &few.graph, profile);
  EXPECT_THAT(few.Ops(),
              ElementsAre("BATCH_MATMUL", "SOFTMAX", "BATCH_MATMUL"));
}

// An invocation keeps its rows of queries and results.
TEST(FuseAttentionTest, NotWideRowsOnProcessors) {
  DeviceProfile profile = GpuProfile();
  profile.choices.simd_lanes = 8;
  Decoder b(32);
  const TensorId q = b.Input({1, 3, 32, 68}), k = b.Input({1, 3, 64, 68});
  const TensorId scores = b.Product(q, k, {1, 3, 32, 64}, /*adj_y=*/true);
  b.graph.outputs = {
      b.Product(b.Softmax(scores), b.Input({1, 3, 64, 64}), {1, 3, 32, 64})};
  RunPass("fuse_attention", &b.graph, profile);
  EXPECT_THAT(b.Ops(), ElementsAre("BATCH_MATMUL", "SOFTMAX", "BATCH_MATMUL"));
}

}  // namespace
}  // namespace gles_delegate::testing
