#include "delegate/tflite/option_keys.h"

#include <cstdint>

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

// The choices' names, by their value.
constexpr absl::string_view kStorages[] = {"auto", "texture_array",
                                           "texture_2d", "buffer"};
constexpr absl::string_view kQuantizedComputes[] = {
    "auto", "float", "float_unsimulated", "integer", "cpu"};
constexpr absl::string_view kWaitTypes[] = {"passive", "active", "do_not_wait",
                                            "aggressive"};
constexpr absl::string_view kFloat16Overflows[] = {"infinity", "saturate"};
constexpr absl::string_view kToggles[] = {"auto", "on", "off"};
constexpr absl::string_view kStartups[] = {"direct", "tiered", "baseline"};
constexpr absl::string_view kThreadModes[] = {"caller", "caller_own_context",
                                              "worker", "worker_sharing"};

// An option that is an integer: a choice, a flag, or a number.
struct IntKey {
  absl::string_view name;
  int32_t TfLiteGlesDelegateOptions::*field;
  enum Kind { kFlag, kNumber, kChoice } kind;
  absl::Span<const absl::string_view> choices = {};

  absl::StatusOr<int> Parse(absl::string_view text) const {
    switch (kind) {
      case kFlag:
        return ParseFlag(text);
      case kNumber:
        return ParseInt(text);
      case kChoice:
        return ParseName(text, choices);
    }
    return absl::InternalError("no such kind");
  }
};

constexpr IntKey kIntKeys[] = {
    {"is_precision_loss_allowed",
     &TfLiteGlesDelegateOptions::is_precision_loss_allowed, IntKey::kFlag},
    {"float16_overflow", &TfLiteGlesDelegateOptions::float16_overflow,
     IntKey::kChoice, kFloat16Overflows},
    {"quantized_compute", &TfLiteGlesDelegateOptions::quantized_compute,
     IntKey::kChoice, kQuantizedComputes},
    {"storage", &TfLiteGlesDelegateOptions::storage, IntKey::kChoice,
     kStorages},
    {"max_delegated_partitions",
     &TfLiteGlesDelegateOptions::max_delegated_partitions, IntKey::kNumber},
    {"fallback_to_cpu", &TfLiteGlesDelegateOptions::fallback_to_cpu,
     IntKey::kFlag},
    {"self_check", &TfLiteGlesDelegateOptions::self_check, IntKey::kFlag},
    {"thread_mode", &TfLiteGlesDelegateOptions::thread_mode, IntKey::kChoice,
     kThreadModes},
    {"keep_context_current", &TfLiteGlesDelegateOptions::keep_context_current,
     IntKey::kChoice, kToggles},
    {"wait_type", &TfLiteGlesDelegateOptions::wait_type, IntKey::kChoice,
     kWaitTypes},
    {"zero_copy", &TfLiteGlesDelegateOptions::zero_copy, IntKey::kChoice,
     kToggles},
    {"startup", &TfLiteGlesDelegateOptions::startup, IntKey::kChoice,
     kStartups},
    {"verbosity", &TfLiteGlesDelegateOptions::verbosity, IntKey::kNumber},
    {"enable_op_profiling", &TfLiteGlesDelegateOptions::enable_op_profiling,
     IntKey::kFlag},
};

struct Int64Key {
  absl::string_view name;
  int64_t TfLiteGlesDelegateOptions::*field;
};

constexpr Int64Key kInt64Keys[] = {
    {"serialization_max_bytes",
     &TfLiteGlesDelegateOptions::serialization_max_bytes},
    {"memory_limit_bytes", &TfLiteGlesDelegateOptions::memory_limit_bytes},
};

struct TextKey {
  absl::string_view name;
  const char* TfLiteGlesDelegateOptions::*field;
};

constexpr TextKey kTextKeys[] = {
    {"exclude_nodes", &TfLiteGlesDelegateOptions::exclude_nodes},
    {"float32_nodes", &TfLiteGlesDelegateOptions::float32_nodes},
    {"device", &TfLiteGlesDelegateOptions::device},
    {"serialization_dir", &TfLiteGlesDelegateOptions::serialization_dir},
    {"model_token", &TfLiteGlesDelegateOptions::model_token},
    {"tuning_file", &TfLiteGlesDelegateOptions::tuning_file},
    {"share_key", &TfLiteGlesDelegateOptions::share_key},
    {"report_file", &TfLiteGlesDelegateOptions::report_file},
    {"input_shapes", &TfLiteGlesDelegateOptions::input_shapes},
};

