#include "tests/testing/child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace gles_delegate::testing {
namespace {

[[noreturn]] void BecomeChild(
    const std::string& test,
    const std::vector<std::pair<std::string, std::string>>& environment) {
  for (const auto& [name, value] : environment) {
    if (value.empty()) {
      unsetenv(name.c_str());
    } else {
      setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
    }
  }
  // The parent's report is not the child's to write over.
  unsetenv("GTEST_OUTPUT");
  unsetenv("GTEST_TOTAL_SHARDS");
  unsetenv("GTEST_SHARD_INDEX");
  const std::string filter = "--gtest_filter=" + test;
  execl("/proc/self/exe", "child", filter.c_str(),
        "--gtest_also_run_disabled_tests", static_cast<char*>(nullptr));
  _exit(127);
}

}  // namespace

ChildResult RunChild(
    const std::string& test,
    const std::vector<std::pair<std::string, std::string>>& environment) {
  ChildResult result;
  int ends[2];
  if (pipe(ends) != 0) return result;
  const pid_t child = fork();
  if (child < 0) return result;
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    BecomeChild(test, environment);
  }
  close(ends[1]);
  char part[4096];
  for (ssize_t n; (n = read(ends[0], part, sizeof(part))) > 0;) {
    result.output.append(part, n);
  }
  close(ends[0]);
  int status = 0;
  if (waitpid(child, &status, 0) == child && WIFEXITED(status)) {
    result.exit_code = WEXITSTATUS(status);
  }
  return result;
}

void ExpectChildPasses(const std::string& test) {
  const ChildResult child = RunChild(test, {});
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_TRUE(absl::StrContains(child.output, "1 test from")) << child.output;
}

}  // namespace gles_delegate::testing
