// The statements that apply a post-op in write_T.
#ifndef GLES_DELEGATE_GL_SHADERS_POST_OP_TEXT_H_
#define GLES_DELEGATE_GL_SHADERS_POST_OP_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {

// Applies post-op `index` of the shader to `v`, a texel of type `vec`. Uses the
// position x, y, slice and batch of `v`.
std::string PostOpText(const PostOpCall& call, int index,
                       absl::string_view vec);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_POST_OP_TEXT_H_
