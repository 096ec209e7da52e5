// labels: unit delegate llvmpipe softpipe
// GLES_DELEGATE_DEBUG=plan: which files there are, what they say, and that
// their pictures are Graphviz's language.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "delegate/graph/graph_text.h"
#include "delegate/partition/plan_partition.h"
#include "gtest/gtest-spi.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/scratch_directory.h"

namespace gles_delegate::testing {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::string> FilesOf(const ScratchDirectory& directory) {
  std::vector<std::string> files = directory.Files();
  std::sort(files.begin(), files.end());
  return files;
}

// Graphviz's language as far as DotGraph speaks it, a word at a time: names and
// punctuation as they are, strings with their quotes.
std::vector<std::string> WordsOf(const std::string& dot) {
  std::vector<std::string> words;
  for (size_t i = 0; i < dot.size();) {
    if (std::isspace(static_cast<unsigned char>(dot[i]))) {
      ++i;
      continue;
    }
    const size_t begin = i;
    if (dot[i] == '"') {
      for (++i; i < dot.size() && dot[i] != '"'; ++i) {
        EXPECT_GE(static_cast<unsigned char>(dot[i]), 0x20);
        if (dot[i] == '\\') ++i;
      }
      EXPECT_LT(i, dot.size()) << "a string without end";
      ++i;
    } else if (dot.compare(i, 2, "->") == 0) {
      i += 2;
    } else if (std::isalnum(static_cast<unsigned char>(dot[i]))) {
      while (i < dot.size() &&
             std::isalnum(static_cast<unsigned char>(dot[i]))) {
        ++i;
      }
    } else {
      ++i;
    }
    words.push_back(dot.substr(begin, i - begin));
  }
  return words;
}

// The number of edges of a well-formed picture; fails the test for another one:
// brackets that do not pair, or an edge from or to what was not declared
// before.
int EdgesOf(const std::string& dot) {
  const std::vector<std::string> words = WordsOf(dot);
  EXPECT_GE(words.size(), 4u);
  if (words.size() < 4) return 0;
  EXPECT_THAT(std::vector<std::string>(words.begin(), words.begin() + 3),
              ElementsAre("digraph", StartsWith("\""), "{"));
  EXPECT_EQ(words.back(), "}");
  std::set<std::string> declared = {"node", "edge"};
  int edges = 0;
  size_t i = 3;
  // A statement: NAME [...], or NAME -> NAME [...].
  while (i + 1 < words.size()) {
    const std::string& name = words[i++];
    if (words[i] == "->") {
      ++edges;
      EXPECT_EQ(declared.count(name), 1u) << name;
      EXPECT_EQ(declared.count(words[i + 1]), 1u) << words[i + 1];
      i += 2;
    } else {
      declared.insert(name);
    }
    if (words[i] != "[") {
      ADD_FAILURE() << "no attributes behind " << name << " but " << words[i];
      return edges;
    }
    // KEY = VALUE, ...
    for (++i; i + 3 < words.size() && words[i] != "]"; i += 3) {
      EXPECT_EQ(words[i + 1], "=");
    }
    EXPECT_EQ(words[i], "]");
    ++i;
  }
  return edges;
}

// CONV_2D, RELU, and the sum of it with the input, as read.
Graph SmallGraph() {
  GraphBuilder b;
  const TensorId x = b.Input({1, 8, 8, 4});
  b.graph.tensor(x).name = "a \"quoted\\ name\nof two lines";
  b.graph.outputs = {b.Add(b.Relu(b.Conv(x)), x)};
  for (size_t i = 0; i < b.graph.nodes.size(); ++i) {
    b.graph.nodes[i].tflite_index = static_cast<int>(i);
  }
  return std::move(b.graph);
}

TEST(PlanDumpTest, ThePassesThatChangedTheGraphAndThePlanHaveFiles) {
  const ScratchDirectory directory;
  PlanDump dump(directory.path(), 3);
  const auto planned =
      PlanPartition(SmallGraph(), DeviceProfile(), nullptr, &dump);
  ASSERT_TRUE(planned.ok()) << planned.status();
  EXPECT_TRUE(dump.status().ok()) << dump.status();
  EXPECT_EQ(dump.TakeWarning(), "");
  EXPECT_THAT(
      FilesOf(directory),
      ElementsAre("partition_3_00_read.dot", "partition_3_00_read.txt",
                  "partition_3_01_fuse_elementwise.dot",
                  "partition_3_01_fuse_elementwise.txt",
                  "partition_3_02_plan.dot", "partition_3_02_plan.txt"));
  const std::string base = directory.path() + "/partition_3_";
  EXPECT_THAT(
      ReadFile(base + "00_read.txt"),
      AllOf(HasSubstr("0: CONV_2D (node 0): t0, t1 -> t2\n"),
            HasSubstr("1: RELU (node 1): t2 -> t3 |clamp(0,6)\n"),
            HasSubstr("2: ADD (node 2): t3, t0 -> t4 |add(t0)\n"),
            HasSubstr("t1 't1' float32[4,1,1,4] constant of 64 bytes")));
  EXPECT_THAT(ReadFile(base + "01_fuse_elementwise.txt"),
              AllOf(HasSubstr("0: CONV_2D (node 0): t0, t1 -> t4 |clamp(0,6) "
                              "|add(t0)\n"),
                    Not(HasSubstr("RELU"))));
  EXPECT_EQ(ReadFile(base + "02_plan.txt"),
            PlanToString(planned->graph, planned->dispatches));
}

TEST(PlanDumpTest, WhyPassesLeaveNodesAlone) {
  GraphBuilder b;
  b.graph.outputs = {b.Conv(b.Conv(b.Input({1, 8, 8, 4})))};
  DeviceProfile profile;
  profile.choices.fused_next_texels = 1;
  const ScratchDirectory directory;
  PlanDump dump(directory.path(), 0);
  ASSERT_TRUE(PlanPartition(b.graph, profile, nullptr, &dump).ok());
  EXPECT_EQ(ReadFile(directory.path() + "/partition_0_01_declined.txt"),
            "fuse_next: CONV_2D -1: weights of 4 texels past "
            "fused_next_texels\n");
}

TEST(PlanDumpTest, ThePicturesAreWellFormed) {
  const ScratchDirectory directory;
  PlanDump dump(directory.path(), 0);
  ASSERT_TRUE(
      PlanPartition(SmallGraph(), DeviceProfile(), nullptr, &dump).ok());
  const std::string base = directory.path() + "/partition_0_";
  // Input to CONV_2D and ADD, along the chain, and to the output.
  EXPECT_EQ(EdgesOf(ReadFile(base + "00_read.dot")), 5);
  // The convolution reads the input as its source and as an operand: one edge.
  EXPECT_EQ(EdgesOf(ReadFile(base + "01_fuse_elementwise.dot")), 2);
  EXPECT_EQ(EdgesOf(ReadFile(base + "02_plan.dot")), 2);
  EXPECT_THAT(ReadFile(base + "00_read.dot"),
              HasSubstr("'a \\\"quoted\\\\ name\\\\x0aof two lines'"));
  if (std::system("dot -V > /dev/null 2>&1") != 0) {
    GTEST_LOG_(INFO) << "Graphviz is not installed: its own parser has not run";
    return;
  }
  for (const std::string& file : FilesOf(directory)) {
    if (!absl::EndsWith(file, ".dot")) continue;
    const std::string command = absl::StrCat("dot -Tsvg -o /dev/null '",
                                             directory.path(), "/", file, "'");
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
}

// The errors of this test's parser about text that is not a plan.
TEST(PlanDumpTest, AnEdgeToNothingIsNoticed) {
  std::string dot = DotGraph("wrong", Graph()).Finish();
  dot.insert(dot.rfind('}'),
             "n0 [shape=box label=\"\"]\nn0 -> n7 [label=\"\"]\n");
  EXPECT_NONFATAL_FAILURE(EdgesOf(dot), "n7");
}

// A concatenation in place: its inputs are views of its output.
TEST(PlanDumpTest, WhatIsWrittenIntoAViewIsDrawnToTheReader) {
  GraphBuilder b;
  const TensorId whole = b.Input({1, 1, 1, 8});
  b.graph.inputs.clear();
  const TensorId x = b.Input({1, 1, 1, 4});
  const TensorId part = b.Relu(x);
  b.graph.tensor(part).view = {whole, MemoryView::Kind::kBox, {0, 0, 0, 4}};
  b.graph.outputs = {b.Relu(whole)};
  EXPECT_EQ(EdgesOf(GraphToDot(b.graph)), 3);
  EXPECT_THAT(GraphToString(b.graph), HasSubstr(" in t0 at 0,0,0,4"));
}

TEST(PlanDumpTest, AFolderThatCannotBeWrittenIsToldOnceAndHarmsNothing) {
  const ScratchDirectory directory;
  const std::string file = directory.path() + "/a_file";
  std::ofstream(file) << "in the way";
  PlanDump dump(file, 0);
  const auto planned =
      PlanPartition(SmallGraph(), DeviceProfile(), nullptr, &dump);
  EXPECT_TRUE(planned.ok()) << planned.status();
  EXPECT_THAT(dump.TakeWarning(),
              AllOf(HasSubstr("GLES_DELEGATE_DEBUG=plan"),
                    HasSubstr(file + "/partition_0_00_read.txt"),
                    HasSubstr("name a folder that can be written")));
  EXPECT_EQ(dump.TakeWarning(), "");
  EXPECT_THAT(directory.Files(), ElementsAre("a_file"));
}

TEST(PlanDumpTest, TheEnvironmentMakesADelegateWriteThem) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ScratchDirectory directory;
  const std::string folder = directory.path() + "/new";
  const ScopedDebug wanted("plan=" + folder);
  const auto model = LoadOrDie(ChainModel("cn"));
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model, delegate);
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(files, Contains(EndsWith("_00_read.txt")));
  EXPECT_THAT(files, Contains(EndsWith("_plan.dot")));
}

TEST(PlanDumpTest, TheUserIsToldOfAFolderThatCannotBeWritten) {
  GLES_SKIP_WITHOUT_DEVICE();
  const ScratchDirectory directory;
  const ScopedDebug wanted("plan=" + directory.path() + "/no/such/folder");
  const auto model = LoadOrDie(ChainModel("cn"));
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model, delegate);
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
  EXPECT_THAT(interpreter->log(),
              Contains(AllOf(HasSubstr("GLES_DELEGATE_DEBUG=plan"),
                             HasSubstr("/no/such/folder"))));
  EXPECT_THAT(directory.Files(), IsEmpty());
}

}  // namespace
}  // namespace gles_delegate::testing
