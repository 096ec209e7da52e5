// labels: tools loader llvmpipe
// The programs as users call them: exit statuses, reports, messages.
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "nlohmann/json.hpp"
#include "tests/testing/command.h"
#include "tests/testing/device.h"
#include "tests/testing/scratch_directory.h"
#include "tools/cases/model.h"
#include "tools/common/model_builder.h"

namespace gles_delegate {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAreArray;

namespace fs = std::filesystem;

// A convolution from "x" to "y" whose weights halves cannot hold.
std::vector<uint8_t> ConvModel() {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1, 8, 8, 3});
  std::vector<float> weights;
  for (int i = 0; i < 4 * 3 * 3 * 3; ++i) {
    weights.push_back(0.1f + 0.001f * static_cast<float>(i));
  }
  const int w = builder.AddConstant<float>("w", {4, 3, 3, 3}, weights);
  const int b =
      builder.AddConstant<float>("b", {4}, std::vector<float>{0, 1, 2, 3});
  const int y = builder.AddTensor("y", {1, 8, 8, 4});
  schema::Conv2DOptionsT conv;
  conv.stride_w = conv.stride_h = 1;
  builder.AddOp(schema::BuiltinOperator::CONV_2D, 1, {x, w, b}, {y}, conv);
  builder.SetOutputs({y});
  return builder.Finish();
}

// Node 0 leaves the range of 16-bit floats, node 1 comes back. The file does
// not say the shape between them.
std::vector<uint8_t> LargeModel() {
  return cases::ModelOf(
             "MUL x=[1,2,2,4] up=const:f32[1](1e6) -> large:f32[] ; "
             "MUL large down=const:f32[1](1e-6) -> y")
      .bytes;
}

constexpr char kQuick[] = "--seconds=0.05 --max_batch=2 ";  // of gles_doctor

using Result = testing::CommandResult;
using testing::RunCommand;

class ToolsTest : public ::testing::Test {
 protected:
  void SetUp() override { Write("conv.tflite", ConvModel()); }

