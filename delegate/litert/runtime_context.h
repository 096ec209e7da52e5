// The functions of the LiteRT that loaded the accelerator.
#ifndef GLES_DELEGATE_DELEGATE_LITERT_RUNTIME_CONTEXT_H_
#define GLES_DELEGATE_DELEGATE_LITERT_RUNTIME_CONTEXT_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/litert/abi.h"

struct TfLiteDelegate;

namespace gles_delegate::litert {

// A view of LiteRtRuntimeContext, a struct of function pointers that LiteRT
// owns and that outlives each delegate. A member is read only where the
// struct's own size says that it is there, and called only where it is not
// null, so that older and newer versions are both safe.
class RuntimeContext {
 public:
  // kInvalidArgument: null. kFailedPrecondition: a major version that this
  // library does not know, or a struct too short to make a delegate with.
  static absl::StatusOr<RuntimeContext> Read(const void* context);

  // The text of the program's GPU options, TOML; "": it has none. `options` may
  // be null. kUnavailable: LiteRT has options and cannot find them.
  absl::StatusOr<std::string> GpuOptions(Options options) const;

  // What the program asked the model to be compiled for, as bits (kCpu, kGpu);
  // nothing where this LiteRT does not tell (before 1.1 of the struct).
  std::optional<int> Hardware(Options options) const;

  // The pointer that the environment was made with under `tag`; null where it
  // has none.
  const void* EnvironmentPointer(Environment environment,
                                 EnvironmentTag tag) const;

  // Hands `delegate` to LiteRT, which deletes it by `deleter`. kUnavailable,
  // and the delegate is still the caller's.
  absl::Status WrapDelegate(TfLiteDelegate* delegate,
                            void (*deleter)(TfLiteDelegate* delegate),
                            DelegateWrapper* wrapper) const;

  const Header& header() const { return *header_; }

 private:
  explicit RuntimeContext(const void* context);

  enum class Member : size_t;

  // Null where the struct ends before the member, or holds null there.
  template <typename Function>
  Function* At(Member member) const;

  const Header* header_;
};

}  // namespace gles_delegate::litert

#endif  // GLES_DELEGATE_DELEGATE_LITERT_RUNTIME_CONTEXT_H_
