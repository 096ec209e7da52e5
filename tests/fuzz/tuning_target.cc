#include <cstdio>
#include <cstdlib>
#include <string>

#include "delegate/device/device_profile.h"
#include "tests/fuzz/target.h"

namespace gles_delegate::fuzz {
namespace {

// A tuning comes back from its own text.
void RunTuning(absl::Span<const uint8_t> bytes) {
  DeviceChoices choices;
  (void)ApplyTuning({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                    &choices);
  const std::string text = TuningText(choices);
  DeviceChoices from_text;
  const absl::Status applied = ApplyTuning(text, &from_text);
  if (applied.ok() && TuningText(from_text) == text) return;
  std::fprintf(stderr, "'%s' became '%s' (%s)\n", text.c_str(),
               TuningText(from_text).c_str(), applied.ToString().c_str());
  std::abort();
}

std::vector<Bytes> Seeds() {
  std::vector<Bytes> seeds;
  const std::string defaults = TuningText(DeviceChoices());
  for (const std::string& text :
       {defaults, std::string("storage=3,conv_tile_pixels=16"),
        std::string("split_k_target=1073741824,,=,storage")}) {
    seeds.emplace_back(text.begin(), text.end());
  }
  return seeds;
}

}  // namespace

const Target& TuningTarget() {
  static const Target target = {"tuning", RunTuning, Seeds, 20000};
  return target;
}

}  // namespace gles_delegate::fuzz
