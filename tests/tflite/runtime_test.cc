// labels: unit quant
// Which runtime has loaded the delegate, and whose integer kernels it runs.
#include "delegate/tflite/runtime.h"

#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/oldest_tflite.h"
#include "tools/common/tflite_library.h"

namespace gles_delegate {
namespace {

using quant::CpuKernels;

CpuKernels KernelsOf(const char* library, const char* version, int bytes) {
  return CpuKernelsOf({library, version, bytes});
}

TEST(CpuKernelsOfTest, TheVersionDecides) {
  const struct {
    const char* version;
    int registration_bytes;
    CpuKernels kernels;
  } runtimes[] = {
      {"2.5.0", 64, CpuKernels::kTflite},
      {"2.9.0", 64, CpuKernels::kTflite},
      {"2.12.0", 88, CpuKernels::kTflite},
      {"2.13.0", 88, CpuKernels::kTflite214},
      {"2.14.1", 88, CpuKernels::kTflite214},
      {"2.15.0", 88, CpuKernels::kTflite214},
      {"2.21.0", 88, CpuKernels::kXnnpack},
      {"3.0", 96, CpuKernels::kXnnpack},
  };
  for (const auto& r : runtimes) {
    for (const char* library :
         {"/lib/libtensorflowlite_c.so", "/lib/libtensorflow-lite.so.2.14.1"}) {
      EXPECT_EQ(KernelsOf(library, r.version, r.registration_bytes), r.kernels)
          << r.version;
    }
  }
}

TEST(CpuKernelsOfTest, WheelsWithoutAVersionAreToldByTheirPackage) {
  EXPECT_EQ(KernelsOf("/p/tflite_runtime/_pywrap_interpreter.so", "", 88),
            CpuKernels::kTfliteWheel);
  EXPECT_EQ(KernelsOf("/p/ai_edge_litert/libpywrap_litert_common.so", "", 88),
            CpuKernels::kXnnpack);
}

TEST(CpuKernelsOfTest, AnUnknownRuntimeIsOldByItsStructsOrElseTheNewest) {
  EXPECT_EQ(KernelsOf("/app/libapp.so", "", 64), CpuKernels::kTflite);
  EXPECT_EQ(KernelsOf("/app/libapp.so", "", 88), CpuKernels::kXnnpack);
  EXPECT_EQ(KernelsOf("/app/libapp.so", "nightly", 0), CpuKernels::kXnnpack);
  EXPECT_EQ(KernelsOf("", "", 0), CpuKernels::kXnnpack);
}

TEST(CpuKernelsOfTest, AnAnswerOutweighsTheVersion) {
  Runtime runtime;
  runtime.version = "2.17.1";
  EXPECT_EQ(CpuKernelsOf(runtime), CpuKernels::kXnnpack);
  runtime.asked = CpuKernels::kLitert;
  EXPECT_EQ(CpuKernelsOf(runtime), CpuKernels::kLitert);
}

std::string LibraryWith(const char* function) {
  Dl_info info = {};
  void* address = dlsym(RTLD_DEFAULT, function);
  return dladdr(address, &info) != 0 ? info.dli_fname : "";
}

TEST(AskForCpuKernelsTest,
     TheLibraryThatRunsTheTestsAnswersByItsQuantizedValues) {
  const std::string library = TfliteLibraryPath();
  ASSERT_NE(library, "");
  const auto asked = AskForCpuKernels(library);
  ASSERT_TRUE(asked.has_value()) << library;
  // 2.9 is what it was measured as; newer ones are held by their wheels.
  if (testing::OnOldestTflite()) {
#if defined(__aarch64__)
    EXPECT_EQ(*asked, CpuKernels::kTfliteArm);
#else
    EXPECT_EQ(*asked, CpuKernels::kTflite);
#endif
  }
  EXPECT_EQ(AskForCpuKernels(library), asked);
}

TEST(AskForCpuKernelsTest, ALibraryWithoutTflitesFunctionsHasNoAnswer) {
  EXPECT_FALSE(AskForCpuKernels(LibraryWith("dlopen")).has_value());
  EXPECT_FALSE(AskForCpuKernels("/nowhere.so").has_value());
}

TEST(ParamsMinorOfTest, GoesByContextVersionAndRegistrations) {
  Runtime runtime;
  EXPECT_EQ(ParamsMinorOf(runtime), 0);
  constexpr int kOf212 = sizeof(TfLiteRegistration) + sizeof(void*);
  runtime.registration_bytes = kOf212;  // of 2.10 and 2.11, too
  EXPECT_EQ(ParamsMinorOf(runtime), 0);
  runtime.registration_bytes = kOf212 + sizeof(void*);
  EXPECT_EQ(ParamsMinorOf(runtime), 13);
  runtime.version = "2.12.0";
  EXPECT_EQ(ParamsMinorOf(runtime), 12);
  runtime.version = "1.4.0";  // of another numbering
  EXPECT_EQ(ParamsMinorOf(runtime), 0);
  runtime.of_2_14 = true;
  EXPECT_EQ(ParamsMinorOf(runtime), 14);
}

TEST(CpuKernelsNameTest, EveryNameIsItsOwn) {
  for (const char* name : {"tflite", "tflite_arm", "tflite_2_14",
                           "tflite_wheel", "litert", "xnnpack", "reference"}) {
    const auto kernels = CpuKernelsFromName(name);
    ASSERT_TRUE(kernels.ok()) << kernels.status();
    EXPECT_EQ(CpuKernelsName(*kernels), name);
  }
  EXPECT_FALSE(CpuKernelsFromName("ruy").ok());
}

// A runtime whose registrations are `Bytes` long.
template <int Bytes>
struct FakeRuntime {
  struct Pair {
    TfLiteNode node;
    unsigned char registration[Bytes];
  };
  TfLiteContext context = {};
  std::vector<Pair> pairs;
  std::unique_ptr<TfLiteIntArray, void (*)(void*)> plan{nullptr, std::free};

