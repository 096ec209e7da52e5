// labels: egl llvmpipe softpipe
// TfLiteGlesDelegateDevices(): what an app can name in the option `device`.
#include <string>

#include "egl/context.h"
#include "gles_delegate/gles_delegate.h"
#include "nlohmann/json.hpp"
#include "tests/testing/device.h"

namespace gles_delegate::testing {
namespace {

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
