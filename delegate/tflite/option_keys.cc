#include "delegate/tflite/option_keys.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "delegate/device/known_names.h"

namespace gles_delegate {
namespace {

absl::StatusOr<int> ParseInt(absl::string_view text) {
  int value = 0;
  if (!absl::SimpleAtoi(text, &value)) {
    return absl::InvalidArgumentError("is not an integer of 32 bits");
  }
  return value;
}

// Booleans as users write them: 0, 1, true, false.
absl::StatusOr<int> ParseFlag(absl::string_view text) {
  bool value = false;
  if (!absl::SimpleAtob(text, &value)) {
    return absl::InvalidArgumentError("is not 0, 1, true or false");
  }
  return value ? 1 : 0;
}

// One of `names`, or its place among them.
absl::StatusOr<int> ParseName(absl::string_view text,
                              absl::Span<const absl::string_view> names) {
  const int count = static_cast<int>(names.size());
  for (int i = 0; i < count; ++i) {
    if (absl::EqualsIgnoreCase(text, names[i])) return i;
  }
  auto number = ParseInt(text);
  if (number.ok() && *number >= 0 && *number < count) return *number;
  return absl::InvalidArgumentError(
      absl::StrCat("is not ", absl::StrJoin(names.first(count - 1), ", "),
                   " or ", names.back(), " (0 to ", count - 1, ")"));
}

using Struct = TfLiteGlesDelegateOptions;
using Field =
    std::variant<int32_t Struct::*, int64_t Struct::*, const char * Struct::*>;

enum Kind { kFlag, kInteger, kLevel, kChoice, kBytes, kText, kPath, kNodes };
constexpr int kMaxLevel = 2;

struct Key {
  Kind kind;
  absl::string_view name;
  Field field;
  std::vector<absl::string_view> choices;
};

const std::vector<Key>& Keys() {
  static const auto* const kKeys = new std::vector<Key>{
#define OPTION(kind, name, value, meaning, ...) \
  {kind, #name, &Struct::name, {__VA_ARGS__}},
#include "delegate/tflite/options.inc"
  };
  return *kKeys;
}

const Key* FindKey(absl::string_view name) {
  for (const Key& key : Keys()) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

absl::StatusOr<int> ParseValue(const Key& key, absl::string_view text) {
  if (key.kind == kFlag) return ParseFlag(text);
  return key.kind == kChoice ? ParseName(text, key.choices) : ParseInt(text);
}

}  // namespace

TfLiteGlesDelegateOptions DefaultOptions() {
  TfLiteGlesDelegateOptions options = {};
  options.struct_size = sizeof(options);
#define OPTION(kind, name, value, ...) options.name = value;
#include "delegate/tflite/options.inc"
  return options;
}

absl::string_view ThreadModeName(int mode) {
  return FindKey("thread_mode")->choices[mode];
}

absl::Status SetKey(absl::string_view name, absl::string_view value,
                    TfLiteGlesDelegateOptions* options, OptionTexts* texts) {
  const Key* key = FindKey(name);
  if (key == nullptr) {
    std::vector<absl::string_view> known;
    for (const Key& k : Keys()) known.push_back(k.name);
    return absl::InvalidArgumentError(
        absl::StrCat("unknown option '", name, "'", KnownNames(name, known)));
  }
  if (const auto* text = std::get_if<const char * Struct::*>(&key->field)) {
    texts->push_back(std::make_unique<std::string>(value));
    options->** text = texts->back()->c_str();
    return absl::OkStatus();
  }
  if (const auto* bytes = std::get_if<int64_t Struct::*>(&key->field)) {
    if (absl::SimpleAtoi(value, &(options->**bytes))) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("option ", name, ": '", value, "' is not an integer"));
  }
  auto parsed = ParseValue(*key, absl::StripAsciiWhitespace(value));
  if (!parsed.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "option ", name, ": '", value, "' ", parsed.status().message()));
  }
  options->*std::get<int32_t Struct::*>(key->field) = *parsed;
  return absl::OkStatus();
}

absl::Status CheckRanges(const TfLiteGlesDelegateOptions& options) {
  for (const Key& key : Keys()) {
    if (key.kind == kBytes) {
      const int64_t bytes = options.*std::get<int64_t Struct::*>(key.field);
      if (bytes >= 0) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "option ", key.name, ": ", bytes, " is negative; 0 is no limit"));
    }
    if (key.kind != kChoice && key.kind != kLevel) continue;
    const int most = key.kind == kLevel
                         ? kMaxLevel
                         : static_cast<int>(key.choices.size()) - 1;
    const int32_t value = options.*std::get<int32_t Struct::*>(key.field);
    if (value >= 0 && value <= most) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("option ", key.name, ": ", value, " is not 0 ",
                     most == 1 ? "or " : "to ", most));
  }
  return absl::OkStatus();
}

void FillUnset(const TfLiteGlesDelegateOptions& from,
               TfLiteGlesDelegateOptions* options) {
  const TfLiteGlesDelegateOptions defaults = DefaultOptions();
  const auto is_unset = [&](auto field) {
    if constexpr (std::is_pointer_v<std::decay_t<decltype(options->*field)>>) {
      return absl::NullSafeStringView(options->*field).empty();
    } else {
      return options->*field == defaults.*field;
    }
  };
  for (const Key& key : Keys()) {
    std::visit(
        [&](auto field) {
          if (is_unset(field)) options->*field = from.*field;
        },
        key.field);
  }
}

absl::string_view FieldCutAt(size_t size) {
#define OPTION(kind, name, ...)                               \
  if (offsetof(Struct, name) < size &&                        \
      size < offsetof(Struct, name) + sizeof(Struct::name)) { \
    return #name;                                             \
  }
#include "delegate/tflite/options.inc"
  return "";
}

}  // namespace gles_delegate
