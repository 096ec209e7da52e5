// Commands of a shell, and what `nm` says of a shared library.
#ifndef GLES_DELEGATE_TESTS_TESTING_COMMAND_H_
#define GLES_DELEGATE_TESTS_TESTING_COMMAND_H_

#include <sys/wait.h>

#include <cstdio>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/match.h"

namespace gles_delegate::testing {

struct CommandResult {
  int exit_status = -1;  // -1: the command did not start, or died of a signal
  std::string output;    // stdout and stderr
};

inline CommandResult RunCommand(const std::string& command) {
  CommandResult result;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char part[4096];
  for (size_t n; (n = fread(part, 1, sizeof(part), pipe)) > 0;) {
    result.output.append(part, n);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
  return result;
}

// The dynamic symbols of `library`; `which`: an option of nm. Versions
// ("@GLIBC_2.2.5") are cut off; weak undefined symbols are left out, as they
// may stay so. Empty where the machine has no nm.
inline std::set<std::string> SymbolsOf(const std::string& library,
                                       const std::string& which) {
  const auto nm = RunCommand("nm -D " + which + " '" + library + "'");
  if (nm.exit_status != 0) return {};
  std::istringstream lines(nm.output);
  std::set<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (absl::StrContains(line, " w ")) continue;
    const std::string name = line.substr(line.rfind(' ') + 1);
    names.insert(name.substr(0, name.find('@')));
  }
  return names;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_COMMAND_H_
