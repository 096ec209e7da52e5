// A partition's nodes run by the kernels that the delegate replaced: for shapes
// that came after the delegate was applied and that the GPU does not take.
// TFLite keeps those nodes, but gives their inner tensors no memory.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_CPU_PARTITION_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_CPU_PARTITION_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "delegate/tflite/propagate_shapes.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

class CpuPartition {
 public:
  // kFailedPrecondition: a node has no kernel (a custom op that the app did not
  // register).
  static absl::Status Check(TfLiteContext* context, const NodeFinder& find,
                            absl::Span<const int> nodes);

  // Runs the nodes in this order, which PropagateShapes() has prepared.
  // kInternal: a kernel failed (it has told the runtime why).
  absl::Status Run(TfLiteContext* context, const NodeFinder& find,
                   absl::Span<const int> nodes);

 private:
  // Memory for those of `tensors` that TFLite gave none; until Run() ends.
  void Lend(TfLiteContext* context, const TfLiteIntArray* tensors,
            std::vector<int>* lent);

  // By tensor. It stays from one run to the next: kernels keep things there.
  absl::flat_hash_map<int, std::vector<uint8_t>> memory_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_CPU_PARTITION_H_
