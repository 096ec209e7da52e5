// labels: unit sanitize
// Options of the stock GPU delegate, as those of this one.
#include "delegate/adapters/drop_in/stock_options.h"

#include <functional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gles_delegate::drop_in {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TfLiteGpuDelegateOptionsV2 StockDefaults() {
  TfLiteGpuDelegateOptionsV2 stock = {};
  stock.is_precision_loss_allowed = -1;
  stock.inference_priority1 = TFLITE_GPU_INFERENCE_PRIORITY_MAX_PRECISION;
  stock.experimental_flags = TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_QUANT;
  stock.max_delegated_partitions = 1;
  return stock;
}

// The defaults with a few changes, mapped.
Mapped Of(const std::function<void(TfLiteGpuDelegateOptionsV2&)>& change) {
  TfLiteGpuDelegateOptionsV2 stock = StockDefaults();
  change(stock);
  return FromV2(stock);
}

// Each field that is not the default's is set by an option of the stock's.
TEST(FromV2Test, DefaultsAreDefaults) {
  const Mapped mapped = FromV2(StockDefaults());
  EXPECT_EQ(mapped.refusal, "");
  EXPECT_THAT(mapped.warnings, IsEmpty());
  const TfLiteGlesDelegateOptions defaults = TfLiteGlesDelegateOptionsDefault();
  EXPECT_EQ(mapped.options.is_precision_loss_allowed, 0);
  EXPECT_EQ(mapped.options.quantized_compute, kTfLiteGlesQuantizedAuto);
  EXPECT_EQ(mapped.options.max_delegated_partitions, 1);
  EXPECT_EQ(mapped.options.wait_type, defaults.wait_type);
  EXPECT_EQ(mapped.options.serialization_dir, nullptr);
  EXPECT_EQ(mapped.options.model_token, nullptr);
}

TEST(FromV2Test, PrecisionLossIsAllowedWherePrecisionIsNotFirst) {
  const struct {
    int32_t allowed, priority;
    bool loses;
  } cases[] = {{-1, TFLITE_GPU_INFERENCE_PRIORITY_MAX_PRECISION, false},
               {-1, TFLITE_GPU_INFERENCE_PRIORITY_MIN_LATENCY, true},
               {-1, TFLITE_GPU_INFERENCE_PRIORITY_MIN_MEMORY_USAGE, true},
               {0, TFLITE_GPU_INFERENCE_PRIORITY_MIN_LATENCY, false},
               {1, TFLITE_GPU_INFERENCE_PRIORITY_MAX_PRECISION, true}};
  for (const auto& c : cases) {
    const Mapped mapped = Of([&](auto& stock) {
      stock.is_precision_loss_allowed = c.allowed;
      stock.inference_priority1 = c.priority;
    });
    EXPECT_EQ(mapped.refusal, "");
    EXPECT_EQ(mapped.options.is_precision_loss_allowed, c.loses)
        << c.allowed << " " << c.priority;
  }
}

TEST(FromV2Test, LatencyFirstPolls) {
  for (int32_t first = 1; first <= 3; ++first) {
    EXPECT_EQ(Of([&](auto& stock) {
                stock.inference_priority1 = first;
              }).options.wait_type,
              first == TFLITE_GPU_INFERENCE_PRIORITY_MIN_LATENCY
                  ? kTfLiteGlesWaitActive
                  : kTfLiteGlesWaitPassive);
  }
}

TEST(FromV2Test, QuantizationIsAFlag) {
  EXPECT_EQ(Of([](auto& stock) {
              stock.experimental_flags = TFLITE_GPU_EXPERIMENTAL_FLAGS_GL_ONLY;
            }).options.quantized_compute,
            kTfLiteGlesQuantizedCpu);
}

