#include "delegate/adapters/litert/runtime_context.h"

#include <cstring>

#include "absl/strings/str_cat.h"

namespace gles_delegate::litert {
namespace {

constexpr char kGpuOptionsIdentifier[] = "gpu_options";

std::string Version(const Header& header) {
  return absl::StrCat(header.major, ".", header.minor, " of ",
                      header.struct_size, " bytes");
}

}  // namespace

// The members that are called, by their offsets in bytes.
enum class RuntimeContext::Member : size_t {
  kGetOpaqueOptions = 80,
  kFindOpaqueOptionsData = 88,
  kGetEnvironmentOptions = 104,
  kGetEnvironmentOptionsValue = 112,
  kWrapDelegate = 144,
  kGetHardware = 400,  // since version 1.1
};

RuntimeContext::RuntimeContext(const void* context)
    : header_(static_cast<const Header*>(context)) {}

template <typename Function>
Function* RuntimeContext::At(Member member) const {
  const auto offset = static_cast<size_t>(member);
  Function* function = nullptr;
  if (offset + sizeof(function) <= header_->struct_size) {
    std::memcpy(&function, reinterpret_cast<const char*>(header_) + offset,
                sizeof(function));
  }
  return function;
}

absl::StatusOr<RuntimeContext> RuntimeContext::Read(const void* context) {
  if (context == nullptr) {
    return absl::InvalidArgumentError("LiteRT gave no runtime context");
  }
  const RuntimeContext made(context);
  if (made.header_->major != kMajor) {
    return absl::FailedPreconditionError(
        absl::StrCat("LiteRT's runtime context has version ",
                     Version(*made.header_), ", and this library knows ",
                     kMajor, ".x: install a newer gles_delegate"));
  }
  if (made.At<void()>(Member::kWrapDelegate) == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        "LiteRT's runtime context has version ", Version(*made.header_),
        ", without a function at ", static_cast<size_t>(Member::kWrapDelegate),
        " that takes a delegate: install LiteRT 2.2 or newer"));
  }
  return made;
}

absl::StatusOr<std::string> RuntimeContext::GpuOptions(Options options) const {
  auto* get = At<int(Options, void**)>(Member::kGetOpaqueOptions);
  auto* find =
      At<int(void*, const char*, void**)>(Member::kFindOpaqueOptionsData);
  if (options == nullptr || get == nullptr || find == nullptr) return "";
  void* opaque = nullptr;
  if (get(options, &opaque) != kOk || opaque == nullptr) return "";
  void* data = nullptr;
  const int status = find(opaque, kGpuOptionsIdentifier, &data);
  if (status == kNotFound) return "";
  if (status != kOk) {
    return absl::UnavailableError(absl::StrCat(
        "LiteRT cannot give its GPU options (status ", status, ")"));
  }
  return data == nullptr ? std::string() : static_cast<const char*>(data);
}

std::optional<int> RuntimeContext::Hardware(Options options) const {
  auto* get = At<int(Options, int*)>(Member::kGetHardware);
  int hardware = 0;
  if (options == nullptr || get == nullptr || get(options, &hardware) != kOk) {
    return std::nullopt;
  }
  return hardware;
}

const void* RuntimeContext::EnvironmentPointer(Environment environment,
                                               EnvironmentTag tag) const {
  auto* get = At<int(Environment, void**)>(Member::kGetEnvironmentOptions);
  auto* value = At<int(void*, int, Any*)>(Member::kGetEnvironmentOptionsValue);
  if (environment == nullptr || get == nullptr || value == nullptr) {
    return nullptr;
  }
  void* options = nullptr;
  Any any = {};
  if (get(environment, &options) != kOk || options == nullptr ||
      value(options, tag, &any) != kOk || any.type == 0) {
    return nullptr;
  }
  // Programs store EGL's handles as pointers or as integers of their size.
  return any.pointer;
}

absl::Status RuntimeContext::WrapDelegate(TfLiteDelegate* delegate,
                                          void (*deleter)(TfLiteDelegate*),
                                          DelegateWrapper* wrapper) const {
  auto* wrap =
      At<int(TfLiteDelegate*, void (*)(TfLiteDelegate*), DelegateWrapper*)>(
          Member::kWrapDelegate);
  const int status = wrap(delegate, deleter, wrapper);
  if (status == kOk) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("LiteRT does not take the delegate (status ", status, ")"));
}

}  // namespace gles_delegate::litert
