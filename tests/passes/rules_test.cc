// labels: unit sanitize
// What passes make of graphs: the cases of the *.txt files in this folder.
//
//   pass: fuse_elementwise fuse_depthwise
//   device: nvidia fused_depthwise_work=100
//
//   # Says what the case is about.
//   RELU x=[1,2,2,4] -> t ; ABS t -> y
//   > RELU x -> y |clamp(0,inf) |abs
//
// `pass` and `device` are for the cases that follow: the passes that run, of
// which the last is what a case is about, and a device with `half`, limits and
// tuning parameters. A case is a row as those of tools/cases
// (docs/conformance.md), and behind `>` the nodes that it becomes, then the
// tensors that are views of others. New tensors have their dims behind them,
// new constants their values if there are few, windows their padding.
// `unchanged` says that the last pass leaves the nodes as they are, `unchanged:
// reason` a part of what it notes for GLES_DELEGATE_DEBUG=plan, too. `all` are
// all passes; the flag `drop=p` makes an output of the graph none. A failing
// case prints what its lines should be.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/constant_values.h"
#include "delegate/graph/graph_text.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/passes/passes.h"
#include "delegate/tflite/gles_simple_delegate.h"
#include "delegate/tflite/reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fuzz/fake_runtime.h"
#include "tests/testing/fake_devices.h"
#include "tests/testing/run_pass.h"
#include "third_party/tflite_schema/schema_generated.h"
#include "tools/cases/model.h"
#include "tools/cases/rows.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate::testing {
namespace {

using ::testing::HasSubstr;

struct RuleCase {
  std::string place;  // "fuse_padding.txt:12"
  std::vector<std::string> passes;
  DeviceProfile profile;
  std::string row;
  std::vector<std::string> after;
};

// "nvidia half small name=value ...".
absl::StatusOr<DeviceProfile> ProfileOf(absl::string_view text) {
  egl::DeviceInfo device = LargeDevice();
  PlanningOptions options;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(word, absl::MaxSplits('=', 1));
    if (word == "nvidia") {
      device.kind = egl::DeviceKind::kNvidia;
    } else if (word == "llvmpipe") {
      device.kind = egl::DeviceKind::kLlvmpipe;
    } else if (word == "small") {
      device = SmallestDevice();
    } else if (word == "half") {
      options.half = true;
    } else if (parts.first == "shared_bytes") {
      if (!absl::SimpleAtoi(parts.second, &device.max_shared_memory_bytes)) {
        return absl::InvalidArgumentError(word);
      }
    } else if (parts.first == "bindings") {
      int bindings = 0;
      if (!absl::SimpleAtoi(parts.second, &bindings)) {
        return absl::InvalidArgumentError(word);
      }
      device.max_buffers = bindings;
    } else if (!parts.second.empty()) {
      absl::StrAppend(&options.tuning, options.tuning.empty() ? "" : ",", word);
    } else {
      return absl::InvalidArgumentError(absl::StrCat("no device ", word));
    }
  }
  return ProfileFor(device, options);
}

std::vector<RuleCase> CasesOf(const std::string& path) {
  std::vector<RuleCase> cases;
  std::ifstream file(path);
  const std::string name = std::filesystem::path(path).filename();
  RuleCase next;
  bool is_open = false;  // its row may go on
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    absl::string_view text = absl::StripAsciiWhitespace(line);
    if (text.empty() || text[0] == '#') {
      is_open = false;
    } else if (absl::ConsumePrefix(&text, "pass: ")) {
      next.passes = absl::StrSplit(text, ' ');
    } else if (absl::ConsumePrefix(&text, "device: ")) {
      const auto profile = ProfileOf(text);
      EXPECT_TRUE(profile.ok()) << name << ":" << number << profile.status();
      if (profile.ok()) next.profile = *profile;
    } else if (absl::ConsumePrefix(&text, "> ")) {
      if (cases.empty()) {
        ADD_FAILURE() << name << ":" << number << ": no row";
        break;
      }
      cases.back().after.emplace_back(text);
    } else if (is_open) {
      absl::StrAppend(&cases.back().row, "\n ", text);
    } else {
      next.place = absl::StrCat(name, ":", number);
      next.row = std::string(text);
      cases.push_back(next);
      is_open = true;
    }
  }
  return cases;
}

