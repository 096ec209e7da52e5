// labels: op delegate llvmpipe softpipe
// Models of which a part stays on the CPU: which part, what is said about it,
// and that the outputs are right all the same.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Configure = std::function<void(TfLiteGlesDelegateOptions&)>;

void AnyPartitions(TfLiteGlesDelegateOptions& options) {
  options.max_delegated_partitions = 0;
}

// The lines that the delegate wrote of the model, not TFLite; what it says of a
// software renderer is delegate_context_test's.
std::vector<std::string> OurLines(const Interpreter& interpreter) {
  std::vector<std::string> ours;
  for (const std::string& line : interpreter.log()) {
    if (absl::StrContains(line, "software rendering: ")) continue;
    if (absl::StrContains(line, "TfLiteGlesDelegate: ") ||
        absl::StrContains(line, "stays on the CPU")) {
      ours.push_back(line);
    }
  }
  return ours;
}

struct Outcome {
  nlohmann::json report;
  std::vector<std::string> lines;
};

// Applies a delegate to the model, and compares two runs with the CPU's.
Outcome ApplyAndCompare(std::vector<uint8_t> bytes,
                        const Configure& configure = {}) {
  const auto model = LoadOrDie(std::move(bytes));
  const DelegatePtr delegate = MakeDelegate(configure);
  auto interpreter = InterpreterOrDie(*model);
  const absl::Status applied = interpreter->ApplyDelegate(delegate.get());
  EXPECT_TRUE(applied.ok()) << applied;
  for (int round : {0, 1}) {
    ExpectClose(RunOnce(interpreter.get(), round), CpuResult(*model, round));
  }
  return {ReportOf(delegate), OurLines(*interpreter)};
}

class DelegatePartialTest : public DeviceTest {};

TEST_F(DelegatePartialTest, AnUnknownOpInTheMiddleMakesTwoPartitions) {
  const Outcome outcome = ApplyAndCompare(ChainModel("carn"), AnyPartitions);
  EXPECT_EQ(outcome.report["nodes_total"], 4);
  EXPECT_EQ(outcome.report["nodes_delegated"], 3);
  EXPECT_EQ(outcome.report["partitions"], 2);
}

TEST_F(DelegatePartialTest, TheLimitKeepsTheLargestPartition) {
  for (const char* letters : {"carn", "nrca"}) {
    const Outcome outcome = ApplyAndCompare(ChainModel(letters));
    EXPECT_EQ(outcome.report["partitions"], 1) << letters;
    EXPECT_EQ(outcome.report["nodes_delegated"], 2) << letters;
    ASSERT_THAT(outcome.report["partition"], SizeIs(1));
    EXPECT_EQ(outcome.report["partition"][0]["nodes"], 2);
  }
}

TEST_F(DelegatePartialTest, ALimitOfTwoKeepsTheTwoLargest) {
  const Outcome outcome = ApplyAndCompare(
      ChainModel("carnrcam"),
      [](auto& options) { options.max_delegated_partitions = 2; });
  EXPECT_EQ(outcome.report["partitions"], 2);
  EXPECT_EQ(outcome.report["nodes_delegated"], 5);
}

// Nodes that only the limit keeps on the CPU are told of like any other.
TEST_F(DelegatePartialTest, WhatTheLimitLeavesIsSaid) {
  const Outcome limited = ApplyAndCompare(ChainModel("carn"));
  EXPECT_THAT(limited.lines,
              Contains(AllOf(HasSubstr("(node 3)"),
                             HasSubstr("max_delegated_partitions=1"))));
  EXPECT_EQ(limited.report["cpu"].size(), 2u) << limited.report["cpu"];
}

TEST_F(DelegatePartialTest, NothingDelegatedIsNoError) {
  const Outcome outcome = ApplyAndCompare(
      ChainModel("carn"), [](auto& options) { options.exclude_nodes = "0-3"; });
  EXPECT_EQ(outcome.report["partitions"], 0);
  EXPECT_EQ(outcome.report["nodes_delegated"], 0);
  EXPECT_EQ(ApplyAndCompare(ChainModel("r")).report["partitions"], 0);
}

