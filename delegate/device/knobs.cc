#include "delegate/device/knobs.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gles_delegate {

using gl_shaders::Storage;

const std::vector<Knob>& Knobs() {
  using P = DeviceChoices;
  static const auto* const kKnobs = new std::vector<Knob>{
      {"conv_tile_pixels", &P::conv_tile_pixels, 1, 16, {1, 2, 4, 8}},
      {"conv_tile_slices", &P::conv_tile_slices, 1, 16, {1, 2, 4}},
      {"depthwise_tile_pixels", &P::depthwise_tile_pixels, 1, 16, {1, 2, 4}},
      {"depthwise_tile_rows", &P::depthwise_tile_rows, 1, 16, {1, 2, 4}},
      {"work_group_size", &P::work_group_size, 1, 1024, {32, 64, 128, 256}},
      {"reduction_lanes", &P::reduction_lanes, 1, 1024, {1, 8, 32}},
      {"simd_lanes", &P::simd_lanes, 1, 1024, {}},
      {"split_target",
       &P::split_target,
       0,
       1 << 30,
       {0, 16 << 10, 48 << 10, 96 << 10}},
      {"split_tile_pixels", &P::split_tile_pixels, 1, 16, {1, 2, 4}},
      {"split_tile_slices", &P::split_tile_slices, 1, 16, {1, 2, 4}},
      {"fused_depthwise_work",
       &P::fused_depthwise_work,
       0,
       1 << 30,
       {0, 300, 1200, 4800}},
      {"fused_gate_slices", &P::fused_gate_slices, 0, 1 << 30, {0, 16, 1024}},
      {"winograd_min_channels",
       &P::winograd_min_channels,
       0,
       1 << 30,
       {0, 16, 64, 256}},
      {"winograd_band_bytes",
       &P::winograd_band_bytes,
       0,
       1 << 30,
       {0, 1 << 20}},
      {"unrolled_terms", &P::unrolled_terms, 0, 1 << 10, {0, 36, 160}},
      {"host_transfers", &P::host_transfers, 0, 1, {0, 1}},
      {"upload_piece_bytes",
       &P::upload_piece_bytes,
       0,
       1 << 30,
       {0, 256 << 10, 1 << 20}},
      {"readback_piece_bytes",
       &P::readback_piece_bytes,
       0,
       1 << 30,
       {0, 256 << 10, 3 << 19}},
      {"staged_upload_bytes",
       &P::staged_upload_bytes,
       0,
       1 << 30,
       {0, 256 << 10, 1 << 20}},
      {"half_transfers", &P::half_transfers, 0, 1, {0, 1}},
  };
  return *kKnobs;
}

std::string TuningText(const DeviceChoices& choices) {
  std::string text;
  for (const Knob& knob : Knobs()) {
    absl::StrAppend(&text, knob.name, "=", choices.*knob.value, ",");
  }
  return absl::StrCat(text, "storage=", static_cast<int>(choices.storage));
}

size_t TuningRecordBytes() {
  // Each knob at the number of the most characters; the storage is one of few.
  static const size_t bytes = [] {
    DeviceChoices longest;
    for (const Knob& knob : Knobs()) {
      longest.*knob.value = std::numeric_limits<int>::min();
    }
    return TuningText(longest).size();
  }();
  return bytes;
}

std::vector<uint8_t> TuningRecord(absl::string_view text) {
  std::vector<uint8_t> record(text.begin(), text.end());
  record.resize(TuningRecordBytes());
  return record;
}

std::string TextOfTuningRecord(absl::Span<const uint8_t> record) {
  return std::string(record.begin(),
                     std::find(record.begin(), record.end(), uint8_t{0}));
}

void ApplyTuning(absl::string_view text, DeviceChoices* choices) {
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    const std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    int value = 0;
    if (!absl::SimpleAtoi(pair.second, &value)) continue;
    for (const Knob& knob : Knobs()) {
      if (knob.name != pair.first || value < knob.least || value > knob.most) {
        continue;
      }
      choices->*knob.value = value;
    }
    if (pair.first == "storage" && value >= 0 &&
        value < static_cast<int>(std::size(kStorages))) {
      choices->storage = static_cast<Storage>(value);
    }
  }
}

}  // namespace gles_delegate
