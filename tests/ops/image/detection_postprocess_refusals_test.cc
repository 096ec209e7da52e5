// labels: unit
// Nodes that the parser and the planner of TFLite_Detection_PostProcess refuse.
#include <limits>
#include <utility>
#include <vector>

#include "delegate/graph/custom_params.h"
#include "delegate/ops/all_ops.h"
#include "delegate/plan/planner.h"
#include "tests/testing/matchers.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/run_graph.h"
#include "tools/op_models/op_builders_detection.h"

namespace gles_delegate::testing {
namespace {

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
  f.inputs[0].quantized = f.inputs[2].quantized = DataType::kUint8;
  EXPECT_EQ(f.Refusal(), "");
  f.inputs[1].quantized = DataType::kInt8;
  EXPECT_THAT(f.Refusal(), HasSubstr("input 1 is int8"));
  f.inputs[1].quantized = DataType::kUint8;
  EXPECT_EQ(f.Refusal(), "");
  f.inputs[2].quantized = DataType::kOther;
  EXPECT_THAT(f.Refusal(), HasSubstr("encodings are uint8, anchors float32"));
  f.inputs[0].type = DataType::kInt32;
  EXPECT_THAT(f.Refusal(), HasSubstr("input 0"));
  FakeDetection g;
  g.outputs[3].quantized = DataType::kUint8;
  EXPECT_THAT(g.Refusal(), HasSubstr("an output is uint8"));
}

TEST(DetectionPostprocessParseTest, RefusesParameters) {
  const auto with = [](auto change) {
    FakeDetection f;
    change(&f.c);
    return f.Refusal();
  };
  using C = DetectionCase*;
  EXPECT_THAT(with([](C c) { c->max = 0; }),
              HasSubstr("max_detections 0 must be positive"));
  EXPECT_THAT(with([](C c) { c->max = 1025; }),
              HasSubstr("max_detections is 1025, at most 1024"));
  EXPECT_THAT(with([](C c) { c->classes_of_each = -1; }),
              HasSubstr("max_classes_per_detection -1 must be positive"));
  EXPECT_THAT(with([](C c) { c->classes_of_each = 17; }),
              HasSubstr("max_classes_per_detection is 17, at most 16"));
  EXPECT_THAT(with([](C c) { c->classes = 0; }),
              HasSubstr("num_classes 0 must be positive"));
  // One class more, which scores may have, is no int (found by fuzzing).
  EXPECT_THAT(with([](C c) { c->classes = std::numeric_limits<int>::max(); }),
              HasSubstr("2147483647 classes"));
  EXPECT_EQ(with([](C c) { c->max_of_class = -1; }), "");  // not used
  EXPECT_THAT(with([](C c) {
                c->max_of_class = -1;
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
  of_classes.max = of_classes.max_of_class = 1024;
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