TEST_F(DelegatePartialTest, ExcludedNodesStayOnTheCpu) {
  const Outcome outcome =
      ApplyAndCompare(ChainModel("camnc"), [](auto& options) {
        options.max_delegated_partitions = 0;
        options.exclude_nodes = "1,3-9";
      });
  EXPECT_EQ(outcome.report["partitions"], 2);
  EXPECT_EQ(outcome.report["nodes_delegated"], 2);
  std::vector<int> excluded;
  for (const auto& entry : outcome.report["cpu"]) {
    EXPECT_THAT(entry["reason"], HasSubstr("exclude_nodes"));
    for (int node : entry["nodes"]) excluded.push_back(node);
  }
  std::sort(excluded.begin(), excluded.end());
  EXPECT_THAT(excluded, ElementsAre(1, 3, 4));
}

TEST_F(DelegatePartialTest, AWarningNamesOpNodesReasonAndShapes) {
  const Outcome outcome = ApplyAndCompare(ChainModel("rcr"));
  ASSERT_THAT(outcome.lines, SizeIs(1));  // two nodes, one reason
  EXPECT_EQ(outcome.lines[0],
            "WARNING: TfLiteGlesDelegate: L2_POOL_2D stays on the CPU "
            "(nodes 0, 2): the op has no GPU version ['x' float32[1,6,5,5] -> "
            "'t0' float32[1,6,5,5]]");
}

TEST_F(DelegatePartialTest, ManyNodesOfOneReasonAreOneLine) {
  const Outcome outcome = ApplyAndCompare(ChainModel("rrrrrrrrrrrrc"));
  ASSERT_THAT(outcome.lines, SizeIs(1));
  EXPECT_THAT(outcome.lines[0],
              HasSubstr("(12 nodes: 0, 1, 2, 3, 4, 5, 6, 7, ...)"));
  EXPECT_THAT(outcome.report["cpu"][0]["nodes"], SizeIs(12));
}

TEST_F(DelegatePartialTest, VerbosityChoosesWhatIsSaid) {
  for (int verbosity : {0, 1, 2}) {
    const Outcome outcome =
        ApplyAndCompare(ChainModel("cr"),
                        [&](auto& options) { options.verbosity = verbosity; });
    const auto says = [](const char* text) {
      return Contains(HasSubstr(text));
    };
    if (verbosity == 0) {
      EXPECT_THAT(outcome.lines, IsEmpty());
      continue;
    }
    EXPECT_THAT(outcome.lines, says("L2_POOL_2D stays on the CPU"));
    if (verbosity == 1) {
      EXPECT_THAT(outcome.lines, Not(says("running on")));
      continue;
    }
    EXPECT_THAT(outcome.lines, says("running on"));
    EXPECT_THAT(outcome.lines, says("1 of 2 nodes"));
  }
}

TEST_F(DelegatePartialTest, TheReportSaysWhatRanWhereAndWhy) {
  const Outcome outcome = ApplyAndCompare(ChainModel("carn"), AnyPartitions);
  const nlohmann::json& report = outcome.report;
  EXPECT_EQ(report["renderer"], TestContext()->device().renderer);
  EXPECT_EQ(report["limits"]["compute_shared_memory_size"],
            TestContext()->device().max_shared_memory_bytes);
  EXPECT_GE(report["limits"]["compute_work_group_invocations"], 128);
  EXPECT_FALSE(report["driver"].get<std::string>().empty());
  EXPECT_EQ(report["context"], "own");
  EXPECT_EQ(report["precision"], "float32");
  ASSERT_THAT(report["partition"], SizeIs(2));
  for (const auto& partition : report["partition"]) {
    // The op itself; if the host does not, also an upload and a readback.
    EXPECT_GE(partition["dispatches"], 1);
    EXPECT_GT(partition["tensor_bytes"], 0);
    EXPECT_GE(partition["tensor_bytes_unshared"], partition["tensor_bytes"]);
  }
  EXPECT_GT(report["partition"][0]["constant_bytes"], 0);  // the filter
  ASSERT_THAT(report["cpu"], SizeIs(1));
  EXPECT_EQ(report["cpu"][0]["op"], "L2_POOL_2D");
  EXPECT_EQ(report["cpu"][0]["nodes"], nlohmann::json::array({2}));
  EXPECT_THAT(report["cpu"][0]["tensors"], HasSubstr("float32[1,6,5,5]"));
}

