#include "delegate/tflite/options.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "delegate/tflite/runtime.h"

namespace gles_delegate {
namespace {

absl::StatusOr<int> ParseInt(absl::string_view text) {
  int value = 0;
  if (!absl::SimpleAtoi(text, &value)) {
    return absl::InvalidArgumentError("is not an integer");
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
  return ParseName(text, {"passive", "active"});
}

absl::StatusOr<int> ParseFloat16Overflow(absl::string_view text) {
  return ParseName(text, {"infinity", "saturate"});
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
    {"prefer_faster", &TfLiteGlesDelegateOptions::prefer_faster, ParseFlag},
};

struct Int64Key {
  absl::string_view name;
  int64_t TfLiteGlesDelegateOptions::*field;
};

constexpr Int64Key kInt64Keys[] = {
    {"serialization_max_bytes",
     &TfLiteGlesDelegateOptions::serialization_max_bytes},
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
};

std::string KnownKeys() {
  std::string text;
  for (const IntKey& key : kIntKeys) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", key.name);
  }
  for (const Int64Key& key : kInt64Keys) absl::StrAppend(&text, ", ", key.name);
  for (const TextKey& key : kTextKeys) absl::StrAppend(&text, ", ", key.name);
  return text;
}

// Sets one key; `text` keeps the strings that the struct points to.
absl::Status SetKey(absl::string_view name, absl::string_view value,
                    TfLiteGlesDelegateOptions* options,
                    std::vector<std::unique_ptr<std::string>>* text) {
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
    text->push_back(std::make_unique<std::string>(value));
    options->*key.field = text->back()->c_str();
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown option '", name, "'; known are: ", KnownKeys()));
}

absl::StatusOr<CacheOptions> CacheOptionsFrom(
    const TfLiteGlesDelegateOptions& o) {
  if (o.serialization_max_bytes < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "option serialization_max_bytes: ", o.serialization_max_bytes,
        " is negative; 0 is no limit"));
  }
  CacheOptions cache;
  if (o.enable_serialization == 0) return cache;
  const absl::string_view directory =
      absl::NullSafeStringView(o.serialization_dir);
  const absl::string_view token = absl::NullSafeStringView(o.model_token);
  if (directory.empty() != token.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "option ", directory.empty() ? "serialization_dir" : "model_token",
        " is missing: the start-up cache needs both serialization_dir and "
        "model_token "
        "(enable_serialization=0 turns it off)"));
  }
  cache.directory = std::string(directory);
  cache.token = std::string(token);
  cache.max_bytes = o.serialization_max_bytes;
  return cache;
}

TfLiteGlesDelegateOptions Defaults() {
  TfLiteGlesDelegateOptions options = {};
  options.struct_size = sizeof(options);
  options.max_delegated_partitions = 1;
  options.min_nodes_per_partition = 1;
  options.enable_quantization = 1;
  options.storage = kTfLiteGlesStorageAuto;
  options.verbosity = 1;
  options.allow_software = 1;
  options.self_check = 1;
  options.enable_serialization = 1;
  return options;
}

// Where a field lies in the struct. Not offsetof: the keys' tables hold
// pointers to members.
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

// The key that a struct of `size` bytes cuts in two; "" where there is none.
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
  // The first version's fields end so; a size past kMost is no size at all.
  constexpr size_t kFirstVersion =
      offsetof(TfLiteGlesDelegateOptions, exclude_nodes) + sizeof(char*);
  constexpr size_t kMost = 4096;
  const char* bytes = reinterpret_cast<const char*>(caller);
  size_t size = 0;
  std::memcpy(&size, bytes, sizeof(size));
  if (size < kFirstVersion || size > kMost) {
    return BadStructSize(size,
                         absl::StrCat(", not ", kFirstVersion, " to ", kMost));
  }
  if (const absl::string_view field = FieldCutAt(size); !field.empty()) {
    return BadStructSize(size, absl::StrCat(", which ends inside ", field));
  }
  TfLiteGlesDelegateOptions options = Defaults();
  for (size_t i = sizeof(options); i < size; ++i) {
    if (bytes[i] == 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the app was compiled against a newer gles_delegate.h and sets an "
        "option that this library (version ",
        GLES_DELEGATE_VERSION, ", options of ", sizeof(options),
        " bytes) does not have: byte ", i, " of ", size,
        " is not zero. Update the library, or leave the option alone"));
  }
  std::memcpy(&options, bytes, std::min(size, sizeof(options)));
  return options;
}

