// labels: op llvmpipe softpipe
// Cases of single ops that the rows of tools/cases cannot say: STRIDED_SLICE of
// version 8, which TFLite 2.9 does not have, and those below.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/reduction/reduction.h"
#include "quant/half.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/parse_node.h"
#include "tests/testing/precision_test.h"
#include "tests/testing/run_graph.h"
#include "tests/testing/run_node.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/single_op.h"
#include "tests/testing/special_floats.h"
#include "tests/testing/stateful.h"
#include "tools/cases/model.h"
#include "tools/cases/rows.h"

namespace gles_delegate::testing {
namespace {

class SliceTest : public DeviceTest {};

// The end as a length: version 8, which TFLite 2.9 does not have. Beside the
// slice that its kernel takes with the end counted from the front.
TEST_F(SliceTest, EndAsAnOffset) {
  const SingleOpModel model = cases::ModelOf(
      "STRIDED_SLICE x=[4,7,6] begin=(1,-5,4) end=(3,6,0) strides=(1,2,-1)");
  const RunResult cpu = RunOnCpu(model);
  ASSERT_TRUE(cpu.status.ok()) << cpu.status;
  StridedSliceParams params = {};
  params.offset = true;
  const Tensor input = FakeTensor({4, 7, 6});
  const Tensor begin = FakeInts({1, -5, 4});
  const Tensor end = FakeInts({2, 4, -4});
  const Tensor strides = FakeInts({1, 2, -1});
  const Tensor output = FakeTensor(cpu.outputs[0].shape);
  NodeView node;
  node.version = 8;
  node.builtin_params = &params;
  node.inputs = {&input, &begin, &end, &strides};
  node.outputs = {&output};
  auto parsed = Parsed(ParseStridedSlice, node);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const NodeRun run = RunNode("STRIDED_SLICE", *std::move(parsed), {{4, 7, 6}},
                              output.dims, model.inputs, [](DeviceProfile&) {});
  EXPECT_THAT(run.result, MatchesCpu(model));
  // Past the input's end there is nothing, whatever the output's shape says.
  const Tensor too_long = FakeInts({4, 4, -4});
  const Tensor longer = FakeTensor({4, 2, 4});
  node.inputs[2] = &too_long;
  node.outputs = {&longer};
  EXPECT_THAT(Parsed(ParseStridedSlice, node).status().message(),
              HasSubstr("its inputs and attributes give 3x2x4"));
}

// CONCATENATION with a fused activation; other cases are rows of
// tools/cases/movement.txt.

class ConcatenationTest : public DeviceTest {};

// TFLite's own kernel refuses one, though its format has it: each dispatch of
// the several must apply it.
TEST_F(ConcatenationTest, FusedActivation) {
  for (int axis : {1, 3}) {
    const SingleOpModel model =
        cases::ModelOf(absl::StrCat("CONCATENATION x=[1,3,4,5]*2 axis=", axis));
    TensorValue expected = RunOnCpu(model).outputs[0];
    for (float& v : expected.values) v = std::min(std::max(v, 0.0f), 6.0f);
    const NodeRun run = RunNode(
        "CONCATENATION",
        ParsedNode{ConcatenationAttributes{axis}, *FusedActivation(kActRelu6)},
        {{1, 3, 4, 5}, {1, 3, 4, 5}}, expected.shape, model.inputs,
        [](DeviceProfile&) {});
    ASSERT_TRUE(run.result.status.ok()) << run.result.status;
    EXPECT_EQ(run.result.outputs[0].values, expected.values);
  }
}

// SVDF over several invokes and a reset, beside the rows of tools/cases.

class SvdfTest : public StatefulTest {};

TEST_P(SvdfTest, KeepsItsState) {
  Check(cases::ModelOf("SVDF x=[3,5] feature=const:[6,5] time=const:[6,4] "
                       "bias=const:[3] state=state:[3,24] rank=2")
            .bytes);
}

GLES_AT_EACH_PRECISION(SvdfTest);

// ARG_MAX and ARG_MIN of a NaN in front, beside the rows of tools/cases.

class ArgExtremeTest : public DeviceTest {};

// A number always replaces a NaN, as in TFLite's newest kernel. 2.9's keeps a
// NaN in front, whatever follows, so it is no oracle here: it gives 0 for each
// of these lines.
TEST_F(ArgExtremeTest, ANumberReplacesANanInFront) {
  for (const bool max : {false, true}) {
    SingleOpModel model = cases::ModelOf(
        absl::StrCat(max ? "ARG_MAX" : "ARG_MIN",
                     " x=[6,4] axis=1 output_type=INT32 -> i32"));
    model.inputs[0] = {NAN, 7,    NAN,   NAN,  //
                       NAN, NAN,  5,     6,    //
                       NAN, NAN,  -kInf, NAN,  //
                       NAN, kInf, NAN,   NAN,  //
                       NAN, NAN,  NAN,   NAN,  // none: the first
                       NAN, 1,    NAN,   3};
    const std::vector<int32_t> want = {1, max ? 3 : 2, 2, 1, 0, max ? 3 : 1};
    for (TfLiteGlesStorage storage :
         {kTfLiteGlesStorageTextureArray, kTfLiteGlesStorageBuffer}) {
      RunOptions options;
      options.storage = storage;
      const RunResult got = RunOnDelegate(model, options);
      ASSERT_TRUE(got.status.ok()) << got.status;
      EXPECT_EQ(got.outputs[0].ints, want);
    }
  }
}

// AVERAGE_POOL_2D and MAX_POOL_2D as a GPU plans them, against TFLite's own
// kernels: work groups share windows, width first where they are large or
// overlap.

using ::testing::HasSubstr;

class SharedPoolTest : public DeviceTestWithParam<bool> {
 protected:
  // Checks the result of what `options` and `attributes` say; gives how many
  // dispatches it took.
  size_t Check(const Shape& input, const PoolAttributes& attributes,
               const std::string& options) {
    const char* op = GetParam() ? "MAX_POOL_2D" : "AVERAGE_POOL_2D";
    const SingleOpModel model = cases::ModelOf(absl::StrCat(
        op, " x=[", absl::StrJoin(input, ","), "] filter=(",
        attributes.window_h, ",", attributes.window_w, ") ", options));
    const Shape output = RunOnCpu(model).outputs[0].shape;
    const NodeRun run = RunNode(
        op, ParsedNode{attributes, {}}, {input}, output, model.inputs,
        [](DeviceProfile& profile) { profile.choices.work_group_size = 64; });
    EXPECT_THAT(run.result, MatchesCpu(model));
    for (const Dispatch& d : run.dispatches) {
      EXPECT_THAT(d.ToString(), HasSubstr("THREADS="));
      EXPECT_GE(d.work_group[0], 8) << d.ToString();
    }
    return run.dispatches.size();
  }

