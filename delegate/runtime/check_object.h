// Whether a texture or buffer of the app's can stand in for a tensor.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_OBJECT_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_OBJECT_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/runtime/object_form.h"
#include "egl/device_info.h"

namespace gles_delegate {

// Ok where `buffer` is a buffer of the current context with at least `bytes`
// bytes. kFailedPrecondition: what `buffer` is instead.
absl::Status CheckBuffer(GLuint buffer, int64_t bytes);

// What GL says of a texture's level 0.
struct TextureFacts {
  int width = 0;
  int height = 0;
  GLenum format = 0;  // sized, internal
  bool is_immutable = false;
};
// kFailedPrecondition: the current context has no such GL_TEXTURE_2D, or its
// level 0 is empty.
absl::StatusOr<TextureFacts> FactsOf(GLuint texture);
// Ok where the current context has such a GL_TEXTURE_EXTERNAL_OES that shaders
// can read. GL tells nobody its size and format. kFailedPrecondition: why not.
absl::Status CheckExternal(GLuint texture, const egl::DeviceInfo& device);

// Ok where a texture can be read in place of an input of this shape, or
// (`is_input` false) written in place of an output. `is_resized`: the texture
// may have any size. kFailedPrecondition: why not.
absl::Status CheckTexture(const TextureFacts& texture, const Shape& shape,
                          bool is_input, bool is_resized);

// Of a texture that is written. Whether shaders cannot store to it, so that it
// gets a copy of one that they can; and the format of what they store to.
bool IsCopiedTo(const TextureFacts& texture);
GLenum StoredFormat(const TextureFacts& texture);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_OBJECT_H_
