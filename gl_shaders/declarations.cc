#include "gl_shaders/declarations.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/format.h"
#include "gl_shaders/glsl_types.h"

namespace gles_delegate::gl_shaders {
namespace {

// "2D", "2DArray" or "Buffer": the suffix of "sampler" and "image".
absl::string_view ObjectShape(Storage storage) {
  if (storage == Storage::kTextureArray) return "2DArray";
  return storage == Storage::kTexelBuffer ? "Buffer" : "2D";
}

// The constant as an array in the text. Nine digits tell any two floats apart.
std::string LiteralTexels(const ConstantBinding& c) {
  std::string text =
      Formatted("vec4 %s_data[%d] = vec4[](", c.name, c.literals.size() / 4);
  for (size_t i = 0; i + 3 < c.literals.size(); i += 4) {
    AppendFormatted(&text, "%svec4(%.9g, %.9g, %.9g, %.9g)", i == 0 ? "" : ", ",
                    c.literals[i], c.literals[i + 1], c.literals[i + 2],
                    c.literals[i + 3]);
  }
  return text + ");\n";
}

}  // namespace

std::string DeclareTensor(const TensorBinding& t,
                          const Bindings::Point& point) {
  const absl::string_view shape = ObjectShape(t.storage);
  const absl::string_view prefix = ObjectPrefix(t.format);
  switch (point.kind) {
    case Bindings::Kind::kSampler:
      return Formatted(
          "layout(binding = %d) uniform highp %ssampler%s %s_tex;\n",
          point.unit, prefix, shape, t.name);
    case Bindings::Kind::kImage:
      return Formatted(
          "layout(%s, binding = %d) uniform %s highp %simage%s %s_img;\n",
          ImageFormat(t.format), point.unit, t.write ? "writeonly" : "readonly",
          prefix, shape, t.name);
    case Bindings::Kind::kBuffer:
      return Formatted(
          "layout(std430, binding = %d) %s buffer %s_buffer { %s %s_data[]; "
          "};\n",
          point.unit, t.write ? "writeonly" : "readonly", t.name,
          BufferElement(t.format), t.name);
  }
  return "";
}

std::string DeclareConstant(const ConstantBinding& c,
                            const Bindings::Point& point) {
  if (c.literal_width > 0) return LiteralTexels(c);
  switch (point.kind) {
    case Bindings::Kind::kSampler:
      return Formatted(
          "layout(binding = %d) uniform highp %ssampler2D %s_tex;\n",
          point.unit, ObjectPrefix(c.format), c.name);
    case Bindings::Kind::kImage:
      return Formatted(
          "layout(%s, binding = %d) uniform readonly highp %simage2D %s_img;\n",
          ImageFormat(c.format), point.unit, ObjectPrefix(c.format), c.name);
    case Bindings::Kind::kBuffer:
      return Formatted(
          "layout(std430, binding = %d) readonly buffer %s_buffer "
          "{ %s %s_data[]; };\n",
          point.unit, c.name, BufferElement(c.format), c.name);
  }
  return "";
}

std::string CommonParams(const ShaderSpec& spec) {
  std::string text = "ivec4 grid;";
  for (const TensorBinding& t : spec.tensors) {
    AppendFormatted(&text, " ivec4 %s_size; ivec4 %s_aux;", t.name, t.name);
    if (t.view != View::kNone) {
      AppendFormatted(&text, " ivec4 %s_at; ivec4 %s_of;", t.name, t.name);
    }
  }
  for (size_t i = 0; i < spec.post_ops.size(); ++i) {
    AppendFormatted(&text, " vec4 post%d_params;", i);
  }
  if (std::any_of(spec.post_ops.begin(), spec.post_ops.end(),
                  [](const PostOpCall& op) { return op.optional; })) {
    absl::StrAppend(&text, " ivec4 post_skipped;");
  }
  for (const StageCalls& stage : spec.stages) {
    for (size_t i = 0; i < stage.ops.size(); ++i) {
      AppendFormatted(&text, " vec4 %s%d_params;", stage.name, i);
    }
  }
  for (const ConstantBinding& c : spec.constants) {
    AppendFormatted(&text, " ivec4 %s_size;", c.name);
  }
  return text;
}

}  // namespace gles_delegate::gl_shaders
