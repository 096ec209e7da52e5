// labels: unit sanitize
// GPU options of LiteRT, as options of the delegate.
#include <string>

#include "delegate/adapters/litert/accelerator.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gles_delegate::litert {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

MappedOptions Of(const std::string& toml) {
  absl::StatusOr<MappedOptions> mapped = FromGpuOptions(toml);
  EXPECT_TRUE(mapped.ok()) << toml << ": " << mapped.status();
  return mapped.ok() ? *std::move(mapped) : MappedOptions();
}

std::string RefusalOf(const std::string& toml) {
  return std::string(FromGpuOptions(toml).status().message());
}

TEST(LitertOptionsTest, NothingIsDefaults) {
  const TfLiteGlesDelegateOptions defaults = TfLiteGlesDelegateOptionsDefault();
  for (const char* toml : {"", "\n", "# of no effect\n",
                           "precision = 0\nbuffer_storage_type = 0\n"
                           "wait_type = 0\nbackend = 0\n"
                           "serialization_dir = \"\"\n"}) {
    const MappedOptions mapped = Of(toml);
    EXPECT_EQ(mapped.options.is_precision_loss_allowed,
              defaults.is_precision_loss_allowed);
    EXPECT_EQ(mapped.options.storage, defaults.storage);
    EXPECT_EQ(mapped.options.wait_type, defaults.wait_type);
    EXPECT_EQ(mapped.options.float16_overflow, defaults.float16_overflow);
    EXPECT_EQ(mapped.options.serialization_dir, nullptr);
    EXPECT_EQ(mapped.options.model_token, nullptr);
    EXPECT_EQ(mapped.options.device, nullptr);
    EXPECT_THAT(mapped.warnings, IsEmpty());
    EXPECT_THAT(mapped.unknown_keys, IsEmpty());
  }
}

TEST(LitertOptionsTest, Precision) {
  EXPECT_EQ(Of("precision = 1").options.is_precision_loss_allowed, 1);
  EXPECT_EQ(Of("precision = 2").options.is_precision_loss_allowed, 0);
  EXPECT_EQ(Of("precision = 3").options.is_precision_loss_allowed, 1);
}

TEST(LitertOptionsTest, Device) {
  EXPECT_EQ(Of("buffer_storage_type = 1").options.storage,
            kTfLiteGlesStorageBuffer);
  EXPECT_EQ(Of("buffer_storage_type = 2").options.storage,
            kTfLiteGlesStorageTexture2d);
  EXPECT_EQ(Of("wait_type = 1").options.wait_type, kTfLiteGlesWaitPassive);
  EXPECT_EQ(Of("wait_type = 2").options.wait_type, kTfLiteGlesWaitActive);
  const MappedOptions mapped =
      Of("preferred_device_substr = \"Mali \\\"G\\\"\"");
  EXPECT_STREQ(mapped.options.device, "Mali \"G\"");
}

TEST(LitertOptionsTest, WhatIsDoneOtherwiseIsSaid) {
  const MappedOptions waits = Of("wait_type = 3");
  EXPECT_EQ(waits.options.wait_type, kTfLiteGlesWaitPassive);
  EXPECT_THAT(waits.warnings, ElementsAre(HasSubstr("a run waits")));
  EXPECT_THAT(Of("backend = 1").warnings,
              ElementsAre(HasSubstr("backend is 1 (OpenCL)")));
  EXPECT_THAT(Of("backend = 2").warnings, ElementsAre(HasSubstr("(WebGPU)")));
  EXPECT_THAT(Of("backend = 3").warnings, IsEmpty());
  EXPECT_THAT(Of("program_cache_fd = 5").warnings,
              ElementsAre(HasSubstr("in no open file")));
}

TEST(LitertOptionsTest, SerializationNeedsBoth) {
  const MappedOptions both =
      Of("serialization_dir = \"/d\"\nmodel_cache_key = \"k\"\n"
         "serialize_program_cache = true\n");
  EXPECT_STREQ(both.options.serialization_dir, "/d");
  EXPECT_STREQ(both.options.model_token, "k");
  EXPECT_THAT(both.warnings, IsEmpty());
  for (const char* one :
       {"serialization_dir = '/d'", "model_cache_key = 'k'"}) {
    const MappedOptions mapped = Of(one);
    EXPECT_EQ(mapped.options.serialization_dir, nullptr);
    EXPECT_EQ(mapped.options.model_token, nullptr);
    EXPECT_THAT(mapped.warnings, ElementsAre(HasSubstr("nothing is kept")));
  }
  const MappedOptions off =
      Of("serialization_dir = '/d'\nmodel_cache_key = 'k'\n"
         "serialize_program_cache = false\n");
  EXPECT_EQ(off.options.serialization_dir, nullptr);
  EXPECT_THAT(off.warnings, IsEmpty());
}

TEST(LitertOptionsTest, KeysOfLiteRtWithoutAMeaningHereAreNoNews) {
  EXPECT_THAT(Of("priority = 3\nexternal_tensors_mode = true\n"
                 "external_tensor_patterns = [\"kv_\", \"cache\"]\n"
                 "num_threads_to_compile = 4\nbenchmark_mode = true\n"
                 "hint_fully_delegated_to_single_delegate = true\n")
                  .unknown_keys,
              IsEmpty());
  EXPECT_THAT(Of("zz = 1\nprecision = 1\naa = [1]\n").unknown_keys,
              ElementsAre("aa", "zz"));
}

TEST(LitertOptionsTest, BadValuesAreRefused) {
  EXPECT_THAT(RefusalOf("precision = 4"), HasSubstr("is 4, not 0 to 3"));
  EXPECT_THAT(RefusalOf("precision = -1"), HasSubstr("is -1, not 0 to 3"));
  EXPECT_THAT(RefusalOf("wait_type = \"active\""),
              HasSubstr("wait_type is no whole number"));
  EXPECT_THAT(RefusalOf("precision = true"), HasSubstr("no whole number"));
  EXPECT_THAT(RefusalOf("serialize_program_cache = 1"),
              HasSubstr("is neither true nor false"));
  EXPECT_THAT(RefusalOf("preferred_device_substr = 1"),
              HasSubstr("is no text"));
  EXPECT_THAT(RefusalOf("precision = 1\nprecision"),
              HasSubstr("are no TOML: "));
  EXPECT_THAT(RefusalOf("precision = 1\nprecision"), HasSubstr("line 2"));
}

}  // namespace
}  // namespace gles_delegate::litert
