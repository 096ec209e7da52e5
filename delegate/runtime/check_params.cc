#include "delegate/runtime/check_params.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "egl/uniform_block.h"

namespace gles_delegate {
namespace {

constexpr char kBlock[] = "Params";

GLenum GlType(UniformBlock::Type type) {
  switch (type) {
    case UniformBlock::Type::kInt:
      return GL_INT;
    case UniformBlock::Type::kInt2:
      return GL_INT_VEC2;
    case UniformBlock::Type::kInt4:
      return GL_INT_VEC4;
    case UniformBlock::Type::kFloat:
      return GL_FLOAT;
    case UniformBlock::Type::kFloat4:
      return GL_FLOAT_VEC4;
  }
  return 0;
}

std::string TypeName(GLenum type) {
  switch (type) {
    case GL_INT:
      return "int";
    case GL_INT_VEC2:
      return "ivec2";
    case GL_INT_VEC3:
      return "ivec3";
    case GL_INT_VEC4:
      return "ivec4";
    case GL_UNSIGNED_INT:
      return "uint";
    case GL_FLOAT:
      return "float";
    case GL_FLOAT_VEC2:
      return "vec2";
    case GL_FLOAT_VEC3:
      return "vec3";
    case GL_FLOAT_VEC4:
      return "vec4";
    default:
      return absl::StrCat("type 0x", absl::Hex(type));
  }
}

// "`ivec4 window` at byte 96"; "no member" past the last.
std::string Describe(const std::vector<egl::BlockMember>& members, size_t i) {
  if (i >= members.size()) return "no member";
  return absl::StrCat("`", TypeName(members[i].type), " ", members[i].name,
                      "` at byte ", members[i].offset);
}

}  // namespace

absl::Status CheckParamsSize(GLuint program, const UniformBlock& params) {
  if (params.members().empty()) return absl::OkStatus();
  const auto bytes = egl::BytesOfBlock(program, kBlock);
  if (!bytes.ok()) return absl::InternalError(bytes.status().message());
  if (*bytes == params.block_bytes()) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("the shader's Params block takes ", *bytes,
                   " bytes, the op laid out ", params.block_bytes(),
                   "; the .comp and its Plan function list different members"));
}

absl::Status CheckParamsMembers(GLuint program, const UniformBlock& params) {
  if (params.members().empty()) return absl::OkStatus();
  auto shader = egl::MembersOfBlock(program, kBlock);
  if (!shader.ok()) return absl::InternalError(shader.status().message());
  std::vector<egl::BlockMember> host;
  for (const UniformBlock::Member& m : params.members()) {
    host.push_back({m.name, GlType(m.type), static_cast<GLint>(m.offset)});
  }
  const size_t count = std::max(host.size(), shader->size());
  for (size_t i = 0; i < count; ++i) {
    if (i < host.size() && i < shader->size() &&
        host[i].name == (*shader)[i].name &&
        host[i].type == (*shader)[i].type &&
        host[i].offset == (*shader)[i].offset) {
      continue;
    }
    return absl::InternalError(absl::StrCat(
        "validation: member ", i, " of the Params block: the op laid out ",
        Describe(host, i), ", the shader declares ", Describe(*shader, i),
        "; rule: the .comp declares the members that its Plan function lists, "
        "in the same order and with the same names and types"));
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
