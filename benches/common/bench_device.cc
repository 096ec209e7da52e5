#include "benches/common/bench_device.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "tools/runner/git_revision.h"

namespace gles_delegate {
namespace {

using egl::gl;

// As in benches/shaders/peak.comp.
constexpr int kPeakSteps = 1024;
constexpr int kPeakGroup = 64;
constexpr double kPeakFlopsAnInvocation = 2.0 * 16 * kPeakSteps;

absl::Status Finish() {
  auto fence = egl::Fence::Insert();
  return fence.ok() ? fence->Wait(/*spin_us=*/2000) : fence.status();
}

absl::StatusOr<double> MeasurePeak() {
  auto program = BenchProgram("peak");
  if (!program.ok()) return program.status();
  const bool software = BenchContext()->device().software;
  const int groups = software ? 256 : 8192;
  auto out = egl::Buffer::Create(size_t{16} * groups * kPeakGroup, nullptr,
                                 GL_STATIC_DRAW);
  if (!out.ok()) return out.status();
  gl().UseProgram(program->id());
  gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, out->id());
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 12; ++i) {  // the first compiles
    const auto start = std::chrono::steady_clock::now();
    gl().DispatchCompute(groups, 1, 1);
    if (auto s = Finish(); !s.ok()) return s;
    best = std::min(best, std::chrono::duration<double>(
                              std::chrono::steady_clock::now() - start)
                              .count());
  }
  if (auto s = egl::CheckGl("measuring the peak"); !s.ok()) return s;
  return kPeakFlopsAnInvocation * groups * kPeakGroup / best * 1e-9;
}

}  // namespace

egl::Context* BenchContext() {
  static egl::Context* const context = []() -> egl::Context* {
    auto made = egl::Context::Create({});
    if (!made.ok()) {
      std::fprintf(stderr, "%s\n", made.status().ToString().c_str());
      std::exit(1);
    }
    return made->release();
  }();
  return context;
}

absl::StatusOr<egl::Program> BenchProgram(absl::string_view name) {
  const std::string path = absl::StrCat(GLES_DELEGATE_SOURCE_DIR,
                                        "/benches/shaders/", name, ".comp");
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read ", path));
  return egl::Program::Compile(text.str(), name);
}

absl::StatusOr<double> PeakGflops() {
  static const auto* const peak = new absl::StatusOr<double>(MeasurePeak());
  return *peak;
}

}  // namespace gles_delegate

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const auto& device = gles_delegate::BenchContext()->device();
  benchmark::AddCustomContext("renderer", device.renderer);
  benchmark::AddCustomContext("driver", device.version);
  benchmark::AddCustomContext("revision", gles_delegate::GitRevision());
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
