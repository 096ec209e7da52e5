// labels: op delegate llvmpipe
// Memory ends anywhere in the delegate: a call fails, or the CPU answers, and
// nothing ends the process.
//
// operator new fails for this program's own code: the delegate is linked into
// it, and the driver is not.
#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "tensorflow/lite/c/c_api.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_abi.h"
#include "tools/op_models/schema_names.h"

extern "C" const char __executable_start, etext;  // the linker's

namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// Allocations until one fails, and whether all after it fail, too.
std::atomic<int64_t> g_left{kNever};
std::atomic<bool> g_ends{false};
thread_local bool t_is_test = false;  // and not the delegate

// The first two allocations of each place: a caller, its caller, and that
// one's.
struct Places {
  std::mutex mutex;
  std::map<std::vector<const void*>, int> seen;
  std::vector<int64_t> allocations;
};
Places* g_places = nullptr;  // while they are counted

bool IsOurs(const void* caller) {
  const char* from = static_cast<const char*>(caller);
  return from >= &__executable_start && from < &etext;
}

// Of std::string's functions, which the library has, their caller is meant.
bool IsOursByLibrary() {
  void* frames[5];
  const int count = backtrace(frames, 5);
  for (int i = 3; i < count; ++i) {
    Dl_info info;
    if (IsOurs(frames[i])) return true;
    if (dladdr(frames[i], &info) == 0 || info.dli_fname == nullptr ||
        std::strstr(info.dli_fname, "libstdc++") == nullptr) {
      return false;
    }
  }
  return false;
}

void AddPlace() {
  t_is_test = true;
  const std::lock_guard<std::mutex> lock(g_places->mutex);
  void* frames[12];
  const int count = backtrace(frames, 12);
  std::vector<const void*> ours;
  for (int i = 2; i < count; ++i) {
    if (IsOurs(frames[i])) ours.push_back(frames[i]);
  }
  ours.resize(3);
  if (++g_places->seen[ours] <= 2) {
    g_places->allocations.push_back(kNever - 1 - g_left);
  }
  t_is_test = false;
}

