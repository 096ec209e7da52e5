// Functions of values that slices, reshapes, transposes and a concatenation of
// channels move, as one dispatch: each texel reads its values where they lie
// before the movement. A rotary embedding of an attention's heads is such a
// node. Not an op of models: the pass fuse_movement makes it.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_MOVED_FUNCTIONS_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_MOVED_FUNCTIONS_H_

#include <array>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/stages.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// Where the values of texel t, in the order of elements, are in a tensor.
struct MovedRead {
  enum class Kind {
    kSame,      // the texel at the same place
    kTexels,    // texel `offset` + index * stride of four loops
    kElements,  // the same of elements, for the first of four channels
  };
  Kind kind = Kind::kSame;
  int offset = 0;
  std::array<int, 4> sizes = {1, 1, 1, 1};  // the outermost loop first
  std::array<int, 4> strides = {};
  // kElements: elements from one channel to the next; 0: one element for all.
  int step = 0;

  bool operator==(const MovedRead& o) const {
    return kind == o.kind && offset == o.offset && sizes == o.sizes &&
           strides == o.strides && step == o.step;
  }
};

// A value, of four channels.
struct MovedStep : FunctionStep {
  MovedRead read;  // of the input

  bool operator==(const MovedStep& o) const {
    return FunctionStep::operator==(o) && read == o.read;
  }
};

struct MovedFunctionsAttributes {
  static constexpr size_t kMaxParts = 4;
  // Slices of the output, up to `end`, are step `result`.
  struct Part {
    int end = 0;
    int result = 0;
  };
  std::vector<MovedStep> steps;  // each reads earlier ones
  std::vector<Part> parts;       // in order
};

// Defines MOVE_PARAMS, with their uniforms, and MOVED_PARTS for the shader's
// moved_value(). Binds the inputs.
void DefineMovedValue(const MovedFunctionsAttributes& a,
                      absl::Span<const TensorId> inputs, Dispatch* d);

PlanFunction PlanMovedFunctions;
inline constexpr OpDefinition kMovedFunctionsOp =
    OpOfPasses("MOVED_FUNCTIONS", PlanMovedFunctions);

// --- DYNAMIC_UPDATE_SLICE ----------------------------------------------------

// DYNAMIC_UPDATE_SLICE: input 0 with input 1 written over it from the place
// that input 2 names, one int32 or int64 an axis, constant or computed at run
// time. As TFLite does, the place is clamped so that the update fits. Rank up
// to 5.

// Of tensors as the model has them: passes may give them other dims.
struct UpdateSlice {
  AxisArray extents = {1, 1, 1, 1, 1};  // of the input
  AxisArray box = {1, 1, 1, 1, 1};      // of the update
  // The start's element for each axis; -1: the input has no such axis.
  AxisArray which = {-1, -1, -1, -1, -1};
  // The output lies in the input's memory: only the update is written.
  bool in_place = false;
  // The update, which then is no tensor (input 1 is absent), of this shape;
  // what it reads are the inputs from 3 on (delegate/passes/fuse_movement.cc).
  std::shared_ptr<const MovedFunctionsAttributes> moved;
  Shape moved_shape = {};

  bool CoversChannels() const {
    return box[kChannelAxis] == extents[kChannelAxis];
  }
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_MOVED_FUNCTIONS_H_
