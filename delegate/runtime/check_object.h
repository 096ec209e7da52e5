// Checks whether an app's texture or buffer can replace a tensor.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_OBJECT_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_OBJECT_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/runtime/object_form.h"
#include "egl/device_info.h"

namespace gles_delegate {

// Ok if `buffer` is a buffer of the current context with at least `bytes`
// bytes. kFailedPrecondition, with the actual state.
absl::Status CheckBuffer(GLuint buffer, int64_t bytes);

// GL's description of a texture's level 0.
struct TextureFacts {
  int width = 0;
  int height = 0;
  GLenum format = 0;  // sized, internal
  bool is_immutable = false;
};
// kFailedPrecondition: the current context has no such GL_TEXTURE_2D, or its
// level 0 is empty.
absl::StatusOr<TextureFacts> FactsOf(GLuint texture);
// Ok if the current context has such a GL_TEXTURE_EXTERNAL_OES that shaders can
// read. GL does not report its size and format. kFailedPrecondition, with the
// reason.
absl::Status CheckExternal(GLuint texture, const egl::DeviceInfo& device);

// Ok if a texture can replace an input or (`is_input` false) an output of this
// shape. `is_resized`: any size will do. kFailedPrecondition, with the reason.
absl::Status CheckTexture(const TextureFacts& texture, const Shape& shape,
                          bool is_input, bool is_resized);

// For output textures: whether shaders cannot store to them, so that the result
// is copied from another texture; and the format for stores.
bool IsCopiedTo(const TextureFacts& texture);
GLenum StoredFormat(const TextureFacts& texture);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_OBJECT_H_
