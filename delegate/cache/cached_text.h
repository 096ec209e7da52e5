// A short text kept in the start-up cache: what one start found out about a
// partition and later starts need not find out again.
#ifndef GLES_DELEGATE_DELEGATE_CACHE_CACHED_TEXT_H_
#define GLES_DELEGATE_DELEGATE_CACHE_CACHED_TEXT_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "delegate/cache/cache_store.h"

namespace gles_delegate {

// One text, in a file of its own. Threads: one at a time.
class CachedText {
 public:
  // Reads the text that was kept for `subject`, which the constructor alone
  // uses. `subject.plan` begins with what the text is about, so that no other
  // text and no partition's own cache has the same subject. `bytes` is the room
  // for the text. Without a directory in `options` there is no text, and none
  // is kept.
  CachedText(const CacheOptions& options, const CacheSubject& subject,
             size_t bytes);

  // Empty: none was kept for exactly this driver, library, profile and graph.
  const std::string& text() const { return text_; }

  // Keeps `text`, at most `bytes` of it; once, and only where text() is empty.
  // A failure shows in warning() alone.
  void Keep(absl::string_view text);

  // What to tell the user of the file; empty: nothing.
  std::string warning() const;

 private:
  size_t bytes_;
  std::unique_ptr<PartitionCache> cache_;  // nullptr: no directory
  std::string text_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_CACHE_CACHED_TEXT_H_
