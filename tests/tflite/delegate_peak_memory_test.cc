// labels: op model delegate llvmpipe
// The most that the delegate holds of the host's memory while it is applied: at
// most the model's constants once more, and what is stated here. What this
// program's own code asks of operator new is counted: the delegate is linked
// into it, and the driver (with LLVM's compiler) is not.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <tuple>

#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/real_model.h"

extern "C" const char __executable_start, etext;  // the linker's

namespace {

std::atomic<int64_t> g_held{0}, g_peak{0};

// Before each block: its bytes, if they are counted, else 0.
constexpr size_t kHeader = 16;

void* Allocate(std::size_t bytes, const void* caller) {
  auto* block = static_cast<char*>(std::malloc(bytes + kHeader));
  if (block == nullptr) std::abort();
  const char* from = static_cast<const char*>(caller);
  const bool is_ours = from >= &__executable_start && from < &etext;
  const auto counted = static_cast<int64_t>(is_ours ? bytes : 0);
  *reinterpret_cast<int64_t*>(block) = counted;
  const int64_t held = g_held.fetch_add(counted) + counted;
  int64_t peak = g_peak.load();
  while (held > peak && !g_peak.compare_exchange_weak(peak, held)) {
  }
  return block + kHeader;
}

void Free(void* memory) {
  if (memory == nullptr) return;
  char* block = static_cast<char*>(memory) - kHeader;
  g_held -= *reinterpret_cast<int64_t*>(block);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) {
  return Allocate(bytes, __builtin_return_address(0));
}
void* operator new[](std::size_t bytes) {
  return Allocate(bytes, __builtin_return_address(0));
}
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete[](void* memory) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t) noexcept { Free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { Free(memory); }

namespace gles_delegate::testing {
namespace {

// Plans, the shaders' text, one constant as it is packed.
constexpr int64_t kAllowance = 16 << 20;
// And the tensors of the program that is checked, as the host computes it.
constexpr int64_t kSelfCheck = 32 << 20;

class DelegatePeakMemoryTest
    : public DeviceTestWithParam<std::tuple<const char*, bool>> {};

TEST_P(DelegatePeakMemoryTest, IsTheConstantsAndAnAllowance) {
  const std::string name = std::get<0>(GetParam());
  const bool checks_itself = std::get<1>(GetParam());
  const std::string path = SharedFile("models/" + name + ".tflite");
  if (path.empty()) {
    GTEST_SKIP() << "NO MODEL " << name << ", NOTHING TESTED";
  }
  auto model = Model::FromFile(path);
  ASSERT_TRUE(model.ok()) << model.status();
  const auto constants = static_cast<int64_t>((*model)->bytes().size());
  const DelegatePtr delegate = MakeDelegate(
      [checks_itself](auto& o) { o.self_check = checks_itself ? 1 : 0; });
  auto interpreter = InterpreterOrDie(**model);
  const int64_t before = g_held;
  g_peak = before;
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  const int64_t peak = g_peak - before, stays = g_held - before;
  std::printf(
      "%s, self-check %d: constants %jd KiB, peak %jd, stays %jd\n",
      name.c_str(), checks_itself, static_cast<intmax_t>(constants / 1024),
      static_cast<intmax_t>(peak / 1024), static_cast<intmax_t>(stays / 1024));
  EXPECT_GT(ReportOf(delegate)["nodes_delegated"], 0);
  EXPECT_GT(peak, 50 << 10);  // it is counted
  EXPECT_LE(peak,
            constants + kAllowance + (checks_itself ? kSelfCheck : int64_t{0}));
}

INSTANTIATE_TEST_SUITE_P(
    Models, DelegatePeakMemoryTest,
    ::testing::Combine(::testing::Values("mobilenet_v1_0.25_224",
                                         "mobilenet_v1_1.0_224_features_float",
                                         "mobilenet_v2_1.0_224_quant",
                                         "mnist_lstm_int8"),
                       ::testing::Bool()));

}  // namespace
}  // namespace gles_delegate::testing
