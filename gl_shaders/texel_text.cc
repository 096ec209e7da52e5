#include "gl_shaders/texel_text.h"

#include "absl/strings/str_cat.h"
#include "base/format.h"

namespace gles_delegate::gl_shaders {

std::string Address(const TensorBinding& t) {
  const bool rows = t.view == View::kRows;
  const bool box = t.view == View::kBox || rows;
  const std::string size =
      absl::StrCat(t.name, t.view == View::kNone ? "_size" : "_of");
  const std::string x = box ? absl::StrCat("x + ", t.name, "_at.x") : "x";
  const std::string y = box ? absl::StrCat("y + ", t.name, "_at.y") : "y";
  const std::string layer =
      box ? absl::StrCat("batch * ", t.name, rows ? "_of.z" : "_at.w",
                         " + slice + ", t.name, "_at.z")
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

std::string Unpacked(Format format, const std::string& element) {
  if (format == Format::kRgba16f) return Halves(element);
  if (format == Format::kRgba8i) {
    return absl::StrCat("unpack_quantized(", element, ")");
  }
  return element;
}

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
  return Formatted(
      "any(lessThan(ivec4(x, y, slice, batch), ivec4(0))) || "
      "any(greaterThanEqual(ivec4(x, y, slice, batch), %s_size))",
      name);
}

}  // namespace gles_delegate::gl_shaders
