#include "tools/runner/backend_flags.h"

#include <utility>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace {

std::string Help() {
  std::string text = "options of the GLES delegate, as key:value;key:value:";
  const char* before = " ";
#define OPTION(kind, name, ...)          \
  absl::StrAppend(&text, before, #name); \
  before = ", ";
#include "delegate/tflite/options.inc"
  return text;
}

}  // namespace

ABSL_FLAG(std::string, gles_options, "", Help());

namespace gles_delegate {

absl::StatusOr<DelegateOptions> ParseDelegateOptions(const std::string& text,
                                                     const std::string& flag) {
  DelegateOptions options;
  for (absl::string_view item : absl::StrSplit(text, ';', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(item, absl::MaxSplits(':', 1));
    if (pair.first.empty() || !absl::StrContains(item, ':')) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--", flag, ": \"", item, "\" is not key:value (of \"", text, "\")"));
    }
    options.emplace_back(pair.first, pair.second);
  }
  return options;
}

absl::StatusOr<DelegateOptions> GlesOptionsFromFlag() {
  return ParseDelegateOptions(absl::GetFlag(FLAGS_gles_options),
                              "gles_options");
}

}  // namespace gles_delegate