  std::string Path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  void Write(const std::string& name, const std::vector<uint8_t>& bytes) {
    std::ofstream file(Path(name), std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  nlohmann::json ReadJson(const std::string& name) {
    std::ifstream file(Path(name));
    return nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  }

  static Result Run(const std::string& program, const std::string& arguments) {
    return RunCommand(std::string(GLES_DELEGATE_BUILD_DIR) + "/bin/" + program +
                      " " + arguments);
  }
  // The longest line of what a program prints to stdout. A word alone on its
  // line is not broken, so that a case's name can be copied.
  static std::string LongestLine(const std::string& output) {
    std::istringstream lines(output);
    std::string longest;
    for (std::string line; std::getline(lines, line);) {
      if (line.find(' ', line.find_first_not_of(' ')) == std::string::npos) {
        continue;
      }
      if (line.size() > longest.size()) longest = line;
    }
    return longest;
  }
  // Runs a program of the build, and expects lines as a terminal of 80 columns
  // shows them.
  static void ExpectNarrow(const std::string& command) {
    const Result run = RunCommand("(" + std::string(GLES_DELEGATE_BUILD_DIR) +
                                  "/bin/" + command + " 2>/dev/null)");
    EXPECT_EQ(run.exit_status, 0) << run.output;
    EXPECT_GT(run.output.size(), 80u) << command;
    EXPECT_LE(LongestLine(run.output).size(), 80u) << command << "\n"
                                                   << LongestLine(run.output);
    EXPECT_THAT(run.output, Not(HasSubstr(" \n"))) << command;
  }
  std::string Graph() const { return " --graph=" + Path("conv.tflite") + " "; }

  const testing::ScratchDirectory folder_;
};

TEST_F(ToolsTest, BenchmarkReportsEachBackend) {
  const Result run =
      Run("benchmark_model", Graph() +
                                 "--use_cpu --use_xnnpack --num_runs=3 "
                                 "--report_json=" +
                                 Path("report.json"));
  ASSERT_EQ(run.exit_status, 0) << run.output;
  const nlohmann::json report = ReadJson("report.json");
  ASSERT_EQ(report.size(), 2u);
  EXPECT_EQ(report[0]["backend"], "cpu");
  EXPECT_EQ(report[1]["backend"], "xnnpack");
  for (const nlohmann::json& row : report) {
    for (const char* key :
         {"init_ms", "first_invoke_ms", "nodes_total", "nodes_delegated",
          "partitions", "renderer", "driver", "cpu_ms", "peak_rss_mb"}) {
      EXPECT_TRUE(row.contains(key)) << key << " in " << row;
    }
    for (const char* key : {"median", "p5", "p95"}) {
      EXPECT_GT(row["invoke_ms"][key].get<double>(), 0) << row;
    }
    EXPECT_EQ(row["invoke_ms"]["runs"], 3);
    EXPECT_EQ(row["nodes_total"], 1);
    EXPECT_GT(row["peak_rss_mb"].get<double>(), 1);
  }
  EXPECT_EQ(report[0]["nodes_delegated"], 0);
  EXPECT_EQ(report[1]["nodes_delegated"], 1);
  EXPECT_EQ(report[1]["partitions"], 1);
}

// y = x + x in 8 bits.
std::vector<uint8_t> AddModel(schema::TensorType type) {
  return cases::ModelOf(absl::StrCat("ADD@2 x=",
                                     type == schema::TensorType::UINT8
                                         ? "u8@(0.1,128)"
                                         : "i8@(0.1,0)",
                                     "[1,8,8,4] x"))
      .bytes;
}

// XNNPACK's column is XNNPACK's: without its flag for int8 the built-in kernels
// would run there under its name.
TEST_F(ToolsTest, XnnpackRunsInt8) {
  Write("int8.tflite", AddModel(schema::TensorType::INT8));
  const Result run =
      Run("benchmark_model", "--graph=" + Path("int8.tflite") +
                                 " --use_cpu --use_xnnpack --num_runs=1 "
                                 "--report_json=" +
                                 Path("report.json"));
  ASSERT_EQ(run.exit_status, 0) << run.output;
  const nlohmann::json report = ReadJson("report.json");
  EXPECT_EQ(report[1]["nodes_delegated"], 1) << report;
  EXPECT_THAT(report[1]["driver"].get<std::string>(), HasSubstr("QS8"));
}

// TFLite 2.9's XNNPACK accepts uint8 nodes and then fails to make them: the
// tool runs the model without, and says which kernels it ran.
TEST_F(ToolsTest, XnnpackRunsUint8OrSaysThatItDoesNot) {
  Write("uint8.tflite", AddModel(schema::TensorType::UINT8));
  const Result run = Run(
      "benchmark_model",
      "--graph=" + Path("uint8.tflite") +
          " --use_xnnpack --num_runs=1 --report_json=" + Path("report.json"));
  ASSERT_EQ(run.exit_status, 0) << run.output;
  const nlohmann::json row = ReadJson("report.json")[0];
  const bool delegated = row["nodes_delegated"] == 1;
  EXPECT_THAT(row["driver"].get<std::string>(),
              HasSubstr(delegated ? "QS8 and QU8" : "QU8 does not apply"))
      << row;
}

TEST_F(ToolsTest, BenchmarkRunsGles) {
  GLES_SKIP_WITHOUT_DEVICE();
  const Result run = Run(
      "benchmark_model",
      Graph() + "--use_gles --num_runs=3 --report_json=" + Path("report.json"));
  ASSERT_EQ(run.exit_status, 0) << run.output;
  const nlohmann::json row = ReadJson("report.json")[0];
  EXPECT_EQ(row["backend"], "gles");
  EXPECT_EQ(row["nodes_delegated"], 1);
  EXPECT_THAT(run.output, Not(HasSubstr("faster than")));  // there is no other
  EXPECT_THAT(
      Run("benchmark_model",
          Graph() + "--use_gles --use_cpu --use_xnnpack --num_runs=2")
          .output,
      ContainsRegex("On this machine and for this model (gles|cpu|xnnpack) is "
                    "faster than (gles|cpu|xnnpack): "));
  EXPECT_EQ(row["partitions"], 1);
  EXPECT_NE(row["renderer"], "");
  EXPECT_THAT(row["driver"].get<std::string>(), HasSubstr("OpenGL ES"));
}

TEST_F(ToolsTest, BenchmarkWritesATrace) {
  GLES_SKIP_WITHOUT_DEVICE();
  const Result run =
      Run("benchmark_model",
          Graph() + "--use_gles --use_cpu --num_runs=2 --trace_file=" +
              Path("trace.json"));
  ASSERT_EQ(run.exit_status, 0) << run.output;
  EXPECT_THAT(run.output, AllOf(HasSubstr("On this machine and for this model"),
                                HasSubstr("times as fast")));
  // By name and track; each event of the host lies within an inference.
  std::map<std::string, int> events;
  std::map<int, std::string> tracks;
  std::vector<std::pair<double, double>> inferences;
  const nlohmann::json trace = ReadJson("trace.json");
  for (const auto& event : trace["traceEvents"]) {
    const int track = event["tid"];
    if (event["ph"] == "M") {
      if (event["name"] == "thread_name") tracks[track] = event["args"]["name"];
      continue;
    }
    EXPECT_EQ(event["ph"], "X");
    ++events[event["name"]];
    const double start = event["ts"];
    const double end = start + event["dur"].get<double>();
    EXPECT_GT(end, start) << event;
    if (track == 1) inferences.emplace_back(start, end);
    EXPECT_TRUE(std::any_of(
        inferences.begin(), inferences.end(),
        [&](const auto& i) { return start >= i.first && end <= i.second; }))
        << event;
  }
  EXPECT_EQ(inferences.size(), 2u);
  EXPECT_EQ(events["CONV_2D 0"], 2);
  EXPECT_EQ(events["write inputs"], 2);
  EXPECT_EQ(tracks.size(), 3u);
  EXPECT_THAT(tracks[3], AnyOf("dispatches: the GPU's clock",
                               HasSubstr("each start as submitted"),
                               HasSubstr("the GPU waited for after each")));
  EXPECT_EQ(Run("benchmark_model",
                Graph() + "--use_gles --num_runs=1 --trace_file=/nowhere/t")
                .exit_status,
            1);
}

TEST_F(ToolsTest, BenchmarkRunsResizedInputsOnTheGpu) {
  GLES_SKIP_WITHOUT_DEVICE();
  const Result run =
      Run("benchmark_model",
          Graph() +
              "--use_gles --input_layer=x --input_layer_shape=2,16,16,3 "
              "--num_runs=1");
  EXPECT_EQ(run.exit_status, 0) << run.output;
  EXPECT_THAT(run.output, Not(HasSubstr("stays on the CPU")));
}

TEST_F(ToolsTest, DiffResizesInputs) {
  GLES_SKIP_WITHOUT_DEVICE();
  const std::string shape = "--input_layer=x --input_layer_shape=2,16,16,3 ";
  const Result run = Run("inference_diff", Graph() + shape + "--num_runs=1");
  EXPECT_EQ(run.exit_status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr(" 2x"));
  const Result layers =
      Run("inference_diff", Graph() + shape + "--num_runs=1 --per_layer");
  EXPECT_EQ(layers.exit_status, 1);
  EXPECT_THAT(layers.output, HasSubstr("the model's own shapes"));
}

TEST_F(ToolsTest, BenchmarkResizesInputs) {
  const Result run = Run(
      "benchmark_model",
      Graph() + "--input_layer=x --input_layer_shape=1,16,16,3 --num_runs=1");
  EXPECT_EQ(run.exit_status, 0) << run.output;
  const Result bad = Run(
      "benchmark_model",
      Graph() + "--input_layer=q --input_layer_shape=1,16,16,3 --num_runs=1");
  EXPECT_EQ(bad.exit_status, 1);
  EXPECT_THAT(bad.output, HasSubstr("no input \"q\"; it has: x"));
}

TEST_F(ToolsTest, ResultsFitEightyColumns) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const std::string& command :
       {"benchmark_model --use_gles --use_cpu --num_runs=2" + Graph(),
        "inference_diff --num_runs=1" + Graph(), "model_report" + Graph(),
        std::string("gles_doctor ") + kQuick + Path("conv.tflite"),
        std::string("benchmark_model --list_devices")}) {
    ExpectNarrow(command);
  }
}

