// Of accelerator.h: LiteRT's GPU options.
#include <iterator>
#include <sstream>
#include <string_view>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/adapters/litert/accelerator.h"

#define TOML_EXCEPTIONS 0
#include "toml++/toml.h"

namespace gles_delegate::litert {
namespace {

using Struct = TfLiteGlesDelegateOptions;

// A key with a number, each with the value that a field gets and what is said
// of it.
struct NumberKey {
  std::string_view key;
  int greatest;
  int32_t Struct::*field;  // nullptr: none
  int32_t values[4];
  const char* warnings[4];
};
constexpr NumberKey kNumberKeys[] = {
    // Sums are of 32 bits with each: fp16, fp32, fp16 with sums of fp32.
    {"precision", 3, &Struct::is_precision_loss_allowed, {0, 1, 0, 1}, {}},
    {"buffer_storage_type",
     2,
     &Struct::storage,
     {kTfLiteGlesStorageAuto, kTfLiteGlesStorageBuffer,
      kTfLiteGlesStorageTexture2d},
     {}},
    {"wait_type",
     3,
     &Struct::wait_type,
     {kTfLiteGlesWaitPassive, kTfLiteGlesWaitPassive, kTfLiteGlesWaitActive,
      kTfLiteGlesWaitPassive},
     {nullptr, nullptr, nullptr,
      "wait_type is 3 (do not wait), and outputs go to host memory: a run "
      "waits for them, asleep"}},
    {"backend",
     3,
     nullptr,
     {},
     {nullptr, "backend is 1 (OpenCL), and this accelerator is of OpenGL ES",
      "backend is 2 (WebGPU), and this accelerator is of OpenGL ES"}},
};

// A key with a text, which its field gets unless it is empty.
constexpr struct {
  std::string_view key;
  const char* Struct::*field;
} kTextKeys[] = {
    {"preferred_device_substr", &Struct::device},
    {"serialization_dir", &Struct::serialization_dir},
    {"model_cache_key", &Struct::model_token},
};

constexpr std::string_view kKeepsPrograms = "serialize_program_cache";
constexpr std::string_view kCacheFiles[] = {"program_cache_fd",
                                            "weight_cache_fd"};

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

template <typename Rows>
auto Find(const Rows& rows, std::string_view key) {
  return absl::c_find_if(rows,
                         [key](const auto& row) { return row.key == key; });
}

template <typename Keys>
bool Has(const Keys& keys, std::string_view key) {
  return absl::c_linear_search(keys, key);
}

// Sets what the key names.
absl::Status Take(std::string_view key, const toml::node& node,
                  MappedOptions* mapped) {
  const auto wrong = [key](absl::string_view is) {
    return Invalid("LiteRT's GPU option ", std::string(key), " ", is);
  };
  if (const auto row = Find(kNumberKeys, key); row != std::end(kNumberKeys)) {
    const auto number = node.value_exact<int64_t>();
    if (!number) return wrong("is no whole number");
    if (*number < 0 || *number > row->greatest) {
      return wrong(absl::StrCat("is ", *number, ", not 0 to ", row->greatest));
    }
    if (row->field != nullptr) {
      mapped->options.*row->field = row->values[*number];
    }
    const char* warning = row->warnings[*number];
    if (warning != nullptr) mapped->warnings.push_back(warning);
  } else if (const auto text_row = Find(kTextKeys, key);
             text_row != std::end(kTextKeys)) {
    const auto text = node.value_exact<std::string>();
    if (!text) return wrong("is no text");
    if (text->empty()) return absl::OkStatus();
    mapped->texts.push_back(std::make_unique<std::string>(*text));
    mapped->options.*text_row->field = mapped->texts.back()->c_str();
  } else if (key == kKeepsPrograms) {
    if (!node.is_boolean()) return wrong("is neither true nor false");
  } else if (!Has(kCacheFiles, key) && !Has(kWithoutEffect, key)) {
    mapped->unknown_keys.emplace_back(key);
  }
  return absl::OkStatus();
}

// The start-up cache needs a folder and a key.
void CheckCache(const toml::table& table, MappedOptions* mapped) {
  Struct& options = mapped->options;
  if (table.contains(kCacheFiles[0]) || table.contains(kCacheFiles[1])) {
    mapped->warnings.push_back(
        "the start-up cache is kept in serialization_dir, and in no open file "
        "(program_cache_fd, weight_cache_fd)");
  }
  const bool has_dir = options.serialization_dir != nullptr;
  const bool has_key = options.model_token != nullptr;
  if (has_dir != has_key) {
    mapped->warnings.push_back(absl::StrCat(
        has_dir ? "serialization_dir is set and model_cache_key is not"
                : "model_cache_key is set and serialization_dir is not",
        ": nothing is kept for the next start"));
  }
  if (has_dir != has_key || !table[kKeepsPrograms].value_or(true)) {
    options.serialization_dir = options.model_token = nullptr;
  }
}

}  // namespace

absl::StatusOr<MappedOptions> FromGpuOptions(absl::string_view toml) {
  const toml::parse_result parsed =
      toml::parse(std::string_view(toml.data(), toml.size()));
  if (!parsed) {
    std::ostringstream where;
    where << parsed.error();
    return Invalid("LiteRT's GPU options are no TOML: ", where.str());
  }
  MappedOptions mapped;
  for (const auto& [key, node] : parsed.table()) {
    RETURN_IF_ERROR(Take(key.str(), node, &mapped));
  }
  CheckCache(parsed.table(), &mapped);
  return mapped;
}

}  // namespace gles_delegate::litert