TEST_F(DelegatePartialTest, TheReportBeforeApplyingIsEmpty) {
  const DelegatePtr delegate = MakeDelegate();
  const nlohmann::json report = ReportOf(delegate);
  EXPECT_EQ(report["nodes_total"], 0);
  EXPECT_EQ(report["partitions"], 0);
  EXPECT_EQ(report["renderer"], "");
}

std::vector<uint8_t> ConcatenationOfVersion(int version) {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1, 2, 2, 3});
  const int y = builder.AddTensor("y", {1, 2, 2, 6});
  schema::ConcatenationOptionsT options;
  options.axis = 3;
  builder.AddOp(Op::CONCATENATION, version, {x, x}, {y}, options);
  builder.SetOutputs({y});
  return builder.Finish();
}

// CONCATENATION is known at version 1, with quantization at 3, TFLite 2.9's own
// last.
TEST_F(DelegatePartialTest, AnOpOfANewerVersionStaysOnTheCpu) {
  const auto delegated = [](int version, int quantization) {
    return ApplyAndCompare(ConcatenationOfVersion(version), [&](auto& options) {
      if (quantization == 0) {
        options.quantized_compute = kTfLiteGlesQuantizedCpu;
      }
    });
  };
  EXPECT_EQ(delegated(1, 0).report["nodes_delegated"], 1);
  EXPECT_EQ(delegated(2, 1).report["nodes_delegated"], 1);
  EXPECT_EQ(delegated(3, 1).report["nodes_delegated"], 1);
  for (const Outcome& outcome : {delegated(2, 0), delegated(3, 0)}) {
    EXPECT_EQ(outcome.report["nodes_delegated"], 0);
    EXPECT_THAT(outcome.lines,
                ElementsAre(AllOf(HasSubstr("CONCATENATION"),
                                  HasSubstr("newer than version"))));
  }
}

// SPLIT is version 3 of int32, 1 of floats; a file gives an op one version, the
// highest that any of its nodes needs.
TEST_F(DelegatePartialTest, VersionsOfIntegersAreForThemAndTheirNeighbours) {
  const auto delegated = [](std::vector<TensorType> types) {
    ModelBuilder builder;
    std::vector<int> outputs;
    for (TensorType type : types) {
      const int axis =
          builder.AddConstant<int32_t>("axis", {}, std::vector<int32_t>{3});
      const int x = builder.AddInput("x", {1, 2, 2, 4}, type);
      schema::SplitOptionsT options;
      options.num_splits = 2;
      const int a = builder.AddTensor("a", {1, 2, 2, 2}, type);
      const int b = builder.AddTensor("b", {1, 2, 2, 2}, type);
      builder.AddOp(Op::SPLIT, 3, {axis, x}, {a, b}, options);
      outputs.insert(outputs.end(), {a, b});
    }
    builder.SetOutputs(outputs);
    const auto model = LoadOrDie(builder.Finish());
    const DelegatePtr delegate = MakeDelegate([](auto& options) {
      AnyPartitions(options);
      options.quantized_compute = kTfLiteGlesQuantizedCpu;
    });
    auto interpreter = InterpreterOrDie(*model);
    EXPECT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
    return ReportOf(delegate)["nodes_delegated"].get<int>();
  };
  using Type = TensorType;
  EXPECT_EQ(delegated({Type::FLOAT32}), 0);
  EXPECT_EQ(delegated({Type::INT32}), 1);
  EXPECT_EQ(delegated({Type::INT32, Type::FLOAT32}), 2);
}

