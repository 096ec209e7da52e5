// Functions of the runtime that a session calls.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_SESSION_HOST_H_
#define GLES_DELEGATE_DELEGATE_SESSION_SESSION_HOST_H_

#include <string>

#include "absl/status/status.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// Lives as long as one call to a session.
class SessionHost {
 public:
  virtual ~SessionHost() = default;
  virtual void Warn(const std::string& text) = 0;
  // Whether the nodes may run on the CPU if the GPU fails.
  virtual bool MayFallBack() const = 0;
  // The runtime runs the nodes from now on. kFailedPrecondition, with the
  // reason: it cannot.
  virtual absl::Status UseCpu() = 0;
  // kFailedPrecondition: an app's object cannot hold the tensor's values, since
  // another part of the model reads them from the CPU's memory.
  virtual absl::Status CheckMayBind(const Tensor& tensor) = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_SESSION_HOST_H_
