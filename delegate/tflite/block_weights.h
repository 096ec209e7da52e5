// Weights with a scale for each block of a row: TFLite's blockwise
// quantization.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_BLOCK_WEIGHTS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_BLOCK_WEIGHTS_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash_tables.h"
#include "delegate/graph/graph.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

class BlockWeights {
 public:
  // Notes the blocks of the runtime's tensor `id`, if it has some.
  void Read(int id, const TfLiteTensor& tensor);

  // Puts a float view with the blocks' scales in the place of
  // FULLY_CONNECTED's weights or EMBEDDING_LOOKUP's table in blocks. Does
  // nothing to other inputs.
  // `graph` has the runtime's tensors. kUnimplemented: the scales are not
  // constants of float16 or float32, there are zero points, or the weights are
  // not a constant matrix. kInvalidArgument: the scales do not fit.
  absl::Status ViewAsFloat(int builtin_code, std::vector<int>* inputs,
                           Graph* graph) const;

 private:
  // As TfLiteBlockwiseQuantization, which newer runtimes have.
  struct Blocks {
    int scales;  // the tensor that has them, row by row
    int zero_points;
    int size;  // values of one block
    int dimension;
  };

  static bool HasZeroPoints(const Blocks& blocks, const Graph& graph);
  static absl::StatusOr<Tensor> ViewOf(const Tensor& weights,
                                       const Blocks& blocks,
                                       const Graph& graph);

  HashMap<int, Blocks> blocks_;  // by TFLite's index
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_BLOCK_WEIGHTS_H_
