#include "delegate/adapters/litert/gpu_options.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#define TOML_EXCEPTIONS 0
#include "base/status_macros.h"
#include "toml++/toml.h"

namespace gles_delegate::litert {
namespace {

// LiteRT's numbers.
enum Precision { kPrecisionDefault, kFp16, kFp32, kFp16WithFp32Sums };
enum Storage { kStorageDefault, kBuffer, kTexture2d };
enum Wait { kWaitDefault, kPassive, kActive, kDoNotWait };
enum Backend { kAutomatic, kOpenCl, kWebGpu, kOpenGl };

// Known to LiteRT, and without a meaning here (docs/litert.md says why).
constexpr std::string_view kWithoutEffect[] = {
    "allow_src_quantized_fc_conv_ops",
    "benchmark_mode",
    "buffer_storage_tensor_patterns",
    "cache_only_compiled_programs",
    "convert_weights_on_gpu",
    "disable_shader_optimization",
    "enable_constant_tensors_sharing",
    "enable_infinite_float_capping",  // as by default here
    "enable_metal_residency_set",
    "external_tensor_patterns",
    "external_tensors_mode",
    "hint_fully_delegated_to_single_delegate",
    "hint_waiting_for_completion",
    "kernel_batch_size",
    "madvise_original_shared_tensors",
    "num_steps_of_command_buffer_preparations",
    "num_threads_to_compile",
    "num_threads_to_upload",
    "prefer_texture_weights",
    "priority",
    "serialize_external_tensors",
    "shared_tensor_maps",
    "use_metal_argument_buffers",
    "wait_for_weights_conversion_complete",
};

absl::Status Wrong(std::string_view key, absl::string_view is) {
  return absl::InvalidArgumentError(
      absl::StrCat("LiteRT's GPU option ", std::string(key), " ", is));
}

// Reads the values of one table, each by its key.
class Reader {
 public:
  explicit Reader(const toml::table& table) : table_(table) {}

  // Leaves `*value` unchanged if the key is absent.
  absl::Status Number(std::string_view key, int64_t greatest, int* value) {
    const toml::node* node = Find(key);
    if (node == nullptr) return absl::OkStatus();
    const auto number = node->value_exact<int64_t>();
    if (!number) return Wrong(key, "is no whole number");
    if (*number < 0 || *number > greatest) {
      return Wrong(key, absl::StrCat("is ", *number, ", not 0 to ", greatest));
    }
    *value = static_cast<int>(*number);
    return absl::OkStatus();
  }

  absl::Status Flag(std::string_view key, bool* value) {
    const toml::node* node = Find(key);
    if (node == nullptr) return absl::OkStatus();
    const auto flag = node->value_exact<bool>();
    if (!flag) return Wrong(key, "is neither true nor false");
    *value = *flag;
    return absl::OkStatus();
  }

  // Null if the key is absent or its text empty.
  absl::Status Text(std::string_view key, std::unique_ptr<std::string>* value) {
    const toml::node* node = Find(key);
    if (node == nullptr) return absl::OkStatus();
    const auto text = node->value_exact<std::string>();
    if (!text) return Wrong(key, "is no text");
    if (!text->empty()) *value = std::make_unique<std::string>(*text);
    return absl::OkStatus();
  }

  bool Has(std::string_view key) { return Find(key) != nullptr; }

  // The unused keys.
  std::vector<std::string> Unknown() const {
    std::vector<std::string> unknown;
    for (const auto& [key, node] : table_) {
      const std::string_view name = key.str();
      const auto is = [name](std::string_view known) { return known == name; };
      if (std::none_of(asked_.begin(), asked_.end(), is) &&
          std::none_of(std::begin(kWithoutEffect), std::end(kWithoutEffect),
                       is)) {
        unknown.emplace_back(name);
      }
    }
    return unknown;
  }

 private:
  const toml::node* Find(std::string_view key) {
    asked_.push_back(key);
    return table_.get(key);
  }

