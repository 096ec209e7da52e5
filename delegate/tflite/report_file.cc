#include "delegate/tflite/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

absl::Status Failed(int error, const std::string& path) {
  return absl::ErrnoToStatus(
      error, absl::StrCat("the report was not written to '", path, "'"));
}

// Opens a new file in the directory of `path` and writes its name to `*name`.
// -1: an error, in errno.
int OpenBeside(const std::string& path, std::string* name) {
  std::random_device random;
  int fd = -1;
  for (int attempt = 0; attempt < 16 && fd < 0; ++attempt) {
    *name = absl::StrCat(path, ".", absl::Hex(random()), ".tmp");
    fd = open(name->c_str(),
              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0 && errno != EEXIST) break;
  }
  return fd;
}

// 0, or the error.
int WriteAll(int fd, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

}  // namespace

absl::Status ReplaceFile(const std::string& path, absl::string_view text) {
  struct stat info;
  if (lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the report was not written to '", path, "', which is no plain file"));
  }
  std::string temporary;
  const int fd = OpenBeside(path, &temporary);
  if (fd < 0) return Failed(errno, path);
  int error = WriteAll(fd, text);
  if (close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return absl::OkStatus();
  (void)unlink(temporary.c_str());
  return Failed(error, path);
}

}  // namespace gles_delegate
