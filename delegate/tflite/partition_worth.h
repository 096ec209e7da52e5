// Estimates from arithmetic and bytes whether a partition is worth its
// transfers to the GPU and back.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_PARTITION_WORTH_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_PARTITION_WORTH_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "delegate/tflite/reader.h"
#include "delegate/tflite/simple_delegate.h"

namespace gles_delegate {

struct PartitionWorth {
  double cpu_us = 0;       // of its nodes on the CPU
  double crossing_us = 0;  // of inputs, outputs and waiting
  int64_t operations = 0;  // multiplications and additions
  int64_t node_bytes = 0;  // read and written by its nodes
  int64_t crossing_bytes = 0;

  bool pays() const { return cpu_us > crossing_us; }
  // Of a loop that is replaced by the nodes of all its steps: whether that is
  // no worse than leaving it to the runtime. Few steps always are, as the nodes
  // before and after the loop then stay together.
  bool PaysAsLoop(size_t steps) const;
  static double GpuUsOfSteps(size_t steps);
  // "the CPU takes about 12 us for its 3 nodes, and crossing ... 104 us"
  std::string ToString() const;
};

// `partition` belongs to `model`, which has been checked.
PartitionWorth WorthOf(const CheckedModel& model,
                       const ModelPartition& partition);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_PARTITION_WORTH_H_
