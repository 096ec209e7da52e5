// labels: op delegate llvmpipe softpipe
// Models of which a part stays on the CPU: which part, what is said about it,
// and that the outputs are right all the same.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tools/cases/model.h"

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
  auto interpreter = Applied(*model, delegate);
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

// How many of a case's nodes are delegated beside those on quantized values.
int DelegatedOf(const std::string& text) {
  const auto model = LoadCase(text);
  const DelegatePtr delegate = MakeDelegate([](auto& options) {
    AnyPartitions(options);
    options.quantized_compute = kTfLiteGlesQuantizedCpu;
  });
  auto interpreter = InterpreterOrDie(*model);
  EXPECT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok()) << text;
  return ReportOf(delegate)["nodes_delegated"];
}

// CONCATENATION is known at version 1, with quantization at 3, TFLite 2.9's own
// last.
TEST_F(DelegatePartialTest, AnOpOfANewerVersionStaysOnTheCpu) {
  const auto delegated = [](int version, int quantization) {
    const std::string text =
        absl::StrCat("CONCATENATION@", version, " x=[1,2,2,3] x axis=3");
    return ApplyAndCompare(cases::ModelOf(text).bytes, [&](auto& options) {
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
  EXPECT_EQ(DelegatedOf("SPLIT@3 axis=3 x=[1,2,2,4] num_splits=2"), 0);
  EXPECT_EQ(DelegatedOf("SPLIT@3 axis=3 x=i32[1,2,2,4] num_splits=2"), 1);
  EXPECT_EQ(DelegatedOf("SPLIT@3 axis=3 x=i32[1,2,2,4] num_splits=2 ; "
                        "SPLIT@3 b=3 y=[1,2,2,4] num_splits=2"),
            2);
}

// Versions that TFLite's converter gives float nodes past 1.
TEST_F(DelegatePartialTest, VersionsOfFloatNodes) {
  for (int version : {1, 2, 3}) {
    EXPECT_EQ(DelegatedOf(absl::StrCat("DEPTHWISE_CONV_2D@", version,
                                       " x=[1,6,6,2] w=const:[1,3,3,2] "
                                       "b=const:[2] depth_multiplier=1")),
              version <= 2 ? 1 : 0);
  }
  for (int version : {1, 4, 6, 7}) {
    EXPECT_EQ(DelegatedOf(absl::StrCat("FULLY_CONNECTED@", version,
                                       " x=[1,6] w=const:[3,6] b=-")),
              version <= 6 ? 1 : 0);
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
  auto interpreter = Applied(*model, delegate);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

TEST_F(DelegatePartialTest, TwoDelegatesShareAModel) {
  const auto model = LoadOrDie(ChainModel("canm"));
  const DelegatePtr first =
      MakeDelegate([](auto& options) { options.exclude_nodes = "2-3"; });
  const DelegatePtr second = MakeDelegate();
  auto interpreter = Applied(*model, first);
  ASSERT_TRUE(interpreter->ApplyDelegate(second.get()).ok());
  EXPECT_EQ(ReportOf(first)["nodes_delegated"], 2);
  EXPECT_EQ(ReportOf(second)["nodes_delegated"], 2);
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

// y = conv(x, w), z = y * w2: both weights float16 behind DEQUANTIZE.
// Nodes: 0, 1 DEQUANTIZE, 2 CONV_2D, 3 MUL by the first weights' tensor.
std::vector<uint8_t> HalfWeights() {
  return cases::ModelOf(
             "DEQUANTIZE@3 h=const:f16[3,1,1,3](-1,-0.75,-0.5,-0.25,0) -> "
             "w:f32 ; DEQUANTIZE@3 g=const:f16[3](1,2,3) -> b:f32 ; CONV_2D "
             "x=[1,4,4,3] w bias=const:f32[3](3,2,1) -> y:f32 ; MUL y b -> f32")
      .bytes;
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
  const Outcome outcome = ApplyAndCompare(
      cases::ModelOf("DEQUANTIZE@3 h=const:f16[3](1,-2,3) -> w:f32 ; MUL "
                     "x=[1,4,4,3] w -> y:f32 ; ADD y w -> f32")
          .bytes,
      [](auto& options) { options.exclude_nodes = "2"; });
  EXPECT_GE(outcome.report["nodes_delegated"], 1) << outcome.report;
}

// TFLite puts every DEQUANTIZE into the first partition. Where the second stays
// on the CPU, its weights still have to get there.
TEST_F(DelegatePartialTest, HalfWeightsOfAPartitionThatIsLeft) {
  const Outcome outcome = ApplyAndCompare(
      cases::ModelOf(
          "DEQUANTIZE@3 h=const:f16[3](1,-2,3) -> w:f32 ; DEQUANTIZE@3 "
          "g=const:f16[3](1,-2,3) -> v:f32 ; MUL x=[1,4,4,3] w -> a:f32 ; "
          "MATRIX_SET_DIAG a d=const:f32[1,4,3](4) -> b:f32 ; MUL b v -> "
          "c:f32 ; MATRIX_SET_DIAG c d -> f32")
          .bytes);
  EXPECT_EQ(outcome.report["partitions"], 1);
  EXPECT_EQ(outcome.report["nodes_delegated"], 3) << outcome.report;
}

// Which partitions are delegated by default: those that pay for their way to
// the GPU and back.

// A convolution, an op that the CPU keeps, another convolution, another such
// op, and a slice: nodes 0 to 4.
std::vector<uint8_t> TwoConvolutionsAndASlice(int extent, int channels) {
  return cases::ModelOf(absl::StrReplaceAll(
                            "CONV_2D x=[1,{e},{e},{c}] w=const:[{c},3,3,{c}] "
                            "b=const:[{c}] -> p ; NEG p -> q ; CONV_2D q "
                            "v=const:[{c},3,3,{c}] d=const:[{c}] -> r ; NEG r "
                            "-> s ; SLICE "
                            "s begin=(0,0,0,0) size=(1,1,1,1)",
                            {{"{e}", absl::StrCat(extent)},
                             {"{c}", absl::StrCat(channels)}}))
      .bytes;
}

using PartitionWorthTest = DeviceTest;

// By default a partition is delegated if it pays for its way.
TEST_F(PartitionWorthTest, ByDefaultPartitionsThatPayAreDelegated) {
  const auto apply = [](int extent, int channels) {
    const auto model = LoadOrDie(TwoConvolutionsAndASlice(extent, channels));
    const DelegatePtr delegate = MakeDelegate([](auto& options) {
      options.max_delegated_partitions = -1;
      options.exclude_nodes = "1,3";
    });
    const auto interpreter = Applied(*model, delegate);
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
    return ReportOf(delegate);
  };
  const nlohmann::json large = apply(24, 48);
  EXPECT_EQ(large["partitions"], 2) << large;
  EXPECT_EQ(large["nodes_delegated"], 2) << large;
  for (const auto& partition : large["partition"]) {
    EXPECT_GT(partition["estimate"]["cpu_us"],
              partition["estimate"]["crossing_us"]);
  }
  EXPECT_THAT(large["cpu"].dump(), HasSubstr("does not pay"));
  const nlohmann::json small = apply(4, 4);
  EXPECT_EQ(small["partitions"], 0) << small;
}

// However small, a model that runs as a whole has no crossings to save.
TEST_F(PartitionWorthTest, AWholeModelIsAlwaysDelegated) {
  const auto model = LoadOrDie(TwoConvolutionsAndASlice(4, 4));
  const DelegatePtr delegate =
      MakeDelegate([](auto& o) { o.max_delegated_partitions = -1; });
  const auto interpreter = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 5);
}

}  // namespace

}  // namespace gles_delegate::testing
