// The statements that apply functions, in write_T and in stages.
#ifndef GLES_DELEGATE_GL_SHADERS_POST_OP_TEXT_H_
#define GLES_DELEGATE_GL_SHADERS_POST_OP_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {

// Applies function `index` of a list to `v`, a texel of type `vec`. Uses the
// position x, y, slice and batch of `v`. `list`: "post" or a stage's name, with
// which the names of params and operands begin.
std::string PostOpText(const PostOpCall& call, absl::string_view list,
                       int index, absl::string_view vec);

// The declaration and the definition of a stage's function.
std::string DeclareStage(const StageCalls& stage);
std::string DefineStage(const StageCalls& stage);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_POST_OP_TEXT_H_
