#include "delegate/graph/custom_params.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "flatbuffers/flexbuffers.h"

namespace gles_delegate {
namespace {

// `value` as an int, truncated; nullopt if it is not a number or does not fit.
// AsInt32() would convert a float of any size, which is undefined in C++.
std::optional<int> AsInt(const flexbuffers::Reference& value) {
  if (!value.IsNumeric()) return std::nullopt;
  const double number = value.AsDouble();
  // False for NaN.
  const bool fits = number > std::numeric_limits<int>::min() - 1.0 &&
                    number < std::numeric_limits<int>::max() + 1.0;
  if (!fits) return std::nullopt;
  return static_cast<int>(number);
}

std::optional<float> AsFinite(const flexbuffers::Reference& value) {
  if (!value.IsNumeric() || !std::isfinite(value.AsFloat())) {
    return std::nullopt;
  }
  return value.AsFloat();
}

// Of a number: whether it is not 0.
std::optional<bool> AsBool(const flexbuffers::Reference& value) {
  if (value.IsBool()) return value.AsBool();
  if (value.IsNumeric()) return value.AsDouble() != 0;
  return std::nullopt;
}

template <typename Vector>
std::optional<std::vector<int>> Elements(const Vector& vector) {
  std::vector<int> ints;
  for (size_t i = 0; i < vector.size(); ++i) {
    const std::optional<int> number = AsInt(vector[i]);
    if (!number) return std::nullopt;
    ints.push_back(*number);
  }
  return ints;
}

std::optional<std::vector<int>> AsInts(const flexbuffers::Reference& value) {
  if (value.IsTypedVector()) return Elements(value.AsTypedVector());
  if (value.IsFixedTypedVector()) return Elements(value.AsFixedTypedVector());
  if (value.IsVector()) return Elements(value.AsVector());
  return std::nullopt;
}

// The root map of a flexbuffer, the format of most custom ops' parameters.
// The bytes may be hostile: they are verified and copied, and nothing is read
// past their end. After the first error all functions return defaults; check
// status() at the end.
class FlexbufferMap {
 public:
  // kInvalidArgument: not a flexbuffer, or its root is not a map.
  explicit FlexbufferMap(absl::Span<const uint8_t> bytes)
      : bytes_(bytes.begin(), bytes.end()), size_(bytes.size()) {
    // FlexBuffers 2.0.8 verifies that a key begins inside the bytes, but not
    // that it ends there, and compares keys up to the next zero. This one is
    // the last.
    bytes_.push_back(0);
    // The smallest flexbuffer has three bytes.
    if (size_ < 3 ||
        !flexbuffers::VerifyBuffer(bytes_.data(), size_, nullptr) ||
        !Root().IsMap()) {
      status_ = Invalid("its parameters are no map in a valid flexbuffer");
    }
  }

  // Each: kInvalidArgument if the key is missing or its value has another kind.
  // Int() truncates fractions.
  int Int(const char* key) {
    return Get(key, AsInt, "is no number that 32 bits hold");
  }
  float Float(const char* key) {
    return Get(key, AsFinite, "is no finite number");
  }
  bool Bool(const char* key) {
    return Get(key, AsBool, "is neither true nor false");
  }
  std::vector<int> Ints(const char* key) {
    return Get(key, AsInts, "is no vector of integers");
  }

  std::array<int, 2> Pair(const char* key) {
    const std::vector<int> ints = Ints(key);
    if (!status_.ok()) return {0, 0};
    if (ints.size() == 2) return {ints[0], ints[1]};
    Fail(key, "must have two elements");
    return {0, 0};
  }

  bool IsString(const char* key, const char* wanted) const {
    if (!Has(key)) return false;
    const flexbuffers::Reference value = Root().AsMap()[key];
    return value.IsString() && value.AsString().str() == wanted;
  }

  bool Has(const char* key) const {
    return status_.ok() && !Root().AsMap()[key].IsNull();
  }

  const absl::Status& status() const { return status_; }

 private:
  flexbuffers::Reference Root() const {
    return flexbuffers::GetRoot(bytes_.data(), size_);
  }

  // What `as` makes of the value; `what`: of one that it refuses.
  template <typename T>
  T Get(const char* key, std::optional<T> (*as)(const flexbuffers::Reference&),
        const char* what) {
    if (!status_.ok()) return {};
    const flexbuffers::Reference value = Root().AsMap()[key];
    const std::optional<T> found = as(value);
    if (!found) Fail(key, value.IsNull() ? "is absent" : what);
    return found.value_or(T());
  }

  void Fail(const char* key, const char* why) {
    if (!status_.ok()) return;
    status_ = Invalid("its parameter ", key, " ", why);
  }

  // Aligned, unlike the file; followed by a zero byte.
  std::vector<uint8_t> bytes_;
  size_t size_;
  absl::Status status_;
};

absl::Status CheckPositive(absl::Span<const int> values, const char* what) {
  for (int v : values) {
    if (v > 0) continue;
    return Invalid(what, " ", absl::StrJoin(values, "x"), " must be positive");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CustomPoolParams> ReadPoolParams(CustomBytes bytes) {
  CustomPoolParams p;
  if (bytes.size() < sizeof(p)) {
    return Invalid("carries ", bytes.size(), " bytes of parameters, wants ",
                   sizeof(p));
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
      return Unimplemented("only the mode \"bilinear\" is supported");
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
    return Invalid("dimensions ", p.dimensions, " must be 2 or 3, scale ",
                   p.scale, " must not be 0");
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
      return Invalid("dimensions ", dimensions, " must be 3, the range ",
                     p.range, " positive, the multiplier ", p.multiplier,
                     " not 0");
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
  if (p.subset.empty()) return Invalid("its subset of landmarks is empty");
  std::vector<int> all = p.subset;
  all.insert(all.end(), {p.left, p.right});
  for (int i : all) {
    if (i >= 0 && i < landmarks) continue;
    return Invalid("landmark ", i, " is none of the ", landmarks);
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
    return Invalid("nms_iou_threshold is ", p.iou_threshold,
                   ", must be above 0 and at most 1");
  }
  if (std::count(p.scales.begin(), p.scales.end(), 0.0f) > 0) {
    return Invalid("the scales ", absl::StrJoin(p.scales, ", "),
                   " must not be 0");
  }
  return p;
}

}  // namespace gles_delegate
