// The text that AssembleShader adds to a .comp file.
#ifndef GLES_DELEGATE_GL_SHADERS_PRELUDE_H_
#define GLES_DELEGATE_GL_SHADERS_PRELUDE_H_

#include <string>

#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {

// Before the .comp: version, work group, #defines, COMMON_PARAMS, bindings, and
// the accessors' declarations.
std::string Prelude(const ShaderSpec& spec, const Bindings& bindings);

// After the .comp: the accessors' definitions, which use the Params block that
// the .comp declares.
std::string Definitions(const ShaderSpec& spec, const Bindings& bindings);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_PRELUDE_H_
