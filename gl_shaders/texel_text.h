// GLSL for addressing texels and unpacking elements, shared by the read and
// write accessors.
#ifndef GLES_DELEGATE_GL_SHADERS_TEXEL_TEXT_H_
#define GLES_DELEGATE_GL_SHADERS_TEXEL_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {

// Index or coordinates of texel (x, y, slice, batch) in the tensor's memory, or
// in that of the tensor that it is a view of.
std::string Address(const TensorBinding& t);

// The texel of two words of 16-bit floats.
std::string Halves(absl::string_view uvec2_expression);

// The texel in an element of a buffer.
std::string Unpacked(Format format, const std::string& element);

// A value that ops do not produce from ordinary data.
absl::string_view Poison(Format format);

// The condition that (x, y, slice, batch) is outside tensor `name`.
std::string OutsideTensor(absl::string_view name);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_TEXEL_TEXT_H_
