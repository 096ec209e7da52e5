// labels: unit tools sanitize
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/common/model_builder.h"
#include "tools/model_report/report_data.h"

namespace gles_delegate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Where = NodeRow::Where;

// A node that reads `reads` and writes [1,32,32,channels].
ModelNode NodeOf(int index, const std::string& op, std::vector<int> reads,
                 int channels = 8) {
  ModelNode node;
  node.index = index;
  node.op = op;
  node.reads = std::move(reads);
  node.outputs = {{"t", "float32", {1, 32, 32, channels}, "", false}};
  return node;
}

// CONV_2D, RELU in it, RESHAPE by itself, and a custom op on the CPU.
ModelFacts SmallModel() {
  ModelFacts model;
  model.subgraphs = 1;
  model.nodes = {NodeOf(0, "CONV_2D", {}), NodeOf(1, "RELU", {0}),
                 NodeOf(2, "RESHAPE", {1}), NodeOf(3, "<Odd>", {2})};
  return model;
}

nlohmann::json SmallReport() {
  return nlohmann::json::parse(R"({
    "renderer": "a GPU", "driver": "OpenGL ES 3.2", "precision": "float32",
    "runtime": {"version": "2.9.0"},
    "nodes_total": 4, "nodes_delegated": 3,
    "partition": [{
      "subgraph": 0, "nodes": 3, "dispatches": 2,
      "tensor_bytes": 1048576, "constant_bytes": 0,
      "self_check": {"verdict": "right", "checked": 2, "programs": 2},
      "model_nodes": [{"node": 0, "computed_by": 0},
                      {"node": 1, "computed_by": 0},
                      {"node": 2, "computed_by": 2}],
      "plan": [{"node": -1, "label": "upload", "shader": "upload",
                "defines": ""},
               {"node": 0, "label": "CONV_2D 0", "shader": "conv_1x1",
                "defines": "TILE=2"},
               {"node": 2, "label": "RESHAPE 2", "shader": "reshape",
                "defines": ""}]}],
    "profile": [{"node": -1, "shader": "upload", "us": 5, "label": "upload x",
                 "clock": "gpu timestamps", "runs": [[90, 5], [1010, 6]]},
                {"node": 0, "shader": "conv_1x1", "us": 30,
                 "label": "CONV_2D 0", "runs": [[95, 30], [1020, 31]]},
                {"node": 2, "shader": "reshape", "us": 10,
                 "label": "RESHAPE 2", "runs": [[125, 10], [1060, 9]]}],
    "host_profile": [{"label": "submit", "runs": [[80, 70], [1000, 80]]}],
    "cpu": [{"op": "<Odd>", "subgraph": 0, "nodes": [3],
             "reason": "the op has no GPU version", "tensors": ""}]})");
}

ReportData Small() {
  auto data = Join(SmallModel(), SmallReport());
  EXPECT_TRUE(data.ok()) << data.status();
  if (!data.ok()) return {};
  data->model = "small.tflite";
  return *std::move(data);
}

TEST(JoinTest, EachNodeIsWhereTheReportSays) {
  const ReportData data = Small();
  ASSERT_EQ(data.rows.size(), 4u);
  EXPECT_EQ(data.rows[0].where, Where::kGpu);
  EXPECT_EQ(data.rows[1].where, Where::kFused);
  EXPECT_EQ(data.rows[1].computed_by, 0);
  EXPECT_EQ(data.rows[2].where, Where::kGpu);
  EXPECT_EQ(data.rows[3].where, Where::kCpu);
  EXPECT_EQ(data.rows[3].reason, "the op has no GPU version");
  ASSERT_EQ(data.rows[0].dispatches.size(), 1u);
  EXPECT_EQ(data.rows[0].dispatches[0].defines, "TILE=2");
}

TEST(JoinTest, ThePrecisionIsThatOfTheNodesOnTheGpu) {
  const auto precision = [](std::vector<std::string> types,
                            int on_integer_path) {
    ModelFacts model = SmallModel();
    for (size_t i = 0; i < types.size(); ++i) {
      model.nodes[i].outputs[0].type = types[i];
    }
    nlohmann::json report = SmallReport();
    report["partition"][0]["nodes_on_integer_path"] = on_integer_path;
    const auto data = Join(model, report);
    return data.ok() ? data->precision : data.status().ToString();
  };
  EXPECT_EQ(precision({}, 0), "float32");
  EXPECT_EQ(precision({"int8", "int8", "int8"}, 0), "float32");
  EXPECT_EQ(precision({"int8", "int8", "int8", "float32"}, 3), "int8");
  EXPECT_EQ(precision({"uint8", "uint8", "int32"}, 2), "uint8");
  EXPECT_EQ(precision({"float32", "int8", "int8"}, 2),
            "int8 (2 nodes), float32 (1 node)");
}