// A model whose op and tensors have long names, in floats and in 8 bits.
std::vector<uint8_t> LongNames(schema::TensorType type) {
  const auto quantization = type == schema::TensorType::FLOAT32
                                ? ModelQuantization()
                                : ModelQuantization::PerTensor(0.1f, 0);
  const std::string name = "network/block_10/expand/BiasAdd;Conv2D/read/";
  ModelBuilder builder;
  const int x =
      builder.AddInput(name + "x", {1, 112, 128, 4}, type, quantization);
  const int y =
      builder.AddTensor(name + "y", {1, 224, 256, 4}, type, quantization);
  const int size =
      builder.AddConstant<int32_t>("size", {2}, std::vector<int32_t>{224, 256});
  builder.AddOp(schema::BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, 3, {x, size},
                {y}, schema::ResizeNearestNeighborOptionsT());
  builder.SetOutputs({y});
  return builder.Finish();
}

TEST_F(ToolsTest, TablesFitEightyColumns) {
  GLES_SKIP_WITHOUT_DEVICE();
  Write("float.tflite", LongNames(schema::TensorType::FLOAT32));
  Write("int8.tflite", LongNames(schema::TensorType::INT8));
  for (const char* name : {"float.tflite", "int8.tflite"}) {
    const std::string graph = " --num_runs=1 --graph=" + Path(name);
    ExpectNarrow("inference_diff --per_layer --per_layer_alone" + graph);
    ExpectNarrow("benchmark_model --use_gles --enable_op_profiling" + graph);
    ExpectNarrow("model_report" + graph);
  }
  ExpectNarrow("gles_conformance --small --filter=RESIZE --sample=5");
}

