// Tests of ops that run once at each precision.
#ifndef GLES_DELEGATE_TESTS_TESTING_PRECISION_TEST_H_
#define GLES_DELEGATE_TESTS_TESTING_PRECISION_TEST_H_

#include "tests/testing/device_test.h"
#include "tests/testing/single_op.h"

namespace gles_delegate::testing {

class PrecisionTest : public DeviceTestWithParam<Precision> {
 protected:
  // The delegate gives the CPU's outputs, within the bounds of the precision.
  void Check(const SingleOpModel& model) {
    EXPECT_THAT(RunOnDelegate(model, GetParam()),
                MatchesCpu(model, GetParam()));
  }
};

// Behind the tests of a fixture that derives from the above.
#define GLES_AT_EACH_PRECISION(Fixture)                      \
  INSTANTIATE_TEST_SUITE_P(                                  \
      Precisions, Fixture, ::testing::ValuesIn(kPrecisions), \
      [](const auto& precision) { return PrecisionName(precision.param); })

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_PRECISION_TEST_H_
