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

absl::StatusOr<int> ParseStorage(absl::string_view text) {
  return ParseName(text, {"auto", "texture_array", "texture_2d", "buffer"});
}

absl::StatusOr<int> ParseQuantizedCompute(absl::string_view text) {
  return ParseName(text, {"auto", "float", "float_unsimulated", "integer"});
}

absl::StatusOr<int> ParseTuning(absl::string_view text) {
  return ParseName(text, {"default", "exhaustive"});
}

absl::StatusOr<int> ParseWaitType(absl::string_view text) {
  return ParseName(text, {"passive", "active", "do_not_wait", "aggressive"});
}

absl::StatusOr<int> ParseFloat16Overflow(absl::string_view text) {
  return ParseName(text, {"infinity", "saturate"});
}

absl::StatusOr<int> ParseAutoOnOff(absl::string_view text) {
  return ParseName(text, {"auto", "on", "off"});
}

absl::StatusOr<int> ParseInferencePreference(absl::string_view text) {
  return ParseName(text, {"sustained_speed", "fast_single_answer"});
}

// By TfLiteGlesThreadMode.
constexpr absl::string_view kThreadModes[] = {
    "caller", "worker", "worker_sharing", "caller_keeps_context",
    "caller_lets_go"};

absl::StatusOr<int> ParseThreadMode(absl::string_view text) {
  return ParseName(text, kThreadModes);
}

struct IntKey {
  absl::string_view name;
  int32_t TfLiteGlesDelegateOptions::*field;
  absl::StatusOr<int> (*parse)(absl::string_view);
};

constexpr IntKey kIntKeys[] = {
    {"is_precision_loss_allowed",
     &TfLiteGlesDelegateOptions::is_precision_loss_allowed, ParseFlag},
    {"max_delegated_partitions",
     &TfLiteGlesDelegateOptions::max_delegated_partitions, ParseInt},
    {"min_nodes_per_partition",
     &TfLiteGlesDelegateOptions::min_nodes_per_partition, ParseInt},
    {"enable_quantization", &TfLiteGlesDelegateOptions::enable_quantization,
     ParseFlag},
    {"storage", &TfLiteGlesDelegateOptions::storage, ParseStorage},
    {"quantized_compute", &TfLiteGlesDelegateOptions::quantized_compute,
     ParseQuantizedCompute},
    {"tuning", &TfLiteGlesDelegateOptions::tuning, ParseTuning},
    {"force_own_context", &TfLiteGlesDelegateOptions::force_own_context,
     ParseFlag},
    {"allow_software", &TfLiteGlesDelegateOptions::allow_software, ParseFlag},
    {"self_check", &TfLiteGlesDelegateOptions::self_check, ParseFlag},
    {"verbosity", &TfLiteGlesDelegateOptions::verbosity, ParseInt},
    {"enable_op_profiling", &TfLiteGlesDelegateOptions::enable_op_profiling,
     ParseFlag},
    {"fallback_to_cpu", &TfLiteGlesDelegateOptions::fallback_to_cpu, ParseFlag},
    {"enable_serialization", &TfLiteGlesDelegateOptions::enable_serialization,
     ParseFlag},
    {"wait_type", &TfLiteGlesDelegateOptions::wait_type, ParseWaitType},
    {"float16_overflow", &TfLiteGlesDelegateOptions::float16_overflow,
     ParseFloat16Overflow},
    {"float16_arithmetic", &TfLiteGlesDelegateOptions::float16_arithmetic,
     ParseAutoOnOff},
    {"zero_copy", &TfLiteGlesDelegateOptions::zero_copy, ParseAutoOnOff},
    {"inference_preference", &TfLiteGlesDelegateOptions::inference_preference,
     ParseInferencePreference},
    {"background_compilation",
     &TfLiteGlesDelegateOptions::background_compilation, ParseAutoOnOff},
    {"thread_mode", &TfLiteGlesDelegateOptions::thread_mode, ParseThreadMode},
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
    {"device", &TfLiteGlesDelegateOptions::device},
    {"exclude_nodes", &TfLiteGlesDelegateOptions::exclude_nodes},
    {"float32_nodes", &TfLiteGlesDelegateOptions::float32_nodes},
    {"serialization_dir", &TfLiteGlesDelegateOptions::serialization_dir},
    {"model_token", &TfLiteGlesDelegateOptions::model_token},
    {"integer_rounding", &TfLiteGlesDelegateOptions::integer_rounding},
    {"report_file", &TfLiteGlesDelegateOptions::report_file},
    {"share_key", &TfLiteGlesDelegateOptions::share_key},
};

// Keys of earlier versions, which are still accepted, and the rest of the
// warning about them.
struct OldKey {
  absl::string_view name;
  absl::string_view advice;
};

constexpr OldKey kOldKeys[] = {
    {"prefer_faster",
     "no longer does anything; leave it out. `benchmark_model --use_gles "
     "--use_xnnpack --use_cpu` shows what is fastest for a model"},
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
    auto parsed = key.parse(absl::StripAsciiWhitespace(value));
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
    texts->kept.push_back(std::make_unique<std::string>(value));
    options->*key.field = texts->kept.back()->c_str();
    return absl::OkStatus();
  }
  for (const OldKey& key : kOldKeys) {
    if (key.name != name) continue;
    texts->warnings.insert(absl::StrCat(name, " ", key.advice));
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown option '", name, "'", KnownNames(name, KnownKeys())));
}

absl::Status CheckChoices(const TfLiteGlesDelegateOptions& options) {
  struct Choice {
    absl::string_view name;
    int32_t TfLiteGlesDelegateOptions::*field;
    int max;
  };
  using O = TfLiteGlesDelegateOptions;
  for (const Choice& choice : {
           Choice{"storage", &O::storage, kTfLiteGlesStorageBuffer},
           Choice{"quantized_compute", &O::quantized_compute,
                  kTfLiteGlesQuantizedInteger},
           Choice{"tuning", &O::tuning, kTfLiteGlesTuningExhaustive},
           Choice{"wait_type", &O::wait_type, kTfLiteGlesWaitAggressive},
           Choice{"float16_overflow", &O::float16_overflow,
                  kTfLiteGlesFloat16OverflowSaturate},
           Choice{"float16_arithmetic", &O::float16_arithmetic,
                  kTfLiteGlesFloat16ArithmeticOff},
           Choice{"zero_copy", &O::zero_copy, kTfLiteGlesZeroCopyOff},
           Choice{"inference_preference", &O::inference_preference,
                  kTfLiteGlesPreferFastSingleAnswer},
           Choice{"background_compilation", &O::background_compilation,
                  kTfLiteGlesBackgroundCompilationOff},
           Choice{"thread_mode", &O::thread_mode,
                  kTfLiteGlesThreadCallerLetsGo},
           Choice{"verbosity", &O::verbosity, 2},
       }) {
    const int32_t value = options.*choice.field;
    if (value >= 0 && value <= choice.max) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("option ", choice.name, ": ", value, " is not 0 ",
                     choice.max == 1 ? "or " : "to ", choice.max));
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
