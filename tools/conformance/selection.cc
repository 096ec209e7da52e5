#include "tools/conformance/selection.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gles_delegate::conformance {
namespace {

bool MatchesOne(const std::vector<std::string>& patterns,
                const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&name](const std::string& pattern) {
                       return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
                     });
}

}  // namespace

Filter::Filter(absl::string_view patterns) {
  for (absl::string_view pattern :
       absl::StrSplit(patterns, ',', absl::SkipWhitespace())) {
    const bool exclude = absl::ConsumePrefix(&pattern, "-");
    std::vector<std::string>& list = exclude ? excluded_ : wanted_;
    list.push_back(absl::StrContains(pattern, '*')
                       ? std::string(pattern)
                       : absl::StrCat("*", pattern, "*"));
  }
}

bool Filter::Accepts(absl::string_view name) const {
  const std::string text(name);
  if (MatchesOne(excluded_, text)) return false;
  return wanted_.empty() || MatchesOne(wanted_, text);
}

absl::StatusOr<Shard> ParseShard(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('/', 1));
  Shard shard;
  if (!absl::SimpleAtoi(parts.first, &shard.index) ||
      !absl::SimpleAtoi(parts.second, &shard.count) || shard.index < 0 ||
      shard.count < 1 || shard.index >= shard.count) {
    return absl::InvalidArgumentError(
        absl::StrCat("--shard=", text, " is none of 0/N, 1/N, ..., (N-1)/N"));
  }
  return shard;
}

}  // namespace gles_delegate::conformance
