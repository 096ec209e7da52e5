// TOPK_V2: the k largest elements of the last axis in descending order, and
// their positions as int32; the first of equals first, NaN last. Input of
// float32 or int32, any rank; k constant, at most 64, since each costs a pass
// over the row.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/reduction/row_threads.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

constexpr int kMaxPasses = 64;

}  // namespace

// kUnimplemented: k above 64.
absl::StatusOr<ParsedNode> ParseTopK(const NodeView& node) {
  ASSIGN_OR_RETURN(auto k, IntsOfInput(node, 1));
  if (k.front() > kMaxPasses) {
    return absl::UnimplementedError(
        absl::StrCat("k is ", k.front(), ", at most ", kMaxPasses,
                     " pays here: each is a pass over the row"));
  }
  return ParsedNode{};
}

absl::Status PlanTopK(const Node& node, Planner* planner) {
  const Tensor& source = planner->tensor(node.inputs[0]);
  const Shape& from = source.shape;
  const int threads = ThreadsPerRow(
      from.slices(), int64_t{from.b} * from.h * from.w, planner->profile());
  Dispatch d("top_k");
  d.Define("THREADS", threads);
  if (threads > 1) d.SharedMemory(int64_t{8} * threads);
  if (!IsIntegers(source)) d.Define("FLOATS");
  d.Read("src", node.inputs[0]);
  d.Write("dst", node.outputs[0]).Write("positions", node.outputs[1]);
  d.Grid(int64_t{from.w} * threads, from.h, from.b);
  if (threads > 1) d.WorkGroup(threads, 1, 1);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
