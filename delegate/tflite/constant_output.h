// A partition output that is constant after folding: each Invoke copies it,
// without a dispatch.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_CONSTANT_OUTPUT_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_CONSTANT_OUTPUT_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

class ConstantOutput {
 public:
  // `tensor` is constant, and TFLite has it at `index` with this type.
  // kUnimplemented: the type is not float32, int32 or bool.
  static absl::StatusOr<ConstantOutput> Of(const Tensor& tensor, int index,
                                           TfLiteType type);

  // kFailedPrecondition: the runtime's tensor has another size.
  absl::Status CopyTo(TfLiteContext* context) const;

 private:
  ConstantOutput(int index, std::vector<uint8_t> bytes);

  int index_;
  std::vector<uint8_t> bytes_;  // as the runtime's tensor holds them
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_CONSTANT_OUTPUT_H_
