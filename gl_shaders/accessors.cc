// The functions that read and write tensors, and read constants.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/format.h"
#include "egl/process.h"
#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {

bool ChecksBounds() { return egl::DebugHas("bounds"); }

// --- Objects -----------------------------------------------------------------

namespace {

// GLSL's names for texels of a format.
struct FormatNames {
  int bytes;                  // of a texel
  absl::string_view texel;    // in shaders
  absl::string_view prefix;   // of "sampler" and "image"
  absl::string_view image;    // the format qualifier
  absl::string_view element;  // of a storage buffer: floats packed in pairs,
                              // integers in fours
  absl::string_view poison;   // that ops do not produce from ordinary data
};

const FormatNames& NamesOf(Format format) {
  static constexpr FormatNames kNames[] = {
      {16, "vec4", "", "rgba32f", "vec4",
       "uintBitsToFloat(uvec4(0x7fc00000u))"},
      {8, "vec4", "", "rgba16f", "uvec2",
       "uintBitsToFloat(uvec4(0x7fc00000u))"},
      {16, "ivec4", "i", "rgba32i", "ivec4", "ivec4(0x7eadbeef)"},
      {4, "vec4", "i", "rgba8i", "int", "vec4(1e9)"},
  };
  return kNames[static_cast<int>(format)];
}

// "2D", "2DArray" or "Buffer": the suffix of "sampler" and "image".
absl::string_view ObjectShape(Storage storage) {
  if (storage == Storage::kTextureArray) return "2DArray";
  return storage == Storage::kTexelBuffer ? "Buffer" : "2D";
}

// "layout(binding = 0) uniform highp sampler2D src_tex;" with a newline.
std::string DeclareObject(absl::string_view name, Storage storage,
                          Format format, bool write,
                          const Bindings::Point& point) {
  const FormatNames& names = NamesOf(format);
  const absl::string_view access = write ? "writeonly" : "readonly";
  switch (point.kind) {
    case Bindings::Kind::kSampler:
      return Formatted(
          "layout(binding = %d) uniform highp %ssampler%s %s_tex;\n",
          point.unit, names.prefix, ObjectShape(storage), name);
    case Bindings::Kind::kImage:
      return Formatted(
          "layout(%s, binding = %d) uniform %s highp %simage%s %s_img;\n",
          names.image, point.unit, access, names.prefix, ObjectShape(storage),
          name);
    case Bindings::Kind::kBuffer:
      return Formatted(
          "layout(std430, binding = %d) %s buffer %s_buffer { %s %s_data[]; "
          "};\n",
          point.unit, access, name, names.element, name);
  }
  return "";
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

// --- Places of texels --------------------------------------------------------

// Index or coordinates of texel (x, y, slice, batch) in the tensor's memory, or
// in that of the tensor that it is a view of.
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

// The texel in an element of a buffer.
std::string Unpacked(Format format, const std::string& element) {
  return format == Format::kRgba16f ? Formatted("unpack_texel(%s)", element)
         : format == Format::kRgba8i
             ? Formatted("unpack_quantized(%s)", element)
             : element;
}

// The condition that (x, y, slice, batch) is outside tensor `name`.
std::string OutsideTensor(absl::string_view name) {
  return Formatted(
      "any(lessThan(ivec4(x, y, slice, batch), ivec4(0))) || "
      "any(greaterThanEqual(ivec4(x, y, slice, batch), %s_size))",
      name);
}

std::string CheckedRead(const TensorBinding& t) {
  if (!ChecksBounds()) return "";
  return Formatted(
      "  if (%s) {\n    out_of_bounds = true;\n    return %s;\n  }\n",
      OutsideTensor(t.name), NamesOf(t.format).poison);
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
      value = Unpacked(t.format, Formatted("%s_data[%s]", t.name, address));
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
      NamesOf(t.format).texel, t.name, CheckedRead(t), statements, value);
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

// packed_T: the result of read_T as two words of 16-bit floats.
std::string DefinePackedRead(const TensorBinding& t,
                             const Bindings::Point& point) {
  const bool as_stored =
      point.kind == Bindings::Kind::kBuffer && t.format == Format::kRgba16f;
  const std::string value =
      as_stored && !ChecksBounds() &&
              (t.view == View::kNone || t.view == View::kBox)
          ? Formatted("%s_data[%s]", t.name, Address(t))
          : Formatted("pack_texel(read_%s(x, y, slice, batch))", t.name);
  return Formatted(
      "uvec2 packed_%s(int x, int y, int slice, int batch) {\n"
      "  return %s;\n}\n",
      t.name, value);
}

// --- Functions ---------------------------------------------------------------

// The operand's texel for the value at (x, y, slice, batch). `t`: its name.
std::string OperandText(OperandAs as, const std::string& t,
                        absl::string_view vec) {
  if (as == OperandAs::kChannel) return Formatted("read_%s(0, 0, slice, 0)", t);
  if (as == OperandAs::kElement) {
    return Formatted("read_%s(x, y, slice, batch)", t);
  }
  // Broadcasting is a clamp: an axis of extent 1 always reads index 0.
  const std::string texel = Formatted(
      "read_%s(min(x, %s_size.x - 1), min(y, %s_size.y - 1), "
      "min(slice, %s_size.z - 1), min(batch, %s_size.w - 1))",
      t, t, t, t, t);
  if (as == OperandAs::kSplat) return texel + ".xxxx";
  return as == OperandAs::kZeroExtended
             ? Formatted("(slice < %s_size.z ? %s : %s(0))", t, texel, vec)
             : texel;
}

// Replaces each channel of v by an entry of the table `t`.
std::string LookupText(const PostOp& op, const std::string& t, int index,
                       const std::string& params, absl::string_view vec) {
  const auto read = [&](char lane) {
    const std::string at = Formatted("at%d.%c", index, lane);
    return op.operand_as == OperandAs::kPackedLookup
               ? Formatted(
                     "op_component(read_%s((%s >> 2) & 127, %s >> 9, 0, "
                     "0), %s)",
                     t, at, at, at)
               : Formatted("read_%s(%s, 0, 0, 0).x", t, at);
  };
  return Formatted("  ivec4 at%d = op_%s(v, %s);\n  v = %s(%s, %s, %s, %s);\n",
                   index, op.function, params, vec, read('x'), read('y'),
                   read('z'), read('w'));
}

std::string AlwaysCalled(const PostOp& op, absl::string_view list, int index,
                         absl::string_view vec) {
  const std::string operand = absl::StrCat(list, index);
  const std::string params = operand + "_params";
  if (op.operand < 0) {
    return Formatted("  v = op_%s(v, %s);\n", op.function, params);
  }
  switch (op.operand_as) {
    case OperandAs::kLookup:
    case OperandAs::kPackedLookup:
      return LookupText(op, operand, index, params, vec);
    case OperandAs::kTable:
      return Formatted(
          "  v = op_%s(v, read_%s(0, 0, slice, 0), read_%s(1, 0, slice, 0), "
          "%s);\n",
          op.function, operand, operand, params);
    default:
      break;
  }
  const std::string value = OperandText(op.operand_as, operand, vec);
  return Formatted("  v = op_%s(%s, %s, %s);\n", op.function,
                   op.operand_first ? value : "v",
                   op.operand_first ? "v" : value, params);
}

// Applies function `index` of a list to `v`, a texel of type `vec`. Uses the
// position x, y, slice and batch of `v`. `list`: "post" or a stage's name, with
// which the names of params and operands begin.
std::string PostOpText(const PostOp& op, absl::string_view list, int index,
                       absl::string_view vec) {
  std::string text = AlwaysCalled(op, list, index, vec);
  if (!op.optional) return text;
  return Formatted("  if ((post_skipped.x & %d) == 0) {\n%s  }\n", 1 << index,
                   text);
}

std::string DefineStage(const StageFunctions& stage) {
  std::string text;
  for (size_t i = 0; i < stage.ops.size(); ++i) {
    text += PostOpText(stage.ops[i], stage.name, static_cast<int>(i), "vec4");
  }
  return Formatted(
      "vec4 %s(int x, int y, int slice, int batch, vec4 v) {\n%s"
      "  return v;\n}\n",
      stage.name, text);
}

// --- write_T -----------------------------------------------------------------

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
  return Formatted("  if (out_of_bounds) v = %s;\n", NamesOf(format).poison);
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
                    NamesOf(t.format).texel, t.name,
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
                      absl::Span<const PostOp> post_ops,
                      const ShaderSpec& spec) {
  std::string text;
  for (size_t i = 0; i < post_ops.size(); ++i) {
    text += PostOpText(post_ops[i], "post", static_cast<int>(i),
                       NamesOf(t.format).texel);
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

std::string DefineWrite(const TensorBinding& t, const Bindings::Point& point,
                        absl::Span<const PostOp> post_ops,
                        const ShaderSpec& spec) {
  return Formatted(
      "void write_%s(int x, int y, int slice, int batch, %s v) {\n%s%s%s}\n",
      t.name, NamesOf(t.format).texel, CheckedWrite(t),
      ValueText(t, point.kind, post_ops, spec), StoreText(t, point.kind));
}

std::string DefineWriteInTwo(const TensorBinding& t,
                             const Bindings::Point& point,
                             absl::Span<const PostOp> post_ops,
                             const ShaderSpec& spec) {
  const absl::string_view vec = NamesOf(t.format).texel;
  return Formatted(
      "%s value_%s(int x, int y, int slice, int batch, %s v) {\n"
      "%s%s  return v;\n}\n"
      "void store_%s(int x, int y, int slice, int batch, %s v) {\n%s%s%s}\n",
      vec, t.name, vec, CheckedWrite(t),
      ValueText(t, point.kind, post_ops, spec), t.name, vec, CheckedWrite(t),
      PlaceText(t), StoreText(t, point.kind));
}

// --- Constants ---------------------------------------------------------------

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
      c.name, c.name, NamesOf(c.format).poison);
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

// The weights of input x alone, as integers. A word has 8 / bits inputs.
std::string WeightOf(int bits) {
  const int log = bits == 8 ? 0 : bits == 4 ? 1 : 2;
  return Formatted(
      "op_weights_%d(op_component(K_words(x >> %d, y), x >> %d) >> ((x & %d) * "
      "%d))",
      bits, log + 2, log, 8 / bits - 1, 4 * bits);
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

std::string DefineConstant(const ConstantBinding& c,
                           const Bindings::Point& point) {
  if (c.quantized_bits != 0) return DefineQuantizedRows(c, point);
  if (c.literal_width > 0) {
    return Formatted(
        "vec4 %s_at(int x, int y) {\n  return %s_data[y * %d + x];\n}\n",
        c.name, c.name, c.literal_width);
  }
  return Formatted("vec4 %s_at(int x, int y) {\n%s  return %s;\n}\n", c.name,
                   CheckedConstant(c), ConstantTexel(c, point));
}

// packed_K: the same of K_at.
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

}  // namespace

int BytesPerTexel(Format format) { return NamesOf(format).bytes; }

std::string DeclareObjects(const ShaderSpec& spec, const Bindings& bindings) {
  std::string text;
  for (size_t i = 0; i < spec.tensors.size(); ++i) {
    const TensorBinding& t = spec.tensors[i];
    text += DeclareObject(t.name, t.storage, t.format, t.write,
                          bindings.tensors[i]);
  }
  for (size_t i = 0; i < spec.constants.size(); ++i) {
    const ConstantBinding& c = spec.constants[i];
    text += c.literal_width > 0 ? LiteralTexels(c)
                                : DeclareObject(c.name, c.storage, c.format,
                                                false, bindings.constants[i]);
    if (c.quantized_bits == 0) continue;
    AppendFormatted(&text, "const int %s_fours = %d;\n", c.name,
                    8 / c.quantized_bits);
  }
  return text;
}

std::string DefineAccessors(const ShaderSpec& spec, const Bindings& bindings) {
  std::string text;
  // Reads first: the functions of writes and stages call them.
  for (size_t i = 0; i < spec.tensors.size(); ++i) {
    if (spec.tensors[i].write) continue;
    text += DefineRead(spec.tensors[i], bindings.tensors[i]);
    if (spec.half_arithmetic) {
      text += DefinePackedRead(spec.tensors[i], bindings.tensors[i]);
    }
  }
  for (const StageFunctions& stage : spec.stages) text += DefineStage(stage);
  bool first_write = true;
  for (size_t i = 0; i < spec.tensors.size(); ++i) {
    if (!spec.tensors[i].write) continue;
    const auto define =
        first_write && spec.write_in_two ? DefineWriteInTwo : DefineWrite;
    text += define(spec.tensors[i], bindings.tensors[i],
                   first_write ? absl::MakeConstSpan(spec.post_ops)
                               : absl::Span<const PostOp>(),
                   spec);
    first_write = false;
  }
  for (size_t i = 0; i < spec.constants.size(); ++i) {
    text += DefineConstant(spec.constants[i], bindings.constants[i]);
    if (spec.half_arithmetic) {
      text += DefinePackedConstant(spec.constants[i], bindings.constants[i]);
    }
  }
  return text;
}

}  // namespace gles_delegate::gl_shaders
