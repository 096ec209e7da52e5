// A partition's nodes run by TFLite's own CPU kernels, beside the delegate's:
// where shapes came after the delegate was applied that the GPU does not take,
// and where prefer_faster compares the two. TFLite keeps the nodes that a
// delegate replaced, but gives their inner tensors no memory.
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

  // kFailedPrecondition: a node has no kernel (a custom op that the app did not
  // register).
  absl::Status Check(TfLiteContext* context) const;

  // Runs the nodes in their order; PropagateShapes() has prepared them. Reads
  // and writes the runtime's memory at the partition's inputs and outputs, and
  // memory of its own everywhere else.
  // kInternal: a kernel failed (it has told the runtime why).
  absl::Status Run(TfLiteContext* context);

 private:
  NodeFinder find_;
  ModelPartition partition_;
  absl::flat_hash_set<int> outputs_;  // of the partition
  // It stays from one run to the next: kernels keep things there.
  ScratchMemory::Blocks memory_;
};

// While it lives, the partition's inputs and outputs are in memory of its own:
// for runs that leave the app's values alone. Float32 inputs are random numbers
// from -1 to 1, all others zero, as integers may be indices. Constants and what
// kernels computed when they were prepared stay as they are.
class TrialMemory {
 public:
  // `context` must outlive it. No input or output may be a variable or dynamic
  // tensor.
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
