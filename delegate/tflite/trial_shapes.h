// Trial shapes, for models whose file has placeholder shapes that the model's
// own kernels refuse until the app resizes the inputs.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_TRIAL_SHAPES_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_TRIAL_SHAPES_H_

#include <optional>
#include <vector>

#include "delegate/tflite/propagate_shapes.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// While it lives, some extents of the model's inputs have other values than in
// the file: those that the shape signature marks as free (-1), or else those of
// 1 or less, with or without the last axis (channels).
class TrialShapes {
 public:
  // `context` must outlive this. `plan`: of the whole model.
  TrialShapes(TfLiteContext* context, const NodeFinder& find,
              const std::vector<int>& plan,
              const Decompositions& decompositions);
  ~TrialShapes();
  TrialShapes(const TrialShapes&) = delete;
  TrialShapes& operator=(const TrialShapes&) = delete;

  // Tries a few powers of four as the size of these extents, until every kernel
  // accepts its inputs, and returns the resulting shapes. nullopt: there are no
  // such extents, or no such size.
  std::optional<ShapeFacts> Find();

 private:
  struct Input {
    int id;
    std::vector<int> dims;       // of the file
    std::vector<int> signature;  // empty: the file has none
  };
  enum class Free { kBySignature, kOnesButLast, kOnes };
  // False: no extent is free, or the runtime refuses.
  bool Resize(Free which, int extent);

  TfLiteContext* context_;
  const NodeFinder& find_;
  const std::vector<int>& plan_;
  const Decompositions& decompositions_;
  std::vector<Input> inputs_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_TRIAL_SHAPES_H_
