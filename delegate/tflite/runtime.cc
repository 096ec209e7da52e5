#include "delegate/tflite/runtime.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gles_delegate {
namespace {

using quant::CpuKernels;

constexpr std::pair<absl::string_view, CpuKernels> kNames[] = {
    {"tflite", CpuKernels::kTflite},
    {"tflite_arm", CpuKernels::kTfliteArm},
    {"tflite_2_14", CpuKernels::kTflite214},
    {"tflite_wheel", CpuKernels::kTfliteWheel},
    {"litert", CpuKernels::kLitert},
    {"xnnpack", CpuKernels::kXnnpack},
    {"reference", CpuKernels::kReference},
};

// The address of a function of the runtime; nullptr: the context has none.
const void* FunctionOf(const TfLiteContext& context) {
  // By memcpy: a function's address is no object's.
  const void* address = nullptr;
  static_assert(sizeof(address) == sizeof(context.GetExecutionPlan));
  std::memcpy(&address, &context.GetExecutionPlan, sizeof(address));
  return address;
}

// How far from its start a subgraph may hold its context, in bytes. (2.9: 16.)
constexpr uintptr_t kMaxOffset = 4096;

// The base address of the program or library that contains `address`, or
// nullptr.
const void* ModuleOf(const void* address) {
  Dl_info info = {};
  return address != nullptr && dladdr(address, &info) != 0 ? info.dli_fbase
                                                           : nullptr;
}

// The context is part of the object that impl_ points to.
bool IsPartOfSubgraph(const TfLiteContext& context) {
  const auto own = reinterpret_cast<uintptr_t>(&context);
  const auto subgraph = reinterpret_cast<uintptr_t>(context.impl_);
  return subgraph != 0 && subgraph <= own && own - subgraph < kMaxOffset;
}

// The library that contains a function of the context.
std::string LibraryOf(const TfLiteContext& context) {
  const void* address = FunctionOf(context);
  Dl_info info = {};
  if (address == nullptr || dladdr(address, &info) == 0 ||
      info.dli_fname == nullptr) {
    return "";
  }
  return info.dli_fname;
}

// The result of function `name` of the library, which is loaded, or of one that
// it is linked with. Not of others: an app may have two runtimes.
std::string TextFrom(const std::string& library, const char* name) {
  void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return "";
  std::string text;
  if (void* symbol = dlsym(handle, name); symbol != nullptr) {
    const char* (*function)() = nullptr;
    std::memcpy(&function, &symbol, sizeof(function));
    const char* value = function();
    if (value != nullptr) text = value;
  }
  dlclose(handle);
  return text;
}

struct NodeAddress {
  intptr_t node = 0;
  intptr_t registration = 0;
};

struct Release {
  int major = 0;
  int minor = 0;
};

// Of "2.14.1". nullopt: `version` is no such text.
std::optional<Release> ReleaseOf(absl::string_view version) {
  const std::vector<absl::string_view> parts = absl::StrSplit(version, '.');
  Release release;
  if (parts.size() < 2 || !absl::SimpleAtoi(parts[0], &release.major) ||
      !absl::SimpleAtoi(parts[1], &release.minor)) {
    return std::nullopt;
  }
  return release;
}

}  // namespace

// The runtime stores nodes as consecutive pairs of a TfLiteNode and a
// TfLiteRegistration.
int RegistrationBytesOf(TfLiteContext* context) {
  TfLiteIntArray* plan = nullptr;
  if (context->GetExecutionPlan == nullptr ||
      context->GetNodeAndRegistration == nullptr ||
      context->GetExecutionPlan(context, &plan) != kTfLiteOk ||
      plan == nullptr || plan->size < 2) {
    return 0;
  }
  NodeAddress at[2];
  for (int i = 0; i < 2; ++i) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (context->GetNodeAndRegistration(context, plan->data[i], &node,
                                        &registration) != kTfLiteOk) {
      return 0;
    }
    at[i] = {reinterpret_cast<intptr_t>(node),
             reinterpret_cast<intptr_t>(registration)};
  }
  const intptr_t apart = plan->data[1] - plan->data[0];
  const intptr_t node_bytes = at[0].registration - at[0].node;
  if (apart == 0 || (at[1].node - at[0].node) % apart != 0 ||
      at[1].registration - at[1].node != node_bytes) {
    return 0;
  }
  const intptr_t bytes = (at[1].node - at[0].node) / apart - node_bytes;
  constexpr intptr_t kMax = 1024;
  const bool likely =
      node_bytes >= static_cast<intptr_t>(sizeof(TfLiteNode)) / 2 &&
      node_bytes < kMax && bytes > 0 && bytes < kMax;
  return likely ? static_cast<int>(bytes) : 0;
}

