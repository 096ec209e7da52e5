#include "delegate/tflite/options.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "delegate/device/known_names.h"
#include "delegate/device/tuning_parameters.h"
#include "delegate/tflite/option_keys.h"
#include "delegate/tflite/runtime.h"
#include "egl/environment.h"
#include "egl/pinned_contexts.h"

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

absl::StatusOr<std::vector<std::pair<int, int>>> ParseNodeRanges(
    absl::string_view option, absl::string_view text) {
  std::vector<std::pair<int, int>> ranges;
  for (absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> ends =
        absl::StrSplit(part, absl::MaxSplits('-', 1));
    int first = 0;
    int last = 0;
    const bool range = absl::StrContains(part, '-');
    if (!absl::SimpleAtoi(ends.first, &first) ||
        !absl::SimpleAtoi(range ? ends.second : ends.first, &last) ||
        first < 0 || last < first) {
      return absl::InvalidArgumentError(
          absl::StrCat("option ", option, ": '", part,
                       "' is neither a node index nor a range such as 17-20"));
    }
    ranges.emplace_back(first, last);
  }
  return ranges;
}

absl::StatusOr<std::vector<std::pair<std::string, std::vector<int>>>>
ParseInputShapes(absl::string_view text) {
  std::vector<std::pair<std::string, std::vector<int>>> shapes;
  for (absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const size_t at = part.rfind('=');
    const bool has_name = at != absl::string_view::npos && at > 0;
    std::vector<int> dims;
    bool ok = has_name;
    for (absl::string_view extent :
         absl::StrSplit(has_name ? part.substr(at + 1) : "", 'x')) {
      dims.push_back(0);
      ok &= absl::SimpleAtoi(extent, &dims.back()) && dims.back() > 0;
    }
    if (!ok) {
      return absl::InvalidArgumentError(
          absl::StrCat("option input_shapes: '", part,
                       "' is not an input with its shape, such as ids=1x128"));
    }
    shapes.emplace_back(part.substr(0, at), std::move(dims));
  }
  return shapes;
}

absl::StatusOr<std::string> ReadTuningFile(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, '#');
    const absl::string_view item = absl::StripAsciiWhitespace(parts[0]);
    if (!item.empty()) absl::StrAppend(&text, text.empty() ? "" : ",", item);
  }
  if (!file.eof()) {
    return absl::InvalidArgumentError(
        absl::StrCat("option tuning_file: cannot read '", path, "'"));
  }
  DeviceChoices any;
  if (auto s = ApplyTuning(text, &any); !s.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("option tuning_file: '", path, "': ", s.message()));
  }
  return text;
}

namespace {

TfLiteGlesDelegateOptions Defaults() {
  TfLiteGlesDelegateOptions options = {};
  options.struct_size = sizeof(options);
  options.max_delegated_partitions = -1;
  options.float16_overflow = kTfLiteGlesFloat16OverflowSaturate;
  options.storage = kTfLiteGlesStorageAuto;
  options.verbosity = 1;
  options.self_check = 1;
  return options;
}

// The value of `device` that refuses software renderers.
constexpr char kHardware[] = "hardware";

// Writes `size` bytes of `values` to `*options`.
void Write(TfLiteGlesDelegateOptions values, TfLiteGlesDelegateOptions* options,
           size_t size) {
  if (options == nullptr || size < sizeof(options->struct_size)) return;
  values.struct_size = size;
  // Bytes, because `size` may be less than the type's or more.
  char* bytes = reinterpret_cast<char*>(options);
  std::memset(bytes, 0, size);
  std::memcpy(bytes, &values, std::min(size, sizeof(values)));
}

absl::Status BadStructSize(size_t size, absl::string_view reason) {
  return absl::InvalidArgumentError(
      absl::StrCat("options.struct_size is ", size, reason,
                   "; start from TfLiteGlesDelegateOptionsDefault() or "
                   "TfLiteGlesDelegateOptionsInit(), which set it"));
}

// The caller's options as this library's struct: of `*caller` no byte past its
// struct_size is read.
absl::StatusOr<TfLiteGlesDelegateOptions> KnownFields(
    const TfLiteGlesDelegateOptions* caller) {
  // A size outside these bounds is not a struct of options at all.
  constexpr size_t kShortest =
      offsetof(TfLiteGlesDelegateOptions, exclude_nodes) + sizeof(char*);
  constexpr size_t kMax = 4096;
  const char* bytes = reinterpret_cast<const char*>(caller);
  size_t size = 0;
  std::memcpy(&size, bytes, sizeof(size));
  if (size < kShortest || size > kMax) {
    return BadStructSize(size, absl::StrCat(", not ", kShortest, " to ", kMax));
  }
  if (const absl::string_view field = FieldCutAt(size); !field.empty()) {
    return BadStructSize(size, absl::StrCat(", which ends inside ", field));
  }
  TfLiteGlesDelegateOptions options = Defaults();
  constexpr size_t kKnown = sizeof(TfLiteGlesDelegateOptions);
  for (size_t i = kKnown; i < size; ++i) {
    if (bytes[i] == 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the app was compiled against a newer gles_delegate.h and sets an "
        "option that this library (version ",
        GLES_DELEGATE_VERSION, ", options of ", kKnown,
        " bytes) does not have: byte ", i, " of ", size,
        " is not zero. Update the library, or leave the option alone"));
  }
  std::memcpy(&options, bytes, std::min(size, sizeof(options)));
  return options;
}

