// The start-up cache as the building of one partition uses it: what was saved
// comes out, what was made goes in. Whatever goes wrong is a warning, never an
// error: the partition is then built as if there were no cache.
#ifndef GLES_DELEGATE_DELEGATE_CACHE_CACHE_STORE_H_
#define GLES_DELEGATE_DELEGATE_CACHE_CACHE_STORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/cache/cache_file.h"
#include "delegate/cache/cache_key.h"
#include "delegate/device/knobs.h"
#include "egl/objects.h"

namespace gles_delegate {

struct CacheOptions {
  std::string directory;  // empty: no cache
  std::string token;      // of the model, the user's
  int64_t max_bytes = 0;  // of the directory; 0: no limit
};

// For the report.
struct CacheReport {
  // "off"; "cold": nothing was loaded; "warm": everything was; "partial":
  // some programs were compiled.
  std::string state = "off";
  int programs_loaded = 0;
  int programs_compiled = 0;
  int64_t bytes = 0;   // of the file that was read or written
  bool saved = false;  // a file was written
  std::string reason;  // why not warm
};

// Threads: the one that builds; Save() with a context current.
class PartitionCache {
 public:
  // Looks for the partition's file. `binary_formats`: the driver's
  // GL_NUM_PROGRAM_BINARY_FORMATS.
  static std::unique_ptr<PartitionCache> Open(const CacheOptions& options,
                                              const CacheSubject& subject,
                                              int binary_formats);

  // A file is being read.
  bool loading() const { return file_ != nullptr; }

  // The next constant, which must take `bytes`; they are lent until the next
  // call. nullopt: make it, then SaveConstant(). kDataLoss: the file is bad;
  // call Reject() and build anew.
  absl::StatusOr<std::optional<absl::Span<const uint8_t>>> NextConstant(
      size_t bytes);
  // Each constant that NextConstant() did not have, in the same order.
  void SaveConstant(absl::Span<const uint8_t> bytes);

  // The tuning that the file keeps. nullopt: no file is being read; search,
  // then SaveTuning(). kDataLoss: the file keeps none.
  absl::StatusOr<std::optional<std::vector<KnobValue>>> Tuning() const;
  void SaveTuning(std::vector<KnobValue> tuning);

  struct Binary {
    uint32_t format;
    absl::Span<const uint8_t> data;
  };
  // The program compiled from the text of this hash; nullopt: not there, or
  // damaged.
  std::optional<Binary> FindProgram(const Hash128& text);
  // What became of the programs.
  void CountPrograms(int loaded, int compiled);

  // From here on Save() only takes note; CommitSave() then saves. What is never
  // committed is never written.
  void DeferSave() { deferred_ = true; }
  void CommitSave();

  // Everything is built: writes what is new. `programs` are all of the
  // partition's, each once.
  void Save(absl::Span<const std::pair<Hash128, const egl::Program*>> programs);

  // The file that was being read is bad: from here on the start is a cold one.
  void Reject(const absl::Status& why);

  const CacheReport& report() const { return report_; }
  // What to tell the user; empty: nothing.
  const std::string& warning() const { return warning_; }

 private:
  PartitionCache() = default;
  void Load();
  absl::Status CheckIdentity() const;
  void StartWriting();
  absl::Status TrySave(
      absl::Span<const std::pair<Hash128, const egl::Program*>> programs);
  absl::Status CopyConstants();
  // The first one is kept: what follows is mostly its consequence.
  void Warn(const absl::Status& why, const char* consequence);

  CacheOptions options_;
  CacheIdentity identity_;
  std::string name_;
  int binary_formats_ = 0;
  std::optional<CacheDirectory> directory_;
  std::unique_ptr<CacheFile> file_;
  std::unique_ptr<CacheWriter> writer_;
  absl::flat_hash_map<uint64_t, const cache::Program*>
      programs_;  // by text.low
  size_t next_constant_ = 0;
  const cache::Extent* lent_ = nullptr;
  bool deferred_ = false;
  std::vector<std::pair<Hash128, const egl::Program*>> pending_;
  CacheReport report_;
  std::string warning_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_CACHE_CACHE_STORE_H_
