#include "delegate/plan/shader_calls.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace gles_delegate {

using gl_shaders::OperandAt;
using gl_shaders::PostOpCall;
using gl_shaders::StageCalls;

namespace {

// In one order, so that x + y and y + x share a program.
bool OperandIsFirst(const PostOp& op) {
  return op.operand_first && op.function != "add" && op.function != "mul";
}

// The call of a function, whose operand, if any, has this name in the shader.
PostOpCall CallOf(const Graph& graph, const PostOp& op, std::string operand) {
  PostOpCall call{op.function,
                  "",
                  OperandIsFirst(op),
                  false,
                  op.operand_zero_extend,
                  op.operand_table,
                  op.operand_lookup};
  if (op.operand == kNoTensor) return call;
  call.operand = std::move(operand);
  call.operand_lookup_packed =
      op.operand_lookup && graph.tensor(op.operand).shape.c == 4;
  return call;
}

}  // namespace

std::string PostOperandName(size_t index) {
  return absl::StrCat("post", index);
}

std::string StageOperandName(const Stage& stage, size_t index) {
  return absl::StrCat(stage.name, index);
}

PostOpCall PostOpCallOf(const Graph& graph, const Dispatch& dispatch,
                        size_t index) {
  const PostOp& op = dispatch.post_ops[index];
  auto call = CallOf(graph, op, PostOperandName(index));
  if (op.operand != kNoTensor) {
    call.operand_splat = !op.operand_zero_extend && !op.operand_table &&
                         !op.operand_lookup &&
                         graph.tensor(op.operand).shape.c == 1 &&
                         graph.tensor(dispatch.writes[0].second).shape.c > 1;
  }
  call.optional = (dispatch.optional_post_ops >> index & 1) != 0;
  return call;
}

StageCalls StageCallsOf(const Graph& graph, const Stage& stage) {
  StageCalls calls{std::string(stage.name), {}};
  for (size_t i = 0; i < stage.ops.size(); ++i) {
    const PostOp& op = stage.ops[i];
    calls.ops.push_back(CallOf(graph, op, StageOperandName(stage, i)));
    if (op.operand == kNoTensor || op.operand_table || op.operand_lookup) {
      continue;
    }
    PostOpCall& call = calls.ops.back();
    const Shape& s = graph.tensor(op.operand).shape;
    if (stage.of == kNoTensor) {
      call.operand_splat = !op.operand_zero_extend && s.c == 1;
    } else {
      call.operand_at = s == graph.tensor(stage.of).shape ? OperandAt::kElement
                                                          : OperandAt::kChannel;
    }
  }
  return calls;
}

}  // namespace gles_delegate
