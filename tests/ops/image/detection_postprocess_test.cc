// labels: op llvmpipe softpipe
// TFLite_Detection_PostProcess beside the rows of tools/cases/custom.txt: a box
// that TFLite takes for an error, plans for other devices than this one, and
// what the planner refuses.

#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/custom_params.h"
#include "delegate/ops/all_ops.h"
#include "delegate/ops/op_list.h"
#include "delegate/plan/planner.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"
#include "tools/op_models/compare.h"

namespace gles_delegate::testing {
namespace {

constexpr char kName[] = "TFLite_Detection_PostProcess";
constexpr char kMap[] =
    "nms_score_threshold=0.3,nms_iou_threshold=0.5,y_scale=10.0,x_scale=10.0,"
    "h_scale=5.0,w_scale=5.0";

// The graph of the op alone, of `anchors` boxes and three classes but for what
// `map` says, with an output for each.
Graph GraphOf(int anchors, int classes, int rows, const std::string& map) {
  Graph graph;
  Node node;
  node.inputs = {AddTensor(&graph, {1, anchors, 4}),
                 AddTensor(&graph, {1, anchors, classes}),
                 AddTensor(&graph, {anchors, 4})};
  node.outputs = {AddTensor(&graph, {1, rows, 4}), AddTensor(&graph, {1, rows}),
                  AddTensor(&graph, {1, rows}), AddTensor(&graph, {1})};
  const auto spec = cases::ParseCase(absl::StrCat(
      kName, " x=[1,1,4] s=[1,1,3] a=[1,4] custom=(", kMap, ",", map, ")"));
  const std::vector<uint8_t> bytes = cases::BytesOf(*spec);
  const auto* options = schema::GetModel(bytes.data())
                            ->subgraphs()
                            ->Get(0)
                            ->operators()
                            ->Get(0)
                            ->custom_options();
  node.attributes = *ReadDetectionParams({options->data(), options->size()});
  node.op = FindOpNamed(kName);
  graph.inputs = node.inputs;
  graph.nodes = {node};
  return graph;
}

class DetectionPostprocessTest : public DeviceTest {};

// The least device that OpenGL ES 3.1 allows, with work groups of 8, whose
// invocations have more candidates than a mask has bits.
TEST_F(DetectionPostprocessTest, OnTheLeastDevice) {
  for (const char* regular : {"false", "true"}) {
    for (int each : {1, 3}) {
      const std::string map = absl::StrCat(
          "max_detections=10,num_classes=3,use_regular_nms=", regular,
          ",max_classes_per_detection=", each);
      const SingleOpModel model = cases::ModelOf(absl::StrCat(
          kName, " x=[1,700,4]~i-60..60/20 s=[1,700,4]~i0..2047/2048 ",
          "a=[700,4]~i(40..215,40..215,26..128,26..128)/256 custom=(", kMap,
          ",", map, ") -> f32*4"));
      const CpuReference reference =
          MakeCpuReference(model, Precision::kFloat32);
      ASSERT_TRUE(reference.status.ok()) << reference.status;
      RunResult got = reference.expected;
      for (int i = 0; i < 4; ++i) {
        Graph graph = GraphOf(700, 4, 10 * each, map);
        graph.outputs = {graph.nodes[0].outputs[i]};
        auto values = RunGraph(
            std::move(graph), model.inputs, [](DeviceProfile& profile) {
              profile.limits = DeviceLimits();
              profile.limits.max_work_group_invocations = 8;
              profile.choices.storage = gl_shaders::Storage::kTexture2d;
              profile.choices.host_transfers = 0;
            });
        ASSERT_TRUE(values.ok()) << values.status();
        got.outputs[i].values = *std::move(values);
      }
      EXPECT_EQ(Compare(reference, got).difference, "");
    }
  }
}

// A box that ends before it begins makes TFLite's Invoke fail; here the others
// are found all the same.
TEST_F(DetectionPostprocessTest, ABoxThatEndsBeforeItBeginsIsNoError) {
  const SingleOpModel model = cases::ModelOf(
      absl::StrCat(kName,
                   " x=f32[1,3,4](0) s=f32[1,3,1](0.5,0.75,0.125) "
                   "a=f32[3,4](8,8,4,4,4,4,2,2,8,8,-4,4) custom=(",
                   kMap,
                   ",max_detections=10,max_classes_per_detection=1,"
                   "num_classes=1,use_regular_nms=false) -> f32*4"));
  EXPECT_FALSE(RunOnCpu(model).status.ok());
  const RunResult got = RunOnDelegate(model);
  ASSERT_TRUE(got.status.ok()) << got.status;
  EXPECT_EQ(got.outputs[3].values, std::vector<float>{2});
  EXPECT_EQ(got.outputs[2].values[0], 0.75f);
  EXPECT_EQ(got.outputs[2].values[1], 0.5f);
}

// More boxes than the bits of a work group are refused, with the numbers; also
// those of all classes together, whose product passes 31 bits.
TEST(DetectionPostprocessPlanTest, RefusesMoreBoxesThanAWorkGroupTakes) {
  const auto refusal = [](int anchors, int classes, const char* map) {
    Graph graph = GraphOf(anchors, classes, 10, map);
    DeviceProfile profile;
    Planner planner(&graph, profile);
    return PlanDetectionPostprocess(graph.nodes[0], &planner);
  };
  EXPECT_THAT(refusal(70000, 3,
                      "max_detections=10,max_classes_per_detection=1,"
                      "num_classes=3")
                  .message(),
              HasSubstr("selects among 70000 boxes; a work group of 128 "
                        "invocations takes 65536"));
  EXPECT_THAT(refusal(1024, 1 << 20,
                      "max_detections=1024,detections_per_class=1024,"
                      "max_classes_per_detection=1,num_classes=1048576,"
                      "use_regular_nms=true")
                  .message(),
              HasSubstr("selects among 1073741824 boxes"));
}

}  // namespace
}  // namespace gles_delegate::testing
