#include "delegate/cache/cache_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include <cstring>
#include <random>

// Header-only: no symbol of libxxhash is linked, none is exported.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace gles_delegate {

// --- Hashes ------------------------------------------------------------------

std::string Hash128::ToHex() const {
  return absl::StrCat(absl::Hex(high, absl::kZeroPad16),
                      absl::Hex(low, absl::kZeroPad16));
}

Hash128 HashBytes(absl::Span<const uint8_t> bytes,
                  absl::Span<const uint8_t> more) {
  return Hasher()
      .Raw(bytes.data(), bytes.size())
      .Raw(more.data(), more.size())
      .Finish();
}

Hash128 HashText(absl::string_view text) {
  return Hasher().Raw(text.data(), text.size()).Finish();
}

struct Hasher::State {
  XXH3_state_t xxh;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->xxh);
}
Hasher::~Hasher() = default;

Hasher& Hasher::Raw(const void* data, size_t size) {
  if (size != 0) XXH3_128bits_update(&state_->xxh, data, size);
  return *this;
}

Hasher& Hasher::Bytes(absl::Span<const uint8_t> bytes) {
  Value(static_cast<uint64_t>(bytes.size()));
  return Raw(bytes.data(), bytes.size());
}

Hasher& Hasher::Text(absl::string_view text) {
  Value(static_cast<uint64_t>(text.size()));
  return Raw(text.data(), text.size());
}

Hash128 Hasher::Finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->xxh);
  return {hash.low64, hash.high64};
}

// --- The directory -----------------------------------------------------------

namespace {

// A writer locks its file right after making it: younger ones are never swept.
constexpr int kSweepAgeSeconds = 60;

absl::Status Errno(int error, absl::string_view what, absl::string_view name) {
  return absl::ErrnoToStatus(error, absl::StrCat(what, " '", name, "'"));
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
  const uint64_t number = uint64_t{random()} << 32 | random();
  Temp temp;
  temp.name =
      absl::StrCat(absl::Hex(number, absl::kZeroPad16), kCacheTempSuffix);
  temp.fd = FileDescriptor(openat(
      fd_.get(), temp.name.c_str(),
      O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!temp.fd.valid()) return Errno(errno, "making a file in", path_);
  (void)flock(temp.fd.get(), LOCK_EX | LOCK_NB);
  return temp;
}

absl::Status CacheDirectory::Publish(Temp temp, const std::string& name) const {
  if (fsync(temp.fd.get()) != 0 ||
      renameat(fd_.get(), temp.name.c_str(), fd_.get(), name.c_str()) != 0) {
    absl::Status status = Errno(errno, "writing", name);
    Remove(temp.name);
    return status;
  }
  (void)fsync(fd_.get());  // some file systems cannot; the file is whole anyway
  return absl::OkStatus();
}

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
    if (fd.valid() && flock(fd.get(), LOCK_EX | LOCK_NB) == 0) {
      left.push_back(name);
    }
  });
  for (const std::string& name : left) Remove(name);
}

absl::Status CacheDirectory::Limit(int64_t max_bytes) const {
  struct Entry {
    std::pair<int64_t, int64_t> used;  // when: seconds, nanoseconds
    int64_t bytes;
    std::string name;
  };
  std::vector<Entry> entries;
  int64_t total = 0;
  RETURN_IF_ERROR(ForEachEntry(fd_.get(), [&](const char* name) {
    struct stat info;
    if (!absl::EndsWith(name, kCacheSuffix) ||
        !StatOwn(fd_.get(), name, &info)) {
      return;
    }
    entries.push_back(
        {{info.st_mtim.tv_sec, info.st_mtim.tv_nsec}, info.st_size, name});
    total += info.st_size;
  }));
  absl::c_sort(entries,
               [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= max_bytes) break;
    Remove(entry.name);
    total -= entry.bytes;
  }
  return absl::OkStatus();
}

// --- A file ------------------------------------------------------------------

namespace {

constexpr uint64_t kAlign = 64;
constexpr char kMagic[8] = {'G', 'L', 'E', 'S', 'D', 'C', '\r', '\n'};

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t zero;
  uint64_t file_bytes;
  uint64_t index_offset;
  uint64_t index_bytes;
  Hash128 index_hash;
  uint64_t header_hash;  // of the bytes before it
};
static_assert(sizeof(FileHeader) == kAlign);

uint64_t HeaderHash(const FileHeader& header) {
  return HashBytes({reinterpret_cast<const uint8_t*>(&header),
                    offsetof(FileHeader, header_hash)})
      .low;
}