void* Allocate(std::size_t bytes, const void* caller) {
  if (g_left != kNever && !t_is_test) {
    Dl_info info;
    const bool is_library = dladdr(caller, &info) != 0 &&
                            info.dli_fname != nullptr &&
                            std::strstr(info.dli_fname, "libstdc++") != nullptr;
    if (IsOurs(caller) || (is_library && IsOursByLibrary())) {
      const int64_t left = --g_left;
      if (g_places != nullptr) AddPlace();
      if (left == 0 || (left < 0 && g_ends)) throw std::bad_alloc();
    }
  }
  void* memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// As one of the library's, whatever an optimizer knows of free().
[[gnu::noinline]] void Free(void* memory) { std::free(memory); }

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t bytes) {
  return Allocate(bytes, __builtin_return_address(0));
}
[[gnu::noinline]] void* operator new[](std::size_t bytes) {
  return Allocate(bytes, __builtin_return_address(0));
}
void operator delete(void* memory) noexcept { Free(memory); }
void operator delete[](void* memory) noexcept { Free(memory); }
void operator delete(void* memory, std::size_t) noexcept { Free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { Free(memory); }

namespace gles_delegate::testing {
namespace {

// Later ones belong to programs, which take long to compile.
constexpr int64_t kOfReading = 1100;

struct Case {
  const char* name;
  const char* model;  // of tests/corpus, "composite", or ChainModel's letters
  bool ends;          // every later allocation fails, too
  bool falls_back;
  bool has_worker;
  bool fails_as_it_reads = false;  // at each place, beside those of any model
};

// ABS(a composite of NEG(x + y)).
std::vector<uint8_t> CompositeModel() {
  const Shape shape = {1, 2, 3, 4};
  ModelBuilder b, inner;
  const int x = b.AddInput("x", shape);
  const int y = b.AddConstant<float>("y", {1}, std::vector<float>{0.5f});
  const int z = b.AddTensor("z", shape), out = b.AddTensor("out", shape);
  b.AddComposite("some.name", 1, {x, y}, {z});
  b.AddOp(Op::ABS, 1, {z}, {out});
  b.SetOutputs({out});
  const int in = inner.AddInput("in", shape);
  const int more = inner.AddInput("more", {1});
  const int sum = inner.AddTensor("sum", shape);
  const int result = inner.AddTensor("result", shape);
  inner.AddOp(Op::ADD, 1, {in, more}, {sum}, schema::AddOptionsT());
  inner.AddOp(Op::NEG, 1, {sum}, {result});
  inner.SetOutputs({result});
  b.AddSubgraph(std::move(inner));
  return b.Finish();
}

class DelegateOutOfMemoryTest : public DeviceTestWithParam<Case> {
 protected:
  void SetUp() override {
    DeviceTestWithParam<Case>::SetUp();
    void* frame = nullptr;
    (void)backtrace(&frame, 1);  // loads what it needs
    TfLiteInterpreter* interpreter = MakeInterpreter();
    const TfLiteTensor* input = TfLiteInterpreterGetInputTensor(interpreter, 0);
    dims_.assign(input->dims->data, input->dims->data + input->dims->size);
    ASSERT_EQ(TfLiteInterpreterAllocateTensors(interpreter), kTfLiteOk);
    expected_ = Run(interpreter);
    ASSERT_FALSE(expected_.empty());
    TfLiteInterpreterDelete(interpreter);
  }

  // The calls of an app, of which the nth allocation fails. False: there are
  // fewer.
  bool RunWith(int64_t n) {
    TfLiteInterpreter* interpreter = MakeInterpreter();
    TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
    options.fallback_to_cpu = GetParam().falls_back ? 1 : 0;
    options.max_delegated_partitions = 0;
    if (GetParam().has_worker) options.thread_mode = kTfLiteGlesThreadWorker;
    g_ends = GetParam().ends;
    g_left = n;
    TfLiteDelegate* delegate = TfLiteGlesDelegateCreate(&options);
    bool applied = false;
    if (delegate != nullptr) {
      applied = TfLiteInterpreterModifyGraphWithDelegate(interpreter,
                                                         delegate) == kTfLiteOk;
      (void)TfLiteInterpreterAllocateTensors(interpreter);
      (void)Run(interpreter);
      Resize(interpreter, 2);
      (void)TfLiteInterpreterAllocateTensors(interpreter);
      (void)Run(interpreter);
      Resize(interpreter, 1);
      (void)TfLiteGlesDelegateReport(delegate);
    }
    (void)TfLiteGlesDelegateLastError();
    const bool has_failed = g_left <= 0;
    g_places = nullptr;
    // Each allocation of a whole report.
    for (int64_t k = 1; !has_failed; ++k) {
      g_left = k;
      (void)TfLiteGlesDelegateReport(delegate);
      if (g_left > 0) break;
    }
    g_left = kNever;
    // There is memory again.
    Resize(interpreter, 1);
    const bool allocated =
        TfLiteInterpreterAllocateTensors(interpreter) == kTfLiteOk;
    const std::vector<float> actual = Run(interpreter);
    if (!applied || !has_failed) {
      EXPECT_TRUE(allocated) << "allocation " << n;
      EXPECT_FALSE(actual.empty()) << "allocation " << n;
    }
    if (!actual.empty()) {
      ExpectClose(actual, expected_);
    }
    if (has_failed && GetParam().ends) g_left = 1;
    TfLiteInterpreterDelete(interpreter);
    TfLiteGlesDelegateDelete(delegate);
    g_left = kNever;
    return has_failed;
  }

 private:
  TfLiteInterpreter* MakeInterpreter() {
    TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
    TfLiteInterpreterOptionsSetErrorReporter(
        options, [](void*, const char*, va_list) {}, nullptr);
    TfLiteInterpreter* interpreter =
        TfLiteInterpreterCreate(model_->get(), options);
    TfLiteInterpreterOptionsDelete(options);
    return interpreter;
  }

  // To that batch.
  void Resize(TfLiteInterpreter* interpreter, int batch) {
    const int first = dims_[0];
    dims_[0] = first * batch;
    (void)TfLiteInterpreterResizeInputTensor(interpreter, 0, dims_.data(),
                                             static_cast<int>(dims_.size()));
    dims_[0] = first;
  }

  // The values of output 0. Empty: it fails.
  static std::vector<float> Run(TfLiteInterpreter* interpreter) {
    TfLiteTensor* input = TfLiteInterpreterGetInputTensor(interpreter, 0);
    const bool is_float = input->type == kTfLiteFloat32;
    void* values = TfLiteTensorData(input);
    if (values == nullptr) return {};
    const size_t bytes = TfLiteTensorByteSize(input);
    for (size_t i = 0; i < bytes / (is_float ? sizeof(float) : 1); ++i) {
      const auto value = static_cast<float>(i % 7);
      if (is_float) {
        static_cast<float*>(values)[i] = 0.25f * value - 0.5f;
      } else {
        static_cast<int8_t*>(values)[i] = static_cast<int8_t>(9 * value - 30);
      }
    }
    if (TfLiteInterpreterInvoke(interpreter) != kTfLiteOk) return {};
    const TfLiteTensor* output =
        TfLiteInterpreterGetOutputTensor(interpreter, 0);
    const size_t size = TfLiteTensorByteSize(output);
    t_is_test = true;
    std::vector<float> result(is_float ? size / sizeof(float) : size);
    t_is_test = false;
    if (is_float) {
      std::memcpy(result.data(), TfLiteTensorData(output), size);
    } else {
      const auto* codes = static_cast<const int8_t*>(TfLiteTensorData(output));
      std::copy(codes, codes + size, result.begin());
    }
    return result;
  }

  static std::unique_ptr<Model> ModelOf(const std::string& name) {
    if (name == "composite") return LoadOrDie(CompositeModel());
    if (name.find('.') == std::string::npos) return LoadOrDie(ChainModel(name));
    return *Model::FromFile(GLES_DELEGATE_SOURCE_DIR "/tests/corpus/" + name);
  }

  const std::unique_ptr<Model> model_ = ModelOf(GetParam().model);
  std::vector<int> dims_;  // of input 0
  std::vector<float> expected_;
};

TEST_P(DelegateOutOfMemoryTest, NothingEndsTheProcess) {
  if (GetParam().fails_as_it_reads) {
    Places places;
    g_places = &places;
    ASSERT_FALSE(RunWith(kNever - 1));
    for (const int64_t n : places.allocations) {
      if (n > kOfReading) break;
      ASSERT_TRUE(RunWith(n));
      if (HasFailure()) return;
    }
  }
  int64_t n = 1;
  // All of the first ones, then fewer and fewer.
  while (RunWith(n)) {
    if (HasFailure()) return;
    n += 1 + n / 8;
  }
  std::printf("%s: fewer than %jd allocations\n", GetParam().name,
              static_cast<intmax_t>(n));
  EXPECT_GT(n, 1000);
}

INSTANTIATE_TEST_SUITE_P(
    All, DelegateOutOfMemoryTest,
    ::testing::Values(
        Case{"OneFails", "canm", false, false, false},
        Case{"OneFailsAndItFallsBack", "canm", false, true, false},
        Case{"OneFailsOfAWorker", "canm", false, false, true},
        Case{"AllFail", "canm", true, false, false},
        Case{"AllFailAndItFallsBack", "canm", true, true, false},
        Case{"OneFailsOfPartitions", "cnarmn", false, true, false},
        Case{"AllFailOfPartitions", "cnarmn", true, true, false},
        Case{"OneFailsOfALoop", "lstm.float32.tflite", false, true, false},
        Case{"AllFailOfALoop", "lstm.float32.tflite", true, false, false, true},
        Case{"AllFailOfAComposite", "composite", true, false, false, true},
        Case{"OneFailsOfCodes", "residual.int8.tflite", false, true, false},
        Case{"AllFailOfCodes", "residual.int8.tflite", true, false, false}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gles_delegate::testing
