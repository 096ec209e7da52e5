// The objects of a shader, and the functions that access them: read_T, write_T,
// K_at, and those of stages.
#ifndef GLES_DELEGATE_GL_SHADERS_ACCESSORS_H_
#define GLES_DELEGATE_GL_SHADERS_ACCESSORS_H_

#include <string>

#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {

// For tests with GLES_DELEGATE_DEBUG=bounds: every accessor checks its
// coordinates. Once an invocation leaves the bounds, everything that it writes
// is poison; a write outside poisons the nearest texel. Errors that robust
// access would hide thus show in the result on any driver. The accessors then
// need `bool out_of_bounds`.
bool ChecksBounds();

// Before the .comp: the objects, and the functions' declarations.
std::string DeclareAccessors(const ShaderSpec& spec, const Bindings& bindings);
// After it, as they use the Params block that it declares.
std::string DefineAccessors(const ShaderSpec& spec, const Bindings& bindings);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_ACCESSORS_H_