uint64_t Padded(uint64_t bytes) {
  return (bytes + kAlign - 1) / kAlign * kAlign;
}

absl::Status Bad(const std::string& name, absl::string_view why) {
  return absl::DataLossError(absl::StrCat("'", name, "' ", why));
}

cache::Hash To(const Hash128& hash) { return cache::Hash(hash.low, hash.high); }

// FlatBuffers' verifier of 2.0 accepts misaligned structs.
bool Usable(const void* field) {
  return field != nullptr &&
         reinterpret_cast<uintptr_t>(field) % alignof(cache::Extent) == 0;
}

// Whether each blob begins at the end of the previous one.
bool BlobsTile(const cache::Index& index, uint64_t end) {
  if (!Usable(index.key())) return false;
  uint64_t at = sizeof(FileHeader);  // <= end
  const auto follows = [&at, end](const cache::Extent& extent) {
    const uint64_t left = end - at;
    if (extent.offset() != at || extent.bytes() > left ||
        Padded(extent.bytes()) > left) {
      return false;
    }
    at += Padded(extent.bytes());
    return true;
  };
  if (index.constants() != nullptr && index.constants()->size() != 0) {
    if (!Usable(index.constants()->Data())) return false;
    for (const cache::Extent* extent : *index.constants()) {
      if (!follows(*extent)) return false;
    }
  }
  if (index.programs() != nullptr) {
    for (const cache::Program* program : *index.programs()) {
      if (!Usable(program->text()) || !Usable(program->binary()) ||
          !follows(*program->binary())) {
        return false;
      }
    }
  }
  return at == end;
}

}  // namespace

absl::StatusOr<std::unique_ptr<CacheFile>> CacheFile::Open(
    const CacheDirectory& directory, const std::string& name) {
  ASSIGN_OR_RETURN(auto fd, directory.OpenForReading(name));
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return absl::ErrnoToStatus(errno, name);
  std::unique_ptr<CacheFile> file(new CacheFile);
  const auto size = static_cast<size_t>(info.st_size);
  if (size < sizeof(FileHeader)) {
    return Bad(name, "is shorter than a cache's header");
  }
  void* map = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (map == MAP_FAILED) {
    return absl::ErrnoToStatus(errno, absl::StrCat("mapping ", name));
  }
  file->data_ = static_cast<const uint8_t*>(map);
  file->size_ = size;
  (void)madvise(map, size, MADV_WILLNEED);
  RETURN_IF_ERROR(file->Check(name));
  return file;
}

CacheFile::~CacheFile() {
  if (data_ != nullptr) munmap(const_cast<uint8_t*>(data_), size_);
}

absl::Status CacheFile::Check(const std::string& name) {
  FileHeader header;
  std::memcpy(&header, data_, sizeof(header));
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) {
    return Bad(name, "is no start-up cache");
  }
  if (HeaderHash(header) != header.header_hash) {
    return Bad(name, "has a damaged header");
  }
  if (header.version != kCacheFormatVersion) {
    return Bad(name,
               absl::StrCat("has format ", header.version,
                            ", this delegate writes ", kCacheFormatVersion));
  }
  if (header.file_bytes != size_ || header.index_offset > size_ ||
      header.index_offset % kAlign != 0 ||
      header.index_offset < sizeof(FileHeader) ||
      header.index_bytes != size_ - header.index_offset) {
    return Bad(name, "is truncated, or longer than it should be");
  }
  const absl::Span<const uint8_t> index(data_ + header.index_offset,
                                        header.index_bytes);
  if (HashBytes(index) != header.index_hash) {
    return Bad(name, "has a damaged index");
  }
  flatbuffers::Verifier verifier(index.data(), index.size());
  if (!cache::VerifyIndexBuffer(verifier)) {
    return Bad(name, "has a malformed index");
  }
  index_ = cache::GetIndex(index.data());
  if (!BlobsTile(*index_, header.index_offset)) {
    return Bad(name, "has an index that does not fit its content");
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::Span<const uint8_t>> CacheFile::Read(
    const cache::Extent& extent) const {
  // Within the file: Check() has followed every extent of the index.
  const uint8_t* blob = data_ + extent.offset();
  const auto padded = static_cast<size_t>(Padded(extent.bytes()));
  if (HashBytes({blob, padded}) != FromStored(extent.hash())) {
    return absl::DataLossError(absl::StrCat(
        "the ", extent.bytes(), " bytes at ", extent.offset(), " are damaged"));
  }
  return absl::Span<const uint8_t>(blob, static_cast<size_t>(extent.bytes()));
}

void CacheFile::Drop(const cache::Extent& extent) const {
  static const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t begin = extent.offset();
  // Whole pages of this blob only: its neighbours may be next.
  const uint64_t first = (begin + page - 1) / page * page;
  const uint64_t last = (begin + extent.bytes()) / page * page;
  constexpr uint64_t kWorthACall = 1 << 18;
  if (last < first + kWorthACall) return;
  // mmap's memory, which begins with a page.
  (void)madvise(const_cast<uint8_t*>(data_) + first, last - first,
                MADV_DONTNEED);
}

absl::StatusOr<std::unique_ptr<CacheWriter>> CacheWriter::Create(
    const CacheDirectory& directory) {
  ASSIGN_OR_RETURN(auto temp, directory.CreateTemp());
  std::unique_ptr<CacheWriter> writer(new CacheWriter(directory));
  writer->temp_ = std::move(temp);
  // Space for the header, whose contents are known last.
  const FileHeader nothing = {};
  RETURN_IF_ERROR(writer->Write(&nothing, sizeof(nothing)));
  return writer;
}

CacheWriter::~CacheWriter() {
  if (temp_.fd.valid()) directory_.Remove(temp_.name);
}

absl::Status CacheWriter::Write(const void* data, size_t bytes) {
  const auto* from = static_cast<const uint8_t*>(data);
  while (bytes != 0) {
    const ssize_t written =
        pwrite(temp_.fd.get(), from, bytes, static_cast<off_t>(at_));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      return absl::ErrnoToStatus(written == 0 ? ENOSPC : errno,
                                 "writing the start-up cache");
    }
    from += written;
    bytes -= written;
    at_ += written;
  }
  return absl::OkStatus();
}

