// The custom ops of vision models, against the reference kernels that the
// library ships.
#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"
#include "tools/conformance/cases.h"
#include "tools/op_models/op_builders_custom.h"
#include "tools/op_models/op_builders_detection.h"

namespace gles_delegate::conformance {
namespace {

void AddCustomPools(CaseList* list) {
  for (const Shape& shape : testing::StandardShapes()) {
    list->Add("MaxPoolingWithArgmax2D", "f2x2_s2_SAME", shape, [=] {
      return testing::ArgmaxPool(shape, {kPaddingSame, 2, 2, 2, 2, kActNone});
    });
    list->Add("MaxUnpooling2D", "by2x2", shape,
              [=] { return testing::Unpool(shape, 2, 2); });
  }
  for (int stride : {1, 2, 3}) {
    for (int padding : {kPaddingSame, kPaddingValid}) {
      list->Add("MaxPoolingWithArgmax2D",
                absl::StrCat("f3x4_s", stride,
                             padding == kPaddingSame ? "_SAME" : "_VALID"),
                {3, 7, 9, 5}, [=] {
                  return testing::ArgmaxPool(
                      {3, 7, 9, 5}, {padding, stride, 1, 3, 4, kActRelu6});
                });
    }
  }
}

// The detections fill all rows, since TFLite leaves the others unwritten.
void AddDetections(CaseList* list) {
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

}  // namespace

void AddCustomCases(CaseList* list) {
  AddCustomPools(list);
  AddDetections(list);
  for (const Shape& shape : testing::StandardShapes()) {
    list->Add("Resampler", "plain", shape, [=] {
      return testing::Resample(shape, {shape[0], shape[1], shape[2], 2});
    });
    if (shape[0] != 1) continue;
    for (int version : {1, 2}) {
      list->Add(
          "TransformTensorBilinear", absl::StrCat("v", version), shape, [=] {
            return testing::TransformTensor(version, shape, shape[1] + 1,
                                            shape[2] + 2, testing::Shear());
          });
    }
  }
  for (int count : {1, 3, 4, 17, 468}) {
    for (int version : {1, 2}) {
      for (int dimensions : {2, 3}) {
        list->Add("TransformLandmarks", absl::StrCat("v", version),
                  {count, dimensions}, [=] {
                    return testing::TransformPoints(version, count, dimensions,
                                                    version == 1 ? 2.0f : 1.0f);
                  });
      }
      if (count < 6) continue;
      list->Add("Landmarks2TransformMatrix", absl::StrCat("v", version),
                {count, 3}, [=] {
                  testing::MatrixCase matrix;
                  matrix.version = version;
                  return testing::ToMatrix(matrix, count);
                });
    }
  }
}

}  // namespace gles_delegate::conformance
