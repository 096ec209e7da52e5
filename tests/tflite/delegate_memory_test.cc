// labels: op delegate llvmpipe softpipe oldest_tflite
// GPU memory: what the report says of it, what memory_limit_bytes allows.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/driver_faults.h"
#include "tests/testing/matchers.h"
#include "tests/testing/real_model.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Before;
using ::gles_delegate::egl::GlApi;

int64_t TexelBytes(GLenum format) {
  switch (format) {
    case GL_RGBA32F:
    case GL_RGBA32I:
      return 16;
    case GL_RGBA16F:
      return 8;
    case GL_RGBA8I:
      return 4;
  }
  ADD_FAILURE() << "a format that nobody counts: " << format;
  return 0;
}

// Counts the bytes of all buffers and textures that are made while it lives.
class CountedAllocations {
 public:
  int64_t bytes() const { return bytes_; }

 private:
  mutable int64_t bytes_ = 0;
  Before<&GlApi::BufferData> data_{
      [this](GLenum, GLsizeiptr size, auto...) { bytes_ += size; }};
  Before<&GlApi::BufferStorageEXT> storage_{
      [this](GLenum, GLsizeiptr size, auto...) { bytes_ += size; }};
  Before<&GlApi::TexStorage2D> flat_{
      [this](GLenum, GLsizei, GLenum format, auto... sides) {
        bytes_ += (TexelBytes(format) * ... * sides);
      }};
  Before<&GlApi::TexStorage3D> deep_{
      [this](GLenum, GLsizei, GLenum format, auto... sides) {
        bytes_ += (TexelBytes(format) * ... * sides);
      }};
};

class DelegateMemoryTest : public DeviceTest {
 protected:
  // A delegate without what takes memory for a while alone.
  static DelegatePtr Make(int64_t limit, int storage = kTfLiteGlesStorageAuto,
                          bool half = false) {
    return MakeDelegate([&](auto& options) {
      options.self_check = 0;
      options.max_delegated_partitions = 0;
      options.memory_limit_bytes = limit;
      options.storage = storage;
      options.is_precision_loss_allowed = half;
    });
  }

  static int64_t NeedsOf(const Model& model) {
    const DelegatePtr delegate = Make(0);
    auto interpreter = InterpreterOrDie(model);
    EXPECT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
    return ReportOf(delegate)["gpu_bytes"]["total"];
  }
};

// Weights keep their 8 bits, beside tensors of 32 and of 16 bits, for few rows
// and for many. A row of them also has a scale and a bias.
TEST_F(DelegateMemoryTest, QuantizedWeightsKeepTheirBits) {
  constexpr int kTerms = 256, kOutputs = 128;
  for (int rows : {1, 20}) {
    for (bool half : {false, true}) {
      const auto model = LoadCase(
          absl::StrCat("FULLY_CONNECTED x=[", rows, ",", kTerms, "] w=int8:[",
                       kOutputs, ",", kTerms, "] b=const:[", kOutputs, "]"));
      const DelegatePtr delegate = Make(0, kTfLiteGlesStorageAuto, half);
      auto interpreter = Applied(*model, delegate);
      EXPECT_LE(ReportOf(delegate)["gpu_bytes"]["constants"],
                1.1 * kOutputs * kTerms);
    }
  }
}

