#include "delegate/tflite/devices.h"

#include "delegate/tflite/report.h"
#include "egl/context.h"

namespace gles_delegate {

std::string DevicesText() {
  Json devices = Json::Array();
  for (const egl::DisplayReport& report : egl::ListDisplays()) {
    devices.Add({{"index", report.index},
                 {"description", report.description},
                 {"renderer", report.renderer},
                 {"version", report.version},
                 {"software", report.software},
                 {"error", report.error}});
  }
  return devices.Text();
}

absl::Status FindDevice(const Options& options) {
  egl::ContextOptions wanted = options.gpu.context;
  wanted.display = EGL_NO_DISPLAY;
  return egl::Context::CanCreate(wanted);
}

}  // namespace gles_delegate