TEST(JoinTest, TimesAreThoseOfTheNodesAndOfTheCopies) {
  const ReportData data = Small();
  EXPECT_EQ(data.rows[0].us(), 30);
  EXPECT_EQ(data.us(), 40);
  EXPECT_EQ(data.transfers_us, 5);
}

TEST(JoinTest, TheTimelineIsTheLastInference) {
  const ReportData data = Small();
  ASSERT_EQ(data.timeline.size(), 4u);
  EXPECT_TRUE(data.timeline[0].on_host);
  EXPECT_EQ(data.timeline[0].start_us, 0);
  EXPECT_EQ(data.timeline[2].label, "CONV_2D 0");
  EXPECT_EQ(data.timeline[2].node, 0);
  EXPECT_EQ(data.timeline[2].start_us, 20);
  EXPECT_EQ(data.timeline[2].us, 31);
}

TEST(VerdictTest, SaysWhatToUseAndWhereTheTimeGoes) {
  ReportData data = Small();
  EXPECT_EQ(
      VerdictOf(data),
      "3 of 4 nodes run on the GPU. CONV_2D takes 75% of the nodes' time; "
      "the slowest is CONV_2D 0 with 75%.");
  data.invoke_ms = 2;
  data.cpu_ms = 5;
  data.cpu_threads = 4;
  EXPECT_THAT(VerdictOf(data),
              HasSubstr("Use the GPU here: 2.00 ms with the delegate, 5.00 ms "
                        "with XNNPACK on 4 threads."));
  data.cpu_ms = 1;
  EXPECT_THAT(VerdictOf(data), HasSubstr("Use the CPU here"));
  data.cpu_ms = 2.2;
  EXPECT_THAT(VerdictOf(data), HasSubstr("About the same here: 2.00 ms"));
  data.nodes_delegated = 0;
  EXPECT_THAT(VerdictOf(data), HasSubstr("no node of this model runs"));
}

TEST(JsonPageTest, HasEachNodeAndLeavesOutWhatWasNotMeasured) {
  const nlohmann::ordered_json page = JsonPage(Small());
  EXPECT_EQ(page["nodes_delegated"], 3);
  EXPECT_EQ(page["partition"][0]["dispatches"], 2);
  EXPECT_EQ(page["transfers_us"], 5);
  EXPECT_FALSE(page.contains("gles_ms"));
  ASSERT_EQ(page["nodes"].size(), 4u);
  EXPECT_EQ(page["nodes"][0]["us"], 30);
  EXPECT_EQ(page["nodes"][0]["shaders"][0], "conv_1x1");
  EXPECT_EQ(page["nodes"][1]["where"], "fused");
  EXPECT_EQ(page["nodes"][1]["in_node"], 0);
  EXPECT_EQ(page["nodes"][3]["reason"], "the op has no GPU version");
  EXPECT_FALSE(page["nodes"][3].contains("partition"));
}

TEST(NodeDataTest, HasWhereAndWhyAndTheTimeByNode) {
  const nlohmann::json placement = PlacementNodeData(Small())["results"];
  EXPECT_EQ(placement["0"]["value"], "on the GPU");
  EXPECT_EQ(placement["1"]["value"], "in node 0");
  EXPECT_EQ(placement["3"]["value"], "on the CPU: the op has no GPU version");
  const nlohmann::json time = TimeNodeData(Small());
  EXPECT_EQ(time["results"]["0"]["value"], 30);
  EXPECT_FALSE(time["results"].contains("1"));
  EXPECT_EQ(time["gradient"].size(), 2u);
}

TEST(JoinTest, APartitionThatWasHandedBackIsOnTheCpu) {
  nlohmann::json report = SmallReport();
  report["partition"][0]["on_cpu"] = "it is too large";
  auto data = Join(SmallModel(), report);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(data->rows[0].where, Where::kCpu);
  EXPECT_EQ(data->rows[0].reason, "it is too large");
  EXPECT_THAT(data->rows[0].dispatches, IsEmpty());
}

