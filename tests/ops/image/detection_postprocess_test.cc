// labels: op llvmpipe softpipe
// TFLite_Detection_PostProcess against TFLite's own kernel, and what its parser
// refuses. Longer than 300 lines: all cases are variants of one detector, which
// is built here.
#include "delegate/ops/image/detection_postprocess.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/custom_params.h"
#include "delegate/ops/op_list.h"
#include "flatbuffers/flexbuffers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/device_test.h"
#include "tests/testing/op_builders_custom.h"
#include "tests/testing/op_builders_detection.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/single_op.h"

namespace gles_delegate::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kBoxes = 0, kClasses = 1, kScores = 2, kCount = 3;

// Same number, classes and scores in the same order. A coordinate is the
// difference or sum of a middle and a reach, which err by about four roundings
// each; GLSL ES leaves 2.5 units in the last place to the division and the rest
// of 16 to exp. With 16-bit storage it is rounded once more. Rows past the
// count are zeros: TFLite leaves them unwritten.
void ExpectSameDetections(const std::vector<std::vector<float>>& got,
                          const std::vector<std::vector<float>>& want,
                          int rows_each, Precision precision) {
  ASSERT_EQ(got.size(), want.size());
  ASSERT_EQ(got[kCount], want[kCount]);
  const size_t rows = static_cast<size_t>(want[kCount][0]) * rows_each;
  const float half = precision == Precision::kFloat16 ? 0x1p-10f : 0;
  for (size_t i = 0; i < got[kClasses].size(); ++i) {
    SCOPED_TRACE(i);
    const bool found = i < rows;
    ASSERT_EQ(got[kClasses][i], found ? want[kClasses][i] : 0);
    ASSERT_EQ(got[kScores][i], found ? want[kScores][i] : 0);
    for (size_t k = 4 * i; k < 4 * i + 4; ++k) {
      const float value = found ? want[kBoxes][k] : 0;
      const float size = found ? std::fabs(value) + 1 : 0;
      ASSERT_NEAR(got[kBoxes][k], value,
                  16 * 0x1p-24f * size + half * std::fabs(value));
    }
  }
}

std::vector<std::vector<float>> ValuesOf(const RunResult& result) {
  EXPECT_TRUE(result.status.ok()) << result.status;
  std::vector<std::vector<float>> values;
  for (const TensorValue& output : result.outputs) {
    values.push_back(output.values);
  }
  return values;
}

// How many rows of a detection TFLite's kernel writes: others of `each` are
// never written, and `each` of classes that are fewer is not compared.
void Check(const DetectionCase& c, const SingleOpModel& model) {
  SCOPED_TRACE(model.description);
  for (Precision precision : kPrecisions) {
    SCOPED_TRACE(PrecisionName(precision));
    ExpectSameDetections(ValuesOf(RunOnDelegate(model, precision)),
                         ValuesOf(RunOnCpu(model, precision)),
                         c.regular ? 1 : c.classes_of_each, precision);
  }
}

void Check(const DetectionCase& c) { Check(c, Detection(c)); }

