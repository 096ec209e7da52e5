// The directory of start-up caches: safe opening, atomic replacement, a size
// limit. Several processes may use a directory at once.
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

// Suffixes of our files; nothing else in the directory is touched.
constexpr absl::string_view kCacheSuffix = ".glescache";
constexpr absl::string_view kCacheTempSuffix = ".glescache-tmp";

// Threads: const functions on any. The directory is held open, so renaming or
// replacing its path has no effect on this object.
class CacheDirectory {
 public:
  // The directory must exist. Errors (kNotFound, kPermissionDenied, ...) name
  // the path.
  static absl::StatusOr<CacheDirectory> Open(const std::string& path);

  // The name of a cache file: the letters and digits of `token` (any text), for
  // readers, then `hash` (hexadecimal), which makes it unique.
  static std::string FileName(absl::string_view token, absl::string_view hash);

  // Opens a file for reading and updates its time of use. kNotFound: no such
  // file. kPermissionDenied: a link, not a regular file, owned by another user,
  // or writable by others.
  absl::StatusOr<FileDescriptor> OpenForReading(const std::string& name) const;

  // A new file with a unique name, mode 0600, locked (flock) while it is
  // written so that SweepTemps() of other processes skips it.
  struct Temp {
    std::string name;
    FileDescriptor fd;
  };
  absl::StatusOr<Temp> CreateTemp() const;
  // Syncs the file, renames it to `name` and syncs the directory. On an error
  // the temporary file is removed.
  absl::Status Publish(Temp temp, const std::string& name) const;
  void Discard(const Temp& temp) const;
  void Remove(const std::string& name) const;

  // Removes temporary files of processes that were killed.
  void SweepTemps() const;
  // Removes cache files, least recently used first, until all together take at
  // most `max_bytes`.
  absl::Status Limit(int64_t max_bytes) const;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  FileDescriptor fd_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_CACHE_CACHE_DIRECTORY_H_
