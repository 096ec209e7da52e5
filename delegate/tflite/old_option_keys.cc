#include "delegate/tflite/old_option_keys.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace gles_delegate {
namespace {

using O = TfLiteGlesDelegateOptions;

constexpr absl::string_view kNone = "is the default; leave it out";

// Flags have the values 0 and 1 here; FindOldKey() reads "false" and "true".
constexpr OldKey kOldKeys[] = {
    {"allow_software", "0", "is device=hardware now"},
    {"allow_software", "1", kNone},
    {"background_compilation", "auto", kNone},
    {"background_compilation", "on", "is startup=tiered now", &O::startup,
     kTfLiteGlesStartupTiered},
    {"background_compilation", "off", kNone},
    {"enable_quantization", "0", "is quantized_compute=cpu now",
     &O::quantized_compute, kTfLiteGlesQuantizedCpu},
    {"enable_quantization", "1", kNone},
    {"enable_serialization", "0",
     "is to leave serialization_dir and model_token out now"},
    {"enable_serialization", "1", kNone},
    {"float16_arithmetic", "",
     "has no effect: it is the tuning parameter half_arithmetic now "
     "(GLES_DELEGATE_TUNING or tuning_file)"},
    {"force_own_context", "0", kNone},
    {"force_own_context", "1", "is thread_mode=caller_own_context now",
     &O::thread_mode, kTfLiteGlesThreadCallerOwnContext},
    {"inference_preference", "sustained_speed", kNone},
    {"inference_preference", "fast_single_answer", "is startup=baseline now",
     &O::startup, kTfLiteGlesStartupBaseline},
    {"integer_rounding", "",
     "has no effect: nodes match the runtime that is loaded"},
    {"min_nodes_per_partition", "",
     "has no effect: max_delegated_partitions=-1 leaves partitions on the CPU "
     "that would not pay"},
    {"prefer_faster", "",
     "has no effect. `benchmark_model --use_gles --use_xnnpack --use_cpu` "
     "shows what is fastest for a model"},
    {"thread_mode", "caller_keeps_context", "is keep_context_current=on now",
     &O::keep_context_current, kTfLiteGlesOn},
    {"thread_mode", "caller_lets_go", "is keep_context_current=off now",
     &O::keep_context_current, kTfLiteGlesOff},
    {"tuning", "",
     "has no effect: the program gles_tune writes a file for tuning_file"},
};

// An option of today's, of which some values are old.
bool HasNewValues(absl::string_view name) { return name == "thread_mode"; }

bool Is(const OldKey& key, absl::string_view name, absl::string_view value) {
  return key.name == name && key.value == value;
}

}  // namespace

absl::StatusOr<const OldKey*> FindOldKey(absl::string_view name,
                                         absl::string_view value) {
  std::vector<absl::string_view> known;
  for (const OldKey& key : kOldKeys) {
    if (key.name != name) continue;
    known.push_back(key.value);
    if (key.value.empty() || absl::EqualsIgnoreCase(key.value, value) ||
        (key.value == "0" && absl::EqualsIgnoreCase(value, "false")) ||
        (key.value == "1" && absl::EqualsIgnoreCase(value, "true"))) {
      return &key;
    }
  }
  if (known.empty() || HasNewValues(name)) return nullptr;
  return absl::InvalidArgumentError(
      absl::StrCat("option ", name, " (of version 0.1): '", value,
                   "' is not one of ", absl::StrJoin(known, ", ")));
}

std::string WarningOf(const OldKey& key) {
  return absl::StrCat("option ", key.name, key.value.empty() ? "" : "=",
                      key.value, " of version 0.1 ", key.advice);
}

void ApplyOldKeys(const std::vector<const OldKey*>& keys, const O& defaults,
                  O* options) {
  for (const OldKey* key : keys) {
    if (key->field != nullptr && options->*key->field == defaults.*key->field) {
      options->*key->field = key->field_value;
    }
    if (Is(*key, "allow_software", "0") &&
        absl::NullSafeStringView(options->device).empty()) {
      options->device = "hardware";
    }
    if (Is(*key, "enable_serialization", "0")) {
      options->serialization_dir = options->model_token = nullptr;
    }
  }
}

}  // namespace gles_delegate
