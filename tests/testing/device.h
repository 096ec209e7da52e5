// The GL device of a test program, and what to do where there is none.
#ifndef GLES_DELEGATE_TESTS_TESTING_DEVICE_H_
#define GLES_DELEGATE_TESTS_TESTING_DEVICE_H_

#include "egl/context.h"
#include "gtest/gtest.h"  // IWYU pragma: export

namespace gles_delegate::testing {

// One context a test program, made at the first call and kept until the process
// ends; null where no device is there. GLES_DELEGATE_DEVICE chooses the device.
// Main thread only.
egl::Context* TestContext();

// Why TestContext() is null.
const absl::Status& TestContextStatus();

// True where GLES_DELEGATE_REQUIRE_DEVICE=1: a missing device is a failure.
bool DeviceIsRequired();

}  // namespace gles_delegate::testing

// First line of a test that needs a device: skips it loudly where there is
// none, or fails where a device is required.
#define GLES_SKIP_WITHOUT_DEVICE()                                           \
  do {                                                                       \
    if (::gles_delegate::testing::TestContext() != nullptr) break;           \
    if (::gles_delegate::testing::DeviceIsRequired()) {                      \
      FAIL()                                                                 \
          << "GLES_DELEGATE_REQUIRE_DEVICE is set, and there is no device: " \
          << ::gles_delegate::testing::TestContextStatus();                  \
    }                                                                        \
    GTEST_SKIP() << "NO GL DEVICE, NOTHING TESTED: "                         \
                 << ::gles_delegate::testing::TestContextStatus();           \
  } while (false)

// Skips a test, loudly, if the device lacks the OpenGL ES extension. Comes
// after GLES_SKIP_WITHOUT_DEVICE.
#define GLES_SKIP_WITHOUT(extension)                                      \
  do {                                                                    \
    if (::gles_delegate::testing::TestContext()->device().Has(extension)) \
      break;                                                              \
    GTEST_SKIP() << "NO " << (extension) << " HERE, NOTHING TESTED";      \
  } while (false)

#endif  // GLES_DELEGATE_TESTS_TESTING_DEVICE_H_