TEST(FromV2Test, PartitionsAreThose) {
  EXPECT_EQ(Of([](auto& stock) {
              stock.max_delegated_partitions = 7;
            }).options.max_delegated_partitions,
            7);
  EXPECT_EQ(Of([](auto& stock) {
              stock.max_delegated_partitions = -1;
            }).options.max_delegated_partitions,
            0);
}

TEST(FromV2Test, ACacheIsKeptWhereItsFlagIsSet) {
  const auto with = [](int64_t flags, const char* dir, const char* token) {
    return Of([&](auto& stock) {
      stock.experimental_flags = flags;
      stock.serialization_dir = dir;
      stock.model_token = token;
    });
  };
  constexpr int64_t kFlag = TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_SERIALIZATION;
  const Mapped unflagged = with(1, "dir", "token");
  EXPECT_EQ(unflagged.options.serialization_dir, nullptr);
  EXPECT_EQ(unflagged.options.model_token, nullptr);
  EXPECT_THAT(unflagged.warnings, IsEmpty());

  const Mapped flagged = with(1 | kFlag, "dir", "token");
  EXPECT_STREQ(flagged.options.serialization_dir, "dir");
  EXPECT_STREQ(flagged.options.model_token, "token");

  for (const auto& [dir, token] :
       std::vector<std::pair<const char*, const char*>>{
           {nullptr, nullptr}, {"dir", nullptr}, {"", "token"}}) {
    const Mapped half = with(kFlag, dir, token);
    EXPECT_EQ(half.refusal, "");
    EXPECT_EQ(half.options.serialization_dir, nullptr);
    EXPECT_EQ(half.options.model_token, nullptr);
    EXPECT_THAT(half.warnings, ElementsAre(HasSubstr("serialization_dir")));
  }
}

TEST(FromV2Test, OpenClAloneIsRefused) {
  for (const int64_t flags : {2, 3, 2 | 4, 2 | 8}) {
    EXPECT_THAT(
        Of([&](auto& stock) { stock.experimental_flags = flags; }).refusal,
        AllOf(HasSubstr("CL_ONLY"), HasSubstr("OpenGL")));
  }
}

TEST(FromV2Test, ValuesThatAreNoneAreNamed) {
  using Stock = TfLiteGpuDelegateOptionsV2;
  const struct {
    int32_t Stock::*field;
    int32_t value;
    const char* refusal;
  } cases[] = {
      {&Stock::is_precision_loss_allowed, 2, "is_precision_loss_allowed is 2"},
      {&Stock::is_precision_loss_allowed, -2, "is_precision_loss_allowed"},
      {&Stock::inference_preference, 3, "inference_preference is 3"},
      {&Stock::inference_preference, -1, "inference_preference is -1"},
      {&Stock::inference_priority1, 0, "inference_priority1 is AUTO"},
      {&Stock::inference_priority1, 4, "inference_priority1 is 4"},
      {&Stock::inference_priority2, -1, "inference_priority2 is -1"},
      {&Stock::inference_priority2, 1, "one comes twice"},
      {&Stock::inference_priority3, 2, "inference_priority3 is 2 after"}};
  for (const auto& c : cases) {
    EXPECT_THAT(Of([&](auto& stock) { stock.*c.field = c.value; }).refusal,
                HasSubstr(c.refusal));
  }
}

TEST(FromV2Test, EveryOrderOfPrioritiesIsTaken) {
  for (int32_t first = 1; first <= 3; ++first) {
    for (int32_t second = 0; second <= 3; ++second) {
      for (int32_t third = 0; third <= 3; ++third) {
        const bool right = first != second && first != third &&
                           (second != third || second == 0) &&
                           !(second == 0 && third != 0);
        const Mapped mapped = Of([&](auto& stock) {
          stock.inference_priority1 = first;
          stock.inference_priority2 = second;
          stock.inference_priority3 = third;
        });
        EXPECT_EQ(mapped.refusal.empty(), right)
            << first << second << third << " " << mapped.refusal;
      }
    }
  }
}

