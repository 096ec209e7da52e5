// The functions that read tensors; constant_accessors.cc has those of
// constants, write_accessors.cc those that write.
#include "gl_shaders/accessors.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/format.h"
#include "egl/environment.h"
#include "gl_shaders/glsl_types.h"
#include "gl_shaders/texel_text.h"

namespace gles_delegate::gl_shaders {

namespace {

std::string CheckedRead(const TensorBinding& t) {
  if (!ChecksBounds()) return "";
  return Formatted(
      "  if (%s) {\n    out_of_bounds = true;\n    return %s;\n  }\n",
      OutsideTensor(t.name), Poison(t.format));
}

// Texel (x, y, slice, batch) of the memory, as a value.
std::string TexelAt(const TensorBinding& t, const Bindings::Point& point) {
  const std::string address = Address(t);
  std::string value;
  switch (point.kind) {
    case Bindings::Kind::kSampler:
      value = Formatted("texelFetch(%s_tex, %s, 0)", t.name, address);
      break;
    case Bindings::Kind::kImage:
      value = Formatted("imageLoad(%s_img, %s)", t.name, address);
      break;
    case Bindings::Kind::kBuffer:
      value = Formatted("%s_data[%s]", t.name, address);
      value = Unpacked(t.format, value);
      break;
  }
  if (t.format != Format::kRgba8i) return value;
  return Formatted(
      "vec4(%s - %s_aux.y)%s", value, t.name,
      t.scaled ? Formatted(" * intBitsToFloat(%s_aux.z)", t.name) : "");
}

// read_T: statements and result.
std::string Reader(const TensorBinding& t, absl::string_view statements,
                   absl::string_view value) {
  return Formatted(
      "%s read_%s(int x, int y, int slice, int batch) {\n%s%s"
      "  return %s;\n}\n",
      Vec(t.format), t.name, CheckedRead(t), statements, value);
}

// Makes the coordinates those of the other tensor.
std::string BlockStatements(const std::string& name) {
  return Formatted(
      "  ivec3 at = op_depth_to_space(ivec3(x, y, slice), %s_at.x, "
      "%s_size.z);\n"
      "  x = at.x;\n  y = at.y;\n  slice = at.z;\n",
      name, name);
}

// Reads the four surrounding texels by T_source; "mix(top, bottom, part.y)"
// interpolates them.
std::string AroundStatements(const std::string& name) {
  return absl::StrReplaceAll(
      "  vec3 resize = intBitsToFloat(T_at.xyz);\n  vec2 part;\n"
      "  ivec4 at = op_pixels_around(ivec2(x, y), resize.xy, resize.z, "
      "T_of.xy, part);\n"
      "  vec4 top = mix(T_source(at.x, at.y, slice, batch),\n"
      "                 T_source(at.z, at.y, slice, batch), part.x);\n"
      "  vec4 bottom = mix(T_source(at.x, at.w, slice, batch),\n"
      "                    T_source(at.z, at.w, slice, batch), part.x);\n",
      {{"T_", absl::StrCat(name, "_")}});
}

// Reads the corners of the window by T_source: they are all its pixels.
std::string WindowStatements(const std::string& name) {
  return absl::StrReplaceAll(
      "  ivec4 at = op_window_corners(ivec2(x, y), T_at, T_of.xy);\n"
      "  vec4 top = max(T_source(at.x, at.y, slice, batch),\n"
      "                 T_source(at.z, at.y, slice, batch));\n"
      "  vec4 bottom = max(T_source(at.x, at.w, slice, batch),\n"
      "                    T_source(at.z, at.w, slice, batch));\n",
      {{"T_", absl::StrCat(name, "_")}});
}

// read_T of a tensor whose texels are made of several of the other tensor.
std::string ReaderOfSeveral(const TensorBinding& t, absl::string_view texel,
                            absl::string_view statements,
                            absl::string_view value) {
  return absl::StrCat(
      Formatted("vec4 %s_source(int x, int y, int slice, int batch) "
                "{\n  return %s;\n}\n",
                t.name, texel),
      Reader(t, statements, value));
}

}  // namespace

bool ChecksBounds() { return egl::DebugHas("bounds"); }

absl::string_view FunctionOfView(View view) {
  switch (view) {
    case View::kNone:
    case View::kBox:
      return "";
    case View::kRows:
      return "op_row_texel";
    case View::kDepthToSpace:
      return "op_depth_to_space";
    case View::kBilinear:
      return "op_pixels_around";
    case View::kMaxPool:
      return "op_window_corners";
  }
  return "";
}

std::string DefineRead(const TensorBinding& t, const Bindings::Point& point) {
  const std::string texel = TexelAt(t, point);
  switch (t.view) {
    case View::kNone:
    case View::kBox:
      return Reader(t, "", texel);
    case View::kRows:
      return "";
    case View::kDepthToSpace:
      return Reader(t, BlockStatements(t.name), texel);
    case View::kBilinear:
      return ReaderOfSeveral(t, texel, AroundStatements(t.name),
                             "mix(top, bottom, part.y)");
    case View::kMaxPool:
      // As in the op: the smallest finite float replaces smaller values.
      return ReaderOfSeveral(t, texel, WindowStatements(t.name),
                             "max(max(top, bottom), vec4(-3.402823466e38))");
  }
  return "";
}

std::string DefinePackedRead(const TensorBinding& t,
                             const Bindings::Point& point) {
  const bool as_stored =
      point.kind == Bindings::Kind::kBuffer && t.format == Format::kRgba16f;
  const std::string value =
      as_stored && !ChecksBounds() && FunctionOfView(t.view).empty()
          ? Formatted("%s_data[%s]", t.name, Address(t))
          : Formatted("pack_texel(read_%s(x, y, slice, batch))", t.name);
  return Formatted(
      "uvec2 packed_%s(int x, int y, int slice, int batch) {\n"
      "  return %s;\n}\n",
      t.name, value);
}

}  // namespace gles_delegate::gl_shaders
