// The functions that read constants.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/format.h"
#include "gl_shaders/accessors.h"
#include "gl_shaders/texel_text.h"

namespace gles_delegate::gl_shaders {
namespace {

// Texel (x, y) of a constant that is bound, as `format` holds it.
std::string ConstantTexel(const ConstantBinding& c,
                          const Bindings::Point& point) {
  switch (point.kind) {
    case Bindings::Kind::kSampler:
      return Formatted("texelFetch(%s_tex, ivec2(x, y), 0)", c.name);
    case Bindings::Kind::kImage:
      return Formatted("imageLoad(%s_img, ivec2(x, y))", c.name);
    case Bindings::Kind::kBuffer:
      return Unpacked(c.format,
                      Formatted("%s_data[y * %s_size.x + x]", c.name, c.name));
  }
  return "";
}

std::string CheckedConstant(const ConstantBinding& c) {
  if (!ChecksBounds()) return "";
  return Formatted(
      "  if (x < 0 || y < 0 || x >= %s_size.x || y >= %s_size.y) {\n"
      "    out_of_bounds = true;\n    return %s;\n  }\n",
      c.name, c.name, Poison(c.format));
}

// The integers of the i-th four inputs of a texel, for each width of weights.
absl::string_view ColumnsOf(int bits) {
  switch (bits) {
    case 8:
      return "  return mat4(op_weights_8(p.x), op_weights_8(p.y),\n"
             "              op_weights_8(p.z), op_weights_8(p.w));\n";
    case 4:
      return "  ivec2 q = i == 0 ? p.xy : p.zw;\n"
             "  return mat4(op_weights_4(q.x), op_weights_4(q.x >> 16),\n"
             "              op_weights_4(q.y), op_weights_4(q.y >> 16));\n";
    default:
      return "  int q = op_component(p, i);\n"
             "  return mat4(op_weights_2(q), op_weights_2(q >> 8),\n"
             "              op_weights_2(q >> 16), op_weights_2(q >> 24));\n";
  }
}

// The weights of input x alone, as integers.
absl::string_view WeightOf(int bits) {
  switch (bits) {
    case 8:
      return "op_weights_8(op_component(K_words(x >> 2, y), x))";
    case 4:
      return "op_weights_4(op_component(K_words(x >> 3, y), x >> 1) >>\n"
             "                      ((x & 1) << 4))";
    default:
      return "op_weights_2(op_component(K_words(x >> 4, y), x >> 2) >>\n"
             "                      ((x & 3) << 3))";
  }
}

std::string DefineQuantizedRows(const ConstantBinding& c,
                                const Bindings::Point& point) {
  const absl::string_view scales =
      c.half_scales ? "  ivec4 p = K_words(K_size.w + (b >> 1), y);\n"
                      "  return unpack_texel(uvec2((b & 1) == 0 ? p.xy : "
                      "p.zw));\n"
                    : "  return intBitsToFloat(K_words(K_size.w + b, y));\n";
  const std::string text = absl::StrCat(
      "ivec4 K_words(int x, int y) {\n", CheckedConstant(c), "  return ",
      ConstantTexel(c, point),
      ";\n}\n"
      "mat4 K_columns(ivec4 p, int i) {\n",
      ColumnsOf(c.quantized_bits),
      "}\n"
      "mat4 K_quantized(int t, int y) {\n"
      "  return K_columns(K_words(t / K_fours, y), t & (K_fours - 1));\n}\n"
      "vec4 K_scale(int t, int y) {\n"
      "  int b = t >> K_size.z;\n",
      scales,
      "}\n"
      "vec4 K_bias(int y) {\n"
      "  return intBitsToFloat(K_words(K_size.x - 1, y));\n}\n"
      "vec4 K_at(int x, int y) {\n  return ",
      WeightOf(c.quantized_bits), " *\n         K_scale(x >> 2, y);\n}\n");
  return absl::StrReplaceAll(text, {{"K_", absl::StrCat(c.name, "_")}});
}

}  // namespace

std::vector<std::string> FunctionsOf(const ConstantBinding& c) {
  if (c.quantized_bits == 0) return {};
  return {absl::StrCat("op_weights_", c.quantized_bits), "op_component"};
}

std::string DeclareAccessors(const ConstantBinding& c) {
  if (c.quantized_bits == 0) {
    return Formatted("vec4 %s_at(int x, int y);\n", c.name);
  }
  return absl::StrReplaceAll(
      Formatted("const int K_fours = %d;\n"
                "vec4 K_at(int x, int y);\n"
                "ivec4 K_words(int x, int y);\n"
                "mat4 K_columns(ivec4 p, int i);\n"
                "mat4 K_quantized(int t, int y);\n"
                "vec4 K_scale(int t, int y);\nvec4 K_bias(int y);\n",
                8 / c.quantized_bits),
      {{"K_", absl::StrCat(c.name, "_")}});
}

std::string DefineConstant(const ConstantBinding& c,
                           const Bindings::Point& point) {
  if (c.quantized_bits != 0) return DefineQuantizedRows(c, point);
  if (c.literal_width > 0) {
    return Formatted(
        "vec4 %s_at(int x, int y) { return %s_data[y * %d + x]; }\n", c.name,
        c.name, c.literal_width);
  }
  return Formatted("vec4 %s_at(int x, int y) {\n%s  return %s;\n}\n", c.name,
                   CheckedConstant(c), ConstantTexel(c, point));
}

std::string DefinePackedConstant(const ConstantBinding& c,
                                 const Bindings::Point& point) {
  const bool as_stored = point.kind == Bindings::Kind::kBuffer &&
                         c.format == Format::kRgba16f && c.literal_width == 0;
  const std::string value =
      as_stored && !ChecksBounds()
          ? Formatted("%s_data[y * %s_size.x + x]", c.name, c.name)
          : Formatted("pack_texel(%s_at(x, y))", c.name);
  return Formatted("uvec2 packed_%s(int x, int y) {\n  return %s;\n}\n", c.name,
                   value);
}

}  // namespace gles_delegate::gl_shaders
