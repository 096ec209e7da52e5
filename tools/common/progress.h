// Shows how far long work is: a bar on a terminal, a line now and then in a
// file. Ctrl-C ends the work after the step that runs.
#ifndef GLES_DELEGATE_TOOLS_COMMON_PROGRESS_H_
#define GLES_DELEGATE_TOOLS_COMMON_PROGRESS_H_

#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "absl/strings/string_view.h"

namespace gles_delegate {

// Where the bar goes, and which time it is.
struct ProgressSink {
  std::FILE* file = stderr;
  bool terminal = false;            // redraws one line; else prints lines
  int columns = 80;                 // of the terminal
  std::function<double()> seconds;  // any clock that never goes back

  // stderr, what it is connected to, and the steady clock.
  static ProgressSink Stderr();
};

// One thread uses it. Nothing is shown in the first two seconds.
class Progress {
 public:
  // `unit` is a plural ("cases"); `total` of them are to be done.
  Progress(std::string unit, int64_t total,
           ProgressSink sink = ProgressSink::Stderr());
  ~Progress() { Clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of the units are done, the next is `next` (shown where it fits).
  void Show(int64_t done, absl::string_view next);

  // Takes the bar off the terminal, before another line is printed.
  void Clear();

 private:
  const std::string unit_;
  const int64_t total_;
  const ProgressSink sink_;
  const double start_;
  double shown_;  // when the bar was last drawn; the start, before that
  bool drawn_ = false;
};

// For work that does not say how far it is: "preparing gles, 14 s" on a
// terminal, from two seconds on and as long as the object lives; nothing in a
// file. The thread that it starts writes to the sink, so no one else does
// meanwhile.
class Elapsed {
 public:
  explicit Elapsed(std::string what,
                   ProgressSink sink = ProgressSink::Stderr());
  ~Elapsed();
  Elapsed(const Elapsed&) = delete;
  Elapsed& operator=(const Elapsed&) = delete;

 private:
  void Show();

  const std::string what_;
  const ProgressSink sink_;
  const double start_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool ended_ = false;
  std::thread thread_;  // last: it uses the others
};

// "1234 of 26583 cases, 85 a second, 4 min 58 s left". Without a rate where
// none is to be told yet: `done` or `seconds` is 0.
std::string ProgressText(absl::string_view unit, int64_t done, int64_t total,
                         double seconds);

// "12 s", "3 min 5 s", "1 h 4 min".
std::string DurationText(double seconds);

// From now on the first SIGINT or SIGTERM is remembered. A second one ends the
// process, as the first one does without this function.
void CatchInterrupts();
bool Interrupted();
// The exit status that a shell gives a program which SIGINT ended.
constexpr int kInterruptedExit = 130;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_COMMON_PROGRESS_H_
