// Shapes on trial, for models whose file holds placeholders that the model's
// own kernels refuse until the app resizes the inputs.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_TRIAL_SHAPES_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_TRIAL_SHAPES_H_

#include <optional>
#include <vector>

#include "delegate/tflite/propagate_shapes.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// While it lives, extents of the model's inputs have other values than in the
// file: those that the shape signature says are free (-1), or else those that
// are 1 or less, with the last axis (channels) or without.
class TrialShapes {
 public:
  // `context` must outlive it. `plan` is the whole model's.
  TrialShapes(TfLiteContext* context, const NodeFinder& find,
              const std::vector<int>& plan);
  ~TrialShapes();
  TrialShapes(const TrialShapes&) = delete;
  TrialShapes& operator=(const TrialShapes&) = delete;

  // Gives these extents the smallest size, of a few powers of four, at which
  // every kernel takes its inputs, and returns what is known at that size.
  // Nothing: there is no such extent or no such size.
  std::optional<ShapeFacts> Find();

 private:
  struct Input {
    int id;
    std::vector<int> dims;       // of the file
    std::vector<int> signature;  // empty: the file has none
  };
  enum class Free { kBySignature, kOnesButLast, kOnes };
  // False: nothing is free, or the runtime refuses.
  bool Resize(Free which, int extent);

  TfLiteContext* context_;
  const NodeFinder& find_;
  const std::vector<int>& plan_;
  std::vector<Input> inputs_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_TRIAL_SHAPES_H_