absl::StatusOr<CacheOptions> CacheOptionsFrom(
    const TfLiteGlesDelegateOptions& o) {
  if (o.serialization_max_bytes < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "option serialization_max_bytes: ", o.serialization_max_bytes,
        " is negative; 0 is no limit"));
  }
  CacheOptions cache;
  const absl::string_view directory =
      absl::NullSafeStringView(o.serialization_dir);
  const absl::string_view token = absl::NullSafeStringView(o.model_token);
  if (directory.empty() != token.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "option ", directory.empty() ? "serialization_dir" : "model_token",
        " is missing: the start-up cache needs both serialization_dir and "
        "model_token"));
  }
  cache.directory = std::string(directory);
  cache.token = std::string(token);
  cache.max_bytes = o.serialization_max_bytes;
  return cache;
}

// The options that are texts, but for the start-up cache's.
absl::Status ReadTexts(const TfLiteGlesDelegateOptions& o, Options* options) {
  if (o.device != nullptr) options->device = o.device;
  if (options->device == kHardware) {
    options->device.clear();
    options->allow_software = false;
  }
  if (o.share_key != nullptr) options->share_key = o.share_key;
  const absl::string_view file = absl::NullSafeStringView(o.report_file);
  if (!file.empty()) {
    // The app may change its directory before the file is written.
    std::error_code error;
    const auto path = std::filesystem::absolute(std::string(file), error);
    options->report_file = error ? std::string(file) : path.string();
  }
  ASSIGN_OR_RETURN(options->exclude_nodes,
                   ParseNodeRanges("exclude_nodes",
                                   absl::NullSafeStringView(o.exclude_nodes)));
  ASSIGN_OR_RETURN(options->float32_nodes,
                   ParseNodeRanges("float32_nodes",
                                   absl::NullSafeStringView(o.float32_nodes)));
  ASSIGN_OR_RETURN(options->input_shapes,
                   ParseInputShapes(absl::NullSafeStringView(o.input_shapes)));
  const auto rounding = egl::DebugValue("rounding");
  if (!rounding || *rounding == "auto") return absl::OkStatus();
  ASSIGN_OR_RETURN(auto kernels, CpuKernelsFromName(*rounding));
  options->integer_rounding = kernels;
  return absl::OkStatus();
}

void SetThreads(const TfLiteGlesDelegateOptions& o, Options* options) {
  options->thread_mode = o.thread_mode;
  options->force_own_context =
      o.thread_mode == kTfLiteGlesThreadCallerOwnContext;
  options->worker_shares = o.thread_mode == kTfLiteGlesThreadWorkerSharing;
  options->has_worker =
      options->worker_shares || o.thread_mode == kTfLiteGlesThreadWorker;
  const bool pins = o.keep_context_current == kTfLiteGlesAuto
                        ? egl::MayStayCurrent()
                        : o.keep_context_current == kTfLiteGlesOn;
  options->pins_context = pins && !options->has_worker;
}