// A flag of a younger stock delegate.
TEST(FromV2Test, AnUnknownFlagIsAWarning) {
  const Mapped mapped =
      Of([](auto& stock) { stock.experimental_flags = 1 | 64; });
  EXPECT_EQ(mapped.refusal, "");
  EXPECT_THAT(mapped.warnings, ElementsAre(HasSubstr("of which 64")));
}

TEST(FromOlderTest, EachField) {
  const struct {
    TFLGpuDelegateOptions stock;
    int precision_loss, wait_type, quantization;
    size_t warnings;
  } cases[] = {{{false, TFLGpuDelegateWaitTypePassive, false}, 0, 0, 0, 0},
               {{true, TFLGpuDelegateWaitTypePassive, false}, 1, 0, 0, 0},
               {{false, TFLGpuDelegateWaitTypeActive, false}, 0, 1, 0, 0},
               {{false, TFLGpuDelegateWaitTypeAggressive, false}, 0, 3, 0, 0},
               {{false, TFLGpuDelegateWaitTypeDoNotWait, true}, 0, 0, 1, 1}};
  for (const auto& c : cases) {
    const Mapped mapped = FromOlder(c.stock);
    EXPECT_EQ(mapped.refusal, "");
    EXPECT_EQ(mapped.options.is_precision_loss_allowed, c.precision_loss);
    EXPECT_EQ(mapped.options.wait_type, c.wait_type);
    EXPECT_EQ(mapped.options.quantized_compute != kTfLiteGlesQuantizedCpu,
              c.quantization);
    EXPECT_EQ(mapped.warnings.size(), c.warnings);
  }
}

TEST(SetStockKeysTest, EachFieldIsAKey) {
  const auto set = [](const char* key, const char* value) {
    TfLiteGpuDelegateOptionsV2 stock = StockDefaults();
    char* keys[] = {const_cast<char*>(key)};
    char* values[] = {const_cast<char*>(value)};
    EXPECT_EQ(SetStockKeys(keys, values, 1, &stock), "");
    return stock;
  };
  EXPECT_EQ(set("is_precision_loss_allowed", "1").is_precision_loss_allowed, 1);
  EXPECT_EQ(set("inference_preference", "2").inference_preference, 2);
  EXPECT_EQ(set("inference_priority1", "2").inference_priority1, 2);
  EXPECT_EQ(set("inference_priority2", "3").inference_priority2, 3);
  EXPECT_EQ(set("inference_priority3", "2").inference_priority3, 2);
  EXPECT_EQ(set("experimental_flags", "4294967297").experimental_flags,
            4294967297);
  EXPECT_EQ(set("max_delegated_partitions", "-1").max_delegated_partitions, -1);
  EXPECT_STREQ(set("serialization_dir", "a b").serialization_dir, "a b");
  EXPECT_STREQ(set("model_token", "t").model_token, "t");
}

TEST(SetStockKeysTest, WhatIsWrongIsNamed) {
  const auto wrong = [](const char* key, const char* value) {
    TfLiteGpuDelegateOptionsV2 stock = StockDefaults();
    char* keys[] = {nullptr, const_cast<char*>(key)};
    char* values[] = {nullptr, const_cast<char*>(value)};
    return SetStockKeys(keys, values, 2, &stock);
  };
  EXPECT_THAT(wrong("storage", "1"),
              AllOf(HasSubstr("unknown option 'storage'"),
                    HasSubstr("inference_preference"),
                    HasSubstr("experimental_flags")));
  for (const char* value : {"", "one", "1x", "5000000000", "1.5"}) {
    EXPECT_THAT(wrong("inference_preference", value),
                HasSubstr("option inference_preference: '"));
  }
  EXPECT_THAT(wrong("experimental_flags", "99999999999999999999"),
              HasSubstr("not a whole number"));
  EXPECT_THAT(wrong("model_token", nullptr), "");
}

}  // namespace
}  // namespace gles_delegate::drop_in