// The file with the shapes that TFLite gives all of its tensors.
absl::StatusOr<std::vector<uint8_t>> WithShapes(
    const std::vector<uint8_t>& file) {
  const std::unique_ptr<schema::ModelT> model(
      schema::GetModel(file.data())->UnPack());
  schema::SubGraphT& graph = *model->subgraphs[0];
  const auto packed = [&] {
    flatbuffers::FlatBufferBuilder builder;
    schema::FinishModelBuffer(builder,
                              schema::Model::Pack(builder, model.get()));
    return std::vector<uint8_t>(builder.GetBufferPointer(),
                                builder.GetBufferPointer() + builder.GetSize());
  };
  const std::vector<int32_t> outputs = graph.outputs;
  graph.outputs.clear();
  for (const auto& op : graph.operators) {
    graph.outputs.insert(graph.outputs.end(), op->outputs.begin(),
                         op->outputs.end());
  }
  ASSIGN_OR_RETURN(auto lent, Model::FromBuffer(packed()));
  ASSIGN_OR_RETURN(auto interpreter, Interpreter::Create(*lent));
  for (int i = 0; i < interpreter->outputs(); ++i) {
    graph.tensors[graph.outputs[i]]->shape = interpreter->output(i).dims();
  }
  graph.outputs = outputs;
  return packed();
}

absl::StatusOr<Graph> GraphOf(const std::vector<uint8_t>& file,
                              const DeviceProfile& profile) {
  const auto runtime = fuzz::FakeRuntime::Create(file);
  if (runtime == nullptr) return absl::InvalidArgumentError("no model");
  ASSIGN_OR_RETURN(const auto model,
                   ReadModel(runtime->context(), profile, ReadOptions()));
  std::vector<int> nodes;
  for (const CheckedNode& node : model.nodes) {
    if (!node.support.ok()) return node.support;
    nodes.push_back(node.index);
  }
  return ExtractPartition(model, nodes, runtime->inputs(), runtime->outputs());
}

// --- The graph after the passes, as a case has it ----------------------------

// `is_new`: the model does not have it.
std::string TensorsName(const Graph& graph, TensorId id, bool is_new) {
  constexpr int64_t kFew = 8;
  const Tensor& t = graph.tensor(id);
  if (!is_new) return t.name;
  if (!t.is_constant()) {
    return absl::StrCat(t.name, "[", absl::StrJoin(t.dims, ","), "]");
  }
  const auto floats = ConstantFloats(t);
  if (!floats.ok() || t.shape.elements() > kFew) return t.name;
  return absl::StrCat(t.name, "=(", absl::StrJoin(*floats, ","), ")");
}

std::string PaddingOf(const Node& node) {
  std::array<int, 4> padding = {};
  const SlidingWindow* w = InputWindowOf(node);
  if (w == nullptr) w = node.As<PoolAttributes>();
  if (w != nullptr) {
    padding = {w->pad_top, w->pad_left, w->pad_bottom, w->pad_right};
  }
  if (padding == std::array<int, 4>{}) return "";
  return absl::StrCat(" padded by ", absl::StrJoin(padding, ","));
}

// Names in place of ids, which are "t" and a number.
std::string WithNames(const Graph& graph, absl::string_view text,
                      TensorId first_new) {
  std::string named;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    while (end < text.size() && absl::ascii_isdigit(text[end])) ++end;
    const bool begins = i == 0 || !absl::ascii_isalnum(text[i - 1]);
    if (text[i] != 't' || !begins || end == i + 1) {
      named += text[i++];
      continue;
    }
    const TensorId id = std::stoi(std::string(text.substr(i + 1, end - i - 1)));
    named += TensorsName(graph, id, id >= first_new);
    i = end;
  }
  return named;
}

