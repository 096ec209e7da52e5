// Runs one test of this program again, in its own process: for what a
// process decides once, such as which libEGL it opens.
#ifndef GLES_DELEGATE_TESTS_TESTING_CHILD_H_
#define GLES_DELEGATE_TESTS_TESTING_CHILD_H_

#include <string>
#include <utility>
#include <vector>

namespace gles_delegate::testing {

struct ChildResult {
  int exit_code = -1;  // -1: died of a signal, or did not start
  std::string output;  // stdout and stderr
};

// Runs `test` ("Suite.DISABLED_Name": disabled, so that it runs in the child
// only) with the environment's variables set as given; an empty value unsets.
ChildResult RunChild(
    const std::string& test,
    const std::vector<std::pair<std::string, std::string>>& environment);

// Runs `test` with the environment as it is. The calling test fails if it fails
// or did not run.
void ExpectChildPasses(const std::string& test);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_CHILD_H_
