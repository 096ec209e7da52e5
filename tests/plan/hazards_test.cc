// labels: unit
#include "delegate/plan/hazards.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/plan/memory_plan.h"
#include "gtest/gtest.h"

namespace gles_delegate {
namespace {

constexpr AccessKind kFetch = AccessKind::kSampler;
constexpr AccessKind kImage = AccessKind::kImage;
constexpr AccessKind kBuffer = AccessKind::kBuffer;

TEST(HazardTrackerTest, FirstCommandNeedsNoBarrier) {
  HazardTracker tracker(2);
  EXPECT_EQ(tracker.Before({{0, kFetch, false}, {1, kImage, true}}), 0u);
}

TEST(HazardTrackerTest, ReadAfterWriteWaitsByTheKindOfTheRead) {
  HazardTracker tracker(3);
  tracker.Before({{0, kImage, true}});
  EXPECT_EQ(tracker.Before({{0, kFetch, false}, {1, kImage, true}}),
            GL_TEXTURE_FETCH_BARRIER_BIT);
  EXPECT_EQ(tracker.Before({{1, kImage, false}, {2, kImage, true}}),
            GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
}

TEST(HazardTrackerTest, BuffersWaitByTheStorageBit) {
  HazardTracker tracker(2);
  tracker.Before({{0, kBuffer, true}});
  EXPECT_EQ(tracker.Before({{0, kBuffer, false}, {1, kBuffer, true}}),
            GL_SHADER_STORAGE_BARRIER_BIT);
}

TEST(HazardTrackerTest, IndependentCommandsRunWithoutBarrier) {
  HazardTracker tracker(4);
  EXPECT_EQ(tracker.Before({{0, kImage, true}}), 0u);
  EXPECT_EQ(tracker.Before({{1, kImage, true}}), 0u);
  EXPECT_EQ(tracker.Before({{2, kImage, true}}), 0u);
}

TEST(HazardTrackerTest, OneBarrierServesEveryWriteBeforeIt) {
  HazardTracker tracker(4);
  tracker.Before({{0, kImage, true}});
  tracker.Before({{1, kImage, true}});
  EXPECT_NE(tracker.Before({{0, kFetch, false}, {2, kImage, true}}), 0u);
  EXPECT_EQ(tracker.Before({{1, kFetch, false}, {3, kImage, true}}), 0u);
}

TEST(HazardTrackerTest, WriteAfterReadHoldsTheStoreBack) {
  HazardTracker tracker(2);
  tracker.Before({{0, kFetch, false}, {1, kImage, true}});
  // Slot 0 is taken by another tensor while its reader may still run.
  EXPECT_EQ(tracker.Before({{0, kImage, true}}),
            GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
}

TEST(HazardTrackerTest, AFetchBarrierDoesNotOrderStores) {
  HazardTracker tracker(3);
  tracker.Before({{0, kImage, true}});
  EXPECT_EQ(tracker.Before({{0, kFetch, false}, {1, kImage, true}}),
            GL_TEXTURE_FETCH_BARRIER_BIT);
  EXPECT_EQ(tracker.Before({{1, kFetch, false}, {0, kImage, true}}),
            GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
}

TEST(HazardTrackerTest, AWriteNotYetSeenByOneKindIsRemembered) {
  HazardTracker tracker(3);
  tracker.Before({{0, kImage, true}});
  tracker.Before({{0, kFetch, false}, {1, kImage, true}});
  // The fetch barrier did not make the write visible to image loads.
  EXPECT_EQ(tracker.Before({{0, kImage, false}, {2, kImage, true}}),
            GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
}

// A texel buffer is written as a storage buffer and read as an image.
TEST(HazardTrackerTest, AnImageBarrierDoesNotOrderStoresToBuffers) {
  HazardTracker tracker(3);
  tracker.Before({{0, kBuffer, true}});
  EXPECT_EQ(tracker.Before({{0, kImage, false}, {1, kBuffer, true}}),
            GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
  EXPECT_EQ(tracker.Before({{1, kImage, false}, {2, kBuffer, true}}),
            GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
  // The reader of slot 0 may still run.
  EXPECT_EQ(tracker.Before({{0, kBuffer, true}}),
            GL_SHADER_STORAGE_BARRIER_BIT);
}

TEST(HazardTrackerTest, ABufferBarrierDoesNotOrderStoresToImages) {
  HazardTracker tracker(3);
  tracker.Before({{0, kFetch, false}, {1, kBuffer, true}});
  EXPECT_EQ(tracker.Before({{1, kBuffer, false}, {2, kBuffer, true}}),
            GL_SHADER_STORAGE_BARRIER_BIT);
  EXPECT_EQ(tracker.Before({{0, kImage, true}}),
            GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
}

// A concatenation's inputs, written in place.
TEST(HazardTrackerTest, PartsOfATensorAreStoredWithoutBarrier) {
  HazardTracker tracker(3);
  const auto store = [](int whole, int part) {
    return Access{0, kBuffer, true, whole, part};
  };
  EXPECT_EQ(tracker.Before({{1, kBuffer, false}, store(7, 1)}), 0u);
  EXPECT_EQ(tracker.Before({{1, kBuffer, false}, store(7, 2)}), 0u);
  // The same part, and a part of what takes the tensor's place.
  EXPECT_EQ(tracker.Before({store(7, 1)}), GL_SHADER_STORAGE_BARRIER_BIT);
  EXPECT_EQ(tracker.Before({store(7, 2)}), 0u);
  EXPECT_EQ(tracker.Before({store(8, 3)}), GL_SHADER_STORAGE_BARRIER_BIT);
  // The reader of a part waits, and is waited for.
  EXPECT_EQ(tracker.Before({{0, kBuffer, false}}),
            GL_SHADER_STORAGE_BARRIER_BIT);
  EXPECT_EQ(tracker.Before({store(8, 4)}), GL_SHADER_STORAGE_BARRIER_BIT);
}

// --- Against the definition --------------------------------------------------

using Commands = std::vector<std::vector<Access>>;

// OpenGL ES 3.1, 7.11.2, by the letter: the bit without which a command that
// begins with `later` may run into `earlier`; 0 where the two do not conflict.
GLbitfield NeededBetween(const Access& earlier, const Access& later) {
  if (earlier.resource != later.resource) return 0;
  if (!earlier.write && !later.write) return 0;
  // Parts of one tensor are separate.
  if (earlier.whole >= 0 && earlier.whole == later.whole &&
      earlier.part != later.part) {
    return 0;
  }
  switch (later.kind) {
    case kFetch:
      return GL_TEXTURE_FETCH_BARRIER_BIT;
    case kImage:
      return GL_SHADER_IMAGE_ACCESS_BARRIER_BIT;
    case kBuffer:
      return GL_SHADER_STORAGE_BARRIER_BIT;
  }
  return 0;
}

// Every pair of accesses, with every barrier between the two: "" or the first
// pair that nothing keeps apart.
std::string FindHazard(const Commands& commands,
                       const std::vector<GLbitfield>& before) {
  for (size_t j = 0; j < commands.size(); ++j) {
    for (size_t i = 0; i < j; ++i) {
      GLbitfield between = 0;
      for (size_t k = i + 1; k <= j; ++k) between |= before[k];
      for (const Access& earlier : commands[i]) {
        for (const Access& later : commands[j]) {
          const GLbitfield needed = NeededBetween(earlier, later);
          if ((needed & ~between) == 0) continue;
          return absl::StrCat("commands ", i, " and ", j, " on resource ",
                              later.resource, ": bit ", needed, " missing");
        }
      }
    }
  }
  return "";
}

// Commands as a plan has them: each reads up to three resources and writes one
// that it does not read, or parts of them. A resource is read and written as
// one storage is.
Commands RandomCommands(std::mt19937* random, int resources, int count) {
  const auto below = [random](int n) {
    return static_cast<int>((*random)() % static_cast<unsigned>(n));
  };
  // Read as, written as: texture, image, buffer, texel buffer.
  constexpr AccessKind kStorages[][2] = {{kFetch, kImage},
                                         {kImage, kImage},
                                         {kBuffer, kBuffer},
                                         {kImage, kBuffer}};
  const auto maybe_part = [&below](Access access) {
    if (below(2) == 0) {
      access.whole = below(2);
      access.part = below(4);
    }
    return access;
  };
  std::vector<int> storage(resources);
  for (int& s : storage) s = below(4);
  Commands commands(count);
  for (auto& accesses : commands) {
    const int written = below(resources);
    const int reads = below(4);
    for (int r = 0; r < reads; ++r) {
      const int read = below(resources);
      if (read == written) continue;
      accesses.push_back(
          maybe_part({read, kStorages[storage[read]][0], false}));
    }
    accesses.push_back(
        maybe_part({written, kStorages[storage[written]][1], true}));
  }
  return commands;
}

TEST(HazardTrackerTest, KeepsEveryPairOfRandomAccessesApart) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    const int resources = 1 + static_cast<int>(seed % 7);
    const Commands commands = RandomCommands(&random, resources, 24);
    HazardTracker tracker(resources);
    std::vector<GLbitfield> before;
    for (const auto& accesses : commands) {
      before.push_back(tracker.Before(accesses));
    }
    ASSERT_EQ(FindHazard(commands, before), "") << "seed " << seed;
    // And no barrier bit is superfluous: without any one of them a pair
    // conflicts.
    for (GLbitfield& bits : before) {
      for (GLbitfield bit :
           {GL_TEXTURE_FETCH_BARRIER_BIT, GL_SHADER_IMAGE_ACCESS_BARRIER_BIT,
            GL_SHADER_STORAGE_BARRIER_BIT}) {
        if ((bits & bit) == 0) continue;
        bits &= ~bit;
        ASSERT_NE(FindHazard(commands, before), "")
            << "seed " << seed << ": bit " << bit << " is not needed";
        bits |= bit;
      }
    }
  }
}

// --- Memory ------------------------------------------------------------------

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
