// A start-up cache file: written as a stream of blobs, read through a memory
// map. delegate/cache/cache.fbs has the layout. No GL here.
#ifndef GLES_DELEGATE_DELEGATE_CACHE_CACHE_FILE_H_
#define GLES_DELEGATE_DELEGATE_CACHE_CACHE_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/cache/cache_directory.h"
#include "delegate/cache/cache_generated.h"
#include "delegate/cache/cache_hash.h"

namespace gles_delegate {

constexpr uint32_t kCacheFormatVersion = 3;

// The identity for which a cache is valid.
struct CacheIdentity {
  Hash128 key;
  std::string driver;
  std::string build;
};

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

  struct Program {
    Hash128 text;
    uint32_t format;
    cache::Extent binary;
  };
  const CacheDirectory& directory_;
  CacheDirectory::Temp temp_;
  uint64_t at_ = 0;
  std::vector<cache::Extent> constants_;
  std::vector<Program> programs_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_CACHE_CACHE_FILE_H_