absl::StatusOr<Options> FromStruct(const TfLiteGlesDelegateOptions& o) {
  RETURN_IF_ERROR(CheckChoices(o));
  Options options;
  options.is_precision_loss_allowed = o.is_precision_loss_allowed != 0;
  options.max_delegated_partitions = o.max_delegated_partitions;
  options.enable_quantization = o.quantized_compute != kTfLiteGlesQuantizedCpu;
  options.storage = o.storage;
  options.quantized_compute = o.quantized_compute;
  options.self_check = o.self_check != 0;
  options.waiting = o.wait_type == kTfLiteGlesWaitActive ? egl::Waiting::kActive
                    : o.wait_type == kTfLiteGlesWaitAggressive
                        ? egl::Waiting::kAggressive
                        : egl::Waiting::kPassive;
  options.does_not_wait = o.wait_type == kTfLiteGlesWaitDoNotWait;
  options.saturate_halves =
      o.float16_overflow == kTfLiteGlesFloat16OverflowSaturate;
  if (o.zero_copy != kTfLiteGlesAuto) {
    options.zero_copy = o.zero_copy == kTfLiteGlesOn;
  }
  options.tiered_start = o.startup == kTfLiteGlesStartupTiered;
  options.prefers_fast_start = o.startup == kTfLiteGlesStartupBaseline;
  options.verbosity = o.verbosity;
  options.enable_op_profiling = o.enable_op_profiling != 0;
  options.fallback_to_cpu = o.fallback_to_cpu != 0;
  SetThreads(o, &options);
  if (o.memory_limit_bytes < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("option memory_limit_bytes: ", o.memory_limit_bytes,
                     " is negative; 0 is no limit"));
  }
  options.memory_limit_bytes = o.memory_limit_bytes;
  ASSIGN_OR_RETURN(options.cache, CacheOptionsFrom(o));
  RETURN_IF_ERROR(ReadTexts(o, &options));
  const absl::string_view file = absl::NullSafeStringView(o.tuning_file);
  if (!file.empty()) {
    ASSIGN_OR_RETURN(options.tuning, ReadTuningFile(std::string(file)));
  }
  return options;
}

// Of the options that an app and the environment give together.
absl::StatusOr<Options> FromMerged(const TfLiteGlesDelegateOptions& merged) {
  RETURN_IF_ERROR(CheckTuningVariable());
  RETURN_IF_ERROR(CheckDebugVariable());
  const std::string environment = EnvironmentOptions();
  auto options = FromStruct(merged);
  if (options.ok()) {
    options->environment = environment;
  } else if (!environment.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(options.status().message(),
                                                   " (", kEnvironmentOptions,
                                                   " is '", environment, "')"));
  }
  return options;
}

}  // namespace

void InitOptions(TfLiteGlesDelegateOptions* options, size_t size) {
  Write(Defaults(), options, size);
}

void InitBestOptions(TfLiteGlesDelegateOptions* options, size_t size) {
  TfLiteGlesDelegateOptions best = Defaults();
  best.is_precision_loss_allowed = 1;
  best.device = kHardware;
  Write(best, options, size);
}

const char* BestOptionsText() {
  return "is_precision_loss_allowed:1;device:hardware";
}

std::string Options::PlaceOfOwnContext() const {
  if (display == nullptr) return device;
  return absl::StrCat(absl::Hex(reinterpret_cast<uintptr_t>(display)), " ",
                      device);
}

absl::StatusOr<Options> OptionsFrom(const TfLiteGlesDelegateOptions* caller) {
  ASSIGN_OR_RETURN(auto known, KnownFields(caller));
  TfLiteGlesDelegateOptions environment = Defaults();
  OptionTexts texts;
  RETURN_IF_ERROR(SetFromEnvironment(&environment, &texts));
  FillUnset(Defaults(), environment, &known);
  return FromMerged(known);
}

absl::StatusOr<Options> OptionsFrom(
    absl::Span<const std::pair<absl::string_view, absl::string_view>>
        keys_values) {
  TfLiteGlesDelegateOptions options = Defaults();
  OptionTexts texts;
  RETURN_IF_ERROR(SetFromEnvironment(&options, &texts));
  for (const auto& [key, value] : keys_values) {
    RETURN_IF_ERROR(SetKey(key, value, &options, &texts));
  }
  return FromMerged(options);
}

}  // namespace gles_delegate
