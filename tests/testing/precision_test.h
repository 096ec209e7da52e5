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
  // The same for what `make` makes of `params`, with each of the standard
  // shapes as its input and another number of channels as its output.
  template <typename Params>
  void CheckEveryShape(SingleOpModel (*make)(const Params&), Params params) {
    for (const Shape& shape : StandardShapes()) {
      params.input = shape;
      params.out_channels = shape[3] == 17 ? 5 : 17;
      Check(make(params));
    }
  }
};

// Behind the tests of a fixture that derives from the above.
#define GLES_AT_EACH_PRECISION(Fixture)                      \
  INSTANTIATE_TEST_SUITE_P(                                  \
      Precisions, Fixture, ::testing::ValuesIn(kPrecisions), \
      [](const auto& precision) { return PrecisionName(precision.param); })

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_PRECISION_TEST_H_
