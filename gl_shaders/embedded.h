// The table that cmake/EmbedShaders.cmake fills.
#ifndef GLES_DELEGATE_GL_SHADERS_EMBEDDED_H_
#define GLES_DELEGATE_GL_SHADERS_EMBEDDED_H_

#include <cstddef>

namespace gles_delegate::gl_shaders {

struct EmbeddedFile {
  const char* name;  // "conv_2d.comp", "lib/math.glsl"
  const char* text;
};

extern const EmbeddedFile kEmbeddedFiles[];
extern const size_t kEmbeddedFileCount;

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_EMBEDDED_H_
