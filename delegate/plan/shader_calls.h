// The functions of a dispatch as its shader calls them.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_SHADER_CALLS_H_
#define GLES_DELEGATE_DELEGATE_PLAN_SHADER_CALLS_H_

#include <cstddef>
#include <string>

#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// The shader's names for the operand of function `index`; with "_params", for
// its constants.
std::string PostOperandName(size_t index);
std::string StageOperandName(const Stage& stage, size_t index);

gl_shaders::PostOpCall PostOpCallOf(const Graph& graph,
                                    const Dispatch& dispatch, size_t index);
gl_shaders::StageCalls StageCallsOf(const Graph& graph, const Stage& stage);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_SHADER_CALLS_H_