TEST_F(ToolsTest, WideLinesAreWhole) {
  GLES_SKIP_WITHOUT_DEVICE();
  Write("float.tflite", LongNames(schema::TensorType::FLOAT32));
  const Result run =
      Run("inference_diff",
          "--wide --per_layer --num_runs=1 --graph=" + Path("float.tflite"));
  EXPECT_EQ(run.exit_status, 0) << run.output;
  EXPECT_THAT(
      run.output,
      AllOf(HasSubstr("RESIZE_NEAREST_NEIGHBOR  1x224x256x4"),
            HasSubstr("  network/block_10/expand/BiasAdd;Conv2D/read/y\n")));
}

std::vector<std::string> KeysOf(const nlohmann::json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST_F(ToolsTest, DoctorChecksAndGivesAVerdict) {
  GLES_SKIP_WITHOUT_DEVICE();
  const Result run = Run("gles_doctor", kQuick);
  EXPECT_EQ(run.exit_status, 0) << run.output;
  EXPECT_THAT(run.output, ContainsRegex("Devices\n 0  "));
  EXPECT_THAT(
      run.output,
      ContainsRegex("\nbuilt-in\n  (Use the [CG]PU here|About the same)"));
  EXPECT_THAT(run.output, ContainsRegex("8 of 8 nodes on [^;]*; error .*e-0"));
  EXPECT_THAT(run.output, Not(HasSubstr("\033")));  // this is not a terminal
}

TEST_F(ToolsTest, DoctorWritesVerdictsAsJsonAndCsv) {
  GLES_SKIP_WITHOUT_DEVICE();
  const Result run =
      Run("gles_doctor", kQuick + Path("none") + " " + Path("conv.tflite") +
                             " --gles_options=exclude_nodes:0 --report_json=" +
                             Path("doctor.json") +
                             " --report_csv=" + Path("doctor.csv"));
  ASSERT_EQ(run.exit_status, 1) << run.output;
  const auto report = ReadJson("doctor.json");
  std::ifstream file(std::string(GLES_DELEGATE_SOURCE_DIR) +
                     "/tests/tools/checkups.json");
  const auto expected = nlohmann::json::parse(file);
  EXPECT_THAT(KeysOf(report),
              UnorderedElementsAreArray(
                  expected["keys"].get<std::vector<std::string>>()));
  EXPECT_THAT(KeysOf(report["devices"][0]),
              UnorderedElementsAreArray(
                  expected["device_keys"].get<std::vector<std::string>>()));
  for (const auto& model : report["models"]) {
    EXPECT_THAT(KeysOf(model),
                UnorderedElementsAreArray(
                    expected["model_keys"].get<std::vector<std::string>>()));
  }
  const auto& none = report["models"][0];
  EXPECT_THAT(none["error"].get<std::string>(), HasSubstr("No such file"));
  EXPECT_TRUE(none["use"].is_null());
  const auto& model = report["models"][1];
  EXPECT_TRUE(model["error"].is_null());
  EXPECT_EQ(model["use"], "cpu");
  EXPECT_EQ(model["nodes_delegated"], 0);
  EXPECT_GT(model["cpu_per_s"].get<double>(), 0);
  std::ifstream csv(Path("doctor.csv"));
  std::string line;
  std::getline(csv, line);
  EXPECT_THAT(line, StartsWith("model,verdict,use,error,renderer"));
  std::getline(csv, line);
  std::getline(csv, line);
  EXPECT_THAT(line, StartsWith("\"" + Path("conv.tflite") +
                               "\",\"Use the CPU here, as no node"));
}

TEST_F(ToolsTest, DoctorWantsHardwareIfAsked) {
  GLES_SKIP_WITHOUT_DEVICE();
  const Result run = RunCommand(
      "GLES_DELEGATE_DEVICE=llvmpipe " + std::string(GLES_DELEGATE_BUILD_DIR) +
      "/bin/gles_doctor --require=hardware " + kQuick + Path("conv.tflite"));
  EXPECT_EQ(run.exit_status, 2) << run.output;
  EXPECT_THAT(run.output, HasSubstr("which --require asks for"));
  // However small the model is.
  EXPECT_THAT(run.output, Not(ContainsRegex("[0-9]e[+]| 0(\\.00)? ms")));
  EXPECT_EQ(Run("gles_doctor", "--require=software").exit_status, 1);
}

TEST_F(ToolsTest, ReportsGoToStdoutAlone) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (const std::string& command :
       {"benchmark_model --use_cpu --num_runs=1" + Graph(),
        "inference_diff --use_xnnpack --num_runs=1" + Graph(),
        std::string("gles_doctor ") + kQuick + Path("conv.tflite"),
        "model_report" + Graph()}) {
    const std::string run = "cd " + folder_.path() + " && " +
                            GLES_DELEGATE_BUILD_DIR + "/bin/" + command +
                            " --report_json=-";
    const std::string json = RunCommand("(" + run + " 2>/dev/null)").output;
    EXPECT_FALSE(nlohmann::json::parse(json, nullptr, false).is_discarded())
        << command << "\n"
        << json;
    EXPECT_GT(RunCommand("(" + run + " 2>&1 >/dev/null)").output.size(), 80u)
        << command;
  }
  EXPECT_FALSE(fs::exists(Path("-")));
}

