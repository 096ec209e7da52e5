#include "delegate/runtime/copied_output.h"

#include <utility>

#include "base/status_macros.h"

namespace gles_delegate {

using egl::gl;

absl::Status CopiedOutput::Allocate(GLenum format, int width, int height) {
  ASSIGN_OR_RETURN(auto texture, egl::Texture::Create({GL_TEXTURE_2D, format,
                                                       width, height, 1}));
  ASSIGN_OR_RETURN(auto framebuffer, egl::Framebuffer::Of(texture));
  texture_ = std::move(texture);
  framebuffer_ = std::move(framebuffer);
  return absl::OkStatus();
}

void CopiedOutput::CopyTo(GLuint to) const {
  gl().MemoryBarrier(GL_FRAMEBUFFER_BARRIER_BIT);
  gl().BindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_.id());
  gl().ActiveTexture(GL_TEXTURE0);
  gl().BindTexture(GL_TEXTURE_2D, to);
  gl().CopyTexSubImage2D(GL_TEXTURE_2D, /*level=*/0, /*xoffset=*/0,
                         /*yoffset=*/0, /*x=*/0, /*y=*/0, texture_.desc().width,
                         texture_.desc().height);
}

}  // namespace gles_delegate