// Versions that TFLite's converter gives float nodes past 1.
TEST_F(DelegatePartialTest, VersionsOfFloatNodes) {
  const auto delegated = [](int version,
                            std::function<int(ModelBuilder&)> build) {
    ModelBuilder builder;
    builder.SetOutputs({build(builder)});
    builder.model().operator_codes[0]->version = version;
    const auto model = LoadOrDie(builder.Finish());
    const DelegatePtr delegate = MakeDelegate([](auto& options) {
      options.quantized_compute = kTfLiteGlesQuantizedCpu;
    });
    auto interpreter = InterpreterOrDie(*model);
    EXPECT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok()) << version;
    return ReportOf(delegate)["nodes_delegated"] == 1;
  };
  const auto depthwise = [](ModelBuilder& b) {
    const int x = b.AddInput("x", {1, 6, 6, 2});
    const int w =
        b.AddConstant<float>("w", {1, 3, 3, 2}, std::vector<float>(18));
    const int bias = b.AddConstant<float>("b", {2}, std::vector<float>(2));
    const int y = b.AddTensor("y", {1, 6, 6, 2});
    schema::DepthwiseConv2DOptionsT options;
    options.stride_w = options.stride_h = options.depth_multiplier = 1;
    b.AddOp(Op::DEPTHWISE_CONV_2D, 1, {x, w, bias}, {y}, options);
    return y;
  };
  for (int version : {1, 2, 3}) {
    EXPECT_EQ(delegated(version, depthwise), version <= 2);
  }
  const auto dense = [](ModelBuilder& b) {
    const int x = b.AddInput("x", {1, 6});
    const int w = b.AddConstant<float>("w", {3, 6}, std::vector<float>(18));
    const int y = b.AddTensor("y", {1, 3});
    b.AddOp(Op::FULLY_CONNECTED, 1, {x, w, -1}, {y},
            schema::FullyConnectedOptionsT());
    return y;
  };
  for (int version : {1, 4, 6, 7}) {
    EXPECT_EQ(delegated(version, dense), version <= 6);
  }
}

TEST_F(DelegatePartialTest, OneDelegateServesSeveralInterpretersAndModels) {
  const DelegatePtr delegate = MakeDelegate();
  std::vector<std::unique_ptr<Model>> models;
  std::vector<std::unique_ptr<Interpreter>> interpreters;
  for (const char* letters : {"can", "can", "mmc", "nrc"}) {
    models.push_back(LoadOrDie(ChainModel(letters)));
    interpreters.push_back(InterpreterOrDie(*models.back()));
    const absl::Status applied =
        interpreters.back()->ApplyDelegate(delegate.get());
    ASSERT_TRUE(applied.ok()) << applied;
    EXPECT_EQ(ReportOf(delegate)["partitions"], 1);
  }
  for (int round : {0, 1}) {
    for (size_t i = 0; i < models.size(); ++i) {
      ExpectClose(RunOnce(interpreters[i].get(), round),
                  CpuResult(*models[i], round));
    }
  }
  // The others go on where one goes.
  interpreters[0].reset();
  interpreters[2].reset();
  ExpectClose(RunOnce(interpreters[1].get(), 2), CpuResult(*models[1], 2));
  ExpectClose(RunOnce(interpreters[3].get(), 2), CpuResult(*models[3], 2));
}

TEST_F(DelegatePartialTest, ADelegateAppliedAgainFindsNothingToDo) {
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

TEST_F(DelegatePartialTest, TwoDelegatesShareAModel) {
  const auto model = LoadOrDie(ChainModel("canm"));
  const DelegatePtr first =
      MakeDelegate([](auto& options) { options.exclude_nodes = "2-3"; });
  const DelegatePtr second = MakeDelegate();
  auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(first.get()).ok());
  ASSERT_TRUE(interpreter->ApplyDelegate(second.get()).ok());
  EXPECT_EQ(ReportOf(first)["nodes_delegated"], 2);
  EXPECT_EQ(ReportOf(second)["nodes_delegated"], 2);
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

// y = conv(x, w), z = y * w2: both weights float16 behind DEQUANTIZE.
// Nodes: 0, 1 DEQUANTIZE, 2 CONV_2D, 3 MUL by the first weights' tensor.
std::vector<uint8_t> HalfWeights() {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1, 4, 4, 3});
  std::vector<float> values(9);
  for (int i = 0; i < 9; ++i) values[i] = 0.25f * i - 1;  // exact in half
  const int half = builder.AddHalfConstant("w_half", {3, 1, 1, 3}, values);
  const int w = builder.AddTensor("w", {3, 1, 1, 3});
  builder.AddOp(Op::DEQUANTIZE, 3, {half}, {w});
  const int half2 = builder.AddHalfConstant("b_half", {3}, {1, 2, 3});
  const int b = builder.AddTensor("b", {3});
  builder.AddOp(Op::DEQUANTIZE, 3, {half2}, {b});
  const int bias =
      builder.AddConstant<float>("bias", {3}, std::vector<float>{3, 2, 1});
  const int y = builder.AddTensor("y", {1, 4, 4, 3});
  schema::Conv2DOptionsT conv;
  conv.stride_w = conv.stride_h = 1;
  builder.AddOp(Op::CONV_2D, 1, {x, w, bias}, {y}, conv);
  const int z = builder.AddTensor("z", {1, 4, 4, 3});
  builder.AddOp(Op::MUL, 1, {y, b}, {z}, schema::MulOptionsT());
  builder.SetOutputs({z});
  return builder.Finish();
}

