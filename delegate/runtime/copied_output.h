// What stands between an output and a texture of the app's to which shaders
// cannot store: one that glTexStorage2D did not make, such as an EGLImage's.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_COPIED_OUTPUT_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_COPIED_OUTPUT_H_

#include "absl/status/status.h"
#include "egl/objects.h"

namespace gles_delegate {

// A texture that a dispatch writes, and from which GL's own copy writes the
// app's. The copy draws on no binding of the app's but those that
// egl::GlState puts back. Threads: inside one context's Run().
class CopiedOutput {
 public:
  // `format`: GL_RGBA8, GL_RGBA16F or GL_RGBA32F. kFailedPrecondition: this
  // driver copies none of that format. kResourceExhausted: out of memory.
  absl::Status Allocate(GLenum format, int width, int height);

  // What the dispatch stores to.
  GLuint texture() const { return texture_.id(); }
  // Bytes of GPU memory.
  size_t bytes() const { return texture_.bytes(); }

  // After the dispatch: copies all of it to level 0 of `to`, a GL_TEXTURE_2D of
  // the same size. Binds `to` to unit 0.
  void CopyTo(GLuint to) const;

 private:
  egl::Texture texture_;
  egl::Framebuffer framebuffer_;  // of it
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_COPIED_OUTPUT_H_