  // The same for one window that is the whole input.
  size_t CheckWholeInput(const Shape& input) {
    PoolAttributes attributes;
    attributes.stride_h = attributes.stride_w = 2;
    attributes.window_h = input[1];
    attributes.window_w = input[2];
    return Check(input, attributes, "stride=2 padding=VALID");
  }
};

TEST_P(SharedPoolTest, OneDispatchForAMediumWindow) {
  EXPECT_EQ(CheckWholeInput({2, 17, 19, 5}), 1u);
}

TEST_P(SharedPoolTest, WidthFirstForALargeWindow) {
  EXPECT_EQ(CheckWholeInput({1, 97, 101, 3}), 2u);
}

TEST_P(SharedPoolTest, WidthFirstForOverlappingWindows) {
  PoolAttributes attributes;
  attributes.stride_w = 2;
  attributes.pad_top = 17;
  attributes.pad_left = 18;
  attributes.window_h = 35;
  attributes.window_w = 37;
  EXPECT_EQ(Check({1, 40, 45, 3}, attributes, "stride=(1,2)"), 2u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SharedPoolTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Max" : "Average";
                         });

// BATCH_MATMUL of the rows of tools/cases in each way that the tuning table may
// ask for, against TFLite's own kernel.

class BatchMatMulTest : public PrecisionTest {};

// Each row by itself; small tiles in shared memory; large ones.
TEST_P(BatchMatMulTest, EveryWay) {
  for (const cases::Row& row : cases::AllRows()) {
    if (row.op != "BATCH_MATMUL" || !row.refusals.empty()) continue;
    for (const std::string& text : row.cases) {
      const SingleOpModel model = cases::ModelOf(text);
      for (const char* target : {"0", "1000000", "1"}) {
        SCOPED_TRACE(absl::StrCat("split_k_target=", target, " ", text));
        const ScopedEnvironment tuning("GLES_DELEGATE_TUNING",
                                       absl::StrCat("split_k_target=", target));
        Check(model);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Precisions, BatchMatMulTest,
                         ::testing::Values(Precision::kFloat32,
                                           Precision::kFloat16,
                                           Precision::kFloat16Arithmetic),
                         [](const auto& info) {
                           return PrecisionName(info.param);
                         });

// The shaders' workarounds for faulty drivers, on a driver without the fault:
// the answers are the same.

class DriverFaultsTest : public DeviceTest {};

// Every 16-bit float, subnormal, infinite and NaN ones too, times 1.
TEST_F(DriverFaultsTest, HalvesThatTheDriverCannotUnpack) {
  std::vector<float> halves;
  for (int code = 0; code < 65536; ++code) {
    halves.push_back(HalfToFloat(static_cast<uint16_t>(code)));
  }
  for (bool fails : {false, true}) {
    SCOPED_TRACE(fails ? "by bits" : "by unpackHalf2x16");
    Graph graph;
    Node node;
    node.attributes = DepthwiseConv2dAttributes();
    node.inputs = {AddTensor(&graph, {1, 128, 128, 4}),
                   AddConstant(&graph, {1, 1, 1, 4}, {1, 1, 1, 1})};
    node.outputs = {AddTensor(&graph, {1, 128, 128, 4})};
    const auto got =
        RunGraphOf("DEPTHWISE_CONV_2D", std::move(node), std::move(graph),
                   {halves}, [fails](DeviceProfile& profile) {
                     profile.options.half = true;
                     profile.choices.storage = gl_shaders::Storage::kBuffer;
                     profile.faults.unpack_half_fails = fails;
                   });
    ASSERT_TRUE(got.ok()) << got.status();
    for (size_t i = 0; i < halves.size(); ++i) {
      if (std::isnan(halves[i])) {
        ASSERT_TRUE(std::isnan((*got)[i])) << i << " becomes " << (*got)[i];
      } else {
        ASSERT_EQ((*got)[i], halves[i]) << i;
      }
    }
  }
}

}  // namespace

}  // namespace gles_delegate::testing
