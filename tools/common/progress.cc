#include "tools/common/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace gles_delegate {
namespace {

constexpr double kSilentSeconds = 2;  // short work shows nothing
constexpr double kRedrawSeconds = 0.2;
constexpr double kLineSeconds = 30;  // between the lines of a file
constexpr int kBarCells = 24;

volatile std::sig_atomic_t g_interrupted = 0;

void Remember(int signal) {
  g_interrupted = 1;
  std::signal(signal, SIG_DFL);
}

std::string Bar(int64_t done, int64_t total) {
  const int full =
      static_cast<int>(kBarCells * done / std::max<int64_t>(1, total));
  return absl::StrCat("[", std::string(full, '#'),
                      std::string(kBarCells - full, '.'), "] ");
}

// Over what stands in the terminal's line; a line that wraps could not be
// erased.
void Draw(const ProgressSink& sink, absl::string_view line = "") {
  absl::FPrintF(sink.file, "\r\033[K%s",
                line.substr(0, std::max(1, sink.columns - 1)));
  std::fflush(sink.file);
}

}  // namespace

ProgressSink ProgressSink::Stderr() {
  ProgressSink sink;
  sink.terminal = isatty(STDERR_FILENO) != 0;
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    sink.columns = size.ws_col;
  }
  sink.seconds = [] {
    return std::chrono::duration<double>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  return sink;
}

Progress::Progress(std::string unit, int64_t total, ProgressSink sink)
    : unit_(std::move(unit)),
      total_(total),
      sink_(std::move(sink)),
      start_(sink_.seconds()),
      shown_(start_) {}

void Progress::Show(int64_t done, absl::string_view next) {
  const double now = sink_.seconds();
  if (now - start_ < kSilentSeconds) return;
  if (now - shown_ < (sink_.terminal ? kRedrawSeconds : kLineSeconds)) return;
  shown_ = now;
  const std::string text = ProgressText(unit_, done, total_, now - start_);
  if (!sink_.terminal) {
    std::fprintf(sink_.file, "%s\n", text.c_str());
    return;
  }
  Draw(sink_, absl::StrCat(Bar(done, total_), text, "  ", next));
  drawn_ = true;
}

void Progress::Clear() {
  if (std::exchange(drawn_, false)) Draw(sink_);
}

Elapsed::Elapsed(std::string what, ProgressSink sink)
    : what_(std::move(what)), sink_(std::move(sink)), start_(sink_.seconds()) {
  if (sink_.terminal) thread_ = std::thread([this] { Show(); });
}

Elapsed::~Elapsed() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  ends_.notify_one();
  thread_.join();
}

void Elapsed::Show() {
  constexpr std::chrono::milliseconds kLooks(200);
  bool drawn = false;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!ends_.wait_for(lock, kLooks, [this] { return ended_; })) {
    const double seconds = sink_.seconds() - start_;
    if (seconds < kSilentSeconds) continue;
    Draw(sink_, absl::StrCat(what_, ", ", DurationText(seconds)));
    drawn = true;
  }
  if (drawn) Draw(sink_);
}

std::string ProgressText(absl::string_view unit, int64_t done, int64_t total,
                         double seconds) {
  std::string text = absl::StrCat(done, " of ", total, " ", unit);
  if (done == 0 || seconds <= 0) return text;
  const double rate = done / seconds;
  absl::StrAppendFormat(&text, ", %.*f a second, %s left", rate < 10 ? 1 : 0,
                        rate, DurationText((total - done) / rate));
  return text;
}

std::string DurationText(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return absl::StrCat(whole, " s");
  if (whole < 3600) return absl::StrCat(whole / 60, " min ", whole % 60, " s");
  return absl::StrCat(whole / 3600, " h ", whole / 60 % 60, " min");
}

void CatchInterrupts() {
  std::signal(SIGINT, Remember);
  std::signal(SIGTERM, Remember);
}

bool Interrupted() { return g_interrupted != 0; }

}  // namespace gles_delegate
