// Whether a texture or buffer of the app's can stand in for a tensor.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_OBJECT_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_OBJECT_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/runtime/object_form.h"
#include "egl/device_info.h"

namespace gles_delegate {

// Ok where `buffer` is one of the current context, of at least `bytes` bytes.
// kFailedPrecondition: what it is.
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
// Ok where it has such a GL_TEXTURE_EXTERNAL_OES and shaders can read it. Its
// size and format GL tells nobody. kFailedPrecondition: why not.
absl::Status CheckExternal(GLuint texture, const egl::DeviceInfo& device);

// Ok where a texture can be read for, or (`is_input` false) written from, a
// tensor of this shape; `is_resized`: of whatever size. kFailedPrecondition:
// why not.
absl::Status CheckTexture(const TextureFacts& texture, const Shape& shape,
                          bool is_input, bool is_resized);

// Of a texture that is written. Whether shaders cannot store to it, so that it
// gets a copy of one that they can; and the format of what they store to.
bool IsCopiedTo(const TextureFacts& texture);
GLenum StoredFormat(const TextureFacts& texture);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_OBJECT_H_
