// labels: unit tools sanitize
// The progress that long work shows.
#include "tools/common/progress.h"

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/testing/scratch_directory.h"
#include "tools/common/model_builder.h"
#include "tools/common/text_file.h"
#include "tools/common/tflite_host.h"
#include "tools/runner/inputs.h"
#include "tools/runner/latency.h"
#include "tools/runner/output_diff.h"

namespace gles_delegate {
namespace {

// A sink of one's own, at a time that the test sets.
class ProgressTest : public ::testing::Test {
 protected:
  ~ProgressTest() override {
    std::fclose(file_);
    std::free(bytes_);
  }

  ProgressSink Sink(bool terminal, int columns = 200) {
    ProgressSink sink;
    sink.file = file_;
    sink.terminal = terminal;
    sink.columns = columns;
    sink.seconds = [this] { return now_; };
    return sink;
  }

  std::string Written() {
    flockfile(file_);  // a thread may be writing
    std::fflush(file_);
    std::string written(bytes_, size_);
    funlockfile(file_);
    return written;
  }

  double now_ = 100;
  char* bytes_ = nullptr;
  size_t size_ = 0;
  std::FILE* file_ = open_memstream(&bytes_, &size_);
};

TEST_F(ProgressTest, ShortWorkShowsNothing) {
  {
    Progress progress("cases", 10, Sink(/*terminal=*/true));
    now_ += 1.9;
    progress.Show(9, "NEG");
  }
  EXPECT_EQ(Written(), "");
}

TEST_F(ProgressTest, ATerminalGetsOneLineThatIsTakenBack) {
  {
    Progress progress("cases", 1000, Sink(/*terminal=*/true));
    now_ += 10;
    progress.Show(500, "NEG");
    EXPECT_EQ(Written(),
              "\r\033[K[############............] 500 of 1000 cases, 50 a "
              "second, 10 s left  NEG");
    now_ += 0.1;  // too soon to be read
    progress.Show(501, "NEG");
  }
  const std::string written = Written();
  EXPECT_EQ(written.find("501"), std::string::npos);
  EXPECT_EQ(written.substr(written.size() - 4), "\r\033[K");
}

TEST_F(ProgressTest, ANarrowTerminalsLineDoesNotWrap) {
  Progress progress("cases", 1000, Sink(/*terminal=*/true, /*columns=*/20));
  now_ += 10;
  progress.Show(500, "NEG");
  EXPECT_EQ(Written(), "\r\033[K[############......");
}

TEST_F(ProgressTest, AFileGetsAPlainLineEachHalfMinute) {
  Progress progress("inputs", 100, Sink(/*terminal=*/false));
  for (int second = 1; second <= 65; ++second) {
    now_ += 1;
    progress.Show(second, "a model");
  }
  EXPECT_EQ(Written(),
            "30 of 100 inputs, 1.0 a second, 1 min 10 s left\n"
            "60 of 100 inputs, 1.0 a second, 40 s left\n");
}

// At a time that two threads see.
ProgressSink LaterSink(std::FILE* file, bool terminal,
                       std::atomic<double>* now) {
  ProgressSink sink;
  sink.file = file;
  sink.terminal = terminal;
  sink.columns = 20;
  sink.seconds = [now] { return now->load(); };
  return sink;
}

TEST_F(ProgressTest, WorkWithoutPartsShowsItsTimeAndTakesItBack) {
  std::atomic<double> now{100};
  {
    Elapsed elapsed("preparing gles", LaterSink(file_, true, &now));
    now = 114;
    while (Written().empty()) std::this_thread::yield();
  }
  const std::string written = Written();
  EXPECT_EQ(written.substr(0, 22), "\r\033[Kpreparing gles, 14");  // 19 columns
  EXPECT_EQ(written.substr(written.size() - 4), "\r\033[K");
}

TEST_F(ProgressTest, ShortWorkWithoutPartsAndAFileShowNothing) {
  std::atomic<double> now{100};
  { Elapsed elapsed("preparing", LaterSink(file_, true, &now)); }
  {
    Elapsed elapsed("preparing", LaterSink(file_, false, &now));
    now = 200;
  }
  EXPECT_EQ(Written(), "");
}

TEST(ProgressTextTest, NothingIsPredictedBeforeTheFirstIsDone) {
  EXPECT_EQ(ProgressText("cases", 0, 7, 30), "0 of 7 cases");
}

TEST(ProgressTextTest, DurationsAreRead) {
  EXPECT_EQ(DurationText(0.4), "0 s");
  EXPECT_EQ(DurationText(59.6), "1 min 0 s");
  EXPECT_EQ(DurationText(185), "3 min 5 s");
  EXPECT_EQ(DurationText(3840), "1 h 4 min");
}

TEST(InterruptTest, TheFirstIsRemembered) {
  EXPECT_FALSE(Interrupted());
  CatchInterrupts();
  std::raise(SIGINT);
  EXPECT_TRUE(Interrupted());
}

TEST(InterruptDeathTest, TheSecondEndsTheProcess) {
  EXPECT_EXIT(
      {
        CatchInterrupts();
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

// Files are replaced as a whole, and what is no plain file is left what it is.

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

namespace fs = std::filesystem;

std::string Read(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

class TextFileTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  const testing::ScratchDirectory folder_;
};

TEST_F(TextFileTest, AFileIsMadeAndReplaced) {
  EXPECT_TRUE(WriteText(Path("a.txt"), "a long first text").ok());
  EXPECT_TRUE(WriteText(Path("a.txt"), "second").ok());
  EXPECT_EQ(Read(Path("a.txt")), "second");
  EXPECT_THAT(folder_.Files(), ElementsAre("a.txt"));
}

// /dev/stdout is a symbolic link, too: replacing it would take it from all.
TEST_F(TextFileTest, ASymbolicLinkStaysOne) {
  fs::create_symlink(Path("target.txt"), Path("link.txt"));
  EXPECT_TRUE(WriteText(Path("link.txt"), "text").ok());
  EXPECT_TRUE(fs::is_symlink(Path("link.txt")));
  EXPECT_EQ(Read(Path("target.txt")), "text");
  EXPECT_THAT(folder_.Files(), UnorderedElementsAre("link.txt", "target.txt"));
}

TEST_F(TextFileTest, ADeviceStaysOne) {
  EXPECT_TRUE(WriteText("/dev/null", "text").ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(TextFileTest, AFailureNamesThePathAndLeavesNothing) {
  const absl::Status status = WriteText(Path("no/such/a.txt"), "text");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("no/such/a.txt"));
  EXPECT_FALSE(WriteText(folder_.path(), "text").ok());
  EXPECT_THAT(folder_.Files(), IsEmpty());
}

TEST_F(TextFileTest, WhatCannotBeWrittenIsKnownBefore) {
  WriteText(Path("a.txt"), "text").IgnoreError();
  fs::create_symlink(Path("later.txt"), Path("link.txt"));
  for (const char* const name : {"a.txt", "new.txt", "link.txt"}) {
    EXPECT_TRUE(CheckWritable(Path(name)).ok()) << name;
    EXPECT_TRUE(WriteText(Path(name), "text").ok()) << name;
  }
  EXPECT_TRUE(CheckWritable("/dev/null").ok());
  const std::pair<std::string, std::string> kWrong[] = {
      {"", "Is a directory"},
      {"no/such/a.txt", "No such file or directory"},
      {"a.txt/b.txt", "Not a directory"}};
  for (const auto& [name, why] : kWrong) {
    EXPECT_EQ(std::string(CheckWritable(Path(name)).message()),
              "cannot write " + Path(name) + ": " + why);
    EXPECT_EQ(CheckWritable(Path(name)), WriteText(Path(name), "text"));
  }
}

// The tools' measurements: differences, percentiles, inputs.

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The Python package's program has the same cases.
TEST(ChoiceTest, IsThatOfTheTable) {
  std::ifstream file(std::string(GLES_DELEGATE_SOURCE_DIR) +
                     "/tests/tools/checkups.json");
  const auto cases = nlohmann::json::parse(file)["cases"];
  EXPECT_GT(cases.size(), 10u);
  for (const auto& c : cases) {
    const Choice choice =
        Choose(c["speedups"], c.value("software", false),
               c.value("nodes_delegated", 1) > 0, c.value("right", true));
    EXPECT_EQ(choice.use, c["use"]) << c;
    EXPECT_EQ(choice.text, c["verdict"]) << c;
  }
}

TEST(OutputDiffTest, EqualOutputsHaveNoError) {
  OutputDiff diff;
  diff.Add({1, -2, 3}, {1, -2, 3}, 3);
  EXPECT_EQ(diff.max_abs(), 0);
  EXPECT_EQ(diff.relative_l2(), 0);
  EXPECT_NEAR(diff.cosine(), 1, 1e-15);
  EXPECT_EQ(diff.argmax_agreement(), 1);
  EXPECT_TRUE(diff.Within(0));
}

TEST(OutputDiffTest, ErrorsAreRelativeToTheLargestMagnitude) {
  OutputDiff diff;
  diff.Add({-4, 1}, {-4, 1.5f}, 2);
  EXPECT_EQ(diff.max_abs(), 0.5);
  EXPECT_EQ(diff.mean_abs(), 0.25);
  EXPECT_EQ(diff.magnitude(), 4);
  EXPECT_EQ(diff.max_relative(), 0.125);
  EXPECT_NEAR(diff.relative_l2(), 0.5 / std::sqrt(17.0), 1e-12);
  EXPECT_TRUE(diff.Within(0.125));
  EXPECT_FALSE(diff.Within(0.124));
}

TEST(OutputDiffTest, GathersOverRuns) {
  OutputDiff diff;
  diff.Add({1, 0}, {1, 0}, 2);
  diff.Add({0, 1}, {2, 1}, 2);
  EXPECT_EQ(diff.elements(), 4);
  EXPECT_EQ(diff.max_abs(), 2);
  EXPECT_EQ(diff.argmax_agreement(), 0.5);
}

TEST(OutputDiffTest, ArgmaxLooksAlongTheInnermostDimension) {
  OutputDiff rows;
  rows.Add({1, 2, 4, 3}, {1, 2, 3, 4}, 2);
  EXPECT_EQ(rows.argmax_agreement(), 0.5);
  OutputDiff whole;  // one channel: the position of the maximum
  whole.Add({1, 2, 4, 3}, {1, 2, 4, 3}, 1);
  EXPECT_EQ(whole.argmax_agreement(), 1);
}

TEST(OutputDiffTest, NanOnOneSideFails) {
  OutputDiff diff;
  diff.Add({1, kNan, kNan}, {1, kNan, 2}, 3);
  EXPECT_EQ(diff.mismatches(), 1);
  EXPECT_FALSE(diff.Within(1e9));
}

TEST(OutputDiffTest, InfinityMustBeMatched) {
  OutputDiff same;
  same.Add({1, kInfinity}, {1, kInfinity}, 2);
  EXPECT_TRUE(same.Within(0));
  OutputDiff other;
  other.Add({1, kInfinity}, {1, 3}, 2);
  EXPECT_FALSE(other.Within(1e9));
}

TEST(OutputDiffTest, SizesThatDifferFail) {
  OutputDiff diff;
  diff.Add({1, 2}, {1}, 1);
  EXPECT_FALSE(diff.Within(1e9));
}

TEST(OutputDiffTest, ZeroReferenceCountsAbsolutely) {
  OutputDiff diff;
  diff.Add({0, 0}, {0, 0.25f}, 2);
  EXPECT_EQ(diff.max_relative(), 0.25);
  EXPECT_EQ(diff.cosine(), 0);
}

TEST(LatencyStatsTest, InterpolatesPercentiles) {
  std::vector<double> samples;
  for (int i = 100; i >= 0; --i) samples.push_back(i);
  const LatencyStats stats = Summarize(samples);
  EXPECT_EQ(stats.median, 50);
  EXPECT_EQ(stats.p5, 5);
  EXPECT_EQ(stats.p95, 95);
  EXPECT_EQ(stats.runs, 101);
  EXPECT_EQ(Summarize({1, 2}).median, 1.5);
  EXPECT_EQ(Summarize({}).runs, 0);
}

// y = -x, for a float x called "x:0" and an 8-bit one called "quantized
// values".
std::vector<uint8_t> TwoInputs() {
  ModelBuilder builder;
  const int x = builder.AddInput("x:0", {1, 4});
  builder.AddInput("quantized", {1, 1000}, schema::TensorType::UINT8,
                   ModelQuantization::PerTensor(1.0f / 255, 0));
  const int y = builder.AddTensor("y", {1, 4});
  builder.AddOp(schema::BuiltinOperator::NEG, 1, {x}, {y});
  builder.SetOutputs({y});
  return builder.Finish();
}

class InputsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto model = Model::FromBuffer(TwoInputs());
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *std::move(model);
    auto interpreter = Interpreter::Create(*model_);
    ASSERT_TRUE(interpreter.ok()) << interpreter.status();
    interpreter_ = *std::move(interpreter);
  }

  std::unique_ptr<Model> model_;
  std::unique_ptr<Interpreter> interpreter_;
};

TEST_F(InputsTest, OneSeedGivesOneInput) {
  const auto draw = [this](int seed) {
    std::mt19937 random(seed);
    return *MakeInputs(*interpreter_, FloatInputs::kGaussian, random);
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
}

TEST_F(InputsTest, QuantizedValuesCoverTheirWholeRange) {
  std::mt19937 random(1);
  const auto inputs = MakeInputs(*interpreter_, FloatInputs::kUniform, random);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  const std::vector<uint8_t>& quantized = (*inputs)[1];
  ASSERT_EQ(quantized.size(), 1000u);
  EXPECT_LT(*std::min_element(quantized.begin(), quantized.end()), 8);
  EXPECT_GT(*std::max_element(quantized.begin(), quantized.end()), 247);
}

TEST_F(InputsTest, FilesMustNameAnInput) {
  std::mt19937 random(1);
  const auto inputs = MakeInputs(*interpreter_, FloatInputs::kUniform, random,
                                 {{"z", "nothing"}});
  EXPECT_THAT(inputs.status().message(), HasSubstr("x:0, quantized"));
}

TEST_F(InputsTest, ValueFilesSplitAtTheLastColon) {
  const auto files = ParseValueFiles("x:0:a.bin,quantized:b.bin");
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->at("x:0"), "a.bin");
  EXPECT_EQ(files->at("quantized"), "b.bin");
  EXPECT_FALSE(ParseValueFiles("a.bin").ok());
}

TEST_F(InputsTest, ShapesGoToTheInputsNamed) {
  const auto shapes = ParseInputShapes(*interpreter_, "quantized", "1,20");
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  EXPECT_THAT(*shapes, ElementsAre(IsEmpty(), ElementsAre(1, 20)));
  EXPECT_FALSE(ParseInputShapes(*interpreter_, "quantized", "1,20:1,30").ok());
  EXPECT_FALSE(ParseInputShapes(*interpreter_, "quantized", "1,0").ok());
  EXPECT_FALSE(ParseInputShapes(*interpreter_, "other", "1,20").ok());
}

}  // namespace

}  // namespace gles_delegate
