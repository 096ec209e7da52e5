// labels: unit
#include "delegate/plan/memory_plan.h"

#include "gtest/gtest.h"

namespace gles_delegate {
namespace {

using gl_shaders::Format;
using gl_shaders::Storage;

class MemoryPlanTest : public ::testing::Test {
 protected:
  TensorId Add(Shape shape) {
    Tensor t;
    t.shape = shape;
    return graph_.AddTensor(t);
  }
  void Chain(TensorId from, TensorId to) {
    dispatches_.push_back(Dispatch("copy").Read("src", from).Write("dst", to));
  }
  MemoryPlan Plan() {
    return PlanMemory(graph_, dispatches_, graph_.inputs, graph_.outputs,
                      profile_);
  }

  Graph graph_;
  std::vector<Dispatch> dispatches_;
  DeviceProfile profile_;
};

TEST_F(MemoryPlanTest, AChainOfEqualTensorsTakesTurnsInTwoSlots) {
  std::vector<TensorId> t;
  for (int i = 0; i < 8; ++i) t.push_back(Add({1, 16, 16, 8}));
  for (int i = 0; i < 7; ++i) Chain(t[i], t[i + 1]);
  graph_.inputs = {t.front()};
  graph_.outputs = {t.back()};
  const MemoryPlan plan = Plan();
  EXPECT_EQ(plan.slots.size(), 2u);
  EXPECT_EQ(plan.bytes_unshared, 16 * 8 * 16 * 16 * 2);
  EXPECT_EQ(plan.bytes_shared, 16 * 2 * 16 * 16 * 2);
}

TEST_F(MemoryPlanTest, NoTwoLiveTensorsShare) {
  // A residual: t0 is read again by the last dispatch.
  std::vector<TensorId> t;
  for (int i = 0; i < 6; ++i) t.push_back(Add({1, 4 + i, 4, 4}));
  for (int i = 0; i < 4; ++i) Chain(t[i], t[i + 1]);
  dispatches_.push_back(Dispatch("copy")
                            .Read("src", t[4])
                            .Read("other", t[0])
                            .Write("dst", t[5]));
  graph_.inputs = {t[0]};
  graph_.outputs = {t[5]};
  const MemoryPlan plan = Plan();
  std::vector<std::pair<int, int>> life = {{-1, 4}, {0, 1}, {1, 2},
                                           {2, 3},  {3, 4}, {4, 5}};
  for (int a = 0; a < 6; ++a) {
    for (int b = a + 1; b < 6; ++b) {
      const bool meet =
          life[a].first <= life[b].second && life[b].first <= life[a].second;
      if (!meet) continue;
      EXPECT_NE(plan.slot_of[t[a]], plan.slot_of[t[b]]) << a << " " << b;
    }
  }
  for (TensorId id : t) {
    const Slot need = SlotFor(graph_.tensor(id).shape, profile_.choices.storage,
                              Format::kRgba32f);
    const Slot& has = plan.slots[plan.slot_of[id]];
    EXPECT_GE(has.width, need.width);
    EXPECT_GE(has.height, need.height);
    EXPECT_GE(has.layers, need.layers);
  }
}

TEST_F(MemoryPlanTest, AnInputSurvivesUntilItsLastReader) {
  const TensorId in = Add({1, 8, 8, 4});
  const TensorId mid = Add({1, 8, 8, 4});
  const TensorId out = Add({1, 8, 8, 4});
  Chain(in, mid);
  Chain(in, out);
  graph_.inputs = {in};
  graph_.outputs = {out, mid};
  const MemoryPlan plan = Plan();
  EXPECT_EQ(plan.slots.size(), 3u);
}

TEST_F(MemoryPlanTest, WhatAnOutputIsReadFromLivesToTheEnd) {
  const TensorId in = Add({1, 8, 8, 4});
  const TensorId source = Add({1, 8, 8, 4});
  const TensorId late = Add({1, 8, 8, 4});
  const TensorId output = Add({1, 16, 16, 4});
  graph_.tensor(output).view.of = source;
  graph_.tensor(output).view.kind = MemoryView::Kind::kBilinear;
  Chain(in, source);
  Chain(in, late);
  graph_.inputs = {in};
  graph_.outputs = {output, late};
  const MemoryPlan plan = Plan();
  EXPECT_EQ(plan.slots.size(), 3u);
  EXPECT_EQ(plan.slot_of[output], plan.slot_of[source]);
  EXPECT_NE(plan.slot_of[output], plan.slot_of[late]);
}

TEST_F(MemoryPlanTest, ConstantsTakeNoSlot) {
  const TensorId in = Add({1, 8, 8, 4});
  const TensorId weights = Add({1, 1, 1, 4});
  graph_.tensor(weights).constant = ConstantData::Own(std::vector<uint8_t>(16));
  const TensorId out = Add({1, 8, 8, 4});
  dispatches_.push_back(Dispatch("copy")
                            .Read("src", in)
                            .Read("other", weights)
                            .Write("dst", out));
  graph_.inputs = {in};
  graph_.outputs = {out};
  EXPECT_EQ(Plan().slot_of[weights], -1);
}

TEST(StorageForTest, FallsBackToAStorageThatFits) {
  DeviceProfile p;
  p.limits.max_texture_size = 2048;
  p.limits.max_texture_layers = 256;
  p.choices.storage = Storage::kTextureArray;
  EXPECT_EQ(*StorageFor({1, 64, 64, 64}, Format::kRgba32f, p),
            Storage::kTextureArray);
  // 512 layers of 1x1: stacked in one 2-D texture.
  EXPECT_EQ(*StorageFor({512, 1, 1, 4}, Format::kRgba32f, p),
            Storage::kTexture2d);
  // Wider than any texture.
  EXPECT_EQ(*StorageFor({1, 1, 4096, 4}, Format::kRgba32f, p),
            Storage::kBuffer);
  p.limits.max_buffer_bytes = 1024;
  const auto none = StorageFor({1, 1, 4096, 4}, Format::kRgba32f, p);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace gles_delegate
