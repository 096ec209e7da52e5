// labels: unit tools sanitize
// The progress that long work shows.
#include "tools/common/progress.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "gtest/gtest.h"

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

}  // namespace
}  // namespace gles_delegate
