#include "delegate/tflite/old_option_keys.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace gles_delegate {
namespace {

// One value of an old option, and today's option for it.
struct OldValue {
  absl::string_view key;
  absl::string_view value;  // "": any
  // What to set instead; "": nothing, the default does it.
  absl::string_view new_key = "";
  absl::string_view new_value = "";
  // The rest of the warning if there is no option for it.
  absl::string_view advice = "";
};

constexpr absl::string_view kIsDefault = "is the default; leave it out";

constexpr OldValue kOldValues[] = {
    {"background_compilation", "auto", "", "", kIsDefault},
    {"background_compilation", "on", "startup", "tiered"},
    {"background_compilation", "off", "startup", "direct"},
    {"inference_preference", "sustained_speed", "", "", kIsDefault},
    {"inference_preference", "fast_single_answer", "startup", "baseline"},
    {"enable_quantization", "0", "quantized_compute", "cpu"},
    {"enable_quantization", "false", "quantized_compute", "cpu"},
    {"enable_quantization", "1", "", "", kIsDefault},
    {"enable_quantization", "true", "", "", kIsDefault},
    {"enable_serialization", "0", "serialization_dir", ""},
    {"enable_serialization", "false", "serialization_dir", ""},
    {"enable_serialization", "1", "", "", kIsDefault},
    {"enable_serialization", "true", "", "", kIsDefault},
    {"force_own_context", "1", "thread_mode", "caller_own_context"},
    {"force_own_context", "true", "thread_mode", "caller_own_context"},
    {"force_own_context", "0", "", "", kIsDefault},
    {"force_own_context", "false", "", "", kIsDefault},
    {"allow_software", "0", "device", "hardware"},
    {"allow_software", "false", "device", "hardware"},
    {"allow_software", "1", "", "", kIsDefault},
    {"allow_software", "true", "", "", kIsDefault},
    {"float16_arithmetic", "", "", "",
     "is the tuning parameter half_arithmetic now (GLES_DELEGATE_TUNING or "
     "tuning_file) and has no effect"},
    {"integer_rounding", "", "", "",
     "has no effect: nodes match the runtime that is loaded"},
    {"min_nodes_per_partition", "", "", "",
     "has no effect: max_delegated_partitions=-1 leaves partitions on the CPU "
     "that would not pay"},
    {"prefer_faster", "", "", "",
     "has no effect. `benchmark_model --use_gles --use_xnnpack --use_cpu` "
     "shows what is fastest for a model"},
    {"thread_mode", "caller_keeps_context", "keep_context_current", "on"},
    {"thread_mode", "caller_lets_go", "keep_context_current", "off"},
    {"tuning", "", "", "",
     "has no effect: the program gles_tune writes a file for tuning_file"},
};

}  // namespace

bool IsOldKey(absl::string_view name, absl::string_view value) {
  for (const OldValue& old : kOldValues) {
    if (old.key != name) continue;
    if (name != "thread_mode" || absl::EqualsIgnoreCase(old.value, value)) {
      return true;
    }
  }
  return false;
}

absl::Status SetOldKey(absl::string_view name, absl::string_view value,
                       TfLiteGlesDelegateOptions* options, OptionTexts* texts) {
  std::vector<absl::string_view> known;
  for (const OldValue& old : kOldValues) {
    if (old.key != name) continue;
    known.push_back(old.value);
    if (!old.value.empty() && !absl::EqualsIgnoreCase(old.value, value)) {
      continue;
    }
    if (old.new_key.empty()) {
      texts->warnings.insert(absl::StrCat("option ", name, " ", old.advice));
      return absl::OkStatus();
    }
    texts->warnings.insert(absl::StrCat("option ", name, "=", value,
                                        " of version 0.1 is ", old.new_key, "=",
                                        old.new_value, " now"));
    // A cache needs both options; without the directory there is none.
    if (name == "enable_serialization") options->model_token = nullptr;
    return SetKey(old.new_key, old.new_value, options, texts);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("option ", name, " (of version 0.1): '", value,
                   "' is not one of ", absl::StrJoin(known, ", ")));
}

}  // namespace gles_delegate
