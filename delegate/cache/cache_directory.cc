#include "delegate/cache/cache_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace gles_delegate {
namespace {

// A writer locks its file right after making it: younger ones are never swept.
constexpr int kSweepAgeSeconds = 60;

absl::Status Errno(int error, absl::string_view what, absl::string_view name) {
  return absl::ErrnoToStatus(error, absl::StrCat(what, " '", name, "'"));
}

int64_t Nanoseconds(const timespec& t) {
  return int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}

// Calls fn for each entry; the directory's own offset is left alone.
absl::Status ForEachEntry(int directory,
                          absl::FunctionRef<void(const char*)> fn) {
  const int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return Errno(errno, "listing", "the cache directory");
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(fdopendir(fd), closedir);
  if (dir == nullptr) {
    close(fd);
    return Errno(errno, "listing", "the cache directory");
  }
  while (const dirent* entry = readdir(dir.get())) fn(entry->d_name);
  return absl::OkStatus();
}

// Only files that are ours: plain, and this user's.
bool StatOwn(int directory, const char* name, struct stat* info) {
  return fstatat(directory, name, info, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(info->st_mode) && info->st_uid == geteuid();
}

absl::Status CheckPrivate(int fd, const std::string& name) {
  struct stat info;
  if (fstat(fd, &info) != 0) return Errno(errno, "looking at", name);
  if (!S_ISREG(info.st_mode)) {
    return absl::PermissionDeniedError(
        absl::StrCat("'", name, "' is no plain file"));
  }
  if (info.st_uid != geteuid()) {
    return absl::PermissionDeniedError(
        absl::StrCat("'", name, "' is another user's"));
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return absl::PermissionDeniedError(
        absl::StrCat("'", name, "' may be written by other users"));
  }
  return absl::OkStatus();
}

}  // namespace

void FileDescriptor::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

absl::StatusOr<CacheDirectory> CacheDirectory::Open(const std::string& path) {
  CacheDirectory directory;
  directory.path_ = path;
  directory.fd_ =
      FileDescriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.fd_.valid()) {
    return Errno(errno, "opening the directory serialization_dir", path);
  }
  return directory;
}

std::string CacheDirectory::FileName(absl::string_view token,
                                     absl::string_view hash) {
  constexpr size_t kShown = 40;
  std::string shown;
  for (char c : token.substr(0, kShown)) {
    shown += absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '_';
  }
  return absl::StrCat(shown, "-", hash, kCacheSuffix);
}

absl::StatusOr<FileDescriptor> CacheDirectory::OpenForReading(
    const std::string& name) const {
  // O_NONBLOCK: a pipe of that name must not make us wait.
  FileDescriptor fd(openat(fd_.get(), name.c_str(),
                           O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) {
    if (errno == ELOOP) {
      return absl::PermissionDeniedError(absl::StrCat(
          "'", name, "' is a symbolic link, which is not followed"));
    }
    return Errno(errno, "opening", name);
  }
  RETURN_IF_ERROR(CheckPrivate(fd.get(), name));
  (void)futimens(fd.get(), nullptr);  // for Limit(); harmless where it fails
  return fd;
}

absl::StatusOr<CacheDirectory::Temp> CacheDirectory::CreateTemp() const {
  std::random_device random;
  for (int attempt = 0; attempt < 16; ++attempt) {
    const uint64_t number = uint64_t{random()} << 32 | random();
    Temp temp;
    temp.name =
        absl::StrCat(absl::Hex(number, absl::kZeroPad16), kCacheTempSuffix);
    temp.fd = FileDescriptor(openat(
        fd_.get(), temp.name.c_str(),
        O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!temp.fd.valid()) {
      if (errno == EEXIST) continue;
      return Errno(errno, "making a file in", path_);
    }
    (void)flock(temp.fd.get(), LOCK_EX | LOCK_NB);
    return temp;
  }
  return absl::UnavailableError(
      absl::StrCat("no free file name in '", path_, "'"));
}

absl::Status CacheDirectory::Publish(Temp temp, const std::string& name) const {
  if (fsync(temp.fd.get()) != 0 ||
      renameat(fd_.get(), temp.name.c_str(), fd_.get(), name.c_str()) != 0) {
    const absl::Status status = Errno(errno, "writing", name);
    Discard(temp);
    return status;
  }
  (void)fsync(fd_.get());  // some file systems cannot; the file is whole anyway
  return absl::OkStatus();
}

void CacheDirectory::Discard(const Temp& temp) const { Remove(temp.name); }

void CacheDirectory::Remove(const std::string& name) const {
  (void)unlinkat(fd_.get(), name.c_str(), 0);
}

void CacheDirectory::SweepTemps() const {
  std::vector<std::string> left;
  (void)ForEachEntry(fd_.get(), [&](const char* name) {
    struct stat info;
    if (!absl::EndsWith(name, kCacheTempSuffix) ||
        !StatOwn(fd_.get(), name, &info) ||
        time(nullptr) - info.st_mtime < kSweepAgeSeconds) {
      return;
    }
    const FileDescriptor fd(openat(
        fd_.get(), name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (fd.valid() && flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
      left.push_back(name);
  });
  for (const std::string& name : left) Remove(name);
}

absl::Status CacheDirectory::Limit(int64_t max_bytes) const {
  struct Entry {
    int64_t used;  // when
    int64_t bytes;
    std::string name;
  };
  std::vector<Entry> entries;
  int64_t total = 0;
  RETURN_IF_ERROR(ForEachEntry(fd_.get(), [&](const char* name) {
    struct stat info;
    if (!absl::EndsWith(name, kCacheSuffix) || !StatOwn(fd_.get(), name, &info))
      return;
    entries.push_back({Nanoseconds(info.st_mtim), info.st_size, name});
    total += info.st_size;
  }));
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes) break;
    Remove(entry.name);
    total -= entry.bytes;
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
