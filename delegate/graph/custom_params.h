// Parameters of the vision models' custom ops as stored in the model:
// flexbuffers, or TFLite's pool struct byte for byte. Used by the delegate and
// the reference kernels. The bytes may be hostile: they are verified, and
// nothing is read past their end.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_CUSTOM_PARAMS_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_CUSTOM_PARAMS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace gles_delegate {

using CustomBytes = absl::Span<const uint8_t>;

// The first six fields of TfLitePoolParams; the others are TFLite's scratch
// space.
struct CustomPoolParams {
  int32_t padding;
  int32_t stride_width;
  int32_t stride_height;
  int32_t filter_width;
  int32_t filter_height;
  int32_t activation;
};
// kInvalidArgument: too few bytes, or a stride or filter that is not positive.
absl::StatusOr<CustomPoolParams> ReadPoolParams(CustomBytes bytes);

struct TransformTensorParams {
  int output_height = 0;
  int output_width = 0;
  bool half_pixel_centers = false;  // version 2
};
absl::StatusOr<TransformTensorParams> ReadTransformTensorParams(
    CustomBytes bytes, int version);

struct TransformLandmarksParams {
  int dimensions = 0;  // of a landmark: 2 or 3; 0 in version 2: the last axis
  float scale = 1;     // of the matrix's translation
};
absl::StatusOr<TransformLandmarksParams> ReadTransformLandmarksParams(
    CustomBytes bytes, int version);

struct LandmarksToMatrixParams {
  int version = 1;
  int left = 0;  // the two landmarks that are brought level
  int right = 0;
  std::vector<int> subset;  // landmarks that the box holds
  int output_height = 0;
  int output_width = 0;
  // Version 1.
  int input_height = 0;
  int input_width = 0;
  int range = 0;
  float multiplier = 0;  // of the box
  // Version 2.
  float target_radians = 0;
  float scale_x = 0;
  float scale_y = 0;
};
// Landmarks have three coordinates. kInvalidArgument: parameters that
// MediaPipe's kernel refuses, or indices outside [0, landmarks).
absl::StatusOr<LandmarksToMatrixParams> ReadLandmarksToMatrixParams(
    CustomBytes bytes, int version, int landmarks);

// Parameters of TFLite_Detection_PostProcess.
struct DetectionParams {
  int max = 0;              // max_detections
  int classes_of_each = 1;  // max_classes_per_detection
  int max_of_class = 100;   // detections_per_class; regular suppression alone
  bool regular = false;     // use_regular_nms: suppression in each class
  float score_threshold = 0;
  float iou_threshold = 0;                     // (0, 1]
  int classes = 0;                             // without the background
  std::array<float, 4> scales = {1, 1, 1, 1};  // y, x, height, width; never 0
  // Regular suppression: of equal scores the last class's comes first. Not in
  // the bytes: kernels differ (quant::KernelTraits).
  bool last_class_first = false;
};
// kInvalidArgument: a parameter without a default is missing, or TFLite's
// kernel would fail.
absl::StatusOr<DetectionParams> ReadDetectionParams(CustomBytes bytes);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_CUSTOM_PARAMS_H_
