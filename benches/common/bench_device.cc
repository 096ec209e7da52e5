#include "benches/common/bench_device.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "tools/common/text_file.h"
#include "tools/runner/git_revision.h"

namespace gles_delegate {
namespace {

using egl::gl;

// As in benches/shaders/peak.comp.
constexpr int kPeakSteps = 1024;
constexpr int kPeakGroup = 64;
constexpr double kPeakFlopsAnInvocation = 2.0 * 16 * kPeakSteps;

// As in benches/shaders/copy.comp.
constexpr int kCopyGroup = 64;
constexpr int kTexelBytes = 16;

// Minimum seconds of a dispatch of this many work groups.
absl::StatusOr<double> BestTime(const egl::Program& program, int groups) {
  gl().UseProgram(program.id());
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 12; ++i) {  // the first compiles
    const auto start = std::chrono::steady_clock::now();
    gl().MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    gl().DispatchCompute(groups, 1, 1);
    RETURN_IF_ERROR(WaitForDevice());
    best = std::min(best, std::chrono::duration<double>(
                              std::chrono::steady_clock::now() - start)
                              .count());
  }
  RETURN_IF_ERROR(egl::CheckGl("measuring a peak"));
  return best;
}

absl::StatusOr<double> MeasureGflops() {
  ASSIGN_OR_RETURN(auto program, BenchProgram("peak"));
  const bool software = BenchContext()->device().software;
  const int groups = software ? 256 : 8192;
  ASSIGN_OR_RETURN(
      auto out, egl::Buffer::Create(size_t{kTexelBytes} * groups * kPeakGroup,
                                    nullptr, GL_STATIC_DRAW));
  gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, out.id());
  ASSIGN_OR_RETURN(auto seconds, BestTime(program, groups));
  return kPeakFlopsAnInvocation * groups * kPeakGroup / seconds * 1e-9;
}

absl::StatusOr<double> MeasureGbytes() {
  ASSIGN_OR_RETURN(auto program, BenchProgram("copy"));
  // As much as the widest layers of the models hold, or, where launching would
  // take as long as copying, more. 65,535 groups at most (GLES 3.1).
  const bool software = BenchContext()->device().software;
  const int groups = software ? 8192 : 65535;
  const size_t bytes = size_t{kTexelBytes} * groups * kCopyGroup;
  ASSIGN_OR_RETURN(auto from,
                   egl::Buffer::Create(bytes, nullptr, GL_DYNAMIC_COPY));
  ASSIGN_OR_RETURN(auto to,
                   egl::Buffer::Create(bytes, nullptr, GL_DYNAMIC_COPY));
  gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, from.id());
  gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, to.id());
  ASSIGN_OR_RETURN(auto seconds, BestTime(program, groups));
  return 2.0 * static_cast<double>(bytes) / seconds * 1e-9;
}

// Settings from the environment, "GLES_BENCH_HALF=1 ...", without folders.
std::string Settings() {
  std::vector<absl::string_view> settings;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const absl::string_view setting = *entry;
    if (absl::StartsWith(setting, "GLES_") &&
        !absl::StrContains(setting, "_DIR=")) {
      settings.push_back(setting);
    }
  }
  std::sort(settings.begin(), settings.end());
  return absl::StrJoin(settings, " ");
}

absl::StatusOr<Peak> MeasurePeak() {
  ASSIGN_OR_RETURN(const auto gflops, MeasureGflops());
  ASSIGN_OR_RETURN(const auto gbytes, MeasureGbytes());
  return Peak{gflops, gbytes};
}

}  // namespace

egl::Context* BenchContext() {
  static egl::Context* const context = []() -> egl::Context* {
    const absl::Status tuning = CheckTuningVariable();
    auto made = tuning.ok() ? egl::Context::Create({}) : tuning;
    if (!made.ok()) {
      std::fprintf(stderr, "%s\n", made.status().ToString().c_str());
      std::exit(1);
    }
    return made->release();
  }();
  return context;
}

void InContext(benchmark::State& state, absl::FunctionRef<absl::Status()> fn) {
  const absl::Status status = BenchContext()->Run(fn);
  if (!status.ok()) state.SkipWithError(status.ToString().c_str());
}

std::string BenchDir() {
  if (const char* dir = std::getenv("GLES_BENCH_DIR")) return dir;
  const std::string built = GLES_DELEGATE_SOURCE_DIR "/benches";
  return std::filesystem::is_directory(built) ? built : "benches";
}

absl::StatusOr<egl::Program> BenchProgram(absl::string_view name) {
  ASSIGN_OR_RETURN(auto text, ReadFile(absl::StrCat(BenchDir(), "/shaders/",
                                                    name, ".comp")));
  return egl::Program::Compile(std::string(text.begin(), text.end()), name);
}

absl::Status WaitForDevice() {
  auto fence = egl::Fence::Insert();
  return fence.ok() ? fence->Wait(egl::Waiting::kActive) : fence.status();
}

absl::StatusOr<Peak> DevicePeak() {
  static const auto* const peak = new absl::StatusOr<Peak>(MeasurePeak());
  return *peak;
}

}  // namespace gles_delegate

// Of every bench. The device goes into the JSON's context, beside the date and
// the machine that Google Benchmark writes there.
int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const auto& device = gles_delegate::BenchContext()->device();
  benchmark::AddCustomContext("renderer", device.renderer);
  benchmark::AddCustomContext("driver", device.version);
  benchmark::AddCustomContext("revision", gles_delegate::GitRevision());
  const std::string settings = gles_delegate::Settings();
  if (!settings.empty()) benchmark::AddCustomContext("settings", settings);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
