#include "tests/testing/device.h"

#include <cstdlib>
#include <cstring>

namespace gles_delegate::testing {
namespace {

const absl::StatusOr<std::unique_ptr<egl::Context>>& Shared() {
  // Never destroyed: drivers take their own state down at exit, in an order
  // that no one defines.
  static const auto* const context =
      new absl::StatusOr<std::unique_ptr<egl::Context>>(
          egl::Context::Create({}));
  return *context;
}

}  // namespace

egl::Context* TestContext() {
  return Shared().ok() ? Shared()->get() : nullptr;
}

const absl::Status& TestContextStatus() { return Shared().status(); }

bool DeviceIsRequired() {
  const char* value = std::getenv("GLES_DELEGATE_REQUIRE_DEVICE");
  return value != nullptr && std::strcmp(value, "") != 0 &&
         std::strcmp(value, "0") != 0;
}

}  // namespace gles_delegate::testing
