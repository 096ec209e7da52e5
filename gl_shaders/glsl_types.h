// What GLSL calls the types and formats of texels.
#ifndef GLES_DELEGATE_GL_SHADERS_GLSL_TYPES_H_
#define GLES_DELEGATE_GL_SHADERS_GLSL_TYPES_H_

#include "absl/strings/string_view.h"
#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {

// Whether shaders see a texel of the format as integers.
bool IsInt(Format format);

// The type of a texel as shaders see it: "vec4" or "ivec4".
absl::string_view Vec(Format format);

// What stands before "sampler" and "image" for objects of the format: "i" where
// their texels are integers, else nothing.
absl::string_view ObjectPrefix(Format format);

// The format qualifier of an image: "rgba32f".
absl::string_view ImageFormat(Format format);

// The type of a texel in a storage buffer. Halves travel in pairs, codes in
// fours.
absl::string_view BufferElement(Format format);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_GLSL_TYPES_H_