TEST(JoinTest, NodesThatAreNotThereAreNoCrash) {
  nlohmann::json report = SmallReport();
  report["partition"][0]["model_nodes"][0]["node"] = 1000;
  report["cpu"][0]["nodes"] = {-3, 99};
  EXPECT_TRUE(Join(SmallModel(), report).ok());
}

TEST(JoinTest, AReportThatLacksAPartIsAnError) {
  for (const char* key : {"partition", "cpu", "profile", "renderer"}) {
    nlohmann::json report = SmallReport();
    report.erase(key);
    const auto data = Join(SmallModel(), report);
    EXPECT_EQ(data.status().code(), absl::StatusCode::kInternal) << key;
    EXPECT_THAT(std::string(data.status().message()), HasSubstr(key));
  }
  EXPECT_FALSE(Join(SmallModel(), nlohmann::json()).ok());
}

TEST(PlacesTest, ANodeStandsBelowWhatItReads) {
  std::vector<NodeRow> rows(5);
  rows[1].node.reads = {0};
  rows[2].node.reads = {0};
  rows[3].node.reads = {1, 2};
  rows[4].node.reads = {3, 0};
  std::set<std::tuple<int, int, int>> taken;
  const std::vector<Place> places = PlacesOf(rows, /*rows_a_column=*/3);
  for (size_t i = 0; i < rows.size(); ++i) {
    const Place& p = places[i];
    EXPECT_TRUE(taken.insert({p.column, p.row, p.lane}).second) << i;
    for (int from : rows[i].node.reads) {
      EXPECT_LT(std::make_pair(places[from].column, places[from].row),
                std::make_pair(p.column, p.row));
    }
  }
  EXPECT_EQ(places[4].column, 1);
  EXPECT_EQ(places[4].row, 0);
}

TEST(DrawingTest, ConstantsAreNotDrawn) {
  ReportData data = Small();
  data.rows[0].where = Where::kConstant;
  const std::string page = HtmlPage(data);
  const size_t start = page.find("the model's graph");
  const std::string svg =
      page.substr(start, page.find("</svg>", start) - start);
  EXPECT_THAT(svg, Not(HasSubstr("CONV_2D")));
  EXPECT_THAT(svg, HasSubstr("RELU"));
}

std::vector<std::string> Titles(const ReportData& data) {
  std::vector<std::string> titles;
  for (const Advice& advice : AdviceFor(data)) titles.push_back(advice.title);
  return titles;
}

TEST(AdviceTest, SaysWhatIsOnTheCpuAndWhatOnlyMoves) {
  const ReportData data = Small();
  const std::vector<Advice> advice = AdviceFor(data);
  ASSERT_EQ(advice.size(), 2u);
  EXPECT_EQ(advice[0].title, "Use ops that the GPU runs");
  EXPECT_THAT(advice[0].text, HasSubstr("<Odd> 3: the op has no GPU version"));
  EXPECT_EQ(advice[1].title, "Avoid ops like RESHAPE");
  EXPECT_THAT(advice[1].text, HasSubstr("25% of the GPU's time"));
}

TEST(AdviceTest, NamesTheClock) {
  ReportData data = Small();
  data.clock = "gpu timers";
  EXPECT_THAT(AdviceFor(data)[1].text, HasSubstr("25% of the GPU's time"));
  data.clock = "host";
  EXPECT_THAT(AdviceFor(data)[1].text,
              HasSubstr("25% of the nodes' time by the host's clock"));
}

TEST(AdviceTest, SaysNothingWhereNothingLosesSpeed) {
  ReportData data = Small();
  data.rows.resize(2);
  EXPECT_THAT(Titles(data), IsEmpty());
}

TEST(AdviceTest, SaysWhichChannelsArePadded) {
  ReportData data = Small();
  data.rows.resize(2);
  data.rows[0].node.outputs[0].dims = {1, 64, 64, 5};
  EXPECT_THAT(Titles(data), ElementsAre("Keep channels a multiple of 4"));
  EXPECT_THAT(AdviceFor(data)[0].text, HasSubstr("38% is padding"));
}

TEST(AdviceTest, SaysWhereTheMultiplicationsAre) {
  ReportData data = Small();
  data.rows.resize(2);
  data.rows[0].node.multiplications = 1000000;
  EXPECT_THAT(Titles(data), ElementsAre("Prefer mobile architectures"));
  data.rows[0].node.depthwise_or_pointwise = true;
  EXPECT_THAT(Titles(data), IsEmpty());
}

