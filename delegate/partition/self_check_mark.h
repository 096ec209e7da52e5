// That a plan's programs answer wrongly on this driver, kept in the start-up
// cache. A plan whose programs answer rightly needs no mark: its cache file is
// written after the self-check alone (PartitionCache::DeferSave).
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_MARK_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_MARK_H_

#include <memory>
#include <string>

#include "delegate/cache/cache_store.h"

namespace gles_delegate {

// One plan's mark: for the same driver, library, options, model and plan.
// Threads: one at a time.
class SelfCheckMark {
 public:
  // `subject`: what the plan's own cache has. Without a directory in `options`
  // there is no mark, and none is kept.
  SelfCheckMark(const CacheOptions& options, const CacheSubject& subject);

  // What an earlier start found wrong, the first 500 bytes; empty: nothing.
  const std::string& fault() const { return fault_; }
  void Set(const std::string& fault);

 private:
  std::unique_ptr<PartitionCache> cache_;  // null: none
  std::string fault_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_MARK_H_
