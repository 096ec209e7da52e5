// Other sizes of the model's free extents than those of the file, which are
// placeholders: LiteRT gives a free extent the size 1 until the app resizes it.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_TRIAL_SHAPES_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_TRIAL_SHAPES_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/tflite/propagate_shapes.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// While it lives, extents of the model's inputs may have other sizes than in
// the file: those that the shape signature marks as free (-1), or else those of
// 1 or less, with or without the last axis (channels).
class TrialShapes {
 public:
  // All must outlive this. `plan`: of the whole model.
  TrialShapes(TfLiteContext* context, const NodeFinder& find,
              const std::vector<int>& plan,
              const Decompositions& decompositions);
  ~TrialShapes();
  TrialShapes(const TrialShapes&) = delete;
  TrialShapes& operator=(const TrialShapes&) = delete;

  // The option input_shapes. kInvalidArgument: an input has other fixed axes,
  // or, with `all`, no input of a name has free ones.
  absl::Status Set(
      absl::Span<const std::pair<std::string, std::vector<int>>> shapes,
      bool all);

  // If there are obstacles at the present shapes (`facts`), tries a few powers
  // of four as the size of these extents, and leaves the model at the first
  // with the fewest, with its `facts`. True: that is another size.
  absl::StatusOr<bool> FindBetter(ShapeFacts* facts);

 private:
  struct Input {
    int id;
    std::vector<int> dims;       // before
    std::vector<int> signature;  // of the file
    char* memory;                // of the runtime
  };
  // Why nodes cannot run at some shapes.
  struct Obstacles {
    int refusals = 0;  // of the runtime's kernels
    int unknown = 0;   // tensors whose shape is not known
    int empty = 0;     // tensors that nodes write, without elements

    int sum() const { return refusals + unknown + empty; }
  };
  using Shapes = std::vector<std::vector<int>>;  // of inputs_
  enum class Free { kBySignature, kOnesButLast, kOnes };
  // nullopt: no extent is free, or the inputs would be too large.
  std::optional<Shapes> WithSize(Free which, int extent) const;
  absl::StatusOr<ShapeFacts> PropagateAt(const Shapes& shapes);
  // All free extents are 1 or less.
  bool ArePlaceholders() const;
  Obstacles ObstaclesOf(const ShapeFacts& facts) const;

  TfLiteContext* context_;
  const NodeFinder& find_;
  const std::vector<int>& plan_;
  const Decompositions& decompositions_;
  std::vector<Input> inputs_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_TRIAL_SHAPES_H_