// The categories add up to what GL was asked for, and what the limit goes by is
// the same number: one byte less is refused.
TEST_F(DelegateMemoryTest, TheReportTheLimitAndTheDriverAgree) {
  std::vector<std::vector<uint8_t>> models = {ChainModel("can"),
                                              ChainModel("mcc", {2, 9, 7, 3})};
  for (const char* file : {"models/mobilenet_v1_0.25_224_quant.tflite"}) {
    if (const std::string path = SharedFile(file); !path.empty()) {
      auto model = Model::FromFile(path);
      ASSERT_TRUE(model.ok()) << model.status();
      models.emplace_back((*model)->bytes().begin(), (*model)->bytes().end());
    }
  }
  for (const auto& bytes : models) {
    const auto model = LoadOrDie(bytes);
    for (int storage = 0; storage <= kTfLiteGlesStorageBuffer; ++storage) {
      for (bool half : {false, true}) {
        SCOPED_TRACE(::testing::Message() << bytes.size() << " bytes, storage "
                                          << storage << ", half " << half);
        int64_t needed = 0;
        {
          const DelegatePtr delegate = Make(0, storage, half);
          auto interpreter = InterpreterOrDie(*model);
          const CountedAllocations counted;
          ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
          const auto report = ReportOf(delegate);
          const auto& use = report["gpu_bytes"];
          needed = use["total"];
          EXPECT_EQ(needed, counted.bytes()) << use;
          EXPECT_EQ(needed, use["tensors"].get<int64_t>() +
                                use["constants"].get<int64_t>() +
                                use["transfers"].get<int64_t>() +
                                use["parameters"].get<int64_t>());
          EXPECT_EQ(report["partition"][0]["gpu_bytes"], use);
        }
        for (int64_t limit : {needed, needed - 1}) {
          const DelegatePtr delegate = Make(limit, storage, half);
          auto interpreter = InterpreterOrDie(*model);
          const CountedAllocations counted;
          ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
          EXPECT_EQ(counted.bytes(), limit == needed ? needed : 0);
          EXPECT_EQ(ReportOf(delegate)["partitions"], limit == needed ? 1 : 0);
        }
      }
    }
  }
}

TEST_F(DelegateMemoryTest, ARefusalSaysHowMuchAndTheCpuRuns) {
  const auto model = LoadOrDie(ChainModel("can"));
  const int64_t needs = NeedsOf(*model);
  const DelegatePtr delegate = Make(needs - 1);
  auto interpreter = Applied(*model, delegate);
  const auto report = ReportOf(delegate);
  EXPECT_EQ(report["nodes_delegated"], 0);
  EXPECT_EQ(report["gpu_bytes"]["total"], 0);
  const std::string reason = report["cpu"][0]["reason"];
  EXPECT_THAT(
      reason,
      AllOf(HasSubstr(std::to_string(needs) + " bytes"), HasSubstr("constants"),
            HasSubstr("memory_limit_bytes=" + std::to_string(needs - 1))));
  EXPECT_EQ(*RunOnce(interpreter.get()), CpuResult(*model));
}

// The limit is the delegate's, not a partition's: of two, one fits; once it is
// gone, there is room for another.
TEST_F(DelegateMemoryTest, PartitionsShareTheLimit) {
  const auto model = LoadOrDie(ChainModel("can"));
  const int64_t needs = NeedsOf(*model);
  const DelegatePtr delegate = Make(needs + needs / 2);
  auto first = InterpreterOrDie(*model), second = InterpreterOrDie(*model);
  ASSERT_TRUE(first->ApplyDelegate(delegate.get()).ok());
  EXPECT_EQ(ReportOf(delegate)["partitions"], 1);
  ASSERT_TRUE(second->ApplyDelegate(delegate.get()).ok());
  EXPECT_EQ(ReportOf(delegate)["partitions"], 0);
  EXPECT_THAT(std::string(ReportOf(delegate)["cpu"][0]["reason"]),
              HasSubstr("the " + std::to_string(needs) +
                        " bytes of the delegate's other partitions"));
  first.reset();
  auto third = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["partitions"], 1);
  ExpectClose(RunOnce(third.get()), CpuResult(*model));
}

TEST_F(DelegateMemoryTest, AResizePastTheLimitRunsOnTheCpu) {
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate = Make(2 * NeedsOf(*model));
  auto interpreter = Applied(*model, delegate);
  const Shape large = {1, 60, 50, 5};
  Resize(interpreter.get(), large);
  EXPECT_EQ(*RunOnce(interpreter.get()), CpuResult(*model, 0, large));
  EXPECT_THAT(interpreter->log(), Contains(AllOf(HasSubstr("memory_limit"),
                                                 HasSubstr("on the CPU"))));
  Resize(interpreter.get(), {1, 6, 5, 5});
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
  EXPECT_GT(ReportOf(delegate)["gpu_bytes"]["total"], 0);
}

}  // namespace
}  // namespace gles_delegate::testing