  explicit FakeRuntime(std::vector<int> nodes) : pairs(8) {
    plan.reset(static_cast<TfLiteIntArray*>(
        std::malloc(sizeof(TfLiteIntArray) + nodes.size() * sizeof(int))));
    plan->size = static_cast<int>(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) plan->data[i] = nodes[i];
    context.impl_ = this;
    context.GetExecutionPlan = [](TfLiteContext* c, TfLiteIntArray** plan) {
      *plan = static_cast<FakeRuntime*>(c->impl_)->plan.get();
      return kTfLiteOk;
    };
    context.GetNodeAndRegistration = [](TfLiteContext* c, int node,
                                        TfLiteNode** out_node,
                                        TfLiteRegistration** out_registration) {
      Pair& pair = static_cast<FakeRuntime*>(c->impl_)->pairs[node];
      *out_node = &pair.node;
      *out_registration =
          reinterpret_cast<TfLiteRegistration*>(pair.registration);
      return kTfLiteOk;
    };
  }
};

TEST(RuntimeOfTest, RegistrationsAreMeasuredByTheirDistance) {
  FakeRuntime<64> old({0, 1});
  EXPECT_EQ(RuntimeOf(&old.context).registration_bytes, 64);
  FakeRuntime<88> newer({5, 2});  // other nodes lie in between
  EXPECT_EQ(RuntimeOf(&newer.context).registration_bytes, 88);
  FakeRuntime<88> one_node({0});
  EXPECT_EQ(RuntimeOf(&one_node.context).registration_bytes, 0);
}

TEST(RuntimeOfTest, AFunctionOfThisProgramIsNotOfALibraryWithAVersion) {
  FakeRuntime<64> fake({0, 1});
  const Runtime runtime = RuntimeOf(&fake.context);
  EXPECT_THAT(runtime.library, ::testing::HasSubstr("runtime_test"));
  EXPECT_EQ(runtime.version, "");
}

TEST(RuntimeOfTest, AContextWithoutFunctionsIsOfNoKnownRuntime) {
  TfLiteContext context = {};
  const Runtime runtime = RuntimeOf(&context);
  EXPECT_EQ(runtime.library, "");
  EXPECT_EQ(runtime.registration_bytes, 0);
}

}  // namespace
}  // namespace gles_delegate
