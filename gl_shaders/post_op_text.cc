#include "gl_shaders/post_op_text.h"

#include "absl/strings/str_cat.h"
#include "base/format.h"

namespace gles_delegate::gl_shaders {
namespace {

// The operand's texel for the value at (x, y, slice, batch).
std::string OperandText(const PostOpCall& call) {
  switch (call.operand_at) {
    case OperandAt::kChannel:
      return Formatted("read_%s(0, 0, slice, 0)", call.operand);
    case OperandAt::kElement:
      return Formatted("read_%s(x, y, slice, batch)", call.operand);
    case OperandAt::kBroadcast:
      break;
  }
  // Broadcasting is a clamp: an axis of extent 1 always reads index 0.
  return Formatted(
      "read_%s(min(x, %s_size.x - 1), min(y, %s_size.y - 1), "
      "min(slice, %s_size.z - 1), min(batch, %s_size.w - 1))%s",
      call.operand, call.operand, call.operand, call.operand, call.operand,
      call.operand_splat ? ".xxxx" : "");
}

std::string AlwaysCalled(const PostOpCall& call, absl::string_view list,
                         int index, absl::string_view vec) {
  const std::string params = absl::StrCat(list, index, "_params");
  if (call.operand.empty()) {
    return Formatted("  v = op_%s(v, %s);\n", call.function, params);
  }
  if (call.operand_lookup) {
    const auto read = [&](char lane) {
      if (call.operand_lookup_packed) {
        const std::string at = Formatted("at%d.%c", index, lane);
        return Formatted(
            "op_component(read_%s((%s >> 2) & 127, %s >> 9, 0, 0), %s)",
            call.operand, at, at, at);
      }
      return Formatted("read_%s(at%d.%c, 0, 0, 0).x", call.operand, index,
                       lane);
    };
    return Formatted(
        "  ivec4 at%d = op_%s(v, %s);\n  v = %s(%s, %s, %s, %s);\n", index,
        call.function, params, vec, read('x'), read('y'), read('z'), read('w'));
  }
  if (call.operand_table) {
    return Formatted(
        "  v = op_%s(v, read_%s(0, 0, slice, 0), read_%s(1, 0, slice, 0), "
        "%s);\n",
        call.function, call.operand, call.operand, params);
  }
  std::string value = OperandText(call);
  if (call.operand_zero_extend) {
    value =
        Formatted("(slice < %s_size.z ? %s : %s(0))", call.operand, value, vec);
  }
  return call.operand_first ? Formatted("  v = op_%s(%s, v, %s);\n",
                                        call.function, value, params)
                            : Formatted("  v = op_%s(v, %s, %s);\n",
                                        call.function, value, params);
}

}  // namespace

std::string PostOpText(const PostOpCall& call, absl::string_view list,
                       int index, absl::string_view vec) {
  const std::string text = AlwaysCalled(call, list, index, vec);
  if (!call.optional) return text;
  return Formatted("  if ((post_skipped.x & %d) == 0) {\n%s  }\n", 1 << index,
                   text);
}

std::string DeclareStage(const StageCalls& stage) {
  return Formatted("vec4 %s(int x, int y, int slice, int batch, vec4 v);\n",
                   stage.name);
}

std::string DefineStage(const StageCalls& stage) {
  std::string text;
  for (size_t i = 0; i < stage.ops.size(); ++i) {
    text += PostOpText(stage.ops[i], stage.name, static_cast<int>(i), "vec4");
  }
  return Formatted(
      "vec4 %s(int x, int y, int slice, int batch, vec4 v) {\n%s"
      "  return v;\n}\n",
      stage.name, text);
}

}  // namespace gles_delegate::gl_shaders
