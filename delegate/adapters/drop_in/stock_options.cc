#include "delegate/adapters/drop_in/stock_options.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gles_delegate::drop_in {
namespace {

constexpr int64_t kKnownFlags =
    TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_QUANT |
    TFLITE_GPU_EXPERIMENTAL_FLAGS_CL_ONLY |
    TFLITE_GPU_EXPERIMENTAL_FLAGS_GL_ONLY |
    TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_SERIALIZATION;

std::string OutOfRange(const char* field, int64_t value, const char* range) {
  return absl::StrCat(field, " is ", value, ", not ", range);
}

using Stock = TfLiteGpuDelegateOptionsV2;

// The keys and their fields, with the range of those of few values.
const struct {
  const char* name;
  std::variant<int32_t Stock::*, int64_t Stock::*, const char * Stock::*> field;
  int32_t least = 0, greatest = 0;
  const char* range = nullptr;
} kKeys[] = {
    {"is_precision_loss_allowed", &Stock::is_precision_loss_allowed, -1, 1,
     "-1, 0 or 1"},
    {"inference_preference", &Stock::inference_preference, 0, 2, "0 to 2"},
    {"inference_priority1", &Stock::inference_priority1, 0, 3, "0 to 3"},
    {"inference_priority2", &Stock::inference_priority2, 0, 3, "0 to 3"},
    {"inference_priority3", &Stock::inference_priority3, 0, 3, "0 to 3"},
    {"max_delegated_partitions", &Stock::max_delegated_partitions},
    {"experimental_flags", &Stock::experimental_flags},
    {"serialization_dir", &Stock::serialization_dir},
    {"model_token", &Stock::model_token},
};

// Checks the priorities by the stock delegate's rules; returns an error or "".
std::string CheckPriorities(const Stock& stock) {
  const int32_t first = stock.inference_priority1;
  const int32_t second = stock.inference_priority2;
  const int32_t third = stock.inference_priority3;
  constexpr int32_t kAuto = TFLITE_GPU_INFERENCE_PRIORITY_AUTO;
  if (first == kAuto) return "inference_priority1 is AUTO (0): name one";
  if (second == kAuto && third != kAuto) {
    return absl::StrCat("inference_priority3 is ", third,
                        " after an inference_priority2 of AUTO (0)");
  }
  if (first == second || first == third ||
      (second == third && second != kAuto)) {
    return absl::StrCat("inference_priority1 to 3 are ", first, ", ", second,
                        ", ", third, ": one comes twice");
  }
  return "";
}

std::string Check(const Stock& stock) {
  if (stock.experimental_flags & TFLITE_GPU_EXPERIMENTAL_FLAGS_CL_ONLY) {
    return "experimental_flags ask for OpenCL alone (CL_ONLY, 2), and this "
           "delegate is of OpenGL ES: leave the flag out";
  }
  for (const auto& key : kKeys) {
    if (key.range == nullptr) continue;
    const int32_t value = stock.*std::get<int32_t Stock::*>(key.field);
    if (value < key.least || value > key.greatest) {
      return OutOfRange(key.name, value, key.range);
    }
  }
  return CheckPriorities(stock);
}

// Whether start-up caches are used; sets their directory.
void MapSerialization(const TfLiteGpuDelegateOptionsV2& stock, Mapped* mapped) {
  if (!(stock.experimental_flags &
        TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_SERIALIZATION)) {
    return;
  }
  if (absl::NullSafeStringView(stock.serialization_dir).empty() ||
      absl::NullSafeStringView(stock.model_token).empty()) {
    mapped->warnings.push_back(
        "ENABLE_SERIALIZATION is set, and serialization_dir or model_token is "
        "not: nothing is kept for the next start");
    return;
  }
  mapped->options.serialization_dir = stock.serialization_dir;
  mapped->options.model_token = stock.model_token;
}

// Returns an error about one key and its value, or "".
std::string SetStockKey(const char* key, const char* value, Stock* stock) {
  std::string known;
  for (const auto& known_key : kKeys) {
    if (absl::string_view(key) != known_key.name) {
      absl::StrAppend(&known, known.empty() ? "" : ", ", known_key.name);
      continue;
    }
    const bool is_set = std::visit(
        [&](auto field) {
          if constexpr (std::is_same_v<decltype(field),
                                       const char * Stock::*>) {
            stock->*field = value;
            return true;
          } else {
            return absl::SimpleAtoi(value, &(stock->*field));
          }
        },
        known_key.field);
    return is_set ? ""
                  : absl::StrCat("option ", key, ": '", value,
                                 "' is not a whole number");
  }
  return absl::StrCat("unknown option '", key, "'; known are: ", known);
}

}  // namespace

Mapped FromV2(const Stock& stock) {
  Mapped mapped;
  mapped.refusal = Check(stock);
  if (!mapped.refusal.empty()) return mapped;
  TfLiteGlesDelegateOptions& options = mapped.options;
  options.is_precision_loss_allowed =
      stock.is_precision_loss_allowed == -1
          ? stock.inference_priority1 !=
                TFLITE_GPU_INFERENCE_PRIORITY_MAX_PRECISION
          : stock.is_precision_loss_allowed;
  options.wait_type =
      stock.inference_priority1 == TFLITE_GPU_INFERENCE_PRIORITY_MIN_LATENCY
          ? kTfLiteGlesWaitActive
          : kTfLiteGlesWaitPassive;
  if ((stock.experimental_flags & TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_QUANT) ==
      0) {
    options.quantized_compute = kTfLiteGlesQuantizedCpu;
  }
  // The stock delegate takes any number below 1 for no limit.
  options.max_delegated_partitions =
      std::max(0, stock.max_delegated_partitions);
  MapSerialization(stock, &mapped);
  if (stock.experimental_flags & ~kKnownFlags) {
    mapped.warnings.push_back(
        absl::StrCat("experimental_flags is ", stock.experimental_flags,
                     ", of which ", stock.experimental_flags & ~kKnownFlags,
                     " is not known here and has no effect"));
  }
  return mapped;
}

Mapped FromOlder(const TFLGpuDelegateOptions& stock) {
  Mapped mapped;
  TfLiteGlesDelegateOptions& options = mapped.options;
  options.is_precision_loss_allowed = stock.allow_precision_loss;
  if (!stock.enable_quantization) {
    options.quantized_compute = kTfLiteGlesQuantizedCpu;
  }
  switch (stock.wait_type) {
    case TFLGpuDelegateWaitTypePassive:
      break;
    case TFLGpuDelegateWaitTypeDoNotWait:
      mapped.warnings.push_back(
          "wait_type is DoNotWait, and outputs go to host memory: Invoke waits "
          "for them, asleep");
      break;
    case TFLGpuDelegateWaitTypeActive:
      options.wait_type = kTfLiteGlesWaitActive;
      break;
    case TFLGpuDelegateWaitTypeAggressive:
      options.wait_type = kTfLiteGlesWaitAggressive;
      break;
    default:
      mapped.refusal = OutOfRange(
          "wait_type", static_cast<int64_t>(stock.wait_type), "0 to 3");
  }
  return mapped;
}

std::string SetStockKeys(char** keys, char** values, size_t count,
                         TfLiteGpuDelegateOptionsV2* stock) {
  for (size_t i = 0; i < count; ++i) {
    if (keys[i] == nullptr) continue;
    std::string wrong =
        SetStockKey(keys[i], values[i] == nullptr ? "" : values[i], stock);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace gles_delegate::drop_in
