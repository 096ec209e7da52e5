// The functions of the LiteRT runtime that loaded the accelerator.
#ifndef GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_RUNTIME_CONTEXT_H_
#define GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_RUNTIME_CONTEXT_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/adapters/litert/abi.h"

struct TfLiteDelegate;

namespace gles_delegate::litert {

// A view of LiteRtRuntimeContext, a struct of function pointers that LiteRT
// owns and that outlives each delegate. Members are read only if the struct is
// large enough and called only if not null, so that older and newer versions
// are safe.
class RuntimeContext {
 public:
  // kInvalidArgument: null. kFailedPrecondition: an unknown major version, or a
  // struct too short to make a delegate with.
  static absl::StatusOr<RuntimeContext> Read(const void* context);

  // The program's GPU options as TOML text; "" if there are none. `options` may
  // be null. kUnavailable: LiteRT has options but cannot find them.
  absl::StatusOr<std::string> GpuOptions(Options options) const;

  // The hardware that the model is to be compiled for, as bits (kCpu, kGpu);
  // nullopt if this LiteRT does not report it (before 1.1 of the struct).
  std::optional<int> Hardware(Options options) const;

  // The environment's pointer for `tag`, or null.
  const void* EnvironmentPointer(Environment environment,
                                 EnvironmentTag tag) const;

  // Passes `delegate` to LiteRT, which deletes it with `deleter`. kUnavailable:
  // the caller still owns the delegate.
  absl::Status WrapDelegate(TfLiteDelegate* delegate,
                            void (*deleter)(TfLiteDelegate* delegate),
                            DelegateWrapper* wrapper) const;

  const Header& header() const { return *header_; }

 private:
  explicit RuntimeContext(const void* context);

  enum class Member : size_t;

  // Null if the struct ends before the member or the member is null.
  template <typename Function>
  Function* At(Member member) const;

  const Header* header_;
};

}  // namespace gles_delegate::litert

#endif  // GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_RUNTIME_CONTEXT_H_