absl::StatusOr<cache::Extent> CacheWriter::AddBlob(
    absl::Span<const uint8_t> bytes) {
  static const uint8_t kZeros[kAlign] = {};
  const absl::Span<const uint8_t> padding(kZeros,
                                          Padded(bytes.size()) - bytes.size());
  const uint64_t offset = at_;
  const Hash128 hash = HashBytes(bytes, padding);
  RETURN_IF_ERROR(Write(bytes.data(), bytes.size()));
  RETURN_IF_ERROR(Write(padding.data(), padding.size()));
  return cache::Extent(offset, bytes.size(), To(hash));
}

absl::Status CacheWriter::AddConstant(absl::Span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(auto extent, AddBlob(bytes));
  constants_.push_back(extent);
  return absl::OkStatus();
}

absl::Status CacheWriter::AddProgram(const Hash128& text, uint32_t format,
                                     absl::Span<const uint8_t> binary) {
  ASSIGN_OR_RETURN(auto extent, AddBlob(binary));
  const cache::Hash stored = To(text);
  programs_.push_back(cache::CreateProgram(builder_, &stored, format, &extent));
  return absl::OkStatus();
}

absl::StatusOr<int64_t> CacheWriter::Finish(const CacheIdentity& identity,
                                            uint32_t refreshes,
                                            const std::string& name,
                                            int64_t max_bytes) {
  const cache::Hash key = To(identity.key);
  cache::FinishIndexBuffer(
      builder_,
      cache::CreateIndex(builder_, &key, builder_.CreateString(identity.driver),
                         builder_.CreateString(identity.build), refreshes,
                         builder_.CreateVectorOfStructs(constants_),
                         builder_.CreateVector(programs_)));
  const absl::Span<const uint8_t> index(builder_.GetBufferPointer(),
                                        builder_.GetSize());

  FileHeader header = {};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.version = kCacheFormatVersion;
  header.index_offset = at_;
  header.index_bytes = index.size();
  header.index_hash = HashBytes(index);
  RETURN_IF_ERROR(Write(index.data(), index.size()));
  header.file_bytes = at_;
  header.header_hash = HeaderHash(header);
  if (max_bytes > 0 && header.file_bytes > static_cast<uint64_t>(max_bytes)) {
    return Exhausted("the start-up cache takes ", header.file_bytes,
                     " bytes, serialization_max_bytes allows ", max_bytes);
  }
  at_ = 0;
  RETURN_IF_ERROR(Write(&header, sizeof(header)));
  CacheDirectory::Temp temp = std::move(temp_);
  RETURN_IF_ERROR(directory_.Publish(std::move(temp), name));
  return static_cast<int64_t>(header.file_bytes);
}

}  // namespace gles_delegate
