// Compact, comparable descriptions of what determines a program's text.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_PROGRAM_TEXT_H_
#define GLES_DELEGATE_DELEGATE_PLAN_PROGRAM_TEXT_H_

#include <string>

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// Without the tensor's name.
std::string TensorText(const gl_shaders::TensorBinding& tensor);

// Without the operand.
std::string CallText(const gl_shaders::PostOpCall& call);

// Without literals.
std::string ProgramText(const gl_shaders::ShaderSpec& spec);

// A dispatch's program, without the differences that SharePrograms() can
// remove.
std::string CommonProgramText(const Graph& graph, Dispatch dispatch,
                              const DeviceProfile& profile);

bool HasLiterals(const Dispatch& dispatch);

// Defines which say that all reads are within the terms.
bool IsWithoutBounds(const Dispatch& dispatch);
void AddBounds(Dispatch* dispatch);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_PROGRAM_TEXT_H_
