// Memory for tensors that the runtime plans to keep in its arena but has given
// none there: those of nodes that are run outside of the runtime's Invoke.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_SCRATCH_MEMORY_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_SCRATCH_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Whether the runtime keeps the tensor in its arena.
bool IsInArena(const TfLiteTensor& t);

// Lends memory to tensors, and gives each its own back when it is destroyed.
class ScratchMemory {
 public:
  // By tensor. 16-byte aligned, as TFLite's kernels expect.
  using Blocks = absl::flat_hash_map<int, std::vector<uint8_t>>;

  // Both must outlive it. The memory is that of `blocks`.
  ScratchMemory(TfLiteContext* context, Blocks* blocks)
      : context_(context), blocks_(blocks) {}
  ~ScratchMemory();
  ScratchMemory(const ScratchMemory&) = delete;
  ScratchMemory& operator=(const ScratchMemory&) = delete;

  // Lends to all that the node writes: outputs, intermediates and temporaries.
  // Left alone are absent tensors (-1), those that are empty, variables or not
  // in the arena, and those that `keeps` is true of.
  void LendToNode(const TfLiteNode& node,
                  absl::FunctionRef<bool(int tensor)> keeps);

 private:
  void Lend(int id);

  // What the tensor itself had.
  struct Before {
    int tensor;
    char* data;
    size_t bytes;
  };
  TfLiteContext* context_;
  Blocks* blocks_;
  std::vector<Before> before_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_SCRATCH_MEMORY_H_
