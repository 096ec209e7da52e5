// labels: unit
#include "delegate/hazards.h"

#include "gtest/gtest.h"

namespace gles_delegate {
namespace {

constexpr AccessKind kFetch = AccessKind::kFetch;
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

}  // namespace
}  // namespace gles_delegate
