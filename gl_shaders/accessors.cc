#include "gl_shaders/accessors.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gl_shaders/glsl_types.h"
#include "gl_shaders/post_op_text.h"

namespace gles_delegate::gl_shaders {
namespace {

// Index or coordinates of texel (x, y, slice, batch) of the memory that a view
// reads or writes, or of the tensor's own, as GLSL.
std::string Address(const TensorBinding& t) {
  const bool box = t.view == View::kBox;
  const std::string size =
      absl::StrCat(t.name, t.view == View::kNone ? "_size" : "_of");
  const std::string x = box ? absl::StrCat("x + ", t.name, "_at.x") : "x";
  const std::string y = box ? absl::StrCat("y + ", t.name, "_at.y") : "y";
  const std::string layer =
      box ? absl::StrCat("batch * ", t.name, "_at.w + slice + ", t.name,
                         "_at.z")
          : absl::StrCat("batch * ", size, ".z + slice");
  switch (t.storage) {
    case Storage::kTextureArray:
      return absl::StrCat("ivec3(", x, ", ", y, ", ", layer, ")");
    case Storage::kTexture2d:
      return absl::StrCat("ivec2(", x, ", (", layer, ") * ", size, ".y + ", y,
                          ")");
    case Storage::kBuffer:
    case Storage::kTexelBuffer:
      return absl::StrCat("((", layer, ") * ", size, ".y + ", y, ") * ", size,
                          ".x + ", x);
  }
  return "";
}

std::string Halves(absl::string_view uvec2_expression) {
  return absl::StrCat("unpack_texel(", uvec2_expression, ")");
}

// The texel that an element of a buffer stands for; the element that a texel
// `v` (of codes: `codes`) is stored as.
std::string Unpacked(Format format, const std::string& element) {
  if (format == Format::kRgba16f) return Halves(element);
  if (format == Format::kRgba8i)
    return absl::StrCat("unpack_codes(", element, ")");
  return element;
}

absl::string_view Packed(Format format) {
  if (format == Format::kRgba16f) return "pack_texel(v)";
  if (format == Format::kRgba8i) return "pack_codes(codes)";
  return "v";
}

// A value that no op computes from ordinary data.
absl::string_view Poison(Format format) {
  switch (format) {
    case Format::kRgba32f:
    case Format::kRgba16f:
      return "uintBitsToFloat(uvec4(0x7fc00000u))";
    case Format::kRgba32i:
      return "ivec4(0x7eadbeef)";
    case Format::kRgba8i:
      return "vec4(1e9)";
  }
  return "";
}

std::string OutsideTensor(absl::string_view name) {
  return absl::StrFormat(
      "any(lessThan(ivec4(x, y, slice, batch), ivec4(0))) || "
      "any(greaterThanEqual(ivec4(x, y, slice, batch), %s_size))",
      name);
}

std::string CheckedRead(const TensorBinding& t) {
  if (!ChecksBounds()) return "";
  return absl::StrFormat(
      "  if (%s) {\n    out_of_bounds = true;\n    return %s;\n  }\n",
      OutsideTensor(t.name), Poison(t.format));
}

std::string CheckedWrite(const TensorBinding& t) {
  if (!ChecksBounds()) return "";
  return absl::StrFormat(
      "  if (%s) out_of_bounds = true;\n"
      "  x = clamp(x, 0, %s_size.x - 1);\n  y = clamp(y, 0, %s_size.y - 1);\n"
      "  slice = clamp(slice, 0, %s_size.z - 1);\n"
      "  batch = clamp(batch, 0, %s_size.w - 1);\n",
      OutsideTensor(t.name), t.name, t.name, t.name, t.name);
}

std::string PoisonIfOutside(Format format) {
  if (!ChecksBounds()) return "";
  return absl::StrFormat("  if (out_of_bounds) v = %s;\n", Poison(format));
}

// Statements that make of `v` what the tensor may hold: channels past the last
// become zero, and values past the largest half become that half or an
// infinity.
std::string WithinFormat(const TensorBinding& t, Bindings::Kind kind,
                         const ShaderSpec& spec) {
  std::string text;
  if (t.mask_tail) {
    absl::StrAppendFormat(
        &text,
        "  v = mix(v, %s(0), greaterThanEqual(ivec4(slice * 4) + "
        "ivec4(0, 1, 2, 3), ivec4(%s_aux.x)));\n",
        Vec(t.format), t.name);
  }
  if (t.format != Format::kRgba16f) return text;
  if (spec.saturate_halves) text += "  v = within_halves(v);\n";
  // pack_texel makes infinities by itself; llvmpipe's image stores do not. What
  // is left past the largest half where values saturate is infinite already.
  if (kind == Bindings::Kind::kImage &&
      (!spec.saturate_halves || spec.infinite_halves_are_nan)) {
    text += "  v = infinite_past_halves(v);\n";
  }
  return text;
}

// Statements that make of `v` what write_T stores.
std::string ValueText(const TensorBinding& t, Bindings::Kind kind,
                      absl::Span<const PostOpCall> post_ops,
                      const ShaderSpec& spec) {
  std::string text;
  for (size_t i = 0; i < post_ops.size(); ++i) {
    text += PostOpText(post_ops[i], static_cast<int>(i), Vec(t.format));
  }
  return text + WithinFormat(t, kind, spec) + PoisonIfOutside(t.format);
}

// Statements that store `v` as it is.
std::string StoreText(const TensorBinding& t, Bindings::Kind kind) {
  std::string text;
  if (t.format == Format::kRgba8i) {
    // A real value is the product of its code and the scale, rounded. Dividing
    // and rounding gives the code back. floor(x + 0.5), as round() leaves ties
    // to the driver and a conversion truncates.
    const std::string steps =
        t.scaled ? absl::StrFormat("floor(v / intBitsToFloat(%s_aux.z) + 0.5)",
                                   t.name)
                 : "v";
    absl::StrAppendFormat(
        &text, "  ivec4 codes = clamp(ivec4(%s) + %s_aux.y, -128, 127);\n",
        steps, t.name);
  }
  const std::string address = Address(t);
  if (kind == Bindings::Kind::kImage) {
    absl::StrAppendFormat(&text, "  imageStore(%s_img, %s, %s);\n", t.name,
                          address, t.format == Format::kRgba8i ? "codes" : "v");
  } else {
    absl::StrAppendFormat(&text, "  %s_data[%s] = %s;\n", t.name, address,
                          Packed(t.format));
  }
  return text;
}

// Texel (x, y, slice, batch) of the memory, as a value.
std::string TexelAt(const TensorBinding& t, const Bindings::Point& point) {
  const std::string address = Address(t);
  std::string value;
  switch (point.kind) {
    case Bindings::Kind::kSampler:
      value = absl::StrFormat("texelFetch(%s_tex, %s, 0)", t.name, address);
      break;
    case Bindings::Kind::kImage:
      value = absl::StrFormat("imageLoad(%s_img, %s)", t.name, address);
      break;
    case Bindings::Kind::kBuffer:
      value = absl::StrFormat("%s_data[%s]", t.name, address);
      value = Unpacked(t.format, value);
      break;
  }
  if (t.format != Format::kRgba8i) return value;
  return absl::StrFormat(
      "vec4(%s - %s_aux.y)%s", value, t.name,
      t.scaled ? absl::StrFormat(" * intBitsToFloat(%s_aux.z)", t.name) : "");
}

std::string DefineReadOfBlocks(const TensorBinding& t,
                               const Bindings::Point& point) {
  return absl::StrFormat(
      "%s read_%s(int x, int y, int slice, int batch) {\n%s"
      "  ivec3 at = op_depth_to_space(ivec3(x, y, slice), %s_at.x, "
      "%s_size.z);\n"
      "  x = at.x;\n  y = at.y;\n  slice = at.z;\n  return %s;\n}\n",
      Vec(t.format), t.name, CheckedRead(t), t.name, t.name, TexelAt(t, point));
}

std::string DefineReadOfPixelsAround(const TensorBinding& t,
                                     const Bindings::Point& point) {
  return absl::StrFormat(
      "vec4 %s_source(int x, int y, int slice, int batch) {\n"
      "  return %s;\n}\n"
      "vec4 read_%s(int x, int y, int slice, int batch) {\n%s"
      "  vec3 resize = intBitsToFloat(%s_at.xyz);\n  vec2 part;\n"
      "  ivec4 at = op_pixels_around(ivec2(x, y), resize.xy, resize.z, "
      "%s_of.xy, part);\n"
      "  vec4 top = mix(%s_source(at.x, at.y, slice, batch),\n"
      "                 %s_source(at.z, at.y, slice, batch), part.x);\n"
      "  vec4 bottom = mix(%s_source(at.x, at.w, slice, batch),\n"
      "                    %s_source(at.z, at.w, slice, batch), part.x);\n"
      "  return mix(top, bottom, part.y);\n}\n",
      t.name, TexelAt(t, point), t.name, CheckedRead(t), t.name, t.name, t.name,
      t.name, t.name, t.name);
}

}  // namespace

bool ChecksBounds() {
  const char* value = std::getenv("GLES_DELEGATE_CHECK_BOUNDS");
  return value != nullptr && *value != '\0' && *value != '0';
}

absl::string_view FunctionOfView(View view) {
  switch (view) {
    case View::kNone:
    case View::kBox:
      return "";
    case View::kDepthToSpace:
      return "op_depth_to_space";
    case View::kBilinear:
      return "op_pixels_around";
  }
  return "";
}

std::string DefineRead(const TensorBinding& t, const Bindings::Point& point) {
  if (t.view == View::kDepthToSpace) return DefineReadOfBlocks(t, point);
  if (t.view == View::kBilinear) return DefineReadOfPixelsAround(t, point);
  return absl::StrFormat(
      "%s read_%s(int x, int y, int slice, int batch) {\n%s  return %s;\n}\n",
      Vec(t.format), t.name, CheckedRead(t), TexelAt(t, point));
}

std::string DefinePackedRead(const TensorBinding& t,
                             const Bindings::Point& point) {
  const bool as_stored =
      point.kind == Bindings::Kind::kBuffer && t.format == Format::kRgba16f;
  const std::string value =
      as_stored && !ChecksBounds() && FunctionOfView(t.view).empty()
          ? absl::StrFormat("%s_data[%s]", t.name, Address(t))
          : absl::StrFormat("pack_texel(read_%s(x, y, slice, batch))", t.name);
  return absl::StrFormat(
      "uvec2 packed_%s(int x, int y, int slice, int batch) {\n"
      "  return %s;\n}\n",
      t.name, value);
}

std::string DefineWrite(const TensorBinding& t, const Bindings::Point& point,
                        absl::Span<const PostOpCall> post_ops,
                        const ShaderSpec& spec) {
  return absl::StrFormat(
      "void write_%s(int x, int y, int slice, int batch, %s v) {\n%s%s%s}\n",
      t.name, Vec(t.format), CheckedWrite(t),
      ValueText(t, point.kind, post_ops, spec), StoreText(t, point.kind));
}

std::string DefineWriteInTwo(const TensorBinding& t,
                             const Bindings::Point& point,
                             absl::Span<const PostOpCall> post_ops,
                             const ShaderSpec& spec) {
  const absl::string_view vec = Vec(t.format);
  return absl::StrFormat(
      "%s value_%s(int x, int y, int slice, int batch, %s v) {\n"
      "%s%s  return v;\n}\n"
      "void store_%s(int x, int y, int slice, int batch, %s v) {\n%s%s}\n",
      vec, t.name, vec, CheckedWrite(t),
      ValueText(t, point.kind, post_ops, spec), t.name, vec, CheckedWrite(t),
      StoreText(t, point.kind));
}

std::string DefineConstant(const ConstantBinding& c,
                           const Bindings::Point& point) {
  if (c.literal_width > 0) {
    return absl::StrFormat(
        "vec4 %s_at(int x, int y) { return %s_data[y * %d + x]; }\n", c.name,
        c.name, c.literal_width);
  }
  std::string value;
  switch (point.kind) {
    case Bindings::Kind::kSampler:
      value = absl::StrFormat("texelFetch(%s_tex, ivec2(x, y), 0)", c.name);
      break;
    case Bindings::Kind::kImage:
      value = absl::StrFormat("imageLoad(%s_img, ivec2(x, y))", c.name);
      break;
    case Bindings::Kind::kBuffer:
      value = absl::StrFormat("%s_data[y * %s_size.x + x]", c.name, c.name);
      if (c.half) value = Halves(value);
      break;
  }
  std::string check;
  if (ChecksBounds()) {
    check = absl::StrFormat(
        "  if (x < 0 || y < 0 || x >= %s_size.x || y >= %s_size.y) {\n"
        "    out_of_bounds = true;\n    return %s;\n  }\n",
        c.name, c.name, Poison(Format::kRgba32f));
  }
  return absl::StrFormat("vec4 %s_at(int x, int y) {\n%s  return %s;\n}\n",
                         c.name, check, value);
}

std::string DefinePackedConstant(const ConstantBinding& c,
                                 const Bindings::Point& point) {
  const bool as_stored =
      point.kind == Bindings::Kind::kBuffer && c.half && c.literal_width == 0;
  const std::string value =
      as_stored && !ChecksBounds()
          ? absl::StrFormat("%s_data[y * %s_size.x + x]", c.name, c.name)
          : absl::StrFormat("pack_texel(%s_at(x, y))", c.name);
  return absl::StrFormat("uvec2 packed_%s(int x, int y) {\n  return %s;\n}\n",
                         c.name, value);
}

}  // namespace gles_delegate::gl_shaders
