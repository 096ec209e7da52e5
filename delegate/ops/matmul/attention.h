// Attention: softmax(q * transposed k, after functions such as a mask) * v as
// one dispatch. On GPUs it is of a few rows, as when a decoder makes one token,
// and a work group holds a row of scores. On processors it is of many rows, and
// an invocation goes through the keys with several rows at once, as in
// FlashAttention (arXiv:2205.14135). Not an op of models: the pass
// fuse_attention makes it of BATCH_MATMUL, SOFTMAX and BATCH_MATMUL.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MATMUL_ATTENTION_H_
#define GLES_DELEGATE_DELEGATE_OPS_MATMUL_ATTENTION_H_

#include <vector>

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/matmul/batch_matmul.h"

namespace gles_delegate {

// Node inputs: q, k, v, then the operands of `functions`.
struct AttentionAttributes {
  BatchMatMulAttributes scores;   // q [.., M, D], k [.., L, D], transposed
  BatchMatMulAttributes product;  // scores, v [.., L, C] or transposed
  std::vector<PostOp> functions;  // of the scores; operands are inputs' indices
  float beta = 1;                 // of the softmax
  // The output is one pixel of the results' C channels, row after row. Not on
  // processors.
  bool in_one_row = false;
};

// Whether a work group of the device can hold a row of this many scores.
bool HoldsScores(int scores, const DeviceProfile& profile);

const OpDefinition& Attention();
PlanFunction PlanAttention;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MATMUL_ATTENTION_H_