std::vector<absl::string_view> KnownKeys() {
  std::vector<absl::string_view> names;
  for (const IntKey& key : kIntKeys) names.push_back(key.name);
  for (const Int64Key& key : kInt64Keys) names.push_back(key.name);
  for (const TextKey& key : kTextKeys) names.push_back(key.name);
  return names;
}

// A field's offset in the struct. Not offsetof: the keys' tables hold pointers
// to members.
template <typename Field>
size_t OffsetOf(Field TfLiteGlesDelegateOptions::*field) {
  static const TfLiteGlesDelegateOptions options = {};
  return static_cast<size_t>(reinterpret_cast<const char*>(&(options.*field)) -
                             reinterpret_cast<const char*>(&options));
}

template <typename Field>
constexpr size_t SizeOf(Field TfLiteGlesDelegateOptions::*) {
  return sizeof(Field);
}

}  // namespace

absl::string_view ThreadModeName(int mode) { return kThreadModes[mode]; }

absl::Status SetKey(absl::string_view name, absl::string_view value,
                    TfLiteGlesDelegateOptions* options, OptionTexts* texts) {
  for (const IntKey& key : kIntKeys) {
    if (key.name != name) continue;
    auto parsed = key.Parse(absl::StripAsciiWhitespace(value));
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "option ", name, ": '", value, "' ", parsed.status().message()));
    }
    options->*key.field = *parsed;
    return absl::OkStatus();
  }
  for (const Int64Key& key : kInt64Keys) {
    if (key.name != name) continue;
    if (!absl::SimpleAtoi(value, &(options->*key.field))) {
      return absl::InvalidArgumentError(
          absl::StrCat("option ", name, ": '", value, "' is not an integer"));
    }
    return absl::OkStatus();
  }
  for (const TextKey& key : kTextKeys) {
    if (key.name != name) continue;
    texts->push_back(std::make_unique<std::string>(value));
    options->*key.field = texts->back()->c_str();
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown option '", name, "'", KnownNames(name, KnownKeys())));
}

absl::Status CheckChoices(const TfLiteGlesDelegateOptions& options) {
  const auto check = [&options](const IntKey& key, int max) -> absl::Status {
    const int32_t value = options.*key.field;
    if (value >= 0 && value <= max) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("option ", key.name, ": ", value, " is not 0 ",
                     max == 1 ? "or " : "to ", max));
  };
  for (const IntKey& key : kIntKeys) {
    absl::Status checked;
    if (key.kind == IntKey::kChoice) {
      checked = check(key, static_cast<int>(key.choices.size()) - 1);
    } else if (key.name == "verbosity") {
      checked = check(key, 2);
    }
    if (!checked.ok()) return checked;
  }
  return absl::OkStatus();
}

void FillUnset(const TfLiteGlesDelegateOptions& defaults,
               const TfLiteGlesDelegateOptions& from,
               TfLiteGlesDelegateOptions* options) {
  const auto fill = [&](const auto& keys) {
    for (const auto& key : keys) {
      if (options->*key.field == defaults.*key.field) {
        options->*key.field = from.*key.field;
      }
    }
  };
  fill(kIntKeys);
  fill(kInt64Keys);
  for (const TextKey& key : kTextKeys) {
    if (absl::NullSafeStringView(options->*key.field).empty()) {
      options->*key.field = from.*key.field;
    }
  }
}

absl::string_view FieldCutAt(size_t size) {
  absl::string_view cut;
  const auto look = [size, &cut](const auto& keys) {
    for (const auto& key : keys) {
      const size_t begin = OffsetOf(key.field);
      const size_t end = begin + SizeOf(key.field);
      if (begin < size && size < end) cut = key.name;
    }
  };
  look(kIntKeys);
  look(kInt64Keys);
  look(kTextKeys);
  return cut;
}

}  // namespace gles_delegate