TEST_F(DelegatePartialTest, HalfWeightsOfAGpuOpAreFolded) {
  const Outcome outcome = ApplyAndCompare(HalfWeights());
  EXPECT_EQ(outcome.report["nodes_delegated"], 4);
  EXPECT_EQ(outcome.report["partitions"], 1);
}

// The CPU needs those weights itself: its DEQUANTIZE stays with it.
TEST_F(DelegatePartialTest, HalfWeightsOfACpuOpStayOnTheCpu) {
  for (const char* excluded : {"2", "3"}) {
    const Outcome outcome = ApplyAndCompare(HalfWeights(), [&](auto& options) {
      options.exclude_nodes = excluded;
    });
    EXPECT_EQ(outcome.report["nodes_delegated"], 2) << outcome.report;
    EXPECT_EQ(outcome.report["partitions"], 1) << outcome.report;
  }
}

// One DEQUANTIZE that both a GPU op and a CPU op read.
TEST_F(DelegatePartialTest, HalfWeightsOfBothSides) {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1, 4, 4, 3});
  const int half = builder.AddHalfConstant("h", {3}, {1, -2, 3});
  const int w = builder.AddTensor("w", {3});
  builder.AddOp(Op::DEQUANTIZE, 3, {half}, {w});
  const int y = builder.AddTensor("y", {1, 4, 4, 3});
  const int z = builder.AddTensor("z", {1, 4, 4, 3});
  builder.AddOp(Op::MUL, 1, {x, w}, {y}, schema::MulOptionsT());
  builder.AddOp(Op::ADD, 1, {y, w}, {z}, schema::AddOptionsT());
  builder.SetOutputs({z});
  const Outcome outcome = ApplyAndCompare(
      builder.Finish(), [](auto& options) { options.exclude_nodes = "2"; });
  EXPECT_GE(outcome.report["nodes_delegated"], 1) << outcome.report;
}

// TFLite puts every DEQUANTIZE into the first partition. Where the second stays
// on the CPU, its weights still have to get there.
TEST_F(DelegatePartialTest, HalfWeightsOfAPartitionThatIsLeft) {
  ModelBuilder builder;
  const Shape shape = {1, 4, 4, 3};
  int tensor = builder.AddInput("x", shape);
  int weights[2];
  for (int i : {0, 1}) {
    const int half = builder.AddHalfConstant("half", {3}, {1, -2, 3});
    weights[i] = builder.AddTensor("w", {3});
    builder.AddOp(Op::DEQUANTIZE, 3, {half}, {weights[i]});
  }
  const int diagonal = builder.AddConstant<float>("diagonal", {1, 4, 3},
                                                  std::vector<float>(12, 4));
  for (int i : {0, 1}) {
    const int product = builder.AddTensor("product", shape);
    builder.AddOp(Op::MUL, 1, {tensor, weights[i]}, {product},
                  schema::MulOptionsT());
    tensor = builder.AddTensor("updated", shape);
    builder.AddOp(Op::MATRIX_SET_DIAG, 1, {product, diagonal}, {tensor},
                  schema::MatrixSetDiagOptionsT());
  }
  builder.SetOutputs({tensor});
  const Outcome outcome = ApplyAndCompare(builder.Finish());
  EXPECT_EQ(outcome.report["partitions"], 1);
  EXPECT_EQ(outcome.report["nodes_delegated"], 3) << outcome.report;
}

}  // namespace
}  // namespace gles_delegate::testing
