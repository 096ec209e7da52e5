// Functions and reductions of rows of channels as one dispatch: what a model
// writes as MEAN, SQUARED_DIFFERENCE, RSQRT, MUL, ADD, ... is one pass over a
// row for each reduction, and one for the results. A layer or RMS normalization
// is such a node in whatever way an exporter writes it. Only FuseRows makes
// them.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ROW_FUNCTIONS_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ROW_FUNCTIONS_H_

#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/function_steps.h"
#include "delegate/ops/reduction/reduction.h"

namespace gles_delegate {

// One value of a node with row functions. Rows have the results' channels; the
// others are one number for each row.
struct RowStep : FunctionStep {
  enum class Kind {
    kInput,   // of the results' height, width and batch, or a constant of one
              // pixel
    kReduce,  // `reducer` over the channels of step a
    kFunction,
  };
  Kind kind = Kind::kInput;
  bool is_row = true;
  Reducer reducer = Reducer::kMean;  // kMean, kSum, kMax or kMin
};

struct RowFunctionsAttributes {
  std::vector<RowStep> steps;  // each reads earlier ones
  std::vector<int> results;    // steps, rows; one for each output of the node
};

const OpDefinition& RowFunctions();

// All outputs have the same shape.
PlanFunction PlanRowFunctions;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ROW_FUNCTIONS_H_
