// GLSL declarations of the objects behind tensors and constants, and of Params.
#ifndef GLES_DELEGATE_GL_SHADERS_DECLARATIONS_H_
#define GLES_DELEGATE_GL_SHADERS_DECLARATIONS_H_

#include <string>

#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {

// "layout(binding = 0) uniform highp sampler2D src_tex;" with a newline.
std::string DeclareTensor(const TensorBinding& tensor,
                          const Bindings::Point& point);

// The same for a constant; for literals, an array of their values.
std::string DeclareConstant(const ConstantBinding& constant,
                            const Bindings::Point& point);

// The members that every Params block begins with. ParamsOf
// (delegate/plan/dispatch_shader.h) writes their values, in the same order and
// by the same names.
std::string CommonParams(const ShaderSpec& spec);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_DECLARATIONS_H_