// `first_new`: the first tensor that the model does not have.
std::vector<std::string> LinesOf(const Graph& graph, TensorId first_new) {
  std::vector<std::string> lines;
  size_t n = 0;
  for (absl::string_view line : absl::StrSplit(GraphToString(graph), '\n')) {
    if (line.empty() || !absl::ascii_isdigit(line[0])) continue;
    // "0: CONV_2D (node 3): t0, t1 -> t2"
    line.remove_prefix(line.find(": ") + 2);
    const size_t node = line.find(" (node ");
    lines.push_back(absl::StrCat(
        line.substr(0, node), " ",
        WithNames(graph, line.substr(line.find(": ", node) + 2), first_new),
        PaddingOf(graph.nodes[n++])));
  }
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.view.of == kNoTensor) continue;
    lines.push_back(tensor.name +
                    WithNames(graph, tensor.view.ToString(),
                              static_cast<TensorId>(graph.tensors.size())));
  }
  return lines;
}

// --- Running a case ----------------------------------------------------------

void RunCase(const RuleCase& c, const std::string& text) {
  const auto spec = cases::ParseCase(text);
  ASSERT_TRUE(spec.ok()) << spec.status();
  const SingleOpModel model = cases::ModelOf(*spec);
  ASSERT_TRUE(model.status.ok()) << model.status;
  const auto file = WithShapes(model.bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  auto graph = GraphOf(*file, c.profile);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto first_new = static_cast<TensorId>(graph->tensors.size());
  if (spec->Has("drop")) {
    auto& outputs = graph->outputs;
    const auto dropped =
        std::find_if(outputs.begin(), outputs.end(), [&](TensorId id) {
          return graph->tensor(id).name == spec->flags.at("drop");
        });
    ASSERT_NE(dropped, outputs.end()) << "no output to drop";
    outputs.erase(dropped);
  }
  std::vector<std::string> notes;
  PassContext context = {c.profile};
  context.notes = &notes;
  std::vector<std::string> before;
  for (const std::string& pass : c.passes) {
    before = LinesOf(*graph, first_new);
    notes.clear();
    const absl::Status passed = pass == "all" ? RunPasses(&*graph, c.profile)
                                              : RunPass(pass, context, &*graph);
    ASSERT_TRUE(passed.ok()) << passed;
    ExpectInOrder(*graph);
  }
  std::vector<std::string> after = LinesOf(*graph, first_new);
  if (c.after.size() == 1 && absl::StartsWith(c.after[0], "unchanged")) {
    EXPECT_EQ(after, before);
    const std::vector<std::string> reason =
        absl::StrSplit(c.after[0], absl::MaxSplits(": ", 1));
    if (reason.size() > 1) {
      EXPECT_THAT(absl::StrJoin(notes, "\n"), HasSubstr(reason[1]));
    }
  } else {
    EXPECT_EQ(after, c.after) << "> " << absl::StrJoin(after, "\n> ") << "\n"
                              << absl::StrJoin(notes, "\n");
  }
}

std::vector<std::string> Files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(
           GLES_DELEGATE_SOURCE_DIR "/tests/passes")) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class RulesTest : public ::testing::TestWithParam<std::string> {};

TEST_P(RulesTest, MakeOfGraphsWhatTheFileSays) {
  const std::vector<RuleCase> cases = CasesOf(GetParam());
  EXPECT_FALSE(cases.empty());
  for (const RuleCase& c : cases) {
    SCOPED_TRACE(c.place);
    const auto rows = cases::RowsOf("rules", c.row);
    ASSERT_TRUE(rows.ok()) << rows.status();
    for (const cases::Row& row : *rows) {
      for (const std::string& text : row.cases) {
        SCOPED_TRACE(text);
        RunCase(c, text);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RulesTest, ::testing::ValuesIn(Files()),
    [](const ::testing::TestParamInfo<std::string>& info) {
      return std::filesystem::path(info.param).stem().string();
    });

}  // namespace
}  // namespace gles_delegate::testing