  const toml::table& table_;
  std::vector<std::string_view> asked_;  // literals
};

absl::Status MapArithmetic(Reader* reader, MappedOptions* mapped) {
  int precision = kPrecisionDefault;
  RETURN_IF_ERROR(reader->Number("precision", 3, &precision));
  TfLiteGlesDelegateOptions& options = mapped->options;
  // Sums are of 32 bits with either of the two.
  if (precision == kFp16 || precision == kFp16WithFp32Sums) {
    options.is_precision_loss_allowed = 1;
  }
  return absl::OkStatus();
}

absl::Status MapDevice(Reader* reader, MappedOptions* mapped) {
  int storage = kStorageDefault, wait = kWaitDefault, backend = kAutomatic;
  for (const absl::Status& status :
       {reader->Number("buffer_storage_type", 2, &storage),
        reader->Number("wait_type", 3, &wait),
        reader->Number("backend", 3, &backend),
        reader->Text("preferred_device_substr", &mapped->device)}) {
    if (!status.ok()) return status;
  }
  TfLiteGlesDelegateOptions& options = mapped->options;
  if (storage == kBuffer) options.storage = kTfLiteGlesStorageBuffer;
  if (storage == kTexture2d) options.storage = kTfLiteGlesStorageTexture2d;
  if (wait == kActive) options.wait_type = kTfLiteGlesWaitActive;
  if (wait == kDoNotWait) {
    mapped->warnings.push_back(
        "wait_type is 3 (do not wait), and outputs go to host memory: a run "
        "waits for them, asleep");
  }
  if (backend == kOpenCl || backend == kWebGpu) {
    mapped->warnings.push_back(absl::StrCat(
        "backend is ", backend, backend == kOpenCl ? " (OpenCL)" : " (WebGPU)",
        ", and this accelerator is of OpenGL ES"));
  }
  if (mapped->device != nullptr) options.device = mapped->device->c_str();
  return absl::OkStatus();
}

absl::Status MapCache(Reader* reader, MappedOptions* mapped) {
  bool programs = true;
  for (const absl::Status& status :
       {reader->Text("serialization_dir", &mapped->serialization_dir),
        reader->Text("model_cache_key", &mapped->model_token),
        reader->Flag("serialize_program_cache", &programs)}) {
    if (!status.ok()) return status;
  }
  if (reader->Has("program_cache_fd") || reader->Has("weight_cache_fd")) {
    mapped->warnings.push_back(
        "the start-up cache is kept in serialization_dir, and in no open file "
        "(program_cache_fd, weight_cache_fd)");
  }
  const bool has_dir = mapped->serialization_dir != nullptr;
  const bool has_key = mapped->model_token != nullptr;
  if (has_dir != has_key) {
    mapped->warnings.push_back(absl::StrCat(
        has_dir ? "serialization_dir is set and model_cache_key is not"
                : "model_cache_key is set and serialization_dir is not",
        ": nothing is kept for the next start"));
    return absl::OkStatus();
  }
  if (!has_dir || !programs) return absl::OkStatus();
  mapped->options.serialization_dir = mapped->serialization_dir->c_str();
  mapped->options.model_token = mapped->model_token->c_str();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<MappedOptions> FromGpuOptions(absl::string_view toml) {
  const toml::parse_result parsed =
      toml::parse(std::string_view(toml.data(), toml.size()));
  if (!parsed) {
    std::ostringstream where;
    where << parsed.error();
    return absl::InvalidArgumentError(
        absl::StrCat("LiteRT's GPU options are no TOML: ", where.str()));
  }
  MappedOptions mapped;
  Reader reader(parsed.table());
  for (auto* map : {MapArithmetic, MapDevice, MapCache}) {
    RETURN_IF_ERROR(map(&reader, &mapped));
  }
  mapped.unknown_keys = reader.Unknown();
  return mapped;
}

}  // namespace gles_delegate::litert
