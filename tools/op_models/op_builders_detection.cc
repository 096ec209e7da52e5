#include "tools/op_models/op_builders_detection.h"

#include "absl/strings/str_cat.h"
#include "tools/op_models/op_variant.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// The value of a quantized value: encodings of up to 6, scores and anchors in
// [0, 1).
constexpr float kEncodingScale = 0.05f;
constexpr int kEncodingZeroPoint = 128;
constexpr float kUnitScale = 1.0f / 256;

ModelQuantization QuantizationOf(const DetectionCase& c, float scale,
                                 int zero_point) {
  if (c.type == TensorType::FLOAT32) return {};
  return ModelQuantization::PerTensor(scale, zero_point);
}

// Centres in the unit square, sides of 0.1 to 0.5, as multiples of 1/256, which
// halves and quantized values hold.
std::vector<float> RandomAnchors(int count, Random* random) {
  std::vector<float> anchors;
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < 2; ++k) {
      anchors.push_back(random->NextInt(40, 215) / 256.0f);
    }
    for (int k = 0; k < 2; ++k) {
      anchors.push_back(random->NextInt(26, 128) / 256.0f);
    }
  }
  return anchors;
}

}  // namespace

std::string DetectionCase::Name() const {
  std::string name =
      absl::StrCat(regular ? "regular" : "fast", "_c", classes,
                   background ? "_background" : "", "_max", max, "_each",
                   classes_of_each, "_perclass", max_of_class, "_score",
                   score_threshold, "_iou", iou_threshold);
  if (type != TensorType::FLOAT32) absl::StrAppend(&name, "_quantized");
  if (!constant_anchors) absl::StrAppend(&name, "_runtime_anchors");
  if (coordinates != 4) absl::StrAppend(&name, "_coordinates", coordinates);
  return name;
}

std::vector<uint8_t> DetectionBytes(const DetectionCase& c) {
  return FlexMap([&](flexbuffers::Builder& b) {
    b.Int("max_detections", c.max);
    b.Int("max_classes_per_detection", c.classes_of_each);
    if (c.max_of_class != 0) b.Int("detections_per_class", c.max_of_class);
    b.Bool("use_regular_nms", c.regular);
    b.Float("nms_score_threshold", c.score_threshold);
    b.Float("nms_iou_threshold", c.iou_threshold);
    b.Int("num_classes", c.classes);
    b.Float("y_scale", c.scales[0]);
    b.Float("x_scale", c.scales[1]);
    b.Float("h_scale", c.scales[2]);
    b.Float("w_scale", c.scales[3]);
  });
}

SingleOpModel Detection(const DetectionCase& c) {
  SingleOpModel model;
  model.description =
      absl::StrCat("TFLite_Detection_PostProcess ", c.Name(), " a", c.anchors);
  Random random(model.description);
  const int scores = c.classes + (c.background ? 1 : 0);
  const std::vector<float> anchors = RandomAnchors(c.anchors, &random);
  ModelBuilder b;
  std::vector<int> in = {
      b.AddInput("encodings", {1, c.anchors, c.coordinates}, c.type,
                 QuantizationOf(c, kEncodingScale, kEncodingZeroPoint)),
      b.AddInput("scores", {1, c.anchors, scores}, c.type,
                 QuantizationOf(c, kUnitScale, 0))};
  const ModelQuantization of_anchors = QuantizationOf(c, kUnitScale, 0);
  if (!c.constant_anchors) {
    in.push_back(b.AddInput("anchors", {c.anchors, 4}, c.type, of_anchors));
  } else if (c.type == TensorType::FLOAT32) {
    in.push_back(b.AddConstant<float>("anchors", {c.anchors, 4}, anchors));
  } else {
    std::vector<uint8_t> quantized(anchors.size());
    for (size_t i = 0; i < quantized.size(); ++i)
      quantized[i] = anchors[i] * 256;
    in.push_back(b.AddConstant<uint8_t>("anchors", {c.anchors, 4}, quantized,
                                        of_anchors));
  }
  const int rows = c.max * c.classes_of_each;
  const std::vector<int> out = {
      b.AddTensor("boxes", {1, rows, 4}), b.AddTensor("classes", {1, rows}),
      b.AddTensor("scores_out", {1, rows}), b.AddTensor("count", {1})};
  b.AddCustomOp("TFLite_Detection_PostProcess", DetectionBytes(c), in, out);
  b.SetOutputs(out);
  model.bytes = b.Finish();

  std::vector<float> encodings(c.anchors * c.coordinates);
  for (float& e : encodings) e = random.NextInt(-60, 60) * kEncodingScale;
  std::vector<float> predictions(c.anchors * scores);
  for (float& p : predictions) {
    p = c.type == TensorType::FLOAT32
            ? random.NextInt(0, 2047) / 2048.0f  // exact in half
            : random.NextInt(0, 255) * kUnitScale;
  }
  // tests/testing/detections.h says where these come from; the other outputs
  // are whole numbers and moved scores, exact all the same.
  model.accuracy.ulps = 16;
  model.accuracy.absolute = 16 * 0x1p-24f;
  model.inputs = {encodings, predictions};
  if (!c.constant_anchors) model.inputs.push_back(anchors);
  return model;
}

}  // namespace gles_delegate::testing
