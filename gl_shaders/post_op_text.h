// The statements by which write_T applies a post-op.
#ifndef GLES_DELEGATE_GL_SHADERS_POST_OP_TEXT_H_
#define GLES_DELEGATE_GL_SHADERS_POST_OP_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {

// Post-op `index` of the shader, applied to `v`, a texel of type `vec`. Reads
// x, y, slice and batch, where `v` goes.
std::string PostOpText(const PostOpCall& call, int index,
                       absl::string_view vec);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_POST_OP_TEXT_H_
