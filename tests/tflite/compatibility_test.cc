// labels: egl llvmpipe softpipe
// TfLiteGlesDelegateIsSupported() and the best options: whether an app should
// use the delegate at all.
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "delegate/tflite/options.h"
#include "egl/context.h"
#include "gles_delegate/gles_delegate.h"
#include "nlohmann/json.hpp"
#include "tests/testing/device.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

TEST(BestOptionsTest, AreHardwareAloneIn16Bits) {
  const TfLiteGlesDelegateOptions best = TfLiteGlesDelegateBestOptions();
  TfLiteGlesDelegateOptions expected = TfLiteGlesDelegateOptionsDefault();
  expected.is_precision_loss_allowed = 1;
  EXPECT_STREQ(best.device, "hardware");
  expected.device = best.device;
  // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): of equal padding
  EXPECT_EQ(std::memcmp(&best, &expected, sizeof(best)), 0);
}

TEST(BestOptionsTest, ThoseAsTextAreTheSame) {
  std::vector<std::pair<absl::string_view, absl::string_view>> pairs;
  for (absl::string_view item :
       absl::StrSplit(TfLiteGlesDelegateBestOptionsText(), ';')) {
    pairs.push_back(absl::StrSplit(item, absl::MaxSplits(':', 1)));
  }
  const TfLiteGlesDelegateOptions best = TfLiteGlesDelegateBestOptions();
  const auto as_struct = OptionsFrom(&best);
  const auto as_text = OptionsFrom(pairs);
  ASSERT_TRUE(as_struct.ok()) << as_struct.status();
  ASSERT_TRUE(as_text.ok()) << as_text.status();
  EXPECT_EQ(pairs.size(), 2u);
  EXPECT_EQ(as_text->planning.half, as_struct->planning.half);
  EXPECT_EQ(as_text->gpu.context.allow_software,
            as_struct->gpu.context.allow_software);
}

TEST(BestOptionsTest, AShorterStructGetsNoByteMore) {
  alignas(
      TfLiteGlesDelegateOptions) char bytes[sizeof(TfLiteGlesDelegateOptions)];
  std::memset(bytes, 0x5a, sizeof(bytes));
  const size_t size = offsetof(TfLiteGlesDelegateOptions, self_check);
  auto* options = reinterpret_cast<TfLiteGlesDelegateOptions*>(bytes);
  TfLiteGlesDelegateBestOptionsInit(options, size);
  EXPECT_EQ(options->struct_size, size);
  EXPECT_EQ(options->is_precision_loss_allowed, 1);
  EXPECT_EQ(bytes[size], 0x5a);
  TfLiteGlesDelegateBestOptionsInit(nullptr, sizeof(bytes));
}

// The answer is that of the machine's displays.
TEST(IsSupportedTest, HardwareIsSupportedAndSoftwareAloneIsNot) {
  GLES_SKIP_WITHOUT_DEVICE();
  egl::ContextOptions wanted;
  auto context = egl::Context::Create(wanted);
  ASSERT_TRUE(context.ok()) << context.status();
  const bool software = (*context)->device().software;
  EXPECT_EQ(TfLiteGlesDelegateIsSupported(nullptr), software ? 0 : 1);
  if (software) {
    EXPECT_THAT(TfLiteGlesDelegateLastError(),
                HasSubstr("there is software rendering alone"));
    EXPECT_THAT(TfLiteGlesDelegateLastError(),
                HasSubstr((*context)->device().renderer));
  }
  const TfLiteGlesDelegateOptions best = TfLiteGlesDelegateBestOptions();
  EXPECT_EQ(TfLiteGlesDelegateIsSupported(&best), software ? 0 : 1);
}

TEST(IsSupportedTest, SoftwareIsWhereItIsAllowed) {
  GLES_SKIP_WITHOUT_DEVICE();
  const auto options = TfLiteGlesDelegateOptionsDefault();
  EXPECT_EQ(TfLiteGlesDelegateIsSupported(&options), 1)
      << TfLiteGlesDelegateLastError();
  EXPECT_STREQ(TfLiteGlesDelegateLastError(), "");
}

TEST(IsSupportedTest, SaysWhatEachWayToAGpuLacks) {
  GLES_SKIP_WITHOUT_DEVICE();
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  options.device = "no such device";
  EXPECT_EQ(TfLiteGlesDelegateIsSupported(&options), 0);
  const std::string reason = TfLiteGlesDelegateLastError();
  EXPECT_THAT(reason, HasSubstr("no device for \"no such device\""));
  for (const egl::DisplayReport& display : egl::ListDisplays()) {
    EXPECT_THAT(reason, HasSubstr(display.description));
  }
}

TEST(IsSupportedTest, WrongOptionsAreTheReason) {
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  options.verbosity = 99;
  EXPECT_EQ(TfLiteGlesDelegateIsSupported(&options), 0);
  EXPECT_THAT(TfLiteGlesDelegateLastError(), HasSubstr("option verbosity"));
}

TEST(IsSupportedTest, WhatIsCurrentStaysSo) {
  GLES_SKIP_WITHOUT_DEVICE();
  EXPECT_FALSE(egl::Context::HasCurrent());
  TfLiteGlesDelegateIsSupported(nullptr);
  EXPECT_FALSE(egl::Context::HasCurrent());
  auto context = egl::Context::Create({});
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_TRUE((*context)
                  ->Run([] {
                    TfLiteGlesDelegateIsSupported(nullptr);
                    EXPECT_TRUE(egl::Context::HasCurrent());
                    return absl::OkStatus();
                  })
                  .ok());
}

// TfLiteGlesDelegateDevices(): what an app can name in the option `device`.

nlohmann::json Devices() {
  return nlohmann::json::parse(TfLiteGlesDelegateDevices(), nullptr, false);
}

TEST(DevicesTest, AreThoseOfEgl) {
  const auto displays = egl::ListDisplays();
  const nlohmann::json devices = Devices();
  ASSERT_TRUE(devices.is_array());
  ASSERT_EQ(devices.size(), displays.size());
  for (size_t i = 0; i < displays.size(); ++i) {
    EXPECT_EQ(devices[i]["index"], displays[i].index);
    EXPECT_EQ(devices[i]["description"], displays[i].description);
    EXPECT_EQ(devices[i]["renderer"], displays[i].renderer);
    EXPECT_EQ(devices[i]["version"], displays[i].version);
    EXPECT_EQ(devices[i]["software"], displays[i].software);
    EXPECT_EQ(devices[i]["error"], displays[i].error);
  }
}

// Each is either usable or says why it is not.
TEST(DevicesTest, OneIsThereAndEachOtherSaysWhyNot) {
  GLES_SKIP_WITHOUT_DEVICE();
  int usable = 0;
  for (const nlohmann::json& device : Devices()) {
    const bool has_renderer = !device["renderer"].get<std::string>().empty();
    EXPECT_NE(has_renderer, !device["error"].get<std::string>().empty())
        << device;
    usable += has_renderer;
  }
  EXPECT_GT(usable, 0);
}

}  // namespace

}  // namespace gles_delegate::testing
