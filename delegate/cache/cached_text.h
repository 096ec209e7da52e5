// A short text in the start-up cache: a result about a partition that later
// starts can reuse.
#ifndef GLES_DELEGATE_DELEGATE_CACHE_CACHED_TEXT_H_
#define GLES_DELEGATE_DELEGATE_CACHE_CACHED_TEXT_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "delegate/cache/cache_store.h"

namespace gles_delegate {

// One text in a separate file. Threads: one at a time.
class CachedText {
 public:
  // Reads the text for `subject`, which only the constructor uses.
  // `subject.plan` must begin with the text's purpose, so that other texts and
  // the partition's cache have different subjects. `bytes`: the maximum length.
  // Without a directory in `options` nothing is read or written.
  CachedText(const CacheOptions& options, const CacheSubject& subject,
             size_t bytes);

  // Empty if none was saved for exactly this driver, library, profile and
  // graph.
  const std::string& text() const { return text_; }

  // Saves `text`, at most `bytes` long; once, and only if text() is empty.
  // Failures only set warning().
  void Keep(absl::string_view text);

  // A warning for the user; empty if there is none.
  std::string warning() const;

 private:
  size_t bytes_;
  std::unique_ptr<PartitionCache> cache_;  // nullptr: no directory
  std::string text_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_CACHE_CACHED_TEXT_H_
