#include "tests/testing/detections.h"

#include <cmath>

#include "gtest/gtest.h"

namespace gles_delegate::testing {

Detections DetectionsOf(const RunResult& result) {
  EXPECT_TRUE(result.status.ok()) << result.status;
  Detections values;
  for (const TensorValue& output : result.outputs) {
    values.push_back(output.values);
  }
  return values;
}

void ExpectSameDetections(const Detections& got, const Detections& want,
                          int rows_each, Precision precision) {
  ASSERT_EQ(got.size(), want.size());
  ASSERT_EQ(got[kCount], want[kCount]);
  const size_t rows = static_cast<size_t>(want[kCount][0]) * rows_each;
  const float half = precision == Precision::kFloat16 ? 0x1p-10f : 0;
  for (size_t i = 0; i < got[kClasses].size(); ++i) {
    SCOPED_TRACE(i);
    const bool found = i < rows;
    ASSERT_EQ(got[kClasses][i], found ? want[kClasses][i] : 0);
    ASSERT_EQ(got[kScores][i], found ? want[kScores][i] : 0);
    for (size_t k = 4 * i; k < 4 * i + 4; ++k) {
      const float value = found ? want[kBoxes][k] : 0;
      const float size = found ? std::fabs(value) + 1 : 0;
      ASSERT_NEAR(got[kBoxes][k], value,
                  16 * 0x1p-24f * size + half * std::fabs(value));
    }
  }
}

void ExpectSameDetections(const DetectionCase& c, const SingleOpModel& model) {
  SCOPED_TRACE(model.description);
  for (Precision precision : kPrecisions) {
    SCOPED_TRACE(PrecisionName(precision));
    ExpectSameDetections(DetectionsOf(RunOnDelegate(model, precision)),
                         DetectionsOf(RunOnCpu(model, precision)),
                         c.regular ? 1 : c.classes_of_each, precision);
  }
}

}  // namespace gles_delegate::testing
