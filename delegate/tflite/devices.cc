#include "delegate/tflite/devices.h"

#include <nlohmann/json.hpp>

#include "egl/context.h"

namespace gles_delegate {

std::string DevicesText() {
  nlohmann::json devices = nlohmann::json::array();
  for (const egl::DisplayReport& report : egl::ListDisplays()) {
    devices.push_back({{"index", report.index},
                       {"description", report.description},
                       {"renderer", report.renderer},
                       {"version", report.version},
                       {"software", report.software},
                       {"error", report.error}});
  }
  return devices.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

absl::Status FindDevice(const Options& options) {
  egl::ContextOptions wanted;
  wanted.device = options.device;
  wanted.allow_software = options.allow_software;
  return egl::Context::CanCreate(wanted);
}

}  // namespace gles_delegate
