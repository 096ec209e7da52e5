// What a program's text follows from, in a short form that can be compared.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_PROGRAM_TEXT_H_
#define GLES_DELEGATE_DELEGATE_PLAN_PROGRAM_TEXT_H_

#include <string>

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// But for the tensor's name.
std::string TensorText(const gl_shaders::TensorBinding& tensor);

// But for the operand.
std::string CallText(const gl_shaders::PostOpCall& call);

// But for literals.
std::string ProgramText(const gl_shaders::ShaderSpec& spec);

// Of a dispatch, without what SharePrograms() can have one program do for
// several dispatches.
std::string CommonProgramText(const Graph& graph, Dispatch dispatch,
                              const DeviceProfile& profile);

bool HasLiterals(const Dispatch& dispatch);

// Defines that say that what is read lies within the terms.
bool IsWithoutBounds(const Dispatch& dispatch);
void AddBounds(Dispatch* dispatch);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_PROGRAM_TEXT_H_
