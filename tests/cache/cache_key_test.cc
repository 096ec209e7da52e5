// labels: unit sanitize cache
// The key of a start-up cache, and the tuning that the cache keeps. Without GL.
#include <set>
#include <string>

#include "delegate/cache/cache_store.h"
#include "delegate/device/tuning_parameters.h"
#include "gtest/gtest.h"

namespace gles_delegate {
namespace {

std::string KeyOf(const DeviceProfile& profile) {
  const egl::DeviceInfo device;
  const Graph graph;
  return IdentityOf({device, profile, graph, "a plan"}).key.ToHex();
}

// Weights packed under one profile are not uploaded under another.
TEST(CacheKeyTest, EveryTuningParameterAndEveryOptionChangesIt) {
  const DeviceProfile defaults;
  std::set<std::string> keys = {KeyOf(defaults)};
  EXPECT_EQ(KeyOf(DeviceProfile()), KeyOf(defaults));
  for (const TuningParameter& parameter : TuningParameters()) {
    DeviceProfile profile;
    const int value = parameter.Get(profile.choices);
    parameter.Set(value == parameter.max ? parameter.min : parameter.max,
                  &profile.choices);
    EXPECT_TRUE(keys.insert(KeyOf(profile)).second) << parameter.name;
  }
  DeviceProfile zero_copy;
  zero_copy.choices.zero_copy = 1;
  EXPECT_TRUE(keys.insert(KeyOf(zero_copy)).second) << "zero_copy";
  DeviceProfile half;
  half.options.half = true;
  EXPECT_TRUE(keys.insert(KeyOf(half)).second) << "half";
  // Weights past 65504 are stored as 65504, not as infinities.
  DeviceProfile infinite = half;
  infinite.options.saturate_halves = false;
  EXPECT_TRUE(keys.insert(KeyOf(infinite)).second) << "saturate_halves";
}

}  // namespace
}  // namespace gles_delegate