TEST_F(ToolsTest, DoctorSaysWhyNothingRuns) {
  const std::string doctor =
      std::string(GLES_DELEGATE_BUILD_DIR) + "/bin/gles_doctor " + kQuick;
  for (const auto& [command, why] :
       {std::pair("GLES_DELEGATE_DEVICE=none " + doctor, "for \"none\""),
        {doctor + " --gles_options=device:none", "for \"none\""},
        {doctor + " --gles_options=devise:none", "did you mean"},
        {"GLES_DELEGATE_EGL_LIBRARY=none.so " + doctor, "none.so"}}) {
    const Result run =
        RunCommand(command + " --report_json=" + Path("none.json"));
    EXPECT_EQ(run.exit_status, 1) << command;
    EXPECT_THAT(run.output,
                HasSubstr("Use the CPU here, as the delegate cannot run"));
    EXPECT_THAT(run.output, HasSubstr(why));
    EXPECT_EQ(ReadJson("none.json")["models"][0]["use"], "cpu");
  }
}

TEST_F(ToolsTest, DiffPassesWithinTheLimitAndFailsPastIt) {
  GLES_SKIP_WITHOUT_DEVICE();
  const Result good = Run("inference_diff", Graph() +
                                                "--num_runs=2 --max_error=1e-5 "
                                                "--report_json=" +
                                                Path("diff.json"));
  EXPECT_EQ(good.exit_status, 0) << good.output;
  const nlohmann::json report = ReadJson("diff.json")[0];
  EXPECT_EQ(report["backend"], "gles");
  EXPECT_EQ(report["passed"], true);
  EXPECT_EQ(report["outputs"][0]["name"], "y");
  EXPECT_LT(report["outputs"][0]["max_relative_error"].get<double>(), 1e-5);
  EXPECT_GT(report["outputs"][0]["cosine"].get<double>(), 0.999);

  // Halves hold 11 bits: errors of about 1e-4, surely above 1e-6.
  const Result coarse =
      Run("inference_diff", Graph() +
                                "--num_runs=2 --max_error=1e-6 "
                                "--gles_options=is_precision_loss_allowed:1");
  EXPECT_EQ(coarse.exit_status, 1);
  EXPECT_THAT(coarse.output,
              AllOf(HasSubstr("FAIL"), HasSubstr("past --max_error=1e-06")));
}

