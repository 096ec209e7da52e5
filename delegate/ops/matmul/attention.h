// Attention: softmax(q * transposed k, after functions such as a mask) * v as
// one dispatch. Not an op of models: the pass fuse_attention makes it of
// BATCH_MATMUL, SOFTMAX and BATCH_MATMUL.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MATMUL_ATTENTION_H_
#define GLES_DELEGATE_DELEGATE_OPS_MATMUL_ATTENTION_H_

#include <optional>
#include <vector>

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/matmul/batch_matmul.h"

namespace gles_delegate {

// The shaders. The last two go through the keys and never have all scores of a
// row, as in FlashAttention (arXiv:2205.14135).
enum class AttentionWay {
  kFewRows,  // attention.comp: a work group has a row, as when a decoder makes
             // one token
  kRows,     // attention_rows.comp, on processors: an invocation has rows
  kTiles,    // attention_tiles.comp, on GPUs: a work group has many rows
};

// Node inputs: q, k, v. kScoreStage are the functions of the scores.
struct AttentionAttributes {
  BatchMatMulAttributes scores;   // q [.., M, D], k [.., L, D], transposed
  BatchMatMulAttributes product;  // scores, v [.., L, C] or transposed
  float beta = 1;                 // of the softmax
  AttentionWay way = AttentionWay::kFewRows;  // ChooseAttentionWay()
  // The output is one pixel of the results' C channels, row after row. For
  // kFewRows alone.
  bool in_one_row = false;
};

// nullopt: the device is better off with three dispatches, or cannot hold what
// a work group or an invocation needs.
std::optional<AttentionWay> ChooseAttentionWay(const AttentionAttributes& a,
                                               const DeviceProfile& profile);

const OpDefinition& Attention();
PlanFunction PlanAttention;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MATMUL_ATTENTION_H_
