// GLSL's names for types and formats of texels.
#ifndef GLES_DELEGATE_GL_SHADERS_GLSL_TYPES_H_
#define GLES_DELEGATE_GL_SHADERS_GLSL_TYPES_H_

#include "absl/strings/string_view.h"
#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {

// Whether shaders read texels of this format as integers.
bool IsInt(Format format);

// The type of a texel in shaders: "vec4" or "ivec4".
absl::string_view Vec(Format format);

// The prefix of "sampler" and "image" for this format: "i" for integers, else
// "".
absl::string_view ObjectPrefix(Format format);

// The format qualifier of an image: "rgba32f".
absl::string_view ImageFormat(Format format);

// The type of a texel in a storage buffer. 16-bit floats are packed in pairs,
// 8-bit integers in fours.
absl::string_view BufferElement(Format format);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_GLSL_TYPES_H_
