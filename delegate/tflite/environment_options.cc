#include "delegate/tflite/environment_options.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "egl/environment.h"

namespace gles_delegate {
namespace {

absl::Status Malformed(absl::string_view reason) {
  return absl::InvalidArgumentError(
      absl::StrCat("environment variable ", kEnvironmentOptions, ": ", reason));
}

}  // namespace

std::string EnvironmentOptions() {
  const char* value = egl::EnvironmentValue(kEnvironmentOptions);
  return value == nullptr ? "" : value;
}

absl::Status SetFromEnvironment(TfLiteGlesDelegateOptions* options,
                                OptionTexts* texts) {
  const std::string value = EnvironmentOptions();
  for (absl::string_view item :
       absl::StrSplit(value, ';', absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(item, absl::MaxSplits(':', 1));
    const absl::string_view key = absl::StripAsciiWhitespace(pair.first);
    if (key.empty() || !absl::StrContains(item, ':')) {
      return Malformed(absl::StrCat("'", absl::StripAsciiWhitespace(item),
                                    "' is not of the form key:value (several "
                                    "are separated by semicolons)"));
    }
    if (auto s = SetKey(key, absl::StripAsciiWhitespace(pair.second), options,
                        texts);
        !s.ok()) {
      return Malformed(s.message());
    }
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