TEST(ModelNodesTest, AConvolutionsMultiplicationsAreThoseOfItsTerms) {
  ModelBuilder builder;
  const int x = builder.AddInput("x", {1, 8, 8, 3});
  const int w = builder.AddConstant<float>("w", {4, 3, 3, 3},
                                           std::vector<float>(108, 1.0f));
  const int b = builder.AddConstant<float>("b", {4}, std::vector<float>(4));
  const int y = builder.AddTensor("y", {1, 8, 8, 4});
  const int z = builder.AddTensor("z", {1, 8, 8, 4});
  schema::Conv2DOptionsT conv;
  conv.stride_w = conv.stride_h = 1;
  builder.AddOp(schema::BuiltinOperator::CONV_2D, 1, {x, w, b}, {y}, conv);
  builder.AddOp(schema::BuiltinOperator::ADD, 1, {y, y}, {z},
                schema::AddOptionsT());
  builder.SetOutputs({z});
  auto facts = FactsOfModel(builder.Finish());
  ASSERT_TRUE(facts.ok()) << facts.status();
  ASSERT_EQ(facts->nodes.size(), 2u);
  EXPECT_EQ(facts->nodes[0].multiplications, 8 * 8 * 4 * 27);
  EXPECT_TRUE(facts->nodes[0].inputs[1].constant);
  EXPECT_EQ(facts->nodes[0].outputs[0].ToString(), "float32[1,8,8,4]");
  EXPECT_THAT(facts->nodes[1].reads, ElementsAre(0));
}

TEST(ModelNodesTest, WhatIsNoModelIsAnError) {
  EXPECT_EQ(FactsOfModel({1, 2, 3}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(PagesTest, TextHasALineForEachNode) {
  const std::string page = TextPage(Small());
  EXPECT_THAT(page, HasSubstr("small.tflite: 3 of 4 nodes on the GPU, "
                              "1 partition\n"));
  EXPECT_THAT(page, HasSubstr("in node 0"));
  EXPECT_THAT(page, HasSubstr("the op has no GPU version"));
  EXPECT_THAT(page, HasSubstr("self-check right (2 of 2 programs)"));
}

TEST(PagesTest, HtmlNeedsNothingElseAndEscapesNames) {
  const std::string page = HtmlPage(Small());
  EXPECT_THAT(page, HasSubstr("&lt;Odd&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<Odd>")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, HasSubstr("conv_1x1"));
}

TEST(PagesTest, HtmlOpensWithTheVerdictAndNamesTheClock) {
  const std::string page = HtmlPage(Small());
  EXPECT_LT(page.find("CONV_2D takes 75%"), page.find("<dl>"));
  EXPECT_LT(page.find("<dl>"), page.find("By op"));
  EXPECT_LT(page.find("By node"), page.find("The last inference"));
  EXPECT_THAT(page, HasSubstr("Medians, by the GPU's clock"));
}

TEST(PagesTest, EveryLinkLeadsToABoxOrRow) {
  const std::string page = HtmlPage(Small());
  int links = 0;
  const std::string start = "href=\"#";
  for (size_t at = page.find(start); at != page.npos;
       at = page.find(start, at + 1)) {
    const size_t name = at + start.size();
    const std::string id = page.substr(name, page.find('"', name) - name);
    EXPECT_THAT(page, HasSubstr("id=\"" + id + "\"")) << id;
    ++links;
  }
  // Bars and the timeline: 2 each; boxes and rows: 4 each.
  EXPECT_EQ(links, 12);
}

// WCAG's contrast of a color and white.
double ContrastWithWhite(const std::string& hex) {
  const auto part = [&](size_t at) {
    const double value = std::stoi(hex.substr(at, 2), nullptr, 16) / 255.0;
    return value <= 0.04045 ? value / 12.92
                            : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 1.05 / (0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4) + 0.05);
}

TEST(PagesTest, WhiteTextOnTheColorsOfBoxesHasTheContrastOfWcagAa) {
  const std::string page = HtmlPage(Small());
  int colors = 0;
  for (size_t at = page.find("--c: #"); at != page.npos;
       at = page.find("--c: #", at + 1)) {
    EXPECT_GE(ContrastWithWhite(page.substr(at + 6, 6)), 4.5)
        << page.substr(at, 12);
    ++colors;
  }
  EXPECT_GE(colors, 8);
}

}  // namespace
}  // namespace gles_delegate
