// The start-up cache of one partition while it is built: loads saved constants
// and programs, saves new ones. Failures are warnings, never errors: the
// partition is then built without the cache.
#ifndef GLES_DELEGATE_DELEGATE_CACHE_CACHE_STORE_H_
#define GLES_DELEGATE_DELEGATE_CACHE_CACHE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/cache/cache_file.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "egl/device_info.h"
#include "egl/objects.h"

namespace gles_delegate {

// The fingerprint of everything that a start-up cache depends on.
// A partition, its device and its plan. The references must outlive the calls.
struct CacheSubject {
  const egl::DeviceInfo& device;
  const DeviceProfile& profile;  // the options and the tuning are in it
  const Graph& partition;        // as read, before the passes
  absl::string_view plan;        // PlanToString() of what will run
};

// Hashes all that determines the contents: GL vendor, renderer, driver version,
// build (the version and a hash of every source file of the delegate), device
// profile, plan, nodes, tensors with shapes and quantization, and the bytes of
// their constants. Of the nodes' parameters only those that show in the plan:
// cached data depends on no others (PackedConstant::cacheable).
CacheIdentity IdentityOf(const CacheSubject& subject);

struct CacheOptions {
  std::string directory;  // empty: no cache
  std::string token;      // the user's name for the model
  int64_t max_bytes = 0;  // of the directory; 0: no limit
};

// Statistics for the report.
struct CacheReport {
  // "off"; "cold": nothing was loaded; "warm": everything was loaded;
  // "partial": some programs were compiled.
  std::string state = "off";
  int programs_loaded = 0;
  int programs_compiled = 0;
  int64_t bytes = 0;   // of the file that was read or written
  bool saved = false;  // a file was written
  std::string reason;  // why not warm
};

// Threads: the one that builds; Save() needs a current context.
class PartitionCache {
 public:
  // Looks for the partition's file.
  static std::unique_ptr<PartitionCache> Open(const CacheOptions& options,
                                              const CacheSubject& subject);

  // True if a file is being read.
  bool loading() const { return file_ != nullptr; }

  // Returns the next constant, of `bytes` bytes, borrowed until the next call.
  // nullopt: compute it, then call SaveConstant(). kDataLoss: the file is bad;
  // call Reject() and start over.
  absl::StatusOr<std::optional<absl::Span<const uint8_t>>> NextConstant(
      size_t bytes);
  // Saves a constant that NextConstant() did not have, in the same order.
  void SaveConstant(absl::Span<const uint8_t> bytes);

  struct Binary {
    uint32_t format;
    absl::Span<const uint8_t> data;
  };
  // The program compiled from the text with this hash; nullopt: missing or
  // damaged.
  std::optional<Binary> FindProgram(const Hash128& text);
  // Records how many programs were loaded and compiled.
  void CountPrograms(int loaded, int compiled);

  // From now on Save() only prepares; CommitSave() writes. Without it nothing
  // is written.
  void DeferSave() { deferred_ = true; }
  void CommitSave();

  // Call when everything is built: writes what is new. `programs`: all of the
  // partition's programs, each once.
  void Save(absl::Span<const std::pair<Hash128, const egl::Program*>> programs);

  // The file being read is bad: from now on the start is a cold one.
  void Reject(const absl::Status& why);

  const CacheReport& report() const { return report_; }
  // A warning for the user; empty if there is none.
  const std::string& warning() const { return warning_; }

 private:
  PartitionCache() = default;
  void Load();
  absl::Status CheckIdentity() const;
  void StartWriting();
  absl::Status TrySave(
      absl::Span<const std::pair<Hash128, const egl::Program*>> programs);
  absl::Status CopyConstants();
  // Keeps the first warning, since later ones are mostly its consequences.
  void Warn(const absl::Status& why, const char* consequence);

  CacheOptions options_;
  CacheIdentity identity_;
  std::string name_;
  int binary_formats_ = 0;  // the driver's
  std::optional<CacheDirectory> directory_;
  std::unique_ptr<CacheFile> file_;
  std::unique_ptr<CacheWriter> writer_;
  HashMap<uint64_t, const cache::Program*> programs_;  // by text.low
  size_t next_constant_ = 0;
  const cache::Extent* lent_ = nullptr;
  bool deferred_ = false;
  std::vector<std::pair<Hash128, const egl::Program*>> pending_;
  CacheReport report_;
  std::string warning_;
};

// A short text in the start-up cache, in its own file: a result about a
// partition that later starts can reuse. `subject.plan` must begin with the
// text's purpose, so that other texts and the partition's cache have different
// subjects. Without a directory in `options` nothing is read or written;
// failures are ignored.

// Empty if none was saved for exactly this driver, library, profile and graph.
std::string ReadText(const CacheOptions& options, const CacheSubject& subject);
// Saves the first 512 bytes of `text`, unless there is one.
void KeepText(const CacheOptions& options, const CacheSubject& subject,
              absl::string_view text);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_CACHE_CACHE_STORE_H_
