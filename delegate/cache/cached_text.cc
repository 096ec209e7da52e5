#include "delegate/cache/cached_text.h"

#include <algorithm>
#include <vector>

namespace gles_delegate {

CachedText::CachedText(const CacheOptions& options, const CacheSubject& subject,
                       size_t bytes)
    : bytes_(bytes) {
  if (options.directory.empty()) return;
  cache_ = PartitionCache::Open(options, subject,
                                subject.device.program_binary_formats);
  const auto kept = cache_->NextConstant(bytes_);
  if (!kept.ok()) {
    cache_->Reject(kept.status());
    return;
  }
  if (!kept->has_value()) return;
  const auto end = std::find((*kept)->begin(), (*kept)->end(), uint8_t{0});
  text_ = std::string((*kept)->begin(), end);
}

void CachedText::Keep(absl::string_view text) {
  if (cache_ == nullptr || cache_->loading()) return;
  text = text.substr(0, bytes_);
  std::vector<uint8_t> record(text.begin(), text.end());
  record.resize(bytes_);  // zeros behind the text
  cache_->SaveConstant(record);
  cache_->Save({});
}

std::string CachedText::warning() const {
  return cache_ == nullptr ? "" : cache_->warning();
}

}  // namespace gles_delegate
