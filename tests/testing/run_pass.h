// Runs passes one by one, for tests of them.
#ifndef GLES_DELEGATE_TESTS_TESTING_RUN_PASS_H_
#define GLES_DELEGATE_TESTS_TESTING_RUN_PASS_H_

#include "absl/strings/string_view.h"
#include "delegate/passes/passes.h"
#include "gtest/gtest.h"

namespace gles_delegate::testing {

// Runs one pass alone.
inline void RunPass(absl::string_view name, Graph* graph,
                    const DeviceProfile& profile = {}) {
  const absl::Status passed = RunPass(name, PassContext{profile}, graph);
  EXPECT_TRUE(passed.ok()) << passed;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_RUN_PASS_H_