absl::StatusOr<Options> Validate(const TfLiteGlesDelegateOptions& o) {
  if (o.storage < 0 || o.storage > 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("option storage: ", o.storage, " is not 0 to 3"));
  }
  if (o.quantized_compute < 0 ||
      o.quantized_compute > kTfLiteGlesQuantizedInteger) {
    return absl::InvalidArgumentError(absl::StrCat(
        "option quantized_compute: ", o.quantized_compute, " is not 0 to ",
        static_cast<int>(kTfLiteGlesQuantizedInteger)));
  }
  if (o.tuning < 0 || o.tuning > kTfLiteGlesTuningExhaustive) {
    return absl::InvalidArgumentError(
        absl::StrCat("option tuning: ", o.tuning, " is not 0 or 1"));
  }
  if (o.wait_type < 0 || o.wait_type > kTfLiteGlesWaitActive) {
    return absl::InvalidArgumentError(
        absl::StrCat("option wait_type: ", o.wait_type, " is not 0 or 1"));
  }
  if (o.float16_overflow < 0 ||
      o.float16_overflow > kTfLiteGlesFloat16OverflowSaturate) {
    return absl::InvalidArgumentError(absl::StrCat(
        "option float16_overflow: ", o.float16_overflow, " is not 0 or 1"));
  }
  if (o.verbosity < 0 || o.verbosity > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("option verbosity: ", o.verbosity, " is not 0 to 2"));
  }
  if (o.reserved_1 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("reserved_1 is ", o.reserved_1,
                     "; this library has no option there. Update the library, "
                     "or leave the field zero"));
  }
  Options options;
  options.is_precision_loss_allowed = o.is_precision_loss_allowed != 0;
  options.max_delegated_partitions = o.max_delegated_partitions;
  options.min_nodes_per_partition = o.min_nodes_per_partition;
  options.enable_quantization = o.enable_quantization != 0;
  options.storage = o.storage;
  options.quantized_compute = o.quantized_compute;
  options.tuning = o.tuning;
  options.allow_software = o.allow_software != 0;
  options.self_check = o.self_check != 0;
  options.wait_actively = o.wait_type == kTfLiteGlesWaitActive;
  options.saturate_halves =
      o.float16_overflow == kTfLiteGlesFloat16OverflowSaturate;
  options.force_own_context = o.force_own_context != 0;
  options.verbosity = o.verbosity;
  options.enable_op_profiling = o.enable_op_profiling != 0;
  options.fallback_to_cpu = o.fallback_to_cpu != 0;
  options.prefer_faster = o.prefer_faster != 0;
  auto cache = CacheOptionsFrom(o);
  if (!cache.ok()) return cache.status();
  options.cache = *std::move(cache);
  if (o.device != nullptr) options.device = o.device;
  if (o.exclude_nodes != nullptr) {
    auto ranges = ParseNodeRanges("exclude_nodes", o.exclude_nodes);
    if (!ranges.ok()) return ranges.status();
    options.exclude_nodes = *std::move(ranges);
  }
  const absl::string_view rounding =
      absl::NullSafeStringView(o.integer_rounding);
  if (!rounding.empty() && !absl::EqualsIgnoreCase(rounding, "auto")) {
    auto kernels = CpuKernelsFromName(rounding);
    if (!kernels.ok()) return kernels.status();
    options.integer_rounding = *kernels;
  }
  if (o.float32_nodes != nullptr) {
    auto ranges = ParseNodeRanges("float32_nodes", o.float32_nodes);
    if (!ranges.ok()) return ranges.status();
    options.float32_nodes = *std::move(ranges);
  }
  return options;
}

}  // namespace

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

void InitOptions(TfLiteGlesDelegateOptions* options, size_t size) {
  if (options == nullptr || size < sizeof(options->struct_size)) return;
  TfLiteGlesDelegateOptions defaults = Defaults();
  defaults.struct_size = size;
  // Bytes, because `size` may be less than the type's or more.
  char* bytes = reinterpret_cast<char*>(options);
  std::memset(bytes, 0, size);
  std::memcpy(bytes, &defaults, std::min(size, sizeof(defaults)));
}

absl::StatusOr<Options> OptionsFrom(const TfLiteGlesDelegateOptions* caller) {
  auto known = KnownFields(caller);
  if (!known.ok()) return known.status();
  return Validate(*known);
}

absl::StatusOr<Options> OptionsFrom(
    absl::Span<const std::pair<absl::string_view, absl::string_view>>
        keys_values) {
  TfLiteGlesDelegateOptions options = Defaults();
  std::vector<std::unique_ptr<std::string>> text;
  for (const auto& [key, value] : keys_values) {
    if (auto s = SetKey(key, value, &options, &text); !s.ok()) return s;
  }
  return Validate(options);
}

}  // namespace gles_delegate