TEST_F(ToolsTest, ModelReportTellsWhereEachNodeIs) {
  GLES_SKIP_WITHOUT_DEVICE();
  const Result run =
      Run("model_report",
          Graph() + "--num_runs=2 --report_json=" + Path("report.json"));
  EXPECT_EQ(run.exit_status, 0) << run.output;
  const nlohmann::json report = ReadJson("report.json");
  EXPECT_EQ(report["model"], "conv.tflite");
  EXPECT_EQ(report["nodes"][0]["where"], "gpu");
  EXPECT_GT(report["gles_ms"].get<double>(), 0);
  EXPECT_THAT(run.output,
              AllOf(HasSubstr("conv.tflite: 1 of 1 node on the GPU"),
                    HasSubstr("CONV_2D"), HasSubstr("float32[1,8,8,4]")));

  const Result refused =
      Run("model_report", Graph() + "--gles_options=exclude_nodes:0");
  EXPECT_EQ(refused.exit_status, 0) << refused.output;
  EXPECT_THAT(refused.output, HasSubstr("on the CPU"));

  const Result unwritable =
      Run("model_report", Graph() + "--html=" + Path("no/such/page.html"));
  EXPECT_EQ(unwritable.exit_status, 1);
  EXPECT_THAT(unwritable.output, HasSubstr("cannot write"));
}

// A browser's picture of the page is no wider than a phone.
TEST_F(ToolsTest, ModelReportsPageFitsAPhone) {
  GLES_SKIP_WITHOUT_DEVICE();
  if (std::system("command -v chromium >/dev/null") != 0) {
    GTEST_SKIP() << "chromium is not installed: nobody opens the page";
  }
  const std::string page = Path("page.html");
  const Result run =
      Run("model_report", Graph() + "--num_runs=1 --html=" + page);
  ASSERT_EQ(run.exit_status, 0) << run.output;
  // The longest bar is as long as bars can be.
  std::ofstream(page, std::ios::app)
      << "<script>const page = document.documentElement;"
         "const count = what => document.querySelectorAll(what).length;"
         "document.title = `past ${page.scrollWidth - page.clientWidth}, "
         "rows ${count('tbody tr')}, boxes ${count('a[id] rect')}, "
         "bars ${Math.max(...Array.from(document.querySelectorAll('.bar b'), "
         "bar => bar.clientWidth)) > page.clientWidth / 2}`</script>";
  const Result browser = RunCommand(
      "timeout 120 chromium --headless --no-sandbox --disable-gpu "
      "--user-data-dir=" +
      Path("browser") + " --window-size=390,800 --dump-dom file://" + page);
  EXPECT_EQ(browser.exit_status, 0) << browser.output;
  // One partition's row and one node's.
  EXPECT_THAT(browser.output,
              HasSubstr("<title>past 0, rows 2, boxes 1, bars true</title>"));
}

TEST_F(ToolsTest, DiffTellsEachLayersError) {
  GLES_SKIP_WITHOUT_DEVICE();
  const Result run = Run(
      "inference_diff", Graph() + "--num_runs=2 --per_layer --per_layer_alone");
  EXPECT_EQ(run.exit_status, 0) << run.output;
  EXPECT_THAT(run.output,
              AllOf(HasSubstr("layer by layer"), HasSubstr("each op alone"),
                    HasSubstr("   0 CONV_2D")));
}

