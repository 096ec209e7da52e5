// Runs a partition's nodes with TFLite's CPU kernels, inside the delegate, if
// the GPU does not support shapes set after the delegate was applied. TFLite
// keeps replaced nodes, but allocates no memory for their inner tensors.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_CPU_PARTITION_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_CPU_PARTITION_H_

#include "absl/status/status.h"
#include "base/hash_tables.h"
#include "delegate/tflite/propagate_shapes.h"
#include "delegate/tflite/scratch_memory.h"
#include "delegate/tflite/shape_values.h"
#include "delegate/tflite/simple_delegate.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

class CpuPartition {
 public:
  CpuPartition(const NodeFinder& find, ModelPartition partition);

  // kFailedPrecondition: a node has no kernel (an unregistered custom op).
  absl::Status Check(TfLiteContext* context) const;

  // Runs the nodes in order, after PropagateShapes() has prepared them. Uses
  // the runtime's memory for the partition's inputs and outputs and its own for
  // all other tensors. `values`: those of tensors that follow from shapes.
  // kInternal: a kernel failed and reported why.
  absl::Status Run(TfLiteContext* context, TensorValues* values);

 private:
  NodeFinder find_;
  ModelPartition partition_;
  HashSet<int> outputs_;  // of the partition
  // Kept between runs, since kernels store data there.
  ScratchMemory::Blocks memory_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_CPU_PARTITION_H_
