// The device's peak rates, and the costs of moving data and submitting work:
// what the latencies of models are made of.
#include <vector>

#include "base/status_macros.h"
#include "benches/common/bench_device.h"
#include "benchmark/benchmark.h"
#include "egl/host_copy.h"

namespace gles_delegate {
namespace {

using egl::Buffer;
using egl::gl;

// What op_bench's shares are of.
void BM_Peak(benchmark::State& state) {
  InContext(state, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(auto peak, DevicePeak());
    for (auto _ : state) {
    }
    state.counters["best_GFLOPs"] = peak.gflops;
    state.counters["best_GBs"] = peak.gbytes;
    return absl::OkStatus();
  });
}
BENCHMARK(BM_Peak)->Iterations(1);

// Binds `from` and `to`, and copies by a dispatch `count` times, with a barrier
// before each, until all is done.
absl::Status CopyOnGpu(const egl::Program& program, const Buffer& from,
                       const Buffer& to, int count) {
  gl().UseProgram(program.id());
  gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, from.id());
  gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, to.id());
  for (int i = 0; i < count; ++i) {
    gl().MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
    gl().DispatchCompute(static_cast<GLuint>(to.bytes() / 16 / 64), 1, 1);
  }
  gl().MemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT);
  return WaitForDevice();
}

enum Direction { kDevice, kUpload, kReadback };

// Bytes by one dispatch: within the device, from mapped host memory (and the
// copy into it), or to it (and the copy out of it).
void BM_Transfer(benchmark::State& state, Direction direction) {
  const size_t bytes = static_cast<size_t>(state.range(0)) / 1024 * 1024;
  InContext(state, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(auto program, BenchProgram("copy"));
    ASSIGN_OR_RETURN(auto from,
                     direction == kUpload
                         ? Buffer::CreateMapped(bytes, GL_MAP_WRITE_BIT)
                         : Buffer::Create(bytes, nullptr, GL_DYNAMIC_COPY));
    ASSIGN_OR_RETURN(auto to,
                     direction == kReadback
                         ? Buffer::CreateMapped(bytes, GL_MAP_READ_BIT)
                         : Buffer::Create(bytes, nullptr, GL_DYNAMIC_COPY));
    std::vector<uint8_t> host(bytes);
    egl::HostCopier copier;
    for (auto _ : state) {
      if (direction == kUpload) {
        copier.Copy(from.mapped(), host.data(), bytes);
      }
      RETURN_IF_ERROR(CopyOnGpu(program, from, to, 1));
      if (direction == kReadback) {
        copier.Copy(host.data(), to.mapped(), bytes);
      }
    }
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * bytes);
    return egl::CheckGl("transferring");
  });
}
BENCHMARK_CAPTURE(BM_Transfer, device, kDevice)
    ->ArgsProduct({{602112, 5548116, 19267584}})
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Transfer, upload, kUpload)
    ->ArgsProduct({{602112, 5548116, 19267584}})
    ->UseRealTime();
BENCHMARK_CAPTURE(BM_Transfer, readback, kReadback)
    ->ArgsProduct({{4096, 5548116}})
    ->UseRealTime();

// This many small dispatches (14x14x32 texels), each waiting for the one
// before, until the result is there: what a network costs besides its
// arithmetic.
void BM_Chain(benchmark::State& state) {
  constexpr size_t kBytes = 14 * 14 * 32 / 4 * 16;
  InContext(state, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(auto program, BenchProgram("copy"));
    ASSIGN_OR_RETURN(auto from,
                     Buffer::Create(kBytes, nullptr, GL_DYNAMIC_COPY));
    ASSIGN_OR_RETURN(auto to, Buffer::Create(kBytes, nullptr, GL_DYNAMIC_COPY));
    const int count = static_cast<int>(state.range(0));
    for (auto _ : state) {
      RETURN_IF_ERROR(CopyOnGpu(program, from, to, count));
    }
    return egl::CheckGl("running a chain");
  });
}
BENCHMARK(BM_Chain)->ArgsProduct({{1, 10, 30, 60}})->UseRealTime();

}  // namespace
}  // namespace gles_delegate