Runtime RuntimeOf(TfLiteContext* context) {
  Runtime runtime;
  runtime.library = LibraryOf(*context);
  if (!runtime.library.empty()) {
    for (const char* function : {"TfLiteVersion", "TF_Version"}) {
      if (!runtime.version.empty()) break;
      runtime.version = TextFrom(runtime.library, function);
    }
  }
  runtime.registration_bytes = RegistrationBytesOf(context);
  runtime.of_2_14 = IsRuntimeOf214(*context);
  return runtime;
}

bool IsRuntimeOf214(const TfLiteContext& context) {
  if (!IsPartOfSubgraph(context)) return false;
  const void* behind;
  std::memcpy(&behind,
              reinterpret_cast<const char*>(&context) + sizeof(context),
              sizeof(behind));
  const void* runtime = ModuleOf(FunctionOf(context));
  return runtime != nullptr && runtime == ModuleOf(behind);
}

int ParamsMinorOf(const Runtime& runtime) {
  if (runtime.of_2_14) return 14;
  if (const std::optional<Release> release = ReleaseOf(runtime.version)) {
    return release->major == 2 ? release->minor : 0;
  }
  // Only 2.13 has registrations of this size: 80 bytes with 64-bit pointers.
  constexpr int k213 = sizeof(TfLiteRegistration) + 2 * sizeof(void*);
  return runtime.registration_bytes == k213 ? 13 : 0;
}

CpuKernels CpuKernelsOf(const Runtime& runtime) {
  if (runtime.asked) return *runtime.asked;
  // The last version that was seen to leave 8-bit nodes to the built-in
  // kernels; the next one that was measured gives them to XNNPACK.
  constexpr int kLastMajor = 2, kLastMinorWithout = 15;
  // From here on MEAN and SUM are others.
  constexpr int kMinorOfNewMeans = 13;
  if (const std::optional<Release> release = ReleaseOf(runtime.version)) {
    const bool older =
        release->major < kLastMajor ||
        (release->major == kLastMajor && release->minor <= kLastMinorWithout);
    if (!older) return CpuKernels::kXnnpack;
    return release->major == kLastMajor && release->minor >= kMinorOfNewMeans
               ? CpuKernels::kTflite214
               : CpuKernels::kTflite;
  }
  // The package tflite-runtime ended with 2.14.
  if (absl::StrContains(runtime.library, "tflite_runtime")) {
    return CpuKernels::kTfliteWheel;
  }
  // 2.14's registrations have 88 bytes with 64-bit pointers.
  constexpr int kNewest = sizeof(TfLiteRegistration) + 3 * sizeof(void*);
  if (runtime.registration_bytes > 0 && runtime.registration_bytes < kNewest) {
    return CpuKernels::kTflite;
  }
  return CpuKernels::kXnnpack;
}

absl::string_view CpuKernelsName(CpuKernels kernels) {
  for (const auto& [name, value] : kNames) {
    if (value == kernels) return name;
  }
  return "";
}

absl::StatusOr<CpuKernels> CpuKernelsFromName(absl::string_view name) {
  std::string known = "auto";
  for (const auto& [text, value] : kNames) {
    if (absl::EqualsIgnoreCase(text, name)) return value;
    absl::StrAppend(&known, ", ", text);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "GLES_DELEGATE_DEBUG=rounding: '", name, "' is none of ", known));
}

}  // namespace gles_delegate
