// An intermediate texture for an app's output texture to which shaders cannot
// store, since it was not made by glTexStorage2D (an EGLImage's, for example).
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_COPIED_OUTPUT_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_COPIED_OUTPUT_H_

#include "absl/status/status.h"
#include "egl/objects.h"

namespace gles_delegate {

// A texture that a dispatch writes, and from which a GL copy writes the app's.
// The copy changes only state that egl::GlState restores. Threads: inside one
// context's Run().
class CopiedOutput {
 public:
  // `format`: GL_RGBA8, GL_RGBA16F or GL_RGBA32F. kFailedPrecondition: this
  // driver cannot copy that format. kResourceExhausted: out of memory.
  absl::Status Allocate(GLenum format, int width, int height);

  // The texture that the dispatch stores to.
  GLuint texture() const { return texture_.id(); }
  // Bytes of GPU memory.
  size_t bytes() const { return texture_.bytes(); }

  // Call after the dispatch: copies everything to level 0 of `to`, a
  // GL_TEXTURE_2D of the same size. Binds `to` to unit 0.
  void CopyTo(GLuint to) const;

 private:
  egl::Texture texture_;
  egl::Framebuffer framebuffer_;  // of it
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_COPIED_OUTPUT_H_
