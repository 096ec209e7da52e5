#include "delegate/graph/custom_params.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/graph/flexbuffer_map.h"

namespace gles_delegate {
namespace {

absl::Status CheckPositive(absl::Span<const int> values, const char* what) {
  for (int v : values) {
    if (v > 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        what, " ", absl::StrJoin(values, "x"), " must be positive"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CustomPoolParams> ReadPoolParams(CustomBytes bytes) {
  CustomPoolParams p;
  if (bytes.size() < sizeof(p)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "carries ", bytes.size(), " bytes of parameters, wants ", sizeof(p)));
  }
  std::memcpy(&p, bytes.data(), sizeof(p));
  RETURN_IF_ERROR(
      CheckPositive({p.filter_height, p.filter_width}, "the window"));
  RETURN_IF_ERROR(
      CheckPositive({p.stride_height, p.stride_width}, "the stride"));
  return p;
}

absl::StatusOr<TransformTensorParams> ReadTransformTensorParams(
    CustomBytes bytes, int version) {
  FlexbufferMap map(bytes);
  TransformTensorParams p;
  if (version == 1) {
    if (map.Has("mode") && !map.IsString("mode", "bilinear")) {
      return absl::UnimplementedError(
          "only the mode \"bilinear\" is supported");
    }
    const std::array<int, 2> size = map.Pair("output_size");
    p.output_height = size[0];
    p.output_width = size[1];
  } else {
    p.output_height = map.Int("output_height");
    p.output_width = map.Int("output_width");
    p.half_pixel_centers = true;
  }
  if (!map.status().ok()) return map.status();
  RETURN_IF_ERROR(
      CheckPositive({p.output_height, p.output_width}, "the output"));
  return p;
}

absl::StatusOr<TransformLandmarksParams> ReadTransformLandmarksParams(
    CustomBytes bytes, int version) {
  TransformLandmarksParams p;
  if (version != 1) return p;
  FlexbufferMap map(bytes);
  p.dimensions = map.Int("dimensions");
  p.scale = map.Float("scale");
  if (!map.status().ok()) return map.status();
  if ((p.dimensions != 2 && p.dimensions != 3) || p.scale == 0) {
    return absl::InvalidArgumentError(absl::StrCat("dimensions ", p.dimensions,
                                                   " must be 2 or 3, scale ",
                                                   p.scale, " must not be 0"));
  }
  return p;
}

absl::StatusOr<LandmarksToMatrixParams> ReadLandmarksToMatrixParams(
    CustomBytes bytes, int version, int landmarks) {
  FlexbufferMap map(bytes);
  LandmarksToMatrixParams p;
  p.version = version;
  p.left = map.Int("left_rotation_idx");
  p.right = map.Int("right_rotation_idx");
  if (version == 1) {
    const std::array<int, 2> in = map.Pair("input_hw");
    const std::array<int, 2> out = map.Pair("output_hw");
    p.input_height = in[0];
    p.input_width = in[1];
    p.output_height = out[0];
    p.output_width = out[1];
    p.range = map.Int("landmarks_range");
    p.multiplier = map.Float("bbox_size_multiplier");
    p.subset = map.Ints("subset");
    const int dimensions = map.Int("dimensions");
    if (!map.status().ok()) return map.status();
    if (dimensions != 3 || p.multiplier == 0 || p.range <= 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "dimensions ", dimensions, " must be 3, the range ", p.range,
          " positive, the multiplier ", p.multiplier, " not 0"));
    }
    RETURN_IF_ERROR(
        CheckPositive({p.input_height, p.input_width}, "the input"));
  } else {
    p.output_height = map.Int("output_height");
    p.output_width = map.Int("output_width");
    p.target_radians = map.Float("target_rotation_radians");
    p.scale_x = map.Float("scale_x");
    p.scale_y = map.Float("scale_y");
    p.subset = map.Ints("subset_idxs");
  }
  if (!map.status().ok()) return map.status();
  RETURN_IF_ERROR(
      CheckPositive({p.output_height, p.output_width}, "the output"));
  if (p.subset.empty()) {
    return absl::InvalidArgumentError("its subset of landmarks is empty");
  }
  std::vector<int> all = p.subset;
  all.insert(all.end(), {p.left, p.right});
  for (int i : all) {
    if (i >= 0 && i < landmarks) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("landmark ", i, " is none of the ", landmarks));
  }
  return p;
}

absl::StatusOr<DetectionParams> ReadDetectionParams(CustomBytes bytes) {
  FlexbufferMap map(bytes);
  DetectionParams p;
  p.max = map.Int("max_detections");
  p.classes_of_each = map.Int("max_classes_per_detection");
  if (map.Has("detections_per_class")) {
    p.max_of_class = map.Int("detections_per_class");
  }
  if (map.Has("use_regular_nms")) p.regular = map.Bool("use_regular_nms");
  p.score_threshold = map.Float("nms_score_threshold");
  p.iou_threshold = map.Float("nms_iou_threshold");
  p.classes = map.Int("num_classes");
  p.scales = {map.Float("y_scale"), map.Float("x_scale"), map.Float("h_scale"),
              map.Float("w_scale")};
  if (!map.status().ok()) return map.status();
  RETURN_IF_ERROR(CheckPositive({p.max}, "max_detections"));
  RETURN_IF_ERROR(
      CheckPositive({p.classes_of_each}, "max_classes_per_detection"));
  RETURN_IF_ERROR(CheckPositive({p.classes}, "num_classes"));
  if (p.regular) {
    RETURN_IF_ERROR(CheckPositive({p.max_of_class}, "detections_per_class"));
  }
  if (!(p.iou_threshold > 0 && p.iou_threshold <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("nms_iou_threshold is ", p.iou_threshold,
                     ", must be above 0 and at most 1"));
  }
  if (std::count(p.scales.begin(), p.scales.end(), 0.0f) > 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the scales ", absl::StrJoin(p.scales, ", "), " must not be 0"));
  }
  return p;
}

}  // namespace gles_delegate
