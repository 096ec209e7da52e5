// labels: egl
// The environment of a setuid program is its caller's, and not read.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "egl/gl_api.h"
#include "egl/process.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/scratch_directory.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::DebugHas;
using ::gles_delegate::egl::DebugValue;
using ::gles_delegate::egl::EnvironmentValue;
using ::gles_delegate::egl::IsPrivileged;

constexpr char kVariable[] = "GLES_DELEGATE_EGL_LIBRARY";

TEST(EnvironmentTest, AVariableIsReadInAnyOtherProgram) {
  EXPECT_FALSE(IsPrivileged());
  const ScopedEnvironment set(kVariable, "0x");
  EXPECT_EQ(EnvironmentValue(kVariable), "0x");
  EXPECT_EQ(EnvironmentValue("NO_SUCH_VARIABLE_OF_ANYONE"), "");
}

TEST(EnvironmentTest, DebugItemsWithAndWithoutValues) {
  const ScopedEnvironment set("GLES_DELEGATE_DEBUG",
                              "validate, plan=a=b,plan=/c ,bounds=");
  EXPECT_TRUE(DebugHas("validate"));
  EXPECT_TRUE(DebugHas("bounds"));
  EXPECT_FALSE(DebugHas("context"));
  EXPECT_EQ(DebugValue("plan"), "/c");
  EXPECT_EQ(DebugValue("validate"), "");
  EXPECT_EQ(DebugValue("shaders"), std::nullopt);
}

// The value that a setuid copy of this program finds.
TEST(EnvironmentChildTest, DISABLED_Setuid) {
  if (!IsPrivileged()) _exit(77);
  if (std::getenv(kVariable) == nullptr) _exit(2);
  if (!EnvironmentValue(kVariable).empty()) _exit(3);
  if (DebugHas("validate")) _exit(4);
  // Nothing of that name is opened.
  const absl::Status loaded = egl::LoadGl();
  if (!::testing::Value(std::string(loaded.message()),
                        Not(HasSubstr("libof_the_caller")))) {
    _exit(5);
  }
  _exit(0);
}

// Runs the program as the user "nobody"; its exit status.
int RunAsNobody(const std::string& program) {
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(77);
    setenv(kVariable, "libof_the_caller.so", 1);
    setenv("GLES_DELEGATE_DEBUG", "validate", 1);
    unsetenv("GTEST_OUTPUT");
    unsetenv("GTEST_TOTAL_SHARDS");
    unsetenv("GTEST_SHARD_INDEX");
    execl(program.c_str(), program.c_str(),
          "--gtest_filter=EnvironmentChildTest.DISABLED_Setuid",
          "--gtest_also_run_disabled_tests", static_cast<char*>(nullptr));
    _exit(126);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(EnvironmentTest, NoVariableIsReadInASetuidProgram) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a setuid program";
  const ScratchDirectory directory;
  const std::string program = directory.path() + "/setuid";
  std::filesystem::copy_file("/proc/self/exe", program);
  ASSERT_EQ(chmod(directory.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(program.c_str(), 04755), 0);
  const int status = RunAsNobody(program);
  if (status == 77) {
    GTEST_SKIP() << "this system runs no setuid program in " << directory.path()
                 << " (nosuid, or no new privileges)";
  }
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace gles_delegate::testing
