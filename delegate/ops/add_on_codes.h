// ADD and SUB of two tensors that hold codes, of one shape, in TFLite's integer
// arithmetic (quant/fixed_point.h). What delegate/passes/compute_on_codes.h
// makes of such nodes; no model names it.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ADD_ON_CODES_H_
#define GLES_DELEGATE_DELEGATE_OPS_ADD_ON_CODES_H_

#include "absl/status/status.h"
#include "delegate/ops/op.h"
#include "quant/fixed_point.h"

namespace gles_delegate {

// Node inputs: a, b. The node is on codes.
struct AddOnCodesAttributes {
  quant::AddMultipliers multipliers;
  bool subtract = false;
  int low = 0;  // of the sum's code, less its zero point
  int high = 0;
};

const OpDefinition& AddOnCodes();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ADD_ON_CODES_H_
