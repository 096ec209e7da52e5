// Memory for tensors of the runtime's arena that have none yet, for running
// nodes outside the runtime's Invoke.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_SCRATCH_MEMORY_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_SCRATCH_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/hash_tables.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Whether the runtime allocates the tensor in its arena.
bool IsInArena(const TfLiteTensor& t);

// 0: strings, handles, and types of newer runtimes.
size_t ElementBytes(TfLiteType type);

// The tensor's size, by its shape if need be: TensorFlow Lite 2.21 and LiteRT
// set the size of tensors that they plan no memory for to zero. 0: it is past
// any address, too.
size_t BytesOf(const TfLiteTensor& t);

// Lends memory to tensors, and restores their own on destruction.
class ScratchMemory {
 public:
  // By tensor. 16-byte aligned, as TFLite's kernels expect.
  using Blocks = HashMap<int, std::vector<uint8_t>>;

  // Both must outlive this. The memory belongs to `blocks`.
  ScratchMemory(TfLiteContext* context, Blocks* blocks)
      : context_(context), blocks_(blocks) {}
  ~ScratchMemory();
  ScratchMemory(const ScratchMemory&) = delete;
  ScratchMemory& operator=(const ScratchMemory&) = delete;

  // Lends memory for everything that the node writes: outputs, intermediates
  // and temporaries; except absent (-1) and empty tensors, variables that have
  // memory, tensors outside the arena, and those for which `keeps` is true.
  void LendToNode(const TfLiteNode& node,
                  absl::FunctionRef<bool(int tensor)> keeps);

 private:
  void Lend(int id);

  // The tensor's own memory.
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
