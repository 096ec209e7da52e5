#include "base/format.h"
#include "gl_shaders/accessors.h"
#include "gl_shaders/glsl_types.h"
#include "gl_shaders/post_op_text.h"
#include "gl_shaders/texel_text.h"

namespace gles_delegate::gl_shaders {

namespace {

// The stored element for texel `v` (8-bit: `quantized`).
absl::string_view Packed(Format format) {
  if (format == Format::kRgba16f) return "pack_texel(v)";
  if (format == Format::kRgba8i) return "pack_quantized(quantized)";
  return "v";
}

std::string CheckedWrite(const TensorBinding& t) {
  if (!ChecksBounds()) return "";
  return Formatted(
      "  if (%s) out_of_bounds = true;\n"
      "  x = clamp(x, 0, %s_size.x - 1);\n  y = clamp(y, 0, %s_size.y - 1);\n"
      "  slice = clamp(slice, 0, %s_size.z - 1);\n"
      "  batch = clamp(batch, 0, %s_size.w - 1);\n",
      OutsideTensor(t.name), t.name, t.name, t.name, t.name);
}

std::string PoisonIfOutside(Format format) {
  if (!ChecksBounds()) return "";
  return Formatted("  if (out_of_bounds) v = %s;\n", Poison(format));
}

// Makes the coordinates those among the other tensor's pixels in a row.
std::string PlaceText(const TensorBinding& t) {
  if (t.view != View::kRows) return "";
  return Formatted(
      "  ivec3 at = op_row_texel(ivec3(x, y, slice), %s_size.xyz, %s_of.z);\n"
      "  x = at.x;\n  y = at.y;\n  slice = at.z;\n",
      t.name, t.name);
}

// Statements that limit `v` to the tensor's format: zero padding channels, and
// the largest half or infinity for values beyond it.
std::string WithinFormat(const TensorBinding& t, Bindings::Kind kind,
                         const ShaderSpec& spec) {
  std::string text;
  if (t.mask_tail) {
    AppendFormatted(&text,
                    "  v = mix(v, %s(0), greaterThanEqual(ivec4(slice * 4) + "
                    "ivec4(0, 1, 2, 3), ivec4(%s_%s)));\n",
                    Vec(t.format), t.name,
                    t.view == View::kRows ? "at.w" : "aux.x");
  }
  if (t.format != Format::kRgba16f) return text;
  if (spec.saturate_halves) text += "  v = within_halves(v);\n";
  // pack_texel makes infinities itself; llvmpipe's image stores do not. With
  // saturation, remaining values above the largest half are already infinite.
  if (kind == Bindings::Kind::kImage &&
      (!spec.saturate_halves || spec.infinite_halves_are_nan)) {
    text += "  v = infinite_past_halves(v);\n";
  }
  return text;
}

// Statements that convert `v` to the value that write_T stores, and the
// coordinates to its location.
std::string ValueText(const TensorBinding& t, Bindings::Kind kind,
                      absl::Span<const PostOpCall> post_ops,
                      const ShaderSpec& spec) {
  std::string text;
  for (size_t i = 0; i < post_ops.size(); ++i) {
    text += PostOpText(post_ops[i], "post", static_cast<int>(i), Vec(t.format));
  }
  return text + PlaceText(t) + WithinFormat(t, kind, spec) +
         PoisonIfOutside(t.format);
}

// Statements that store `v` as it is.
std::string StoreText(const TensorBinding& t, Bindings::Kind kind) {
  std::string text;
  if (t.format == Format::kRgba8i) {
    // A real value is the product of its code and the scale, rounded. Dividing
    // and rounding gives the code back. floor(x + 0.5), as round() leaves ties
    // to the driver and a conversion truncates.
    const std::string steps =
        t.scaled
            ? Formatted("floor(v / intBitsToFloat(%s_aux.z) + 0.5)", t.name)
            : "v";
    AppendFormatted(
        &text, "  ivec4 quantized = clamp(ivec4(%s) + %s_aux.y, -128, 127);\n",
        steps, t.name);
  }
  const std::string address = Address(t);
  if (kind == Bindings::Kind::kImage) {
    AppendFormatted(&text, "  imageStore(%s_img, %s, %s);\n", t.name, address,
                    t.format == Format::kRgba8i ? "quantized" : "v");
  } else {
    AppendFormatted(&text, "  %s_data[%s] = %s;\n", t.name, address,
                    Packed(t.format));
  }
  return text;
}

}  // namespace

std::string DefineWrite(const TensorBinding& t, const Bindings::Point& point,
                        absl::Span<const PostOpCall> post_ops,
                        const ShaderSpec& spec) {
  return Formatted(
      "void write_%s(int x, int y, int slice, int batch, %s v) {\n%s%s%s}\n",
      t.name, Vec(t.format), CheckedWrite(t),
      ValueText(t, point.kind, post_ops, spec), StoreText(t, point.kind));
}

std::string DefineWriteInTwo(const TensorBinding& t,
                             const Bindings::Point& point,
                             absl::Span<const PostOpCall> post_ops,
                             const ShaderSpec& spec) {
  const absl::string_view vec = Vec(t.format);
  return Formatted(
      "%s value_%s(int x, int y, int slice, int batch, %s v) {\n"
      "%s%s  return v;\n}\n"
      "void store_%s(int x, int y, int slice, int batch, %s v) {\n%s%s%s}\n",
      vec, t.name, vec, CheckedWrite(t),
      ValueText(t, point.kind, post_ops, spec), t.name, vec, CheckedWrite(t),
      PlaceText(t), StoreText(t, point.kind));
}

}  // namespace gles_delegate::gl_shaders
