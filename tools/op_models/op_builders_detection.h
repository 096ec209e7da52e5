// Models of TFLite_Detection_PostProcess, and their parameters as the models
// hold them.
#ifndef GLES_DELEGATE_TOOLS_OP_MODELS_OP_BUILDERS_DETECTION_H_
#define GLES_DELEGATE_TOOLS_OP_MODELS_OP_BUILDERS_DETECTION_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "flatbuffers/flexbuffers.h"
#include "third_party/tflite_schema/schema_generated.h"
#include "tools/op_models/op_model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {

// A flexbuffer of one map, which `fill` fills.
template <typename Fill>
std::vector<uint8_t> FlexMap(Fill fill) {
  flexbuffers::Builder builder;
  builder.Map([&] { fill(builder); });
  builder.Finish();
  return builder.GetBuffer();
}

struct DetectionCase {
  int anchors = 40;
  int classes = 3;          // without the background
  bool background = true;   // the scores begin with the background's
  int coordinates = 4;      // of an encoding; the kernel reads the first four
  int max = 10;             // max_detections
  int classes_of_each = 1;  // max_classes_per_detection
  int max_of_class = 100;   // detections_per_class; 0: the parameter is absent
  bool regular = false;     // use_regular_nms
  float score_threshold = 0.3f;
  float iou_threshold = 0.5f;
  std::array<float, 4> scales = {10, 10, 5, 5};  // of y, x, height, width
  // FLOAT32, or UINT8: of encodings, scores and anchors. The scores of UINT8
  // are multiples of 1/256, so that many are equal.
  TensorType type = TensorType::FLOAT32;
  bool constant_anchors = true;

  std::string Name() const;  // "fast_a40_c3_..."
};

std::vector<uint8_t> DetectionBytes(const DetectionCase& c);

// Inputs: encodings [1,anchors,coordinates], scores [1,anchors,classes (+ 1)]
// and, unless they are constant, anchors [anchors,4]. The values are random;
// boxes overlap, and none is empty.
SingleOpModel Detection(const DetectionCase& c);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TOOLS_OP_MODELS_OP_BUILDERS_DETECTION_H_
