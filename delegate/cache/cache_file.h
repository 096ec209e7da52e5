// The directory of start-up caches, its files, which are written as a stream of
// blobs and read through a memory map, and their hashes.
// delegate/cache/cache.fbs has the layout. No GL here.
#ifndef GLES_DELEGATE_DELEGATE_CACHE_CACHE_FILE_H_
#define GLES_DELEGATE_DELEGATE_CACHE_CACHE_FILE_H_

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/cache/cache_generated.h"

namespace gles_delegate {

// --- Hashes ------------------------------------------------------------------

// 128-bit fingerprints (XXH3) of everything that a start-up cache depends on.
// Not cryptographic: they detect accidents, not attacks;
// docs/decisions/start_up_cache.md says what prevents those.
struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const Hash128& o) const {
    return low == o.low && high == o.high;
  }
  bool operator!=(const Hash128& o) const { return !(*this == o); }
  std::string ToHex() const;  // 32 digits
};

// The hash of `bytes` followed by `more`.
Hash128 HashBytes(absl::Span<const uint8_t> bytes,
                  absl::Span<const uint8_t> more = {});
Hash128 HashText(absl::string_view text);

// Hashes a sequence of values. Values of variable length are hashed with their
// length, so that different sequences differ. Threads: one at a time.
class Hasher {
 public:
  Hasher();
  ~Hasher();

  Hasher& Bytes(absl::Span<const uint8_t> bytes);
  Hasher& Text(absl::string_view text);
  template <typename T>
  Hasher& Value(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    return Raw(&value, sizeof(value));
  }
  template <typename List>
  Hasher& Values(const List& list) {
    Value(static_cast<uint64_t>(list.size()));
    for (const auto& value : list) Value(value);
    return *this;
  }
  // Without the length.
  Hasher& Raw(const void* data, size_t size);
  Hash128 Finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// --- The directory -----------------------------------------------------------

// Safe opening, atomic replacement, a size limit. Several processes may use a
// directory at once.

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
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

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
  void Remove(const std::string& name) const;

  // Removes temporary files of processes that were killed.
  void SweepTemps() const;
  // Removes cache files, least recently used first, until all together take at
  // most `max_bytes`.
  absl::Status Limit(int64_t max_bytes) const;

 private:
  std::string path_;
  FileDescriptor fd_;
};

// --- A file ------------------------------------------------------------------

constexpr uint32_t kCacheFormatVersion = 3;

// The identity for which a cache is valid.
struct CacheIdentity {
  Hash128 key;
  std::string driver;
  std::string build;
};

inline Hash128 FromStored(const cache::Hash& hash) {
  return {hash.low(), hash.high()};
}

// A whole file, mapped. Threads: any. Files are replaced by renaming and never
// changed in place, so the map is stable.
class CacheFile {
 public:
  // Checks everything but the blobs' contents: sizes, versions, the index and
  // its checksum, and that the blobs tile the file. kNotFound: no such file.
  // kDataLoss: damaged, or not a cache file. kPermissionDenied: see
  // CacheDirectory.
  static absl::StatusOr<std::unique_ptr<CacheFile>> Open(
      const CacheDirectory& directory, const std::string& name);
  CacheFile(const CacheFile&) = delete;
  CacheFile& operator=(const CacheFile&) = delete;
  ~CacheFile();

  const cache::Index& index() const { return *index_; }
  size_t bytes() const { return size_; }
  // A blob, borrowed from the map. kDataLoss: wrong checksum.
  absl::StatusOr<absl::Span<const uint8_t>> Read(
      const cache::Extent& extent) const;
  // Lets the system evict the blob's pages.
  void Drop(const cache::Extent& extent) const;

 private:
  CacheFile() = default;
  absl::Status Check(const std::string& name);

  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
  const cache::Index* index_ = nullptr;
};

// Writes a file as a stream: constants, then programs, then the index. If
// Finish() is not called, the temporary file is removed. Threads: one.
class CacheWriter {
 public:
  static absl::StatusOr<std::unique_ptr<CacheWriter>> Create(
      const CacheDirectory& directory);
  ~CacheWriter();

  // After an error (such as a full disk) the writer is unusable.
  absl::Status AddConstant(absl::Span<const uint8_t> bytes);
  absl::Status AddProgram(const Hash128& text, uint32_t format,
                          absl::Span<const uint8_t> binary);
  // Publishes the file under `name` and returns its size. kResourceExhausted:
  // larger than `max_bytes` (0: no limit).
  absl::StatusOr<int64_t> Finish(const CacheIdentity& identity,
                                 uint32_t refreshes, const std::string& name,
                                 int64_t max_bytes);

 private:
  explicit CacheWriter(const CacheDirectory& directory)
      : directory_(directory) {}
  absl::StatusOr<cache::Extent> AddBlob(absl::Span<const uint8_t> bytes);
  absl::Status Write(const void* data, size_t bytes);

  const CacheDirectory& directory_;
  CacheDirectory::Temp temp_;
  uint64_t at_ = 0;
  std::vector<cache::Extent> constants_;
  flatbuffers::FlatBufferBuilder builder_;  // of the index
  std::vector<flatbuffers::Offset<cache::Program>> programs_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_CACHE_CACHE_FILE_H_
