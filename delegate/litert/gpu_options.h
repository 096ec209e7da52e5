// LiteRT's GPU options as the delegate's.
#ifndef GLES_DELEGATE_DELEGATE_LITERT_GPU_OPTIONS_H_
#define GLES_DELEGATE_DELEGATE_LITERT_GPU_OPTIONS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gles_delegate/gles_delegate.h"

namespace gles_delegate::litert {

// What becomes of the options of one model.
struct MappedOptions {
  // Points to the texts below, which the object owns.
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  // What is done otherwise than asked, a sentence each.
  std::vector<std::string> warnings;
  // Keys that LiteRT has and this library does not know.
  std::vector<std::string> unknown_keys;

  std::unique_ptr<std::string> serialization_dir;
  std::unique_ptr<std::string> model_token;
  std::unique_ptr<std::string> device;
};

// `toml`: the text of LiteRT's "gpu_options"; "": all defaults. Each key, and
// what it becomes, is a row of docs/litert.md. kInvalidArgument: no TOML, with
// the line; a key whose value is of another type or out of range.
absl::StatusOr<MappedOptions> FromGpuOptions(absl::string_view toml);

}  // namespace gles_delegate::litert

#endif  // GLES_DELEGATE_DELEGATE_LITERT_GPU_OPTIONS_H_
