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

using gl_shaders::ReadBy;
using gl_shaders::Storage;

namespace {

constexpr char kSeparator[] = " (several are separated by commas)";

constexpr int kNumber(Storage storage) { return static_cast<int>(storage); }

const TuningParameter* FindParameter(absl::string_view name) {
  const auto& parameters = TuningParameters();
  const auto it = std::find_if(parameters.begin(), parameters.end(),
                               [name](const TuningParameter& parameter) {
                                 return parameter.name == name;
                               });
  return it == parameters.end() ? nullptr : &*it;
}

// One table, and therefore a long function: a row per tuning parameter.
std::vector<TuningParameter> MakeParameters() {
  using C = DeviceChoices;
  constexpr int kAny = 1 << 30;  // A limit of what texts may say, no more.
  constexpr int kKib = 1 << 10, kMib = 1 << 20;
  return {
      {"storage",
       &C::storage,
       kNumber(Storage::kTextureArray),
       kNumber(Storage::kTexelBuffer),
       {0, 1, 2, 3}},
      {"read_by",
       &C::read_by,
       static_cast<int>(ReadBy::kFetch),
       static_cast<int>(ReadBy::kImage),
       {}},
      {"constants",
       &C::constants,
       kNumber(Storage::kTexture2d),
       kNumber(Storage::kBuffer),
       {}},
      {"conv_tile_pixels", &C::conv_tile_pixels, 1, 16, {1, 2, 4, 8}},
      {"conv_tile_slices", &C::conv_tile_slices, 1, 16, {1, 2, 4}},
      {"residual_tile_pixels", &C::residual_tile_pixels, 1, 16, {}},
      {"depthwise_tile_pixels", &C::depthwise_tile_pixels, 1, 16, {1, 2, 4}},
      {"depthwise_tile_rows", &C::depthwise_tile_rows, 1, 16, {1, 2, 4}},
      {"depthwise_unrolled_taps", &C::depthwise_unrolled_taps, 0, 25, {}},
      {"depthwise_by_columns", &C::depthwise_by_columns, 0, 1, {}},
      {"work_group_size", &C::work_group_size, 1, 1024, {32, 64, 128, 256}},
      {"reduction_lanes", &C::reduction_lanes, 1, 1024, {1, 8, 32}},
      {"held_boxes", &C::held_boxes, 0, 16, {}},
      {"simd_lanes", &C::simd_lanes, 1, 1024, {}},
      {"split_k_target",
       &C::split_k_target,
       0,
       kAny,
       {0, 16 * kKib, 48 * kKib, 96 * kKib}},
      {"fused_depthwise_work",
       &C::fused_depthwise_work,
       0,
       kAny,
       {0, 300, 1200, 4800}},
      {"fused_plane_work", &C::fused_plane_work, 0, kAny, {0, 6000, 30000}},
      {"fused_next_texels", &C::fused_next_texels, 0, kAny, {0, 1024, 8192}},
      {"read_through", &C::read_through, 0, 1, {0, 1}},
      {"fused_squeeze_texels",
       &C::fused_squeeze_texels,
       0,
       kAny,
       {0, 4096, 65536}},
      {"few_registers", &C::few_registers, 0, 2, {}},
      {"winograd_min_channels",
       &C::winograd_min_channels,
       0,
       kAny,
       {0, 16, 64, 256}},
      {"winograd_band_bytes", &C::winograd_band_bytes, 0, kAny, {0, kMib}},
      {"share_programs", &C::share_programs, 0, kMaxSharing, {}},
      {"unrolled_terms", &C::unrolled_terms, 0, 1024, {0, 36, 160}},
      {"host_transfers", &C::host_transfers, 0, 1, {0, 1}},
      {"half_arithmetic", &C::half_arithmetic, 0, 1, {}},
      {"across_bus", &C::across_bus, 0, 1, {0, 1}},
  };
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
  static const auto* const kParameters =
      new std::vector<TuningParameter>(MakeParameters());
  return *kParameters;
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
      for (const TuningParameter& k : TuningParameters())
        known.push_back(k.name);
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
