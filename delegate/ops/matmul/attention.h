// Attention: softmax(q * transposed k, after functions such as a mask) * v as
// one dispatch. Not an op of models: the pass fuse_attention makes it of
// BATCH_MATMUL, SOFTMAX and BATCH_MATMUL.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MATMUL_ATTENTION_H_
#define GLES_DELEGATE_DELEGATE_OPS_MATMUL_ATTENTION_H_

#include <cstdint>
#include <optional>

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/matmul/matrix_product.h"

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

PlanFunction PlanAttention;
inline constexpr OpDefinition kAttentionOp =
    OpOfPasses("ATTENTION", PlanAttention);

// The tiling of attention_tiles.comp.
struct AttentionWork {
  int rows = 1;  // of a matrix of queries
  int keys = 1;
  int terms = 1;    // slices of a row of queries
  int results = 1;  // slices of a row of results
  int matrices = 1;
  bool halves = false;  // multiplied in 16 bits
};

// How a work group divides its rows.
struct AttentionTiling {
  int cells_x = 8;  // invocations along keys and slices of results; along rows
  int cells_y = 4;
  int rows = 1;  // of an invocation; slices of results
  int slices = 1;
  int lanes = 1;        // that take the tiles of keys alternately
  int chunk_terms = 4;  // of a chunk of keys
  bool halves = false;  // shared memory holds 16 bits

  int threads() const { return cells_x * cells_y * lanes; }
  int group_rows() const { return cells_y * rows; }
  int64_t groups(const AttentionWork& work) const;
  // Keys of a chunk of values.
  int value_keys() const;
  int64_t SharedBytes(int terms) const;
};

// nullopt: no tiling fits the device, or the rows are too few for it.
std::optional<AttentionTiling> ChooseAttentionTiling(
    const AttentionWork& work, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MATMUL_ATTENTION_H_
