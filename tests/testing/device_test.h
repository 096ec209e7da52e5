// Fixtures of tests that need a device (device.h).
#ifndef GLES_DELEGATE_TESTS_TESTING_DEVICE_TEST_H_
#define GLES_DELEGATE_TESTS_TESTING_DEVICE_TEST_H_

#include "tests/testing/device.h"  // IWYU pragma: export

namespace gles_delegate::testing {

// Each test of the fixture is skipped, loudly, if there is no device.
class DeviceTest : public ::testing::Test {
 protected:
  void SetUp() override { GLES_SKIP_WITHOUT_DEVICE(); }
};

// The same, for tests that have a parameter.
template <typename Param>
class DeviceTestWithParam : public ::testing::TestWithParam<Param> {
 protected:
  void SetUp() override { GLES_SKIP_WITHOUT_DEVICE(); }
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_DEVICE_TEST_H_
