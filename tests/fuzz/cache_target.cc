#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "delegate/cache/cache_file.h"
#include "tests/fuzz/target.h"
#include "tests/testing/scratch_directory.h"

namespace gles_delegate::fuzz {
namespace {

constexpr char kName[] = "fuzz.glescache";

// For the life of the process.
const std::string& Folder() {
  static const testing::ScratchDirectory scratch;
  return scratch.path();
}

std::string File() { return Folder() + "/" + kName; }

// The header's fields (delegate/cache/cache_file.cc) as they must be for the
// rest of the file to be read at all: a fuzzer finds no checksum by itself.
constexpr size_t kHeaderBytes = 64, kFileBytes = 16, kIndexOffset = 24,
                 kIndexBytes = 32, kIndexHash = 40, kHeaderHash = 56;

void MakeReadable(Bytes* file) {
  if (file->size() < kHeaderBytes) return;
  const uint64_t size = file->size();
  uint64_t offset = 0;
  std::memcpy(&offset, file->data() + kIndexOffset, sizeof(offset));
  offset = offset % (size + 1) / kHeaderBytes * kHeaderBytes;
  if (offset < kHeaderBytes) offset = kHeaderBytes;
  if (offset > size) return;
  const uint64_t index_bytes = size - offset;
  const Hash128 index = HashBytes(absl::MakeConstSpan(*file).subspan(offset));
  std::memcpy(file->data() + kFileBytes, &size, sizeof(size));
  std::memcpy(file->data() + kIndexOffset, &offset, sizeof(offset));
  std::memcpy(file->data() + kIndexBytes, &index_bytes, sizeof(index_bytes));
  std::memcpy(file->data() + kIndexHash, &index.low, sizeof(index.low));
  std::memcpy(file->data() + kIndexHash + 8, &index.high, sizeof(index.high));
  const uint64_t header =
      HashBytes(absl::MakeConstSpan(*file).first(kHeaderHash)).low;
  std::memcpy(file->data() + kHeaderHash, &header, sizeof(header));
}

void ReadAll(const CacheFile& file) {
  volatile uint8_t last = 0;  // every byte that is lent can be read
  const auto read = [&](const cache::Extent& extent) {
    const auto blob = file.Read(extent);
    if (blob.ok()) {
      for (uint8_t byte : *blob) last = byte;
    }
    file.Drop(extent);
  };
  (void)last;
  if (file.index().constants() != nullptr) {
    for (const cache::Extent* extent : *file.index().constants()) read(*extent);
  }
  if (file.index().programs() != nullptr) {
    for (const cache::Program* p : *file.index().programs()) read(*p->binary());
  }
}

void RunCache(absl::Span<const uint8_t> bytes) {
  if (bytes.empty()) return;
  Bytes content(bytes.begin() + 1, bytes.end());
  if (bytes[0] % 4 != 0) MakeReadable(&content);
  const auto directory = CacheDirectory::Open(Folder());
  if (!directory.ok()) std::abort();
  std::ofstream(File(), std::ios::binary)
      .write(reinterpret_cast<const char*>(content.data()),
             static_cast<std::streamsize>(content.size()));
  chmod(File().c_str(), 0600);
  const auto file = CacheFile::Open(*directory, kName);
  if (file.ok()) ReadAll(**file);
}

std::vector<Bytes> Seeds() {
  std::vector<Bytes> seeds;
  const auto directory = CacheDirectory::Open(Folder());
  if (!directory.ok()) return seeds;
  for (int blobs = 0; blobs < 3; ++blobs) {
    auto writer = CacheWriter::Create(*directory);
    if (!writer.ok()) return seeds;
    for (int i = 0; i < blobs; ++i) {
      const Bytes blob(100 * i + 7, static_cast<uint8_t>(i));
      if (!(*writer)->AddConstant(blob).ok()) return seeds;
      if (!(*writer)->AddProgram(HashText("text"), 5, blob).ok()) return seeds;
    }
    const CacheIdentity identity = {HashText("key"), "driver", "build"};
    if (!(*writer)->Finish(identity, 1, kName, 0).ok()) return seeds;
    std::ifstream file(File(), std::ios::binary);
    Bytes& seed = seeds.emplace_back(1, static_cast<uint8_t>(blobs));
    seed.insert(seed.end(), std::istreambuf_iterator<char>(file), {});
  }
  return seeds;
}

}  // namespace

const Target& CacheTarget() {
  static const Target target = {"cache", RunCache, Seeds, 5000};
  return target;
}

}  // namespace gles_delegate::fuzz
