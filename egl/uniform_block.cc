#include "egl/uniform_block.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "egl/objects.h"

namespace gles_delegate::egl {
namespace {

absl::StatusOr<GLuint> FindBlock(GLuint program, const char* block) {
  const GLuint index = gl().GetUniformBlockIndex(program, block);
  if (index != GL_INVALID_INDEX) return index;
  return absl::NotFoundError(
      absl::StrCat("the shader has no ", block, " block"));
}

}  // namespace

absl::StatusOr<size_t> BytesOfBlock(GLuint program, const char* block) {
  ASSIGN_OR_RETURN(const GLuint index, FindBlock(program, block));
  GLint bytes = 0;
  gl().GetActiveUniformBlockiv(program, index, GL_UNIFORM_BLOCK_DATA_SIZE,
                               &bytes);
  return (static_cast<size_t>(bytes) + 15) / 16 * 16;
}

absl::StatusOr<std::vector<BlockMember>> MembersOfBlock(GLuint program,
                                                        const char* block) {
  ASSIGN_OR_RETURN(const GLuint index, FindBlock(program, block));
  GLint count = 0;
  gl().GetActiveUniformBlockiv(program, index, GL_UNIFORM_BLOCK_ACTIVE_UNIFORMS,
                               &count);
  std::vector<GLint> indices(std::max(count, 0));
  if (count > 0) {
    gl().GetActiveUniformBlockiv(program, index,
                                 GL_UNIFORM_BLOCK_ACTIVE_UNIFORM_INDICES,
                                 indices.data());
  }
  const std::vector<GLuint> uniforms(indices.begin(), indices.end());
  std::vector<GLint> offsets(uniforms.size());
  gl().GetActiveUniformsiv(program, count, uniforms.data(), GL_UNIFORM_OFFSET,
                           offsets.data());
  GLint longest = 0;  // name
  gl().GetProgramiv(program, GL_ACTIVE_UNIFORM_MAX_LENGTH, &longest);
  std::vector<BlockMember> members;
  for (size_t i = 0; i < uniforms.size(); ++i) {
    BlockMember member;
    member.offset = offsets[i];
    member.name.resize(std::max(longest, 1));
    GLsizei length = 0;
    GLint array_size = 0;
    gl().GetActiveUniform(program, uniforms[i], longest, &length, &array_size,
                          &member.type, member.name.data());
    member.name.resize(std::max(length, 0));
    members.push_back(std::move(member));
  }
  RETURN_IF_ERROR(CheckGl("reading a uniform block's members"));
  std::sort(members.begin(), members.end(),
            [](const BlockMember& a, const BlockMember& b) {
              return a.offset < b.offset;
            });
  return members;
}

}  // namespace gles_delegate::egl
