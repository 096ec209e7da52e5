#include "gl_shaders/glsl_types.h"

namespace gles_delegate::gl_shaders {

bool IsInt(Format format) { return format == Format::kRgba32i; }

absl::string_view Vec(Format format) {
  return IsInt(format) ? "ivec4" : "vec4";
}

absl::string_view ObjectPrefix(Format format) {
  return format == Format::kRgba32i || format == Format::kRgba8i ? "i" : "";
}

absl::string_view ImageFormat(Format format) {
  switch (format) {
    case Format::kRgba32f:
      return "rgba32f";
    case Format::kRgba16f:
      return "rgba16f";
    case Format::kRgba32i:
      return "rgba32i";
    case Format::kRgba8i:
      return "rgba8i";
  }
  return "";
}

absl::string_view BufferElement(Format format) {
  switch (format) {
    case Format::kRgba32f:
      return "vec4";
    case Format::kRgba16f:
      return "uvec2";
    case Format::kRgba32i:
      return "ivec4";
    case Format::kRgba8i:
      return "int";
  }
  return "";
}

}  // namespace gles_delegate::gl_shaders
