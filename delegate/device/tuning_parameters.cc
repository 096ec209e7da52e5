#include "delegate/device/tuning_parameters.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "delegate/device/known_names.h"

namespace gles_delegate {

namespace {

constexpr char kSeparator[] = " (several are separated by commas)";

const TuningParameter* FindParameter(absl::string_view name) {
  const auto& parameters = TuningParameters();
  const auto it = std::find_if(parameters.begin(), parameters.end(),
                               [name](const TuningParameter& parameter) {
                                 return parameter.name == name;
                               });
  return it == parameters.end() ? nullptr : &*it;
}

}  // namespace

int TuningParameter::Get(const DeviceChoices& choices) const {
  return std::visit([&choices](auto m) { return static_cast<int>(choices.*m); },
                    member);
}

void TuningParameter::Set(int value, DeviceChoices* choices) const {
  std::visit(
      [&](auto m) {
        using Value = std::decay_t<decltype(choices->*m)>;
        choices->*m = static_cast<Value>(value);
      },
      member);
}

const std::vector<TuningParameter>& TuningParameters() {
  constexpr int kAny = 1 << 30;  // A limit of what texts may say, no more.
  static const auto* const kParameters = new std::vector<TuningParameter>{
#define TUNING(type, name, value, least, most, baseline, meaning, ...) \
  {#name, &DeviceChoices::name, least, most, {__VA_ARGS__}},
#include "delegate/device/tuning.inc"
  };
  return *kParameters;
}

DeviceChoices BaselineChoices(DeviceChoices choices) {
  constexpr int kKept = -1;
#define TUNING(type, name, value, least, most, baseline, ...) \
  if (baseline != kKept)                                      \
    choices.name = static_cast<decltype(choices.name)>(baseline);
#include "delegate/device/tuning.inc"
  return choices;
}

std::string TuningText(const DeviceChoices& choices) {
  return absl::StrJoin(
      TuningParameters(), ",",
      [&choices](std::string* out, const TuningParameter& parameter) {
        absl::StrAppend(out, parameter.name, "=", parameter.Get(choices));
      });
}

absl::Status ApplyTuning(absl::string_view text, DeviceChoices* choices) {
  DeviceChoices set = *choices;
  for (absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    const absl::string_view name = absl::StripAsciiWhitespace(pair.first);
    if (!absl::StrContains(part, '=')) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", part, "' is not of the form name=value", kSeparator));
    }
    const TuningParameter* parameter = FindParameter(name);
    if (parameter == nullptr) {
      std::vector<absl::string_view> known;
      for (const TuningParameter& k : TuningParameters()) {
        known.push_back(k.name);
      }
      return absl::InvalidArgumentError(absl::StrCat(
          "unknown tuning parameter '", name, "'", KnownNames(name, known)));
    }
    int value = 0;
    if (!absl::SimpleAtoi(pair.second, &value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("tuning parameter ", name, ": '", pair.second,
                       "' is not an integer", kSeparator));
    }
    if (value < parameter->min || value > parameter->max) {
      return absl::InvalidArgumentError(
          absl::StrCat("tuning parameter ", name, ": ", value, " is not ",
                       parameter->min, " to ", parameter->max));
    }
    parameter->Set(value, &set);
  }
  *choices = set;
  return absl::OkStatus();
}

}  // namespace gles_delegate
