#include "delegate/tflite/environment_options.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "delegate/device/known_names.h"
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

absl::Status CheckDebugVariable() {
  const char* value = egl::EnvironmentValue(egl::kDebugVariable);
  const auto& known = egl::DebugItems();
  for (absl::string_view item : absl::StrSplit(absl::NullSafeStringView(value),
                                               ',', absl::SkipWhitespace())) {
    item = absl::StripAsciiWhitespace(item);
    const bool has_value = absl::StrContains(item, '=');
    const absl::string_view name =
        has_value ? item.substr(0, item.find('=') + 1) : item;
    const bool lacks_value = has_value && name == item;
    if (!lacks_value &&
        std::find(known.begin(), known.end(), name) != known.end()) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("environment variable ", egl::kDebugVariable, ": '", item,
                     "' is not one of its items", KnownNames(name, known)));
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
