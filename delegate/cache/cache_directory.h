// The directory that start-up caches live in: safe opening, safe replacing, a
// limit on its size. Many processes may use one directory at once.
#ifndef GLES_DELEGATE_DELEGATE_CACHE_CACHE_DIRECTORY_H_
#define GLES_DELEGATE_DELEGATE_CACHE_CACHE_DIRECTORY_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gles_delegate {

// Owns a file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~FileDescriptor() { Close(); }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void Close();

 private:
  int fd_ = -1;
};

// What every file of ours ends in; nothing else in the directory is touched.
constexpr absl::string_view kCacheSuffix = ".glescache";
constexpr absl::string_view kCacheTempSuffix = ".glescache-tmp";

// Threads: const functions on any; the directory is held open, so it stays the
// same one where its path is renamed or replaced meanwhile.
class CacheDirectory {
 public:
  // The directory must exist: it is never made. Errors (kNotFound,
  // kPermissionDenied, ...) name the path.
  static absl::StatusOr<CacheDirectory> Open(const std::string& path);

  // The plain name of a cache file: the letters and digits of `token`, which
  // may hold anything, for people, then `hash` (hexadecimal), which tells files
  // apart.
  static std::string FileName(absl::string_view token, absl::string_view hash);

  // Opens a file for reading and marks it as used now. kNotFound: no such file.
  // kPermissionDenied: a link, no plain file, another user's, or one that
  // others may write.
  absl::StatusOr<FileDescriptor> OpenForReading(const std::string& name) const;

  // A new file of a name of its own, mode 0600, locked (flock) while it is
  // written so that SweepTemps() of other processes leaves it alone.
  struct Temp {
    std::string name;
    FileDescriptor fd;
  };
  absl::StatusOr<Temp> CreateTemp() const;
  // Writes the file to disk, renames it to `name`, and writes the directory to
  // disk. On an error the temporary file is removed.
  absl::Status Publish(Temp temp, const std::string& name) const;
  void Discard(const Temp& temp) const;
  void Remove(const std::string& name) const;

  // Removes temporary files that no process is writing (it was killed).
  void SweepTemps() const;
  // Removes cache files, the longest unused first, until all together take no
  // more than `max_bytes`.
  absl::Status Limit(int64_t max_bytes) const;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  FileDescriptor fd_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_CACHE_CACHE_DIRECTORY_H_
