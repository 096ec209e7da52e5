// labels: op llvmpipe softpipe
// TFLite_Detection_PostProcess against TFLite's own kernel. Boxes that tie,
// touch or are empty: detection_postprocess_ties_test.cc; what is refused:
// detection_postprocess_refusals_test.cc.

#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/custom_params.h"
#include "delegate/ops/op_list.h"
#include "tests/testing/detections.h"
#include "tests/testing/device_test.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/single_op.h"
#include "tools/op_models/op_builders_detection.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// Fast and regular, on floats and in integers.
void CheckAll(DetectionCase c) {
  for (bool regular : {false, true}) {
    for (auto type : {TensorType::FLOAT32, TensorType::UINT8}) {
      c.regular = regular;
      c.type = type;
      ExpectSameDetections(c, Detection(c));
    }
  }
}

class DetectionPostprocessTest : public DeviceTest {};

TEST_F(DetectionPostprocessTest, ManyNumbersOfAnchors) {
  for (int anchors : {1, 7, 300}) {
    DetectionCase c;
    c.anchors = anchors;
    CheckAll(c);
  }
}

TEST_F(DetectionPostprocessTest, AsManyAnchorsAsADetectorHas) {
  DetectionCase c;
  c.anchors = 1917;
  c.classes = 20;
  c.score_threshold = 0.9f;
  CheckAll(c);
}

TEST_F(DetectionPostprocessTest, ManyNumbersOfClasses) {
  for (int classes : {1, 4, 5, 90}) {
    for (bool background : {false, true}) {
      DetectionCase c;
      c.classes = classes;
      c.background = background;
      CheckAll(c);
    }
  }
}

TEST_F(DetectionPostprocessTest, MoreAndFewerThanAreWanted) {
  for (int max : {1, 4, 7, 100}) {
    DetectionCase c;
    c.max = max;
    CheckAll(c);
  }
}

TEST_F(DetectionPostprocessTest, Thresholds) {
  for (float score : {-1.0f, 0.0f, 0.9f}) {
    for (float overlap : {0.01f, 0.75f, 1.0f}) {
      DetectionCase c;
      c.score_threshold = score;
      c.iou_threshold = overlap;
      CheckAll(c);
    }
  }
}

TEST_F(DetectionPostprocessTest, NothingIsFound) {
  DetectionCase c;
  c.score_threshold = 2;
  CheckAll(c);
}

TEST_F(DetectionPostprocessTest, SeveralClassesOfEach) {
  for (int each : {2, 3, 5, 16}) {
    for (int classes : {16, 17}) {
      DetectionCase c;
      c.classes = classes;
      c.classes_of_each = each;
      CheckAll(c);
    }
  }
}

TEST_F(DetectionPostprocessTest, FewOfEachClass) {
  for (int max : {1, 2, 5}) {
    DetectionCase c;
    c.regular = true;
    c.max_of_class = max;
    c.classes = 9;
    ExpectSameDetections(c, Detection(c));
  }
  DetectionCase c;
  c.regular = true;
  c.max_of_class = 0;  // absent: 100
  ExpectSameDetections(c, Detection(c));
}

TEST_F(DetectionPostprocessTest, EncodingsWithMoreThanABox) {
  for (int coordinates : {5, 20}) {
    DetectionCase c;
    c.coordinates = coordinates;
    CheckAll(c);
  }
}

TEST_F(DetectionPostprocessTest, AnchorsOfRunTime) {
  DetectionCase c;
  c.constant_anchors = false;
  CheckAll(c);
}

TEST_F(DetectionPostprocessTest, OtherScales) {
  DetectionCase c;
  c.scales = {1, 2.5f, -3, 8};
  CheckAll(c);
}

// Of fewer classes than each detection has rows, TFLite leaves the rows that
// are over unwritten; here they are zeros.
TEST_F(DetectionPostprocessTest, FewerClassesThanRowsOfEach) {
  DetectionCase c;
  c.classes = 2;
  c.classes_of_each = 5;
  const SingleOpModel model = Detection(c);
  const auto got = DetectionsOf(RunOnDelegate(model));
  const auto want = DetectionsOf(RunOnCpu(model));
  ASSERT_EQ(got[kCount], want[kCount]);
  for (int i = 0; i < 5 * static_cast<int>(want[kCount][0]); ++i) {
    const bool written = i % 5 < 2;
    EXPECT_EQ(got[kClasses][i], written ? want[kClasses][i] : 0) << i;
    EXPECT_EQ(got[kScores][i], written ? want[kScores][i] : 0) << i;
    EXPECT_NEAR(got[kBoxes][4 * i], written ? want[kBoxes][4 * i] : 0, 1e-6f);
  }
}

TEST_F(DetectionPostprocessTest, EveryStorage) {
  for (auto storage : kEveryStorage) {
    DetectionCase c;
    c.classes_of_each = 2;
    RunOptions options;
    options.storage = storage;
    const SingleOpModel model = Detection(c);
    ExpectSameDetections(DetectionsOf(RunOnDelegate(model, options)),
                         DetectionsOf(RunOnCpu(model)), 2, Precision::kFloat32);
  }
}

// Output `i` of `c` under a profile that is not the device's own.
std::vector<float> OutputUnder(const DetectionCase& c, int i,
                               absl::FunctionRef<void(DeviceProfile&)> adjust) {
  const SingleOpModel model = Detection(c);
  Graph graph;
  Node node;
  const int scores = c.classes + (c.background ? 1 : 0);
  const int rows = c.max * c.classes_of_each;
  node.inputs = {AddTensor(&graph, {1, c.anchors, c.coordinates}),
                 AddTensor(&graph, {1, c.anchors, scores}),
                 AddTensor(&graph, {c.anchors, 4})};
  node.outputs = {AddTensor(&graph, {1, rows, 4}), AddTensor(&graph, {1, rows}),
                  AddTensor(&graph, {1, rows}), AddTensor(&graph, {1})};
  graph.inputs = node.inputs;
  graph.outputs = {node.outputs[i]};
  node.attributes = *ReadDetectionParams(DetectionBytes(c));
  node.op = FindOp(BuiltinOperator_CUSTOM, "TFLite_Detection_PostProcess");
  graph.nodes = {node};
  auto values = RunGraph(std::move(graph), model.inputs, adjust);
  EXPECT_TRUE(values.ok()) << values.status();
  return values.ok() ? *std::move(values) : std::vector<float>();
}

// The least device that OpenGL ES 3.1 allows, with work groups of 8, whose
// invocations have more candidates than a mask has bits.
TEST_F(DetectionPostprocessTest, OnTheLeastDevice) {
  for (bool regular : {false, true}) {
    for (int each : {1, 3}) {
      DetectionCase c;
      c.anchors = 700;
      c.regular = regular;
      c.classes_of_each = each;
      c.constant_anchors = false;
      Detections got;
      for (int i = 0; i < 4; ++i) {
        got.push_back(OutputUnder(c, i, [](DeviceProfile& profile) {
          profile.limits = DeviceLimits();
          profile.limits.max_work_group_invocations = 8;
          profile.choices.storage = gl_shaders::Storage::kTexture2d;
          profile.choices.host_transfers = 0;
        }));
      }
      ExpectSameDetections(got, DetectionsOf(RunOnCpu(Detection(c))),
                           regular ? 1 : each, Precision::kFloat32);
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing
