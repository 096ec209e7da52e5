// The options of the delegate as C++ has them, from the C struct or from the
// external delegate's strings.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_OPTIONS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/cache/cache_store.h"
#include "egl/waiting.h"
#include "gles_delegate/gles_delegate.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

// Owns its strings; the fields are those of TfLiteGlesDelegateOptions.
struct Options {
  bool is_precision_loss_allowed = false;
  int max_delegated_partitions = -1;
  int min_nodes_per_partition = 1;
  bool enable_quantization = true;
  int storage = 0;
  int quantized_compute = 0;  // TfLiteGlesQuantizedCompute
  // kTfLiteGlesQuantizedAuto is the integer arithmetic, which gives the CPU's
  // own answers and is faster on llvmpipe and on an H200
  // (docs/quantization.md).
  bool computes_on_codes() const {
    return quantized_compute == kTfLiteGlesQuantizedAuto ||
           quantized_compute == kTfLiteGlesQuantizedInteger;
  }
  int tuning = 0;  // TfLiteGlesTuning
  bool allow_software = true;
  bool self_check = true;
  egl::Waiting waiting = egl::Waiting::kPassive;
  bool does_not_wait = false;
  bool saturate_halves = false;         // float16_overflow
  std::optional<bool> half_arithmetic;  // float16_arithmetic; nullopt: auto
  std::optional<bool> zero_copy;        // nullopt: auto
  std::optional<bool> background_compilation;  // nullopt: auto
  bool prefers_fast_start = false;             // inference_preference
  bool force_own_context = false;
  int verbosity = 1;
  std::string device;
  void* display = nullptr;  // the app's EGLDisplay; nullptr: any is looked for
  // Where a context of the delegate's own is made, as a part of a key.
  std::string PlaceOfOwnContext() const;
  std::vector<std::pair<int, int>> exclude_nodes;  // inclusive ranges
  std::vector<std::pair<int, int>> float32_nodes;  // likewise
  bool enable_op_profiling = false;
  bool fallback_to_cpu = false;
  bool prefer_faster = false;
  bool has_worker = false;  // thread_mode: either of the workers
  // The worker's context shares objects with that of whoever applies the
  // delegate.
  bool worker_shares = false;
  int thread_mode = kTfLiteGlesThreadCaller;
  // A context of the delegate's own stays current on the caller's thread
  // between calls.
  bool keeps_context = false;
  int64_t memory_limit_bytes = 0;  // 0: no limit
  std::string share_key;           // "": nothing is shared
  // nullopt: the kernels of the runtime that has loaded the delegate.
  std::optional<quant::CpuKernels> integer_rounding;
  std::string report_file;  // an absolute path; "": none
  // The value of GLES_DELEGATE_OPTIONS, for the report.
  std::string environment;
  CacheOptions cache;  // its directory is empty where no cache is wanted
};

// TfLiteGlesDelegateOptionsInit: writes `size` bytes of defaults to `*options`.
void InitOptions(TfLiteGlesDelegateOptions* options, size_t size);

// TfLiteGlesDelegateBestOptionsInit and ...BestOptionsText.
void InitBestOptions(TfLiteGlesDelegateOptions* options, size_t size);
const char* BestOptionsText();

// Reads `options->struct_size` bytes of `*options`, and no more: the caller's
// struct may be shorter than this header's. `options` is not nullptr. A field
// that has its default takes the value that GLES_DELEGATE_OPTIONS has for it.
// kInvalidArgument: a field's value is out of its range, struct_size is not one
// that a release of the struct has had, a field past the ones known here is
// set, or GLES_DELEGATE_OPTIONS is malformed.
absl::StatusOr<Options> OptionsFrom(const TfLiteGlesDelegateOptions* options);

// Reads keys with their values as text. A key that comes twice has its last
// value; one that does not come has that of GLES_DELEGATE_OPTIONS, else its
// default. kInvalidArgument: an unknown key or a bad value, here or in the
// variable, with the list of those that are known.
absl::StatusOr<Options> OptionsFrom(
    absl::Span<const std::pair<absl::string_view, absl::string_view>>
        keys_values);

// "3,17-20" -> {{3,3},{17,20}}. `option` is named in the error.
absl::StatusOr<std::vector<std::pair<int, int>>> ParseNodeRanges(
    absl::string_view option, absl::string_view text);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_OPTIONS_H_
