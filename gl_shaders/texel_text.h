// Where a texel lies, and what an element of memory stands for, as GLSL: what
// the accessors that read and those that write have in common.
#ifndef GLES_DELEGATE_GL_SHADERS_TEXEL_TEXT_H_
#define GLES_DELEGATE_GL_SHADERS_TEXEL_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {

// Index or coordinates of texel (x, y, slice, batch) of the memory that a view
// reads or writes, or of the tensor's own.
std::string Address(const TensorBinding& t);

// The texel of two words of 16-bit floats.
std::string Halves(absl::string_view uvec2_expression);

// The texel that an element of a buffer stands for.
std::string Unpacked(Format format, const std::string& element);

// A value that no op computes from ordinary data.
absl::string_view Poison(Format format);

// The condition that (x, y, slice, batch) lies outside the tensor `name`.
std::string OutsideTensor(absl::string_view name);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_TEXEL_TEXT_H_
