// Reads boxes, points, masks and classes from the outputs of the kinds of
// models that the demo knows.
#ifndef GLES_DELEGATE_TOOLS_GLES_DEMO_FINDINGS_H_
#define GLES_DELEGATE_TOOLS_GLES_DEMO_FINDINGS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tools/runner/output_diff.h"

namespace gles_delegate::demo {

// A tensor's values with what they mean.
struct TensorValues {
  std::string name;
  std::vector<int> dims;
  std::vector<float> values;

  // [1, h, w, c] with more than one pixel.
  bool is_picture() const {
    return dims.size() == 4 && dims[0] == 1 && dims[1] > 1 && dims[2] > 1;
  }
  int height() const { return dims[1]; }
  int width() const { return dims[2]; }
  int channels() const { return dims[3]; }
};

// In fractions of the picture.
struct Point {
  float x = 0, y = 0;
};

struct Finding {
  enum class Kind { kBoxes, kPoints, kMask, kClasses };
  explicit Finding(Kind kind = Kind::kClasses) : kind(kind) {}

  Kind kind;
  std::vector<Box> boxes;     // of kBoxes, each of BoxAgreement::kMinScore
  std::vector<Point> points;  // of kPoints, and the marks in kBoxes
  std::vector<std::pair<Point, Point>> bones;  // lines of kPoints
  std::vector<int> classes;                    // of kMask: of each pixel
  int mask_width = 0;
  std::vector<float> shares;  // of kMask: the one probability of each pixel
  TensorValues scores;        // of kClasses
};

// Knows these outputs, of models whose input is a picture of `input_width` by
// `input_height`:
// - TFLite_Detection_PostProcess's four, and the boxes of MediaPipe's face and
//   pose detectors before their anchors;
// - PoseNet's heatmaps and offsets (all poses), and a face mesh;
// - a mask: classes by pixel, or one probability by pixel;
// - a classifier's: probabilities, or as many values as `labels`.
// nullopt: none of them.
std::optional<Finding> FindingOf(absl::Span<const TensorValues> outputs,
                                 int input_width, int input_height,
                                 size_t labels);

}  // namespace gles_delegate::demo

#endif  // GLES_DELEGATE_TOOLS_GLES_DEMO_FINDINGS_H_
