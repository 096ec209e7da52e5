#include "delegate/partition/self_check_mark.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

constexpr size_t kBytes = 512;  // the text, zeros behind it

}  // namespace

SelfCheckMark::SelfCheckMark(const CacheOptions& options,
                             const CacheSubject& subject) {
  if (options.directory.empty()) return;
  const std::string plan = absl::StrCat("wrong: ", subject.plan);
  cache_ = PartitionCache::Open(
      options, {subject.device, subject.profile, subject.partition, plan},
      subject.device.program_binary_formats);
  const auto bytes = cache_->NextConstant(kBytes);
  if (!bytes.ok()) {
    cache_->Reject(bytes.status());
    return;
  }
  if (!bytes->has_value()) return;
  const auto end = std::find((*bytes)->begin(), (*bytes)->end(), uint8_t{0});
  fault_ = std::string((*bytes)->begin(), end);
}

void SelfCheckMark::Set(const std::string& fault) {
  if (cache_ == nullptr || cache_->loading()) return;
  std::vector<uint8_t> bytes(fault.begin(), fault.end());
  bytes.resize(kBytes - 1);
  bytes.resize(kBytes);
  cache_->SaveConstant(bytes);
  cache_->Save({});
}

}  // namespace gles_delegate
