// GLSL declarations of the objects behind tensors and constants.
#ifndef GLES_DELEGATE_GL_SHADERS_DECLARATIONS_H_
#define GLES_DELEGATE_GL_SHADERS_DECLARATIONS_H_

#include <string>

#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {

// "layout(binding = 0) uniform highp sampler2D src_tex;" and a line break.
std::string DeclareTensor(const TensorBinding& tensor,
                          const Bindings::Point& point);

// Likewise. Of a constant that is a literal, an array of its values.
std::string DeclareConstant(const ConstantBinding& constant,
                            const Bindings::Point& point);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_DECLARATIONS_H_
