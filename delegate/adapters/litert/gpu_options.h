// Maps LiteRT's GPU options to the delegate's.
#ifndef GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_GPU_OPTIONS_H_
#define GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_GPU_OPTIONS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gles_delegate/gles_delegate.h"

namespace gles_delegate::litert {

// The mapped options of one model.
struct MappedOptions {
  // Points to `texts`.
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  // One sentence for each deviation from the request.
  std::vector<std::string> warnings;
  // LiteRT's keys that this library does not know.
  std::vector<std::string> unknown_keys;
  std::vector<std::unique_ptr<std::string>> texts;
};

// `toml`: the text of LiteRT's "gpu_options"; "": all defaults. docs/litert.md
// lists the keys and their meaning. kInvalidArgument: not TOML, with the line;
// or a value of the wrong type or out of range.
absl::StatusOr<MappedOptions> FromGpuOptions(absl::string_view toml);

}  // namespace gles_delegate::litert

#endif  // GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_GPU_OPTIONS_H_
