// The tuning parameters (tuning.inc): members of DeviceChoices by name.
#ifndef GLES_DELEGATE_DELEGATE_DEVICE_TUNING_PARAMETERS_H_
#define GLES_DELEGATE_DELEGATE_DEVICE_TUNING_PARAMETERS_H_

#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "delegate/device/device_profile.h"

namespace gles_delegate {

// One member of DeviceChoices: an integer, or an enum by its number.
struct TuningParameter {
  using Member =
      std::variant<int DeviceChoices::*, gl_shaders::Storage DeviceChoices::*,
                   gl_shaders::ReadBy DeviceChoices::*>;
  absl::string_view name;
  Member member;
  int min;
  int max;
  std::vector<int> candidates;  // Tried by the search; may be empty.

  int Get(const DeviceChoices& choices) const;
  // Requires `value` to be in range.
  void Set(int value, DeviceChoices* choices) const;
};

// All members of DeviceChoices, each once, except the defaults of options.
const std::vector<TuningParameter>& TuningParameters();

// The choices of a baseline plan, which a partition runs until the programs of
// its optimized plan are compiled, for drivers that compile slowly: the fewest
// and simplest programs, one output per invocation, nothing fused, split or
// unrolled, programs shared as much as possible. Storage and transfers stay as
// they are, so that a partition can switch plans and keep the memory of its
// inputs and outputs.
DeviceChoices BaselineChoices(DeviceChoices choices);

// "storage=2,conv_tile_pixels=4,...", with all values. Choices with
// equal texts differ at most in the defaults of options.
std::string TuningText(const DeviceChoices& choices);
// Sets the parameters in `text`, "name=value,..."; the last of repeated names
// counts. kInvalidArgument, with `*choices` unchanged: a name is unknown, a
// value is out of range or no integer, or an item has no value.
absl::Status ApplyTuning(absl::string_view text, DeviceChoices* choices);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_DEVICE_TUNING_PARAMETERS_H_
