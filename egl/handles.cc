// The deleters of the GL handles, and the extension list.
#include "egl/extension.h"
#include "egl/objects.h"

namespace gles_delegate::egl {

EGLContext CurrentContext() { return egl().GetCurrentContext(); }

void DeleteBuffer(GLuint id) { gl().DeleteBuffers(1, &id); }
void DeleteTexture(GLuint id) { gl().DeleteTextures(1, &id); }
void DeleteShader(GLuint id) { gl().DeleteShader(id); }
void DeleteProgram(GLuint id) { gl().DeleteProgram(id); }
void DeleteQuery(GLuint id) { gl().DeleteQueries(1, &id); }
void DeleteSampler(GLuint id) { gl().DeleteSamplers(1, &id); }
void DeleteFramebuffer(GLuint id) { gl().DeleteFramebuffers(1, &id); }

bool HasExtension(absl::string_view name) {
  GLint count = 0;
  gl().GetIntegerv(GL_NUM_EXTENSIONS, &count);
  for (GLint i = 0; i < count; ++i) {
    const GLubyte* extension = gl().GetStringi(GL_EXTENSIONS, i);
    if (extension != nullptr &&
        name == reinterpret_cast<const char*>(extension)) {
      return true;
    }
  }
  return false;
}

}  // namespace gles_delegate::egl