TEST_F(ToolsTest, DiffSuggestsTheNodesThat16BitsDoNotHold) {
  GLES_SKIP_WITHOUT_DEVICE();
  Write("large.tflite", LargeModel());
  const std::string flags = "--num_runs=2 --suggest_float32_nodes";
  const Result large =
      Run("inference_diff", "--graph=" + Path("large.tflite") + " " + flags);
  EXPECT_EQ(large.exit_status, 0) << large.output;
  EXPECT_THAT(large.output,
              AllOf(HasSubstr("   0 MUL"), HasSubstr("   1 MUL"),
                    HasSubstr("with the option float32_nodes:0-1")));
  const Result small = Run("inference_diff", Graph() + flags);
  EXPECT_EQ(small.exit_status, 0) << small.output;
  EXPECT_THAT(small.output,
              HasSubstr("16 bits: no node's error is past 0.005"));
  const Result cpu = Run("inference_diff", Graph() + flags + " --use_cpu");
  EXPECT_EQ(cpu.exit_status, 1);
  EXPECT_THAT(cpu.output, HasSubstr("is for the GLES delegate alone"));
}

TEST_F(ToolsTest, DiffLoadsExternalDelegates) {
  GLES_SKIP_WITHOUT_DEVICE();
  const Result run =
      Run("inference_diff", Graph() + "--num_runs=1 --external_delegate_path=" +
                                GLES_DELEGATE_LIBRARY +
                                " --external_delegate_options=verbosity:2");
  EXPECT_EQ(run.exit_status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("external: 1 of 1 nodes in 1 partition"));
  const Result missing =
      Run("inference_diff", Graph() + "--external_delegate_path=libno.so");
  EXPECT_EQ(missing.exit_status, 1);
  EXPECT_THAT(missing.output, HasSubstr("Cannot load libno.so"));
}

TEST_F(ToolsTest, DiffReadsValueFiles) {
  Write("x.bin", std::vector<uint8_t>(8 * 8 * 3 * 4, 0));
  const std::string option = "--use_xnnpack --input_layer_value_files=x:";
  EXPECT_EQ(Run("inference_diff", Graph() + option + Path("x.bin")).exit_status,
            0);
  Write("short.bin", std::vector<uint8_t>(5, 0));
  const Result bad =
      Run("inference_diff", Graph() + option + Path("short.bin"));
  EXPECT_EQ(bad.exit_status, 1);
  EXPECT_THAT(bad.output, HasSubstr("takes 768"));
}

TEST_F(ToolsTest, QuantizedAccuracyPrintsARowForEachMode) {
  GLES_SKIP_WITHOUT_DEVICE();
  const char* shared = getenv("GLES_DELEGATE_SHARED_DIR");
  if (shared == nullptr || *shared == '\0') {
    GTEST_SKIP() << "no photographs: GLES_DELEGATE_SHARED_DIR is not set";
  }
  const std::string folder = shared;
  const Result run =
      Run("quantized_accuracy",
          "--graph=" + folder + "/models/mobilenet_v1_0.25_224_quant.tflite" +
              " --images=" + folder + "/images/cat.bmp," + folder +
              "/images/bird.bmp --num_inputs=2" +
              " --quantized_compute=float,float_unsimulated --report_json=" +
              Path("rows.json"));
  ASSERT_EQ(run.exit_status, 0) << run.output;
  EXPECT_LE(LongestLine(run.output).size(), 80u) << run.output;
  const nlohmann::json rows = ReadJson("rows.json");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["backend"], "gles float");
  EXPECT_EQ(rows[0]["outputs"]["elements"], 2 * 1001);
  EXPECT_EQ(rows[0]["top_1"], 2);
  EXPECT_GT(rows[0]["outputs"]["equal"].get<double>(), 0.98);
  // The model's activations end at their quantized values' range: without, it
  // is lost.
  EXPECT_EQ(rows[1]["inner"]["equal"], 0);
}

