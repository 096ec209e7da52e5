// What TFLite_Detection_PostProcess gives, beside TFLite's own.
#ifndef GLES_DELEGATE_TESTS_TESTING_DETECTIONS_H_
#define GLES_DELEGATE_TESTS_TESTING_DETECTIONS_H_

#include <vector>

#include "tests/testing/single_op.h"
#include "tools/op_models/op_builders_detection.h"

namespace gles_delegate::testing {

// The op's outputs, by index.
inline constexpr int kBoxes = 0, kClasses = 1, kScores = 2, kCount = 3;
using Detections = std::vector<std::vector<float>>;

// Fails the test where the run failed.
Detections DetectionsOf(const RunResult& result);

// Same number, classes and scores in the same order. A coordinate is the
// difference or sum of a middle and a reach, which err by about four roundings
// each; GLSL ES leaves 2.5 units in the last place to the division and the rest
// of 16 to exp. With 16-bit storage it is rounded once more. Rows past the
// count are zeros: TFLite leaves them unwritten. `rows_each`: how many rows of
// a detection TFLite's kernel writes.
void ExpectSameDetections(const Detections& got, const Detections& want,
                          int rows_each, Precision precision);

// The model of `c`, or what a test made of it, in both precisions.
void ExpectSameDetections(const DetectionCase& c, const SingleOpModel& model);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_DETECTIONS_H_
