// TFLite_Detection_PostProcess, of which TFLite leaves a part unwritten.
#include "tools/conformance/cases.h"
#include "tools/op_models/op_builders_detection.h"

namespace gles_delegate::conformance {

// The detections fill all rows, since TFLite leaves the others unwritten.
void AddCustomCases(CaseList* list) {
  const auto add = [&](const testing::DetectionCase& c) {
    const auto build = [=] { return testing::Detection(c); };
    if (c.type == TensorType::FLOAT32) {
      list->Add("TFLite_Detection_PostProcess", c.Name(), {c.anchors}, build);
    } else {
      list->AddQuantized("TFLite_Detection_PostProcess", c.Name(), {c.anchors},
                         build);
    }
  };
  for (auto type : {TensorType::FLOAT32, TensorType::UINT8}) {
    for (bool regular : {false, true}) {
      for (int anchors : {64, 300}) {
        testing::DetectionCase c;
        c.anchors = anchors;
        c.type = type;
        c.regular = regular;
        c.score_threshold = 0;
        c.iou_threshold = 0.75f;
        add(c);
        c.classes = 90;
        c.max = 7;
        add(c);
        c.constant_anchors = false;
        c.background = false;
        add(c);
        if (regular) continue;
        c.classes_of_each = 3;
        add(c);
      }
    }
  }
}

}  // namespace gles_delegate::conformance
