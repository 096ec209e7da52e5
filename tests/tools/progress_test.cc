// labels: unit tools sanitize
// The progress that long work shows.
#include "tools/common/progress.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/scratch_directory.h"
#include "tools/common/text_file.h"

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

// --- Text files --------------------------------------------------------------

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

}  // namespace

}  // namespace gles_delegate