// Fast and regular, on floats and on codes.
void CheckAll(DetectionCase c) {
  for (bool regular : {false, true}) {
    for (auto type : {schema::TensorType::FLOAT32, schema::TensorType::UINT8}) {
      c.regular = regular;
      c.type = type;
      Check(c);
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
  for (int most : {1, 4, 7, 100}) {
    DetectionCase c;
    c.most = most;
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
  for (int most : {1, 2, 5}) {
    DetectionCase c;
    c.regular = true;
    c.most_of_class = most;
    c.classes = 9;
    Check(c);
  }
  DetectionCase c;
  c.regular = true;
  c.most_of_class = 0;  // absent: 100
  Check(c);
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

// Anchors that do not meet, all scores equal: ties alone make the order.
TEST_F(DetectionPostprocessTest, EqualScores) {
  for (int each : {1, 2, 4, 7, 16}) {
    for (bool regular : {false, true}) {
      DetectionCase c;
      c.anchors = 30;
      c.classes = 17;
      c.most = 12;
      c.classes_of_each = each;
      c.regular = regular;
      c.constant_anchors = false;
      SingleOpModel model = Detection(c);
      std::fill(model.inputs[0].begin(), model.inputs[0].end(), 0.0f);
      std::fill(model.inputs[1].begin(), model.inputs[1].end(), 0.5f);
      for (int i = 0; i < c.anchors; ++i) {
        const float middle = static_cast<float>(i) / 32;
        const float anchor[] = {middle, 0.5f, 0x1p-6f, 0.25f};
        std::copy(anchor, anchor + 4, model.inputs[2].begin() + 4 * i);
      }
      Check(c, model);
    }
  }
}

// Boxes of exact coordinates, of which some overlap by exactly the threshold:
// they stay. Some are the same box.
TEST_F(DetectionPostprocessTest, OverlapsAtTheThreshold) {
  for (float overlap : {0.25f, 0.5f, 1.0f}) {
    DetectionCase c;
    c.anchors = 40;
    c.iou_threshold = overlap;
    c.most = 40;
    c.constant_anchors = false;
    SingleOpModel model = Detection(c);
    std::fill(model.inputs[0].begin(), model.inputs[0].end(), 0.0f);
    for (int i = 0; i < c.anchors; ++i) {
      // Sides of 3 / 16, shifted by sixteenths; those of 4 and 2 share a half.
      const float middle = static_cast<float>(i / 4) / 16;
      const float height = (i % 4 < 2 ? 3.0f : 1.5f) / 16;
      const float anchor[] = {middle, 0.5f, height, 0.25f};
      std::copy(anchor, anchor + 4, model.inputs[2].begin() + 4 * i);
    }
    Check(c, model);
  }
}

// Of fewer classes than each detection has rows, TFLite leaves the rows that
// are over unwritten; here they are zeros.
TEST_F(DetectionPostprocessTest, FewerClassesThanRowsOfEach) {
  DetectionCase c;
  c.classes = 2;
  c.classes_of_each = 5;
  const SingleOpModel model = Detection(c);
  const auto got = ValuesOf(RunOnDelegate(model));
  const auto want = ValuesOf(RunOnCpu(model));
  ASSERT_EQ(got[kCount], want[kCount]);
  for (int i = 0; i < 5 * static_cast<int>(want[kCount][0]); ++i) {
    const bool written = i % 5 < 2;
    EXPECT_EQ(got[kClasses][i], written ? want[kClasses][i] : 0) << i;
    EXPECT_EQ(got[kScores][i], written ? want[kScores][i] : 0) << i;
    EXPECT_NEAR(got[kBoxes][4 * i], written ? want[kBoxes][4 * i] : 0, 1e-6f);
  }
}

// A box of no area overlaps nothing.
TEST_F(DetectionPostprocessTest, BoxesOfNoArea) {
  DetectionCase c;
  c.anchors = 12;
  c.most = 12;
  c.constant_anchors = false;
  SingleOpModel model = Detection(c);
  std::fill(model.inputs[0].begin(), model.inputs[0].end(), 0.0f);
  for (int i = 0; i < c.anchors; ++i) {
    const float anchor[] = {0.5f, 0.5f, i % 3 == 0 ? 0.0f : 0.5f,
                            i % 4 == 0 ? 0.0f : 0.5f};
    std::copy(anchor, anchor + 4, model.inputs[2].begin() + 4 * i);
  }
  Check(c, model);
}

// A box that ends before it begins makes TFLite's Invoke fail; here the others
// are found all the same.
TEST_F(DetectionPostprocessTest, ABoxThatEndsBeforeItBeginsIsNoError) {
  DetectionCase c;
  c.anchors = 3;
  c.classes = 1;
  c.background = false;
  c.constant_anchors = false;
  SingleOpModel model = Detection(c);
  model.inputs[0].assign(12, 0.0f);
  model.inputs[1] = {0.5f, 0.75f, 0.125f};
  model.inputs[2] = {0.5f,   0.5f,   0.25f, 0.25f, 0.25f,  0.25f,
                     0.125f, 0.125f, 0.5f,  0.5f,  -0.25f, 0.25f};
  EXPECT_FALSE(RunOnCpu(model).status.ok());
  const auto got = ValuesOf(RunOnDelegate(model));
  ASSERT_EQ(got[kCount][0], 2);
  EXPECT_EQ(got[kScores][0], 0.75f);
  EXPECT_EQ(got[kScores][1], 0.5f);
}

TEST_F(DetectionPostprocessTest, EveryStorage) {
  for (auto storage : {kTfLiteGlesStorageTextureArray,
                       kTfLiteGlesStorageTexture2d, kTfLiteGlesStorageBuffer}) {
    DetectionCase c;
    c.classes_of_each = 2;
    RunOptions options;
    options.storage = storage;
    const SingleOpModel model = Detection(c);
    ExpectSameDetections(ValuesOf(RunOnDelegate(model, options)),
                         ValuesOf(RunOnCpu(model)), 2, Precision::kFloat32);
  }
}

// What the device's own profile does not take: output `i` of `c` under another.
std::vector<float> OutputUnder(const DetectionCase& c, int i,
                               absl::FunctionRef<void(DeviceProfile&)> adjust) {
  const SingleOpModel model = Detection(c);
  Graph graph;
  Node node;
  const int scores = c.classes + (c.background ? 1 : 0);
  const int rows = c.most * c.classes_of_each;
  node.inputs = {AddTensor(&graph, {1, c.anchors, c.coordinates}),
                 AddTensor(&graph, {1, c.anchors, scores}),
                 AddTensor(&graph, {c.anchors, 4})};
  node.outputs = {AddTensor(&graph, {1, rows, 4}), AddTensor(&graph, {1, rows}),
                  AddTensor(&graph, {1, rows}), AddTensor(&graph, {1})};
  graph.inputs = node.inputs;
  graph.outputs = {node.outputs[i]};
  node.attributes = *ReadDetectionParams(DetectionBytes(c));
  node.op = FindOp(builtin::CUSTOM, "TFLite_Detection_PostProcess");
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
      std::vector<std::vector<float>> got;
      for (int i = 0; i < 4; ++i) {
        got.push_back(OutputUnder(c, i, [](DeviceProfile& profile) {
          profile.limits = DeviceLimits();
          profile.limits.max_work_group_invocations = 8;
          profile.choices.storage = gl_shaders::Storage::kTexture2d;
          profile.choices.host_transfers = 0;
        }));
      }
      ExpectSameDetections(got, ValuesOf(RunOnCpu(Detection(c))),
                           regular ? 1 : each, Precision::kFloat32);
    }
  }
}

// --- Refusals ---------------------------------------------------------------

struct FakeDetection {
  DetectionCase c;
  std::vector<Tensor> inputs = {FakeTensor({1, 40, 4}), FakeTensor({1, 40, 4}),
                                FakeTensor({40, 4})};
  std::vector<Tensor> outputs = {FakeTensor({1, 10, 4}), FakeTensor({1, 10}),
                                 FakeTensor({1, 10}), FakeTensor({1})};

  std::string Refusal() const {
    return CustomRefusal(ParseDetectionPostprocess, inputs, outputs,
                         DetectionBytes(c));
  }
};

TEST(DetectionPostprocessParseTest, RefusesShapes) {
  EXPECT_EQ(FakeDetection().Refusal(), "");
  const auto with = [](int input, std::vector<int> dims) {
    FakeDetection f;
    f.inputs[input] = FakeTensor(std::move(dims));
    return f.Refusal();
  };
  EXPECT_THAT(with(0, {1, 40, 3}), HasSubstr("encodings are 1x40x3"));
  EXPECT_THAT(with(0, {2, 40, 4}), HasSubstr("encodings are 2x40x4"));
  EXPECT_THAT(with(0, {40, 4}), HasSubstr("encodings are 40x4"));
  EXPECT_THAT(with(1, {1, 40, 5}), HasSubstr("scores are 1x40x5"));
  EXPECT_THAT(with(1, {1, 40, 2}), HasSubstr("scores are 1x40x2"));
  EXPECT_THAT(with(1, {1, 39, 4}), HasSubstr("scores are 1x39x4"));
  EXPECT_THAT(with(2, {39, 4}), HasSubstr("anchors are 39x4"));
  EXPECT_THAT(with(2, {1, 40, 4}), HasSubstr("anchors are 1x40x4"));
  FakeDetection f;
  f.outputs[1] = FakeTensor({1, 9});
  EXPECT_THAT(f.Refusal(), HasSubstr("output is 1x9"));
}

TEST(DetectionPostprocessParseTest, RefusesTypes) {
  FakeDetection f;
  f.inputs[0].codes = f.inputs[2].codes = DataType::kUint8;
  EXPECT_EQ(f.Refusal(), "");
  f.inputs[1].codes = DataType::kInt8;
  EXPECT_THAT(f.Refusal(), HasSubstr("input 1 is int8"));
  f.inputs[1].codes = DataType::kUint8;
  EXPECT_EQ(f.Refusal(), "");
  f.inputs[2].codes = DataType::kOther;
  EXPECT_THAT(f.Refusal(), HasSubstr("encodings are uint8, anchors float32"));
  f.inputs[0].type = DataType::kInt32;
  EXPECT_THAT(f.Refusal(), HasSubstr("input 0"));
  FakeDetection g;
  g.outputs[3].codes = DataType::kUint8;
  EXPECT_THAT(g.Refusal(), HasSubstr("an output is uint8"));
}

TEST(DetectionPostprocessParseTest, RefusesParameters) {
  const auto with = [](auto change) {
    FakeDetection f;
    change(&f.c);
    return f.Refusal();
  };
  using C = DetectionCase*;
  EXPECT_THAT(with([](C c) { c->most = 0; }),
              HasSubstr("max_detections 0 must be positive"));
  EXPECT_THAT(with([](C c) { c->most = 1025; }),
              HasSubstr("max_detections is 1025, at most 1024"));
  EXPECT_THAT(with([](C c) { c->classes_of_each = -1; }),
              HasSubstr("max_classes_per_detection -1 must be positive"));
  EXPECT_THAT(with([](C c) { c->classes_of_each = 17; }),
              HasSubstr("max_classes_per_detection is 17, at most 16"));
  EXPECT_THAT(with([](C c) { c->classes = 0; }),
              HasSubstr("num_classes 0 must be positive"));
  EXPECT_EQ(with([](C c) { c->most_of_class = -1; }), "");  // not used
  EXPECT_THAT(with([](C c) {
                c->most_of_class = -1;
                c->regular = true;
              }),
              HasSubstr("detections_per_class -1 must be positive"));
  for (float overlap : {0.0f, -1.0f, 1.5f}) {
    EXPECT_THAT(with([=](C c) { c->iou_threshold = overlap; }),
                HasSubstr("must be above 0 and at most 1"));
  }
  EXPECT_THAT(with([](C c) { c->scales[2] = 0; }),
              HasSubstr("the scales 10, 10, 0, 5 must not be 0"));
}

TEST(DetectionPostprocessParseTest, RefusesOptionsThatAreAbsent) {
  const FakeDetection f;
  EXPECT_THAT(CustomRefusal(ParseDetectionPostprocess, f.inputs, f.outputs, {}),
              HasSubstr("no map in a valid flexbuffer"));
  const auto bytes = FlexMap([](flexbuffers::Builder& b) {
    b.Int("max_detections", 10);
    b.Int("max_classes_per_detection", 1);
    b.String("use_regular_nms", "yes");
  });
  EXPECT_THAT(
      CustomRefusal(ParseDetectionPostprocess, f.inputs, f.outputs, bytes),
      HasSubstr("use_regular_nms is neither true nor false"));
}

// More boxes than the bits of a work group are refused, with the numbers.
TEST(DetectionPostprocessPlanTest, RefusesMoreBoxesThanAWorkGroupTakes) {
  Graph graph;
  Node node;
  constexpr int kAnchors = 70000;
  node.inputs = {AddTensor(&graph, {1, kAnchors, 4}),
                 AddTensor(&graph, {1, kAnchors, 3}),
                 AddTensor(&graph, {kAnchors, 4})};
  node.outputs = {AddTensor(&graph, {1, 10, 4}), AddTensor(&graph, {1, 10}),
                  AddTensor(&graph, {1, 10}), AddTensor(&graph, {1})};
  node.attributes = *ReadDetectionParams(DetectionBytes(DetectionCase()));
  DeviceProfile profile;
  Planner planner(&graph, profile);
  EXPECT_THAT(PlanDetectionPostprocess(node, &planner).message(),
              HasSubstr("selects among 70000 boxes; a work group of 128 "
                        "invocations takes 65536"));

  // Nor of all classes together, whose product passes 31 bits.
  DetectionCase of_classes;
  of_classes.anchors = 1024;
  of_classes.regular = true;
  of_classes.most = of_classes.most_of_class = 1024;
  of_classes.classes = 1 << 20;
  node.inputs = {AddTensor(&graph, {1, 1024, 4}),
                 AddTensor(&graph, {1, 1024, 1 << 20}),
                 AddTensor(&graph, {1024, 4})};
  node.attributes = *ReadDetectionParams(DetectionBytes(of_classes));
  EXPECT_THAT(PlanDetectionPostprocess(node, &planner).message(),
              HasSubstr("selects among 1073741824 boxes"));
}

}  // namespace
}  // namespace gles_delegate::testing
