// Runs a partition's nodes with TFLite's CPU kernels, inside the delegate: if
// the GPU does not support shapes set after the delegate was applied, and for
// prefer_faster. TFLite keeps replaced nodes, but allocates no memory for their
// inner tensors.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_CPU_PARTITION_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_CPU_PARTITION_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "delegate/tflite/propagate_shapes.h"
#include "delegate/tflite/scratch_memory.h"
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
  // all other tensors. kInternal: a kernel failed and reported why.
  absl::Status Run(TfLiteContext* context);

 private:
  NodeFinder find_;
  ModelPartition partition_;
  absl::flat_hash_set<int> outputs_;  // of the partition
  // Kept between runs, since kernels store data there.
  ScratchMemory::Blocks memory_;
};

// Redirects the partition's inputs and outputs to its own memory while it
// lives, so that runs leave the app's values alone. Float32 inputs are random
// in [-1, 1], all others zero, since integers may be indices. Constants and
// data prepared by kernels are unchanged.
class TrialMemory {
 public:
  // `context` must outlive this. Inputs and outputs must not be variable or
  // dynamic tensors.
  TrialMemory(TfLiteContext* context, const ModelPartition& partition);
  ~TrialMemory();
  TrialMemory(const TrialMemory&) = delete;
  TrialMemory& operator=(const TrialMemory&) = delete;

 private:
  void Borrow(int id);

  struct Place {
    int tensor = 0;
    char* before = nullptr;
    std::vector<uint8_t> memory;
  };
  TfLiteContext* context_;
  std::vector<Place> places_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_CPU_PARTITION_H_
