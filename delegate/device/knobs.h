// What of a device's choices may be tuned, by name: the one list of it.
#ifndef GLES_DELEGATE_DELEGATE_DEVICE_KNOBS_H_
#define GLES_DELEGATE_DELEGATE_DEVICE_KNOBS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/device/device_profile.h"

namespace gles_delegate {

// One number of DeviceChoices that decides how fast, never what.
struct Knob {
  absl::string_view name;
  int DeviceChoices::*value;
  int least;  // 0 where that turns something off
  int most;
  std::vector<int> candidates;  // of the search; empty: not searched
};
const std::vector<Knob>& Knobs();

// Storages by their number in a text.
constexpr gl_shaders::Storage kStorages[] = {
    gl_shaders::Storage::kTextureArray, gl_shaders::Storage::kTexture2d,
    gl_shaders::Storage::kBuffer, gl_shaders::Storage::kTexelBuffer};

// "conv_tile_pixels=4,...,storage=2": every knob's value. Equal texts, equal
// tuning.
std::string TuningText(const DeviceChoices& choices);

// Sets the knobs that `text` names. Unknown names and values out of a knob's
// range are ignored: the text may come from the environment or from a file.
void ApplyTuning(absl::string_view text, DeviceChoices* choices);

// The text as the start-up cache keeps it: TuningRecordBytes() bytes, which is
// room for the longest text of any choices, zeros behind the text.
size_t TuningRecordBytes();
// `text` is a TuningText().
std::vector<uint8_t> TuningRecord(absl::string_view text);
// What was a record's text; bytes that are no record give a text, too.
std::string TextOfTuningRecord(absl::Span<const uint8_t> record);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_DEVICE_KNOBS_H_
