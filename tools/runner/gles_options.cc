#include "tools/runner/gles_options.h"

#include <utility>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

ABSL_FLAG(std::string, gles_options, "",
          "options of the GLES delegate, as key:value;key:value: device, "
          "enable_op_profiling, exclude_nodes, fallback_to_cpu, "
          "float16_overflow, float32_nodes, input_shapes, "
          "is_precision_loss_allowed, "
          "keep_context_current, max_delegated_partitions, memory_limit_bytes, "
          "model_token, quantized_compute, report_file, self_check, "
          "serialization_dir, serialization_max_bytes, share_key, startup, "
          "storage, thread_mode, tuning_file, verbosity, wait_type, zero_copy");

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
