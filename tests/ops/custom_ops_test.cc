// labels: op llvmpipe softpipe
// The reference kernels of the custom ops that the library ships, against
// numbers worked out by hand, and the delegate against them, beside the rows of
// tools/cases.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/custom_params.h"
#include "delegate/ops/op_list.h"
#include "delegate/plan/planner.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/single_op.h"
#include "third_party/tflite_schema/schema_generated.h"
#include "tools/cases/model.h"
#include "tools/op_models/compare.h"

namespace gles_delegate::testing {
namespace {

void CheckBoth(const SingleOpModel& model) {
  for (Precision precision : kPrecisions) {
    EXPECT_THAT(RunOnDelegate(model, precision), MatchesCpu(model, precision));
  }
}

std::vector<float> CpuOutput(const SingleOpModel& model, int output = 0) {
  const RunResult result = RunOnCpu(model);
  EXPECT_TRUE(result.status.ok()) << result.status;
  if (!result.status.ok()) return {};
  return result.outputs[output].values;
}

class CustomOpsTest : public DeviceTest {};

// --- MaxPoolingWithArgmax2D, MaxUnpooling2D ---------------------------------

TEST_F(CustomOpsTest, TheFirstOfEqualMaximaCounts) {
  SingleOpModel model = cases::ModelOf(
      "MaxPoolingWithArgmax2D x=[1,2,2,3] custom=i32(1,2,2,2,2,0) -> f32 f32");
  model.inputs = {{5, 1, -2, 5, 2, -2, 5, 2, -1, 5, 1, -1}};
  EXPECT_THAT(CpuOutput(model, 0), ElementsAre(5, 2, -1));
  EXPECT_THAT(CpuOutput(model, 1),
              ElementsAre(FloatEq(0.1f), FloatEq(1.1f), FloatEq(2.1f)));
  CheckBoth(model);
}

TEST_F(CustomOpsTest, MaxUnpoolingPutsBackAndDropsStrays) {
  SingleOpModel model = cases::ModelOf(
      "MaxUnpooling2D x=[1,1,2,1] at=[1,1,2,1] custom=i32(1,2,2,2,2,0)");
  model.inputs = {{7, 8}, {2.1f, 9.1f}};  // 9 points outside its window
  EXPECT_THAT(CpuOutput(model), ElementsAre(0, 0, 0, 0, 7, 0, 0, 0));
  CheckBoth(model);
}

// --- Resampler --------------------------------------------------------------

TEST_F(CustomOpsTest, ResamplerAtTheEdges) {
  SingleOpModel model = cases::ModelOf("Resampler x=[1,1,2,1] warp=[1,1,6,2]");
  const float nan = std::nanf("");
  model.inputs = {{4, 8}, {0.25f, 0, -0.5f, 0, 1.5f, 0, -1, 0, 2, 0, nan, 0}};
  EXPECT_THAT(CpuOutput(model), ElementsAre(5, 2, 4, 0, 0, 0));
  CheckBoth(model);
}

// --- TransformTensorBilinear ------------------------------------------------

TEST_F(CustomOpsTest, TransformTensorShiftsAndCountsPixels) {
  SingleOpModel model = cases::ModelOf(
      "TransformTensorBilinear x=f32[1,1,3,1](2,4,8) "
      "matrix=f32[1,4,4](1,0,0,0.5,0,1,0,0,0,0,1,0,0,0,0,1) "
      "custom=(mode=bilinear,output_size=[1,3])");
  EXPECT_THAT(CpuOutput(model), ElementsAre(3, 6, 0));
  CheckBoth(model);
  // Twice as many pixels, counted by their middles: 0.5 * x - 0.25.
  model = cases::ModelOf(
      "TransformTensorBilinear@2 x=f32[1,1,3,1](2,4,8) "
      "matrix=f32[1,4,4](0.5,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1) "
      "custom=(output_height=1,output_width=6)");
  EXPECT_THAT(CpuOutput(model), ElementsAre(0, 2.5f, 3.5f, 5, 7, 0));
  CheckBoth(model);
}

// --- TransformLandmarks -----------------------------------------------------

TEST_F(CustomOpsTest, TransformLandmarks) {
  const SingleOpModel model = cases::ModelOf(
      "TransformLandmarks x=f32[1,1,1,6](4,8,5,0,0,6) matrix=f32[1,4,4]"
      "(0.5,0.25,9,0.75,-0.125,0.875,9,1.0625,0,0,1,0,0,0,0,1) "
      "custom=(dimensions=3,scale=2.0)");
  EXPECT_THAT(CpuOutput(model), ElementsAre(5.5f, 8.625f, 5, 1.5f, 2.125f, 6));
  CheckBoth(model);
}

// --- Landmarks2TransformMatrix ----------------------------------------------

// Two landmarks on one row, the right one on the left: turned by half a circle,
// or in version 1, which knows no direction, not at all.
TEST_F(CustomOpsTest, LandmarksToTransformMatrixByHand) {
  SingleOpModel model = cases::ModelOf(
      "Landmarks2TransformMatrix@2 x=f32[1,3,3](10,20,0,42,20,0,30,36,0) "
      "custom=(left_rotation_idx=1,right_rotation_idx=0,output_height=16,"
      "output_width=32,target_rotation_radians=0.0,scale_x=1.5,scale_y=2.0,"
      "subset_idxs=[0,1,2])");
  // Middle (26, 28), box 32 x 16, scales 1.5 * 32 / 32 and 2 * 16 / 16.
  EXPECT_THAT(CpuOutput(model),
              Pointwise(FloatNear(1e-4f),
                        std::vector<float>{-1.5f, 0, 0, 50, 0, -2, 0, 44, 0, 0,
                                           1, 0, 0, 0, 0, 1}));
  CheckBoth(model);
  model = cases::ModelOf(
      "Landmarks2TransformMatrix x=f32[1,1,1,9](10,20,0,42,20,0,30,36,0) "
      "custom=(left_rotation_idx=1,right_rotation_idx=0,input_hw=[64,48],"
      "output_hw=[16,32],dimensions=3,landmarks_range=64,"
      "bbox_size_multiplier=1.25,subset=[0,1,2])");
  // x: 23.5 * (40 / 64 * (2 x / 31 - 1) + 2 * 26 / 64 - 1) + 23.5, and so on.
  EXPECT_THAT(
      CpuOutput(model),
      Pointwise(FloatNear(1e-4f),
                std::vector<float>{
                    23.5f * 0.625f * 2 / 31, 0, 0, 23.5f * (-0.625f + 0.8125f),
                    0, 31.5f * 0.3125f * 2 / 15, 0, 31.5f * (-0.3125f + 0.875f),
                    0, 0, 1, 0, 0, 0, 0, 1}));
  CheckBoth(model);
}

// Any bytes at all are refused or read, never past their end.
TEST(CustomParamsTest, DamagedBytesAreRefusedOrRead) {
  const std::pair<int, const char*> kGood[] = {
      {1,
       "Landmarks2TransformMatrix x=[1,1,1,21] custom=(left_rotation_idx=1,"
       "right_rotation_idx=3,input_hw=[64,48],output_hw=[16,32],dimensions=3,"
       "landmarks_range=64,bbox_size_multiplier=1.25,subset=[0,2,4,5,1])"},
      {2,
       "Landmarks2TransformMatrix@2 x=[1,7,3] custom=(left_rotation_idx=1,"
       "right_rotation_idx=3,output_height=16,output_width=32,"
       "target_rotation_radians=0.5,scale_x=1.5,scale_y=2.0,"
       "subset_idxs=[0,2,4,5,1])"}};
  for (const auto& [version, text] : kGood) {
    const std::vector<uint8_t> bytes = cases::ModelOf(text).bytes;
    const auto* options = schema::GetModel(bytes.data())
                              ->subgraphs()
                              ->Get(0)
                              ->operators()
                              ->Get(0)
                              ->custom_options();
    const std::vector<uint8_t> good(options->begin(), options->end());
    for (size_t i = 0; i < good.size(); ++i) {
      for (int bit = 0; bit < 8; ++bit) {
        std::vector<uint8_t> bad = good;
        bad[i] ^= 1 << bit;
        (void)ReadLandmarksToMatrixParams(bad, version, 7);
        (void)ReadTransformTensorParams(bad, version);
        (void)ReadTransformLandmarksParams(bad, version);
      }
      const std::vector<uint8_t> cut(good.begin(), good.begin() + i);
      (void)ReadLandmarksToMatrixParams(cut, version, 7);
    }
  }
}

// --- The C API --------------------------------------------------------------

TEST(CustomOpsApiTest, GivesAndAddsEveryKernel) {
  size_t count = 0;
  const TfLiteGlesCustomOp* ops = TfLiteGlesDelegateCustomOps(&count);
  ASSERT_EQ(count, 10);
  for (size_t i = 0; i < count; ++i) {
    EXPECT_NE(ops[i].registration->invoke, nullptr) << ops[i].name;
    EXPECT_STREQ(ops[i].registration->custom_name, ops[i].name);
    if (i > 0) {
      EXPECT_LT(std::pair(std::string(ops[i - 1].name), ops[i - 1].version),
                std::pair(std::string(ops[i].name), ops[i].version));
    }
  }
  static std::vector<std::string>& added = *new std::vector<std::string>;
  TfLiteGlesDelegateRegisterCustomOps(
      nullptr, [](TfLiteInterpreterOptions*, const char* name,
                  const TfLiteRegistration*, int32_t min, int32_t max) {
        EXPECT_EQ(min, max);
        added.push_back(absl::StrCat(name, " ", min));
      });
  EXPECT_EQ(added.size(), count);
  EXPECT_EQ(added.front(), "Convolution2DTransposeBias 1");
}

// TFLite_Detection_PostProcess beside the rows of tools/cases/custom.txt: a box
// that TFLite takes for an error, plans for other devices than this one, and
// what the planner refuses.

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
