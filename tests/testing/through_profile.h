// A device whose convolutions read past nodes and write past them.
#ifndef GLES_DELEGATE_TESTS_TESTING_THROUGH_PROFILE_H_
#define GLES_DELEGATE_TESTS_TESTING_THROUGH_PROFILE_H_

#include "tests/testing/run_graph.h"

namespace gles_delegate::testing {

// Sets `read_through`, and what gives convolutions tiles in shared memory.
inline void ReadThroughNodes(DeviceProfile& profile) {
  profile.choices.split_k_target = 48 << 10;
  profile.choices.fused_depthwise_work = 1 << 30;
  profile.choices.read_through = 1;
}

inline DeviceProfile ThroughProfile() {
  DeviceProfile profile = RoomyProfile();
  ReadThroughNodes(profile);
  return profile;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_THROUGH_PROFILE_H_