TEST_F(ToolsTest, QuantizedAccuracyAsksForPhotographs) {
  const Result run = Run("quantized_accuracy", Graph());
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_THAT(run.output, HasSubstr("Give photographs: --images="));
}

TEST_F(ToolsTest, BadModelsAreRefusedInWords) {
  Write("text.tflite", {'h', 'e', 'l', 'l', 'o', ' ', 'y', 'o', 'u', '!'});
  std::vector<uint8_t> truncated = ConvModel();
  truncated.resize(truncated.size() / 2);
  Write("half.tflite", truncated);
  for (const char* program :
       {"benchmark_model", "inference_diff", "gles_demo"}) {
    const auto run = [&](const std::string& file) {
      return Run(program, "--output_dir=" + Path("out") +
                              " --undefok=output_dir --graph=" + Path(file));
    };
    Result result = run("text.tflite");
    EXPECT_EQ(result.exit_status, 1) << program;
    EXPECT_THAT(result.output, HasSubstr("is no .tflite model")) << program;
    result = run("half.tflite");
    EXPECT_EQ(result.exit_status, 1) << program;
    EXPECT_THAT(result.output, HasSubstr("Is it truncated?")) << program;
    result = run("missing.tflite");
    EXPECT_EQ(result.exit_status, 1) << program;
    EXPECT_THAT(result.output, HasSubstr("Cannot open")) << program;
  }
}

TEST_F(ToolsTest, BadOptionsAreRefusedInWords) {
  Result run =
      Run("benchmark_model", Graph() + "--use_gles --gles_options=fast");
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_THAT(run.output, HasSubstr("\"fast\" is not key:value"));
  run = Run("benchmark_model", Graph() + "--use_gles --gles_options=fast:1");
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_THAT(run.output,
              AllOf(HasSubstr("fast"), HasSubstr("is_precision_loss_allowed")));
  run = Run("benchmark_model", "model.tflite");
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_THAT(run.output, HasSubstr("--graph="));
}

TEST_F(ToolsTest, DemoDrawsItsPicture) {
  GLES_SKIP_WITHOUT_DEVICE();
  const std::string options = "--num_runs=1 --output_dir=" + Path("out") +
                              " --report_json=" + Path("demo.json");
  const Result run = Run("gles_demo", options);
  EXPECT_EQ(run.exit_status, 0) << run.output;
  const nlohmann::json report = ReadJson("demo.json");
  EXPECT_EQ(report["passed"], true);
  EXPECT_GT(report["median_ms"]["gles"].get<double>(), 0);
  EXPECT_EQ(report["outputs"].size(), 3u);
  std::ifstream file(Path("out/demo.svg"));
  std::string start(4, '\0');
  file.read(start.data(), 4);
  EXPECT_EQ(start, "<svg");
  // An error that nothing reaches: the demo says so, and fails.
  const Result strict = Run("gles_demo", options + " --max_error=-1");
  EXPECT_EQ(strict.exit_status, 1);
  EXPECT_THAT(strict.output, HasSubstr("DISAGREES"));
  EXPECT_EQ(ReadJson("demo.json")["passed"], false);
}

TEST_F(ToolsTest, DemoDrawsWhatADetectorFound) {
  GLES_SKIP_WITHOUT_DEVICE();
  const char* shared = getenv("GLES_DELEGATE_SHARED_DIR");
  if (shared == nullptr || *shared == '\0') {
    GTEST_SKIP() << "no photographs: GLES_DELEGATE_SHARED_DIR is not set";
  }
  const std::string folder = shared;
  const Result run = Run(
      "gles_demo",
      "--num_runs=1 --output_dir=" + Path("out") + " --graph=" + folder +
          "/models/ssd_mobilenet_v1_quant.tflite --image=" + folder +
          "/images/pets.jpg --labels=" + folder + "/images/coco_labels.txt");
  EXPECT_EQ(run.exit_status, 0) << run.output;
  EXPECT_THAT(run.output,
              HasSubstr("boxes: 2 found, 2 of the CPU's 2 matched"));
  EXPECT_TRUE(fs::exists(Path("out/demo.svg")));
}

}  // namespace
}  // namespace gles_delegate
