// A partition output that is constant after folding: each Invoke copies it,
// without a dispatch.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_CONSTANT_OUTPUT_H_
#define GLES_DELEGATE_DELEGATE_SESSION_CONSTANT_OUTPUT_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/session/host_memory.h"

namespace gles_delegate {

class ConstantOutput {
 public:
  // `tensor` is constant, and the runtime has it at `index` with this type.
  // kUnimplemented: the type is not float32, float16, an integer or bool.
  static absl::StatusOr<ConstantOutput> Of(const Tensor& tensor, int index,
                                           DataType type);

  // kFailedPrecondition: the runtime's tensor has another size.
  absl::Status CopyTo(const HostMemory& memory) const;
  // The runtime's index of the tensor.
  int index() const { return index_; }

 private:
  ConstantOutput(int index, std::vector<uint8_t> bytes);

  int index_;
  std::vector<uint8_t> bytes_;  // as the runtime's tensor holds them
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_CONSTANT_OUTPUT_H_
