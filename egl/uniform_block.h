// Reflection of a linked program's uniform blocks.
#ifndef GLES_DELEGATE_EGL_UNIFORM_BLOCK_H_
#define GLES_DELEGATE_EGL_UNIFORM_BLOCK_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

struct BlockMember {
  std::string name;
  GLenum type = 0;   // GL_INT_VEC4
  GLint offset = 0;  // bytes, from the block's beginning
};

// The members of a program's uniform block without an instance name, sorted by
// offset; with std140, unused members are included. kNotFound: no such block.
// Needs a current context.
absl::StatusOr<std::vector<BlockMember>> MembersOfBlock(GLuint program,
                                                        const char* block);

// The block's size in bytes, rounded up to 16. kNotFound as above.
absl::StatusOr<size_t> BytesOfBlock(GLuint program, const char* block);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_UNIFORM_BLOCK_H_
