#include "delegate/tflite/options.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <type_traits>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "delegate/device/known_names.h"
#include "delegate/plan/storage.h"
#include "delegate/tflite/runtime.h"
#include "egl/context.h"
#include "egl/process.h"

namespace gles_delegate {

namespace {

// --- The list of options (options.inc) ---------------------------------------

absl::StatusOr<int> ParseInt(absl::string_view text) {
  int value = 0;
  if (!absl::SimpleAtoi(text, &value)) {
    return Invalid("is not an integer of 32 bits");
  }
  return value;
}

// Booleans as users write them: 0, 1, true, false.
absl::StatusOr<int> ParseFlag(absl::string_view text) {
  bool value = false;
  if (!absl::SimpleAtob(text, &value)) {
    return Invalid("is not 0, 1, true or false");
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
  return Invalid("is not ", absl::StrJoin(names.first(count - 1), ", "), " or ",
                 names.back(), " (0 to ", count - 1, ")");
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

TfLiteGlesDelegateOptions DefaultOptions() {
  TfLiteGlesDelegateOptions options = {};
  options.struct_size = sizeof(options);
#define OPTION(kind, name, value, ...) options.name = value;
#include "delegate/tflite/options.inc"
  return options;
}

// Strings that a struct of options points to; their addresses are stable.
using OptionTexts = std::vector<std::unique_ptr<std::string>>;

// Sets the field `name` of `*options`. Adds a string that the struct points to
// to `*texts`, which must outlive the struct. kInvalidArgument: an unknown key,
// with a list of all; or a `value` of the wrong type.
absl::Status SetKey(absl::string_view name, absl::string_view value,
                    TfLiteGlesDelegateOptions* options, OptionTexts* texts) {
  const Key* key = FindKey(name);
  if (key == nullptr) {
    std::vector<absl::string_view> known;
    for (const Key& k : Keys()) known.push_back(k.name);
    return Invalid("unknown option '", name, "'", KnownNames(name, known));
  }
  if (const auto* text = std::get_if<const char * Struct::*>(&key->field)) {
    texts->push_back(std::make_unique<std::string>(value));
    options->** text = texts->back()->c_str();
    return absl::OkStatus();
  }
  if (const auto* bytes = std::get_if<int64_t Struct::*>(&key->field)) {
    if (absl::SimpleAtoi(value, &(options->**bytes))) return absl::OkStatus();
    return Invalid("option ", name, ": '", value, "' is not an integer");
  }
  auto parsed = ParseValue(*key, absl::StripAsciiWhitespace(value));
  if (!parsed.ok()) {
    return Invalid("option ", name, ": '", value, "' ",
                   parsed.status().message());
  }
  options->*std::get<int32_t Struct::*>(key->field) = *parsed;
  return absl::OkStatus();
}

// kInvalidArgument: a choice, level or number of bytes is out of range, as a
// caller of the C API can set it.
absl::Status CheckRanges(const TfLiteGlesDelegateOptions& options) {
  for (const Key& key : Keys()) {
    if (key.kind == kBytes) {
      const int64_t bytes = options.*std::get<int64_t Struct::*>(key.field);
      if (bytes >= 0) continue;
      return Invalid("option ", key.name, ": ", bytes,
                     " is negative; 0 is no limit");
    }
    if (key.kind != kChoice && key.kind != kLevel) continue;
    const int most = key.kind == kLevel
                         ? kMaxLevel
                         : static_cast<int>(key.choices.size()) - 1;
    const int32_t value = options.*std::get<int32_t Struct::*>(key.field);
    if (value >= 0 && value <= most) continue;
    return Invalid("option ", key.name, ": ", value, " is not 0 ",
                   most == 1 ? "or " : "to ", most);
  }
  return absl::OkStatus();
}

// Whether the environment decides: the field has its default, is an empty text,
// or is the choice "auto".
bool IsOpen(const Key& key, const TfLiteGlesDelegateOptions& options) {
  const TfLiteGlesDelegateOptions defaults = DefaultOptions();
  return std::visit(
      [&](auto field) {
        const auto value = options.*field;
        if constexpr (std::is_pointer_v<std::decay_t<decltype(value)>>) {
          return absl::NullSafeStringView(value).empty();
        } else {
          return value == defaults.*field ||
                 (value >= 0 && value < static_cast<int>(key.choices.size()) &&
                  key.choices[value] == "auto");
        }
      },
      key.field);
}

// The key of the field that would extend past a struct of `size` bytes; "" if
// there is none.
absl::string_view FieldCutAt(size_t size) {
#define OPTION(kind, name, ...)                               \
  if (offsetof(Struct, name) < size &&                        \
      size < offsetof(Struct, name) + sizeof(Struct::name)) { \
    return #name;                                             \
  }
#include "delegate/tflite/options.inc"
  return "";
}

// --- From the environment, for apps that cannot be changed -------------------

absl::Status Malformed(absl::string_view reason) {
  return Invalid("environment variable ", kEnvironmentOptions, ": ", reason);
}

// Sets the fields of `*options` that the variable names and that are open. A
// value ends at the next semicolon and may contain colons; surrounding spaces
// are ignored; the last of repeated keys counts. Strings are added to `*texts`,
// which must outlive `*options`. kInvalidArgument, with the variable's name: an
// unknown key, a value of the wrong type, or an item that is not a key with a
// value.
absl::Status SetFromEnvironment(TfLiteGlesDelegateOptions* options,
                                OptionTexts* texts) {
  const TfLiteGlesDelegateOptions app = *options;
  for (absl::string_view item :
       absl::StrSplit(egl::EnvironmentValue(kEnvironmentOptions), ';',
                      absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(item, absl::MaxSplits(':', 1));
    const absl::string_view key = absl::StripAsciiWhitespace(pair.first);
    if (key.empty() || !absl::StrContains(item, ':')) {
      return Malformed(absl::StrCat("'", absl::StripAsciiWhitespace(item),
                                    "' is not of the form key:value (several "
                                    "are separated by semicolons)"));
    }
    TfLiteGlesDelegateOptions ignored = app;
    const Key* known = FindKey(key);
    const bool is_open = known == nullptr || IsOpen(*known, app);
    if (auto s = SetKey(key, absl::StripAsciiWhitespace(pair.second),
                        is_open ? options : &ignored, texts);
        !s.ok()) {
      return Malformed(s.message());
    }
  }
  return absl::OkStatus();
}

// kInvalidArgument, with the known items: GLES_DELEGATE_DEBUG
// (egl/process.h) has an unknown one, or one that lacks its value.
absl::Status CheckDebugVariable() {
  const auto& known = egl::DebugItems();
  for (absl::string_view item :
       absl::StrSplit(egl::EnvironmentValue(egl::kDebugVariable), ',',
                      absl::SkipWhitespace())) {
    item = absl::StripAsciiWhitespace(item);
    const bool has_value = absl::StrContains(item, '=');
    const absl::string_view name =
        has_value ? item.substr(0, item.find('=') + 1) : item;
    const bool lacks_value = has_value && name == item;
    if (!lacks_value && absl::c_linear_search(known, name)) continue;
    return Invalid("environment variable ", egl::kDebugVariable, ": '", item,
                   "' is not one of its items", KnownNames(name, known));
  }
  return absl::OkStatus();
}

// "name=value,..." of a tuning file: one item on each line, comments after '#'.
// kInvalidArgument: the file cannot be read, or has an unknown parameter or a
// value out of range.
absl::StatusOr<std::string> ReadTuningFile(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, '#');
    const absl::string_view item = absl::StripAsciiWhitespace(parts[0]);
    if (!item.empty()) absl::StrAppend(&text, text.empty() ? "" : ",", item);
  }
  if (!file.eof()) {
    return Invalid("option tuning_file: cannot read '", path, "'");
  }
  DeviceChoices any;
  RETURN_IF_ERROR(Labelled(ApplyTuning(text, &any),
                           absl::StrCat("option tuning_file: '", path, "'")));
  return text;
}

// --- The C structs -----------------------------------------------------------

// The value of `device` that refuses software renderers.
constexpr char kHardware[] = "hardware";

// Writes `size` bytes of `values` to `*to`: `size` may be less than the type's
// or more.
template <typename Struct>
void Write(Struct values, Struct* to, size_t size) {
  if (to == nullptr || size < sizeof(to->struct_size)) return;
  values.struct_size = size;
  char* bytes = reinterpret_cast<char*>(to);
  std::memset(bytes, 0, size);
  std::memcpy(bytes, &values, std::min(size, sizeof(values)));
}

// The first byte past this library's struct that a caller of a newer one has
// set; 0: none.
template <typename Struct>
size_t UnknownByte(const Struct* caller, size_t size) {
  const char* bytes = reinterpret_cast<const char*>(caller);
  for (size_t i = sizeof(Struct); i < size; ++i) {
    if (bytes[i] != 0) return i;
  }
  return 0;
}

absl::Status BadStructSize(size_t size, absl::string_view reason) {
  return Invalid("options.struct_size is ", size, reason,
                 "; start from TfLiteGlesDelegateOptionsDefault() or "
                 "TfLiteGlesDelegateOptionsInit(), which set it");
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
  TfLiteGlesDelegateOptions options = DefaultOptions();
  constexpr size_t kKnown = sizeof(TfLiteGlesDelegateOptions);
  if (const size_t i = UnknownByte(caller, size); i > 0) {
    return Invalid(
        "the app was compiled against a newer gles_delegate.h and sets an "
        "option that this library (version ",
        GLES_DELEGATE_VERSION, ", options of ", kKnown,
        " bytes) does not have: byte ", i, " of ", size,
        " is not zero. Update the library, or leave the option alone");
  }
  std::memcpy(&options, bytes, std::min(size, sizeof(options)));
  return options;
}

constexpr auto Text = [](const char* text) {
  return absl::NullSafeStringView(text);
};

absl::StatusOr<CacheOptions> CacheOptionsFrom(const Struct& o) {
  const absl::string_view directory = Text(o.serialization_dir);
  const absl::string_view token = Text(o.model_token);
  if (directory.empty() != token.empty()) {
    return Invalid(
        "option ", directory.empty() ? "serialization_dir" : "model_token",
        " is missing: the start-up cache needs both serialization_dir and "
        "model_token");
  }
  return CacheOptions{std::string(directory), std::string(token),
                      o.serialization_max_bytes};
}

GpuOptions GpuOptionsFrom(const Struct& o) {
  GpuOptions gpu;
  const absl::string_view device = Text(o.device);
  gpu.context.allow_software = device != kHardware;
  if (device != kHardware) gpu.context.device = std::string(device);
  gpu.force_own_context = o.thread_mode == kTfLiteGlesThreadCallerOwnContext;
  gpu.share_key = std::string(Text(o.share_key));
  gpu.worker_shares = o.thread_mode == kTfLiteGlesThreadWorkerSharing;
  gpu.has_worker =
      gpu.worker_shares || o.thread_mode == kTfLiteGlesThreadWorker;
  return gpu;
}

absl::StatusOr<PlanningOptions> PlanningOptionsFrom(const Struct& o) {
  PlanningOptions planning;
  planning.half = o.is_precision_loss_allowed != 0;
  planning.storage = StorageOption(o.storage);
  planning.saturate_halves =
      o.float16_overflow == kTfLiteGlesFloat16OverflowSaturate;
  if (o.zero_copy != kTfLiteGlesAuto) {
    planning.zero_copy = o.zero_copy == kTfLiteGlesOn;
  }
  static_assert(static_cast<int>(Startup::kAuto) == kTfLiteGlesStartupAuto);
  planning.startup = static_cast<Startup>(o.startup);
  const absl::string_view file = Text(o.tuning_file);
  if (!file.empty()) {
    ASSIGN_OR_RETURN(planning.tuning, ReadTuningFile(std::string(file)));
  }
  return planning;
}

absl::StatusOr<SessionOptions> SessionOptionsFrom(const Struct& o) {
  SessionOptions session;
  BuildOptions& build = session.build;
  ASSIGN_OR_RETURN(build.cache, CacheOptionsFrom(o));
  build.checks_itself = o.self_check != 0;
  build.may_change_storage = o.storage == kTfLiteGlesStorageAuto;
  build.is_verbose = o.verbosity >= 1;
  session.waiting = o.wait_type == kTfLiteGlesWaitActive ? egl::Waiting::kActive
                    : o.wait_type == kTfLiteGlesWaitAggressive
                        ? egl::Waiting::kAggressive
                        : egl::Waiting::kPassive;
  session.does_not_wait = o.wait_type == kTfLiteGlesWaitDoNotWait;
  session.profiles = o.enable_op_profiling != 0;
  session.memory_limit_bytes = o.memory_limit_bytes;
  return session;
}

absl::StatusOr<ReadOptions> ReadOptionsFrom(const Struct& o) {
  ReadOptions read;
  read.enable_quantization = o.quantized_compute != kTfLiteGlesQuantizedCpu;
  read.simulate_quantization =
      o.quantized_compute != kTfLiteGlesQuantizedFloatUnsimulated;
  read.uses_integer_path = o.quantized_compute == kTfLiteGlesQuantizedAuto ||
                           o.quantized_compute == kTfLiteGlesQuantizedInteger;
  ASSIGN_OR_RETURN(read.exclude_nodes,
                   ParseNodeRanges("exclude_nodes", Text(o.exclude_nodes)));
  ASSIGN_OR_RETURN(read.float32_nodes,
                   ParseNodeRanges("float32_nodes", Text(o.float32_nodes)));
  return read;
}

absl::StatusOr<Options> FromStruct(const Struct& o) {
  RETURN_IF_ERROR(CheckRanges(o));
  Options options;
  options.gpu = GpuOptionsFrom(o);
  ASSIGN_OR_RETURN(options.planning, PlanningOptionsFrom(o));
  ASSIGN_OR_RETURN(options.session, SessionOptionsFrom(o));
  ASSIGN_OR_RETURN(options.read, ReadOptionsFrom(o));
  options.max_delegated_partitions = o.max_delegated_partitions;
  options.verbosity = o.verbosity;
  options.fallback_to_cpu = o.fallback_to_cpu != 0;
  options.thread_mode = FindKey("thread_mode")->choices[o.thread_mode];
  const bool pins = o.keep_context_current == kTfLiteGlesAuto
                        ? egl::MayStayCurrent()
                        : o.keep_context_current == kTfLiteGlesOn;
  options.pins_context = pins && !options.gpu.has_worker;
  const absl::string_view pairs = absl::NullSafeStringView(o.state_pairs);
  options.keeps_caches = pairs == "auto";
  if (!pairs.empty() && !options.keeps_caches) {
    return Invalid("option state_pairs: '", pairs,
                   "' is neither 'auto' nor empty");
  }
  ASSIGN_OR_RETURN(options.input_shapes,
                   ParseInputShapes(Text(o.input_shapes)));
  const absl::string_view file = Text(o.report_file);
  if (!file.empty()) {
    // The app may change its directory before the file is written.
    std::error_code error;
    const auto path = std::filesystem::absolute(std::string(file), error);
    options.report_file = error ? std::string(file) : path.string();
  }
  const auto rounding = egl::DebugValue("rounding");
  if (rounding && *rounding != "auto") {
    ASSIGN_OR_RETURN(options.integer_rounding, CpuKernelsFromName(*rounding));
  }
  return options;
}

// Of the options that an app and the environment give together.
absl::StatusOr<Options> FromMerged(const TfLiteGlesDelegateOptions& merged) {
  RETURN_IF_ERROR(CheckTuningVariable());
  RETURN_IF_ERROR(CheckDebugVariable());
  const std::string environment(egl::EnvironmentValue(kEnvironmentOptions));
  auto options = FromStruct(merged);
  if (options.ok()) {
    options->environment = environment;
  } else if (!environment.empty()) {
    return Invalid(options.status().message(), " (", kEnvironmentOptions,
                   " is '", environment, "')");
  }
  return options;
}

absl::Status OutOfRange(absl::string_view field, double value,
                        absl::string_view allowed) {
  return Invalid("TfLiteGlesObject: ", field, " ", value, " is not ", allowed);
}

absl::Status CheckValues(const TfLiteGlesObject& o) {
  if (o.type < kTfLiteGlesObjectBuffer ||
      o.type > kTfLiteGlesObjectTextureExternal) {
    return OutOfRange("type", o.type, "a TfLiteGlesObjectType");
  }
  if (o.name == 0) {
    return Invalid(
        "TfLiteGlesObject: name 0 is no object; "
        "TfLiteGlesDelegateUnbindObject unbinds");
  }
  if (o.layout != kTfLiteGlesObjectBhwc && o.layout != kTfLiteGlesObjectPhwc4) {
    return OutOfRange("layout", o.layout, "a TfLiteGlesObjectLayout");
  }
  if (o.element < kTfLiteGlesElementFloat32 ||
      o.element > kTfLiteGlesElementQuantized) {
    return OutOfRange("element", o.element, "a TfLiteGlesObjectElement");
  }
  if (o.channels < 0) return OutOfRange("channels", o.channels, "0 or more");
  if (o.scale == 0 || !std::isfinite(o.scale)) {
    return OutOfRange("scale", o.scale, "a finite number other than 0");
  }
  if (!std::isfinite(o.bias)) return OutOfRange("bias", o.bias, "finite");
  for (float crop : {o.crop_x, o.crop_y, o.crop_width, o.crop_height}) {
    if (!std::isfinite(crop)) return OutOfRange("crop", crop, "finite");
  }
  if (o.crop_width < 0 || o.crop_height < 0 ||
      (o.crop_width == 0) != (o.crop_height == 0)) {
    return OutOfRange("crop_width or crop_height",
                      std::min(o.crop_width, o.crop_height),
                      "more than 0 (both 0: the whole texture)");
  }
  return absl::OkStatus();
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
      return Invalid("option ", option, ": '", part,
                     "' is neither a node index nor a range such as 17-20");
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
      return Invalid("option input_shapes: '", part,
                     "' is not an input with its shape, such as ids=1x128");
    }
    shapes.emplace_back(part.substr(0, at), std::move(dims));
  }
  return shapes;
}

void InitOptions(TfLiteGlesDelegateOptions* options, size_t size) {
  Write(DefaultOptions(), options, size);
}

void InitBestOptions(TfLiteGlesDelegateOptions* options, size_t size) {
  TfLiteGlesDelegateOptions best = DefaultOptions();
  best.is_precision_loss_allowed = 1;
  best.device = kHardware;
  Write(best, options, size);
}

const char* BestOptionsText() {
  return "is_precision_loss_allowed:1;device:hardware";
}

absl::StatusOr<Options> OptionsFrom(const TfLiteGlesDelegateOptions* caller) {
  ASSIGN_OR_RETURN(auto options, KnownFields(caller));
  OptionTexts texts;
  RETURN_IF_ERROR(SetFromEnvironment(&options, &texts));
  return FromMerged(options);
}

absl::StatusOr<Options> OptionsFrom(
    absl::Span<const std::pair<absl::string_view, absl::string_view>>
        keys_values) {
  TfLiteGlesDelegateOptions options = DefaultOptions();
  OptionTexts texts;
  RETURN_IF_ERROR(SetFromEnvironment(&options, &texts));
  for (const auto& [key, value] : keys_values) {
    RETURN_IF_ERROR(SetKey(key, value, &options, &texts));
  }
  return FromMerged(options);
}

void InitObject(TfLiteGlesObject* object, size_t size) {
  TfLiteGlesObject defaults = {};
  defaults.scale = 1;
  Write(defaults, object, size);
}

absl::StatusOr<TfLiteGlesObject> WholeObject(const TfLiteGlesObject* caller) {
  if (caller == nullptr) {
    return Invalid(
        "no TfLiteGlesObject was given; TfLiteGlesDelegateUnbindObject "
        "unbinds");
  }
  TfLiteGlesObject object;
  InitObject(&object, sizeof(object));
  size_t size = 0;
  std::memcpy(&size, caller, sizeof(size));
  constexpr size_t kMin = offsetof(TfLiteGlesObject, layout);
  constexpr size_t kMax = 1 << 16;
  if (size < kMin || size > kMax) {
    return Invalid("TfLiteGlesObject: struct_size ", size,
                   " is not the size of one; fill it in by "
                   "TfLiteGlesDelegateObjectDefault");
  }
  if (UnknownByte(caller, size) > 0) {
    return Invalid(
        "TfLiteGlesObject: a field is set that this version of the library "
        "does not know; it needs a newer one");
  }
  std::memcpy(&object, caller, std::min(size, sizeof(object)));
  object.struct_size = sizeof(object);
  RETURN_IF_ERROR(CheckValues(object));
  return object;
}

}  // namespace gles_delegate
