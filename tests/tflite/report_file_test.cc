// labels: op delegate llvmpipe softpipe
// The option report_file: the report where no one can call for it.
#include <sys/inotify.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "delegate/tflite/report.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/scratch_directory.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

nlohmann::json ParsedReport(const std::string& path) {
  const auto report = nlohmann::json::parse(TextOf(path), nullptr, false);
  EXPECT_TRUE(report.is_object()) << path << ": " << TextOf(path);
  return report;
}

// --- ReplaceFile -------------------------------------------------------------

TEST(ReplaceFileTest, WritesAndReplaces) {
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/report.json";
  for (const std::string text : {"one", "a longer one", ""}) {
    ASSERT_TRUE(ReplaceFile(path, text).ok());
    EXPECT_EQ(TextOf(path), text);
    EXPECT_THAT(scratch.Files(), ElementsAre("report.json"));
  }
}

// A reader sees one text or the other, whenever it looks.
TEST(ReplaceFileTest, AReaderNeverFindsHalfAText) {
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/report.json";
  const std::string texts[] = {std::string(300000, 'a'),
                               std::string(200000, 'b')};
  ASSERT_TRUE(ReplaceFile(path, texts[0]).ok());
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 0; i < 200; ++i) {
      EXPECT_TRUE(ReplaceFile(path, texts[i % 2]).ok());
    }
    done = true;
  });
  while (!done) {
    const std::string text = TextOf(path);
    ASSERT_TRUE(text == texts[0] || text == texts[1]) << text.size();
  }
  writer.join();
}

TEST(ReplaceFileTest, WhatCannotBeWrittenIsNamed) {
  const ScratchDirectory scratch;
  const std::string path = scratch.path() + "/no/report.json";
  EXPECT_THAT(std::string(ReplaceFile(path, "x").message()),
              AllOf(HasSubstr(path), HasSubstr("No such file")));
}

TEST(ReplaceFileTest, WhatIsNoPlainFileIsLeftAlone) {
  const ScratchDirectory scratch;
  const std::string folder = scratch.path() + "/folder";
  const std::string pipe = scratch.path() + "/pipe";
  const std::string link = scratch.path() + "/link";
  std::filesystem::create_directory(folder);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink("elsewhere", link);
  for (const std::string& path : {folder, pipe, link}) {
    EXPECT_THAT(std::string(ReplaceFile(path, "x").message()),
                AllOf(HasSubstr(path), HasSubstr("no plain file")));
  }
  EXPECT_THAT(scratch.Files(),
              ::testing::UnorderedElementsAre("folder", "pipe", "link"));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
}

// --- The option --------------------------------------------------------------

class ReportFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    model_ = LoadOrDie(ChainModel("can"));
    interpreter_ = InterpreterOrDie(*model_);
    path_ = scratch_.path() + "/report.json";
  }
  DelegatePtr Delegate(const std::string& path, bool profile = false) {
    return MakeDelegate([&](auto& options) {
      options.report_file = path.c_str();
      options.enable_op_profiling = profile;
      // Where tensors lie is known when TFLite allocates them, afterwards.
      options.zero_copy = kTfLiteGlesOff;
    });
  }

  const ScratchDirectory scratch_;
  std::string path_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Interpreter> interpreter_;
};

TEST_F(ReportFileTest, IsTheReportAtTheEndOfPrepareAndAtDeletion) {
  DelegatePtr delegate = Delegate(path_, /*profile=*/true);
  EXPECT_THAT(scratch_.Files(), IsEmpty()) << "nothing is known yet";
  ASSERT_TRUE(interpreter_->ApplyDelegate(delegate.get()).ok());
  EXPECT_EQ(TextOf(path_),
            std::string(TfLiteGlesDelegateReport(delegate.get())) + "\n");
  EXPECT_EQ(ParsedReport(path_)["nodes_delegated"], 3);
  EXPECT_EQ(ParsedReport(path_)["profile"][0]["count"], 0);
  ASSERT_TRUE(RunOnce(interpreter_.get()).ok());
  EXPECT_EQ(ParsedReport(path_)["profile"][0]["count"], 0) << "not at Invoke";
  const nlohmann::json last = ReportOf(delegate);
  delegate.reset();
  EXPECT_EQ(ParsedReport(path_), last);
  EXPECT_EQ(last["profile"][0]["count"], 1);
  EXPECT_THAT(scratch_.Files(), ElementsAre("report.json"));
}

// As an app ends that cannot be changed: the interpreter goes first.
TEST_F(ReportFileTest, TheProfileOutlivesTheInterpreter) {
  DelegatePtr delegate = Delegate(path_, /*profile=*/true);
  ASSERT_TRUE(interpreter_->ApplyDelegate(delegate.get()).ok());
  ASSERT_TRUE(RunOnce(interpreter_.get()).ok());
  ASSERT_TRUE(RunOnce(interpreter_.get()).ok());
  const nlohmann::json profile = ReportOf(delegate)["profile"];
  interpreter_.reset();
  delegate.reset();
  EXPECT_EQ(ParsedReport(path_)["profile"], profile);
  EXPECT_EQ(profile[0]["count"], 2);
  EXPECT_EQ(profile[0]["by_gpu"], profile[0]["clock"] != "host");
  ASSERT_EQ(profile[0]["runs"].size(), 2u);
  EXPECT_LT(profile[0]["runs"][0][0], profile[0]["runs"][1][0]);
}

