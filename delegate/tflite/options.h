// The delegate's options in C++, from the C struct or the external delegate's
// strings.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_OPTIONS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_OPTIONS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/session/session.h"
#include "delegate/tflite/reader.h"
#include "gles_delegate/gles_delegate.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

// The variable for apps that cannot be changed: "key:value;...", with the keys
// of the external delegate.
inline constexpr char kEnvironmentOptions[] = "GLES_DELEGATE_OPTIONS";

// "3,17-20" -> {{3,3},{17,20}}. Errors name `option`.
absl::StatusOr<std::vector<std::pair<int, int>>> ParseNodeRanges(
    absl::string_view option, absl::string_view text);

// The option input_shapes: "ids=1x128,3=8x16".
absl::StatusOr<std::vector<std::pair<std::string, std::vector<int>>>>
ParseInputShapes(absl::string_view text);

// The options by who reads them: each layer declares its own. Owns its strings.
struct Options {
  GpuOptions gpu;
  PlanningOptions planning;
  SessionOptions session;
  ReadOptions read;  // but for what the runtime says
  int max_delegated_partitions = -1;
  int verbosity = 1;
  bool fallback_to_cpu = false;
  absl::string_view thread_mode = "caller";
  // The delegate's own context stays current on the caller's thread between
  // calls.
  bool pins_context = false;
  // By the tensor's name or index.
  std::vector<std::pair<std::string, std::vector<int>>> input_shapes;
  bool keeps_caches = false;  // state_pairs
  // GLES_DELEGATE_DEBUG=rounding; nullopt: the kernels of the runtime that
  // loaded the delegate.
  std::optional<quant::CpuKernels> integer_rounding;
  std::string report_file;  // an absolute path; "": none
  // The value of GLES_DELEGATE_OPTIONS, for the report.
  std::string environment;
};

// TfLiteGlesDelegateOptionsInit: writes `size` bytes of defaults to `*options`.
void InitOptions(TfLiteGlesDelegateOptions* options, size_t size);

// TfLiteGlesDelegateBestOptionsInit and ...BestOptionsText.
void InitBestOptions(TfLiteGlesDelegateOptions* options, size_t size);
const char* BestOptionsText();

// Reads `options->struct_size` bytes of `*options`, which may be less than this
// header's struct. `options` is not nullptr. Fields with their default, or with
// the choice "auto", take the value in GLES_DELEGATE_OPTIONS, if any.
// kInvalidArgument: a value is out of range, struct_size is not that of any
// release, an unknown field is set, or GLES_DELEGATE_OPTIONS is malformed.
absl::StatusOr<Options> OptionsFrom(const TfLiteGlesDelegateOptions* options);

// Reads keys with values as text. The last of repeated keys counts; missing
// keys come from GLES_DELEGATE_OPTIONS or have their default. kInvalidArgument:
// an unknown key or a bad value, here or in the variable, with a list of the
// known ones.
absl::StatusOr<Options> OptionsFrom(
    absl::Span<const std::pair<absl::string_view, absl::string_view>>
        keys_values);

// TfLiteGlesDelegateObjectInit().
void InitObject(TfLiteGlesObject* object, size_t size);

// The caller's struct, of whatever size, completed with defaults.
// kInvalidArgument: null, an unknown field is set, or a value is not listed in
// the header.
absl::StatusOr<TfLiteGlesObject> WholeObject(const TfLiteGlesObject* caller);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_OPTIONS_H_
