// The process's resources, for tests that they do not grow, and children that
// are forked from it.
#ifndef GLES_DELEGATE_TESTS_TESTING_PROCESS_H_
#define GLES_DELEGATE_TESTS_TESTING_PROCESS_H_

#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>

namespace gles_delegate::testing {

inline size_t EntriesOf(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder),
                       std::filesystem::directory_iterator());
}
inline size_t ThreadsOfProcess() { return EntriesOf("/proc/self/task"); }
// A thread that was joined may still be listed for a moment.
inline bool ThreadsSinkTo(size_t count) {
  for (int tries = 0; tries < 1000 && ThreadsOfProcess() > count; ++tries) {
    usleep(10000);
  }
  return ThreadsOfProcess() <= count;
}
inline size_t FilesOfProcess() { return EntriesOf("/proc/self/fd"); }

// Runs fn in a forked child, which then ends without a destructor or handler.
// The child's exit status: what fn returns; -1: it died of a signal, which a
// child that hangs does after two minutes.
inline int RunForked(const std::function<int()>& fn) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);
    _exit(fn());
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_PROCESS_H_