TEST_F(ReportFileTest, AFailureToWriteIsAWarning) {
  const std::string path = scratch_.path() + "/no/report.json";
  DelegatePtr delegate = Delegate(path);
  const absl::Status applied = interpreter_->ApplyDelegate(delegate.get());
  ASSERT_TRUE(applied.ok()) << applied;
  EXPECT_THAT(interpreter_->TakeLog(),
              Contains(AllOf(HasSubstr("WARNING: TfLiteGlesDelegate"),
                             HasSubstr(path))));
  ExpectClose(RunOnce(interpreter_.get()), CpuResult(*model_));
  interpreter_.reset();
  ::testing::internal::CaptureStderr();
  delegate.reset();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("WARNING: TfLiteGlesDelegate"), HasSubstr(path)));
}

TEST_F(ReportFileTest, SaysWhyTheDelegateWasNotApplied) {
  const DelegatePtr delegate = MakeDelegate([&](auto& options) {
    options.report_file = path_.c_str();
    options.device = "no such renderer";
  });
  EXPECT_FALSE(interpreter_->ApplyDelegate(delegate.get()).ok());
  EXPECT_THAT(ParsedReport(path_)["error"].get<std::string>(),
              HasSubstr("no such renderer"));
  EXPECT_EQ(ReportOf(delegate)["error"], ParsedReport(path_)["error"]);
}

// Each report has all subgraphs: one for each takes quadratic time.
TEST_F(ReportFileTest, IsNotWrittenForEachOfManySubgraphs) {
  constexpr int kNodes = 60;
  ModelBuilder b;
  const int condition = b.AddInput("c", {}, TensorType::BOOL);
  int x = b.AddInput("x", {1, 4});
  for (int i = 0; i < kNodes; ++i) {
    const int y = b.AddTensor("y", {1, 4});
    schema::IfOptionsT branches;
    branches.then_subgraph_index = branches.else_subgraph_index = 1 + i;
    b.AddOp(Op::IF, 1, {condition, x}, {y}, branches);
    x = y;
    ModelBuilder inner;
    const int from = inner.AddInput("from", {1, 4});
    const int to = inner.AddTensor("to", {1, 4});
    inner.AddOp(Op::NEG, 1, {from}, {to});
    inner.SetOutputs({to});
    b.AddSubgraph(std::move(inner));
  }
  b.SetOutputs({x});
  const auto model = LoadOrDie(b.Finish());
  const DelegatePtr delegate = Delegate(path_);
  const int events = inotify_init1(IN_NONBLOCK);
  ASSERT_GE(inotify_add_watch(events, scratch_.path().c_str(), IN_CREATE), 0);
  InterpreterOptions options;
  options.delegate = delegate.get();
  options.apply = InterpreterOptions::Apply::kOptions;
  const auto interpreter = Interpreter::Create(*model, options);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  alignas(inotify_event) char buffer[1 << 14];
  const ssize_t bytes = read(events, buffer, sizeof(buffer));
  close(events);
  int writes = 0;
  for (ssize_t at = 0; at < bytes; ++writes) {
    at += static_cast<ssize_t>(
        sizeof(inotify_event) +
        reinterpret_cast<const inotify_event*>(buffer + at)->len);
  }
  EXPECT_GE(writes, 16);
  EXPECT_LT(writes, kNodes / 2);
  ASSERT_TRUE(RunOnce(interpreter->get()).ok());
  nlohmann::json last = ReportOf(delegate)["stages_ms"];
  last.erase("first_invoke");
  EXPECT_EQ(ParsedReport(path_)["stages_ms"], last);
  EXPECT_EQ(ParsedReport(path_)["nodes_delegated"], kNodes);
}

// The path is that of the moment when the delegate is made.
TEST_F(ReportFileTest, ComesByTheEnvironment) {
  const ScopedEnvironment set("GLES_DELEGATE_OPTIONS",
                              "report_file:" + path_ + ";exclude_nodes:0");
  const DelegatePtr delegate = MakeDelegate();
  ASSERT_TRUE(interpreter_->ApplyDelegate(delegate.get()).ok());
  EXPECT_EQ(ParsedReport(path_)["nodes_delegated"], 2);
  EXPECT_EQ(ParsedReport(path_)["environment_options"],
            "report_file:" + path_ + ";exclude_nodes:0");
  EXPECT_FALSE(ParsedReport(path_).contains("error"));
}

// It is the worker that knows what happened.
TEST_F(ReportFileTest, AWorkerWritesIt) {
  DelegatePtr delegate = MakeDelegate([&](auto& options) {
    options.report_file = path_.c_str();
    options.thread_mode = kTfLiteGlesThreadWorker;
    options.enable_op_profiling = 1;
  });
  ASSERT_TRUE(interpreter_->ApplyDelegate(delegate.get()).ok());
  EXPECT_EQ(ParsedReport(path_)["nodes_delegated"], 3);
  ASSERT_TRUE(RunOnce(interpreter_.get()).ok());
  interpreter_.reset();
  delegate.reset();
  EXPECT_EQ(ParsedReport(path_)["profile"][0]["count"], 1);
}

}  // namespace
}  // namespace gles_delegate::testing
