// The stages of nodes (Stage): what they are functions of.
#ifndef GLES_DELEGATE_DELEGATE_OPS_STAGES_H_
#define GLES_DELEGATE_DELEGATE_OPS_STAGES_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// The input, as it is read.
inline constexpr absl::string_view kInputStage = "input_stage";
// The results of a convolution whose results the node takes.
inline constexpr absl::string_view kInnerStage = "inner_stage";
// The results of a convolution that takes the node's.
inline constexpr absl::string_view kNextStage = "next_stage";
// The products with the second matrix of a gated product.
inline constexpr absl::string_view kGateStage = "gate_stage";
// The scores of an attention, at (row, height, slice of keys, batch).
inline constexpr absl::string_view kScoreStage = "score_stage";

// nullptr: the node has no such stage.
const Stage* FindStage(const Node& node, absl::string_view name);

// The functions of this stage; empty if the node has none.
std::vector<PostOp> StageOf(const Node& node, absl::string_view name);

// Whether the functions need no value at the same place of another tensor, so
// that they can follow sums that are not stored. They may read tables.
bool ReadOnlyTables(const std::vector<PostOp>& ops);

// Whether the post-ops of the node, which writes `dst`, are at most a clamp,
// after requantization on the integer path: worth computing several times.
bool OnlyClamps(const Graph& graph, const Node& node, TensorId dst);

// Lets the shader apply the functions to what it reads of `source`. No-op
// without functions.
void ApplyInputStage(std::vector<PostOp> functions, TensorId source,
                     Dispatch* d);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_STAGES_H_
