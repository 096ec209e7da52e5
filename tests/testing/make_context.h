// A context of a test's own.
#ifndef GLES_DELEGATE_TESTS_TESTING_MAKE_CONTEXT_H_
#define GLES_DELEGATE_TESTS_TESTING_MAKE_CONTEXT_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "egl/context.h"
#include "gtest/gtest.h"

namespace gles_delegate::testing {

// A context on the device that `device` names in the words of
// GLES_DELEGATE_DEVICE. Null where there is none, which fails the test.
inline std::unique_ptr<egl::Context> MakeContext(
    const std::string& device = "") {
  egl::ContextOptions options;
  options.device = device;
  absl::StatusOr<std::unique_ptr<egl::Context>> context =
      egl::Context::Create(options);
  EXPECT_TRUE(context.ok()) << context.status();
  return context.ok() ? *std::move(context) : nullptr;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_MAKE_CONTEXT_H_
