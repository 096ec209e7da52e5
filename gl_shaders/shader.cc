#include "gl_shaders/shader.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gl_shaders/embedded.h"
#include "gl_shaders/library.h"

namespace gles_delegate::gl_shaders {
namespace {

// What shaders see.
bool IsInt(Format format) { return format == Format::kRgba32i; }

// What images and samplers are of.
absl::string_view ObjectPrefix(Format format) {
  return format == Format::kRgba32i || format == Format::kRgba8i ? "i" : "";
}

absl::string_view Vec(Format format) {
  return IsInt(format) ? "ivec4" : "vec4";
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

// What an SSBO of texels holds: halves travel in pairs, codes in fours.
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

Bindings::Kind KindOf(const TensorBinding& tensor, ReadBy read_by) {
  if (tensor.storage == Storage::kBuffer) return Bindings::Kind::kBuffer;
  if (tensor.storage == Storage::kTexelBuffer) {
    return tensor.write ? Bindings::Kind::kBuffer : Bindings::Kind::kImage;
  }
  return tensor.write || read_by == ReadBy::kImage ? Bindings::Kind::kImage
                                                   : Bindings::Kind::kSampler;
}

Bindings::Kind KindOf(const ConstantBinding& constant, ReadBy read_by) {
  if (constant.storage == Storage::kBuffer) return Bindings::Kind::kBuffer;
  return read_by == ReadBy::kImage ? Bindings::Kind::kImage
                                   : Bindings::Kind::kSampler;
}

Bindings::Point Take(Bindings::Kind kind, Bindings* bindings) {
  switch (kind) {
    case Bindings::Kind::kSampler:
      return {kind, bindings->samplers++};
    case Bindings::Kind::kImage:
      return {kind, bindings->images++};
    case Bindings::Kind::kBuffer:
      return {kind, bindings->buffers++};
  }
  return {kind, 0};
}

// "2D", "2DArray" or "Buffer": what follows "sampler" and "image".
absl::string_view ObjectShape(Storage storage) {
  if (storage == Storage::kTextureArray) return "2DArray";
  return storage == Storage::kTexelBuffer ? "Buffer" : "2D";
}

// The declaration of the object behind a tensor.
std::string DeclareTensor(const TensorBinding& t,
                          const Bindings::Point& point) {
  const absl::string_view shape = ObjectShape(t.storage);
  const absl::string_view prefix = ObjectPrefix(t.format);
  switch (point.kind) {
    case Bindings::Kind::kSampler:
      return absl::StrFormat(
          "layout(binding = %d) uniform highp %ssampler%s %s_tex;\n",
          point.unit, prefix, shape, t.name);
    case Bindings::Kind::kImage:
      return absl::StrFormat(
          "layout(%s, binding = %d) uniform %s highp %simage%s %s_img;\n",
          ImageFormat(t.format), point.unit, t.write ? "writeonly" : "readonly",
          prefix, shape, t.name);
    case Bindings::Kind::kBuffer:
      return absl::StrFormat(
          "layout(std430, binding = %d) %s buffer %s_buffer { %s %s_data[]; "
          "};\n",
          point.unit, t.write ? "writeonly" : "readonly", t.name,
          BufferElement(t.format), t.name);
  }
  return "";
}

// Nine digits are enough to tell any two floats apart.
std::string LiteralTexels(const ConstantBinding& c) {
  std::string text = absl::StrFormat("vec4 %s_data[%d] = vec4[](", c.name,
                                     c.literals.size() / 4);
  for (size_t i = 0; i + 3 < c.literals.size(); i += 4) {
    absl::StrAppendFormat(&text, "%svec4(%.9g, %.9g, %.9g, %.9g)",
                          i == 0 ? "" : ", ", c.literals[i], c.literals[i + 1],
                          c.literals[i + 2], c.literals[i + 3]);
  }
  return text + ");\n";
}

std::string DeclareConstant(const ConstantBinding& c,
                            const Bindings::Point& point) {
  if (c.literal_width > 0) return LiteralTexels(c);
  switch (point.kind) {
    case Bindings::Kind::kSampler:
      return absl::StrFormat(
          "layout(binding = %d) uniform highp sampler2D %s_tex;\n", point.unit,
          c.name);
    case Bindings::Kind::kImage:
      return absl::StrFormat(
          "layout(%s, binding = %d) uniform readonly highp image2D %s_img;\n",
          c.half ? "rgba16f" : "rgba32f", point.unit, c.name);
    case Bindings::Kind::kBuffer:
      return absl::StrFormat(
          "layout(std430, binding = %d) readonly buffer %s_buffer "
          "{ %s %s_data[]; };\n",
          point.unit, c.name, c.half ? "uvec2" : "vec4", c.name);
  }
  return "";
}

std::string AddressInView(const TensorBinding& t) {
  const std::string at = absl::StrCat(t.name, "_at");
  const std::string of = absl::StrCat(t.name, "_of");
  const std::string x = absl::StrCat("x + ", at, ".x");
  const std::string y = absl::StrCat("y + ", at, ".y");
  const std::string layer =
      absl::StrCat("batch * ", at, ".w + slice + ", at, ".z");
  switch (t.storage) {
    case Storage::kTextureArray:
      return absl::StrCat("ivec3(", x, ", ", y, ", ", layer, ")");
    case Storage::kTexture2d:
      return absl::StrCat("ivec2(", x, ", (", layer, ") * ", of, ".y + ", y,
                          ")");
    case Storage::kBuffer:
    case Storage::kTexelBuffer:
      return absl::StrCat("((", layer, ") * ", of, ".y + ", y, ") * ", of,
                          ".x + ", x);
  }
  return "";
}

// Index or coordinates of texel (x, y, slice, batch), as GLSL.
std::string Address(const TensorBinding& t) {
  if (t.view) return AddressInView(t);
  const std::string layer = absl::StrCat("batch * ", t.name, "_size.z + slice");
  switch (t.storage) {
    case Storage::kTextureArray:
      return absl::StrCat("ivec3(x, y, ", layer, ")");
    case Storage::kTexture2d:
      return absl::StrCat("ivec2(x, (", layer, ") * ", t.name, "_size.y + y)");
    case Storage::kBuffer:
    case Storage::kTexelBuffer:
      return absl::StrCat("((", layer, ") * ", t.name, "_size.y + y) * ",
                          t.name, "_size.x + x");
  }
  return "";
}

std::string Halves(absl::string_view uvec2_expression) {
  return absl::StrCat("unpack_texel(", uvec2_expression, ")");
}

// A texel of what a buffer holds, and the other way round.
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

// GLES_DELEGATE_CHECK_BOUNDS=1, for tests: every accessor checks its
// coordinates. An invocation that left the bounds once writes nothing but
// poison from then on, whatever it does with what it read; a write outside is
// poison in the nearest texel. So what robust access would hide is in the
// result, on any driver.
bool ChecksBounds() {
  const char* value = std::getenv("GLES_DELEGATE_CHECK_BOUNDS");
  return value != nullptr && *value != '\0' && *value != '0';
}

// What no op computes from ordinary data.
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

std::string DefineRead(const TensorBinding& t, const Bindings::Point& point) {
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
  if (t.format == Format::kRgba8i) {
    value = absl::StrFormat(
        "vec4(%s - %s_aux.y)%s", value, t.name,
        t.scaled ? absl::StrFormat(" * intBitsToFloat(%s_aux.z)", t.name) : "");
  }
  return absl::StrFormat(
      "%s read_%s(int x, int y, int slice, int batch) {\n%s  return %s;\n}\n",
      Vec(t.format), t.name, CheckedRead(t), value);
}

std::string PostOpText(const PostOpCall& call, int index,
                       absl::string_view vec) {
  const std::string params = absl::StrCat("post", index, "_params");
  if (call.operand.empty()) {
    return absl::StrFormat("  v = op_%s(v, %s);\n", call.function, params);
  }
  if (call.operand_lookup) {
    const auto read = [&](char lane) {
      return absl::StrFormat("read_%s(at%d.%c, 0, 0, 0).x", call.operand, index,
                             lane);
    };
    return absl::StrFormat(
        "  ivec4 at%d = op_%s(v, %s);\n  v = %s(%s, %s, %s, %s);\n", index,
        call.function, params, vec, read('x'), read('y'), read('z'), read('w'));
  }
  if (call.operand_table) {
    return absl::StrFormat(
        "  v = op_%s(v, read_%s(0, 0, slice, 0), read_%s(1, 0, slice, 0), "
        "%s);\n",
        call.function, call.operand, call.operand, params);
  }
  // Broadcasting is a clamp: an axis of extent 1 always reads index 0.
  std::string value = absl::StrFormat(
      "read_%s(min(x, %s_size.x - 1), min(y, %s_size.y - 1), "
      "min(slice, %s_size.z - 1), min(batch, %s_size.w - 1))%s",
      call.operand, call.operand, call.operand, call.operand, call.operand,
      call.operand_splat ? ".xxxx" : "");
  if (call.operand_zero_extend) {
    value = absl::StrFormat("(slice < %s_size.z ? %s : %s(0))", call.operand,
                            value, vec);
  }
  return call.operand_first ? absl::StrFormat("  v = op_%s(%s, v, %s);\n",
                                              call.function, value, params)
                            : absl::StrFormat("  v = op_%s(v, %s, %s);\n",
                                              call.function, value, params);
}

std::string DefineWrite(const TensorBinding& t, const Bindings::Point& point,
                        absl::Span<const PostOpCall> post_ops,
                        bool saturate_halves) {
  std::string text = absl::StrFormat(
      "void write_%s(int x, int y, int slice, int batch, %s v) {\n", t.name,
      Vec(t.format));
  text += CheckedWrite(t);
  for (size_t i = 0; i < post_ops.size(); ++i) {
    text += PostOpText(post_ops[i], static_cast<int>(i), Vec(t.format));
  }
  if (t.mask_tail) {
    absl::StrAppendFormat(
        &text,
        "  v = mix(v, %s(0), greaterThanEqual(ivec4(slice * 4) + "
        "ivec4(0, 1, 2, 3), ivec4(%s_aux.x)));\n",
        Vec(t.format), t.name);
  }
  if (t.format == Format::kRgba16f && saturate_halves) {
    text += "  v = within_halves(v);\n";
  } else if (t.format == Format::kRgba16f &&
             point.kind == Bindings::Kind::kImage) {
    // packHalf2x16 makes infinities by itself; llvmpipe's image stores do not.
    text += "  v = infinite_past_halves(v);\n";
  }
  text += PoisonIfOutside(t.format);
  if (t.format == Format::kRgba8i) {
    // Real values are on codes but for the rounding of their multiplication;
    // floor(x + 0.5), as round() leaves ties to the driver and a conversion
    // truncates.
    const std::string steps =
        t.scaled ? absl::StrFormat("floor(v / intBitsToFloat(%s_aux.z) + 0.5)",
                                   t.name)
                 : "v";
    absl::StrAppendFormat(
        &text, "  ivec4 codes = clamp(ivec4(%s) + %s_aux.y, -128, 127);\n",
        steps, t.name);
  }
  const std::string address = Address(t);
  if (point.kind == Bindings::Kind::kImage) {
    absl::StrAppendFormat(&text, "  imageStore(%s_img, %s, %s);\n", t.name,
                          address, t.format == Format::kRgba8i ? "codes" : "v");
  } else {
    absl::StrAppendFormat(&text, "  %s_data[%s] = %s;\n", t.name, address,
                          Packed(t.format));
  }
  return text + "}\n";
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

// The members that every Params block begins with; ParamsPrefix in
// delegate/plan/program.cc writes their values in the same order.
std::string CommonParams(const ShaderSpec& spec) {
  std::string text = "ivec4 grid;";
  for (const TensorBinding& t : spec.tensors) {
    absl::StrAppendFormat(&text, " ivec4 %s_size; ivec4 %s_aux;", t.name,
                          t.name);
    if (t.view) {
      absl::StrAppendFormat(&text, " ivec4 %s_at; ivec4 %s_of;", t.name,
                            t.name);
    }
  }
  for (size_t i = 0; i < spec.post_ops.size(); ++i) {
    absl::StrAppendFormat(&text, " vec4 post%d_params;", i);
  }
  for (const ConstantBinding& c : spec.constants) {
    absl::StrAppendFormat(&text, " ivec4 %s_size;", c.name);
  }
  return text;
}

// What ELEMENT stands for.
Format ElementFormat(const ShaderSpec& spec) {
  for (const TensorBinding& t : spec.tensors) {
    if (t.write) return t.format;
  }
  return spec.tensors.empty() ? Format::kRgba32f : spec.tensors[0].format;
}

std::string Prelude(const ShaderSpec& spec, const Bindings& bindings) {
  const bool texel_buffers =
      std::any_of(spec.tensors.begin(), spec.tensors.end(), [](const auto& t) {
        return t.storage == Storage::kTexelBuffer && !t.write;
      });
  std::string text = absl::StrFormat(
      "#version 310 es\n%s"
      "// %s.comp, assembled by gles_delegate\n"
      "precision highp float;\n"
      "precision highp int;\n"
      "layout(local_size_x = %d, local_size_y = %d, local_size_z = %d) in;\n"
      "#define WORK_GROUP_X %d\n#define WORK_GROUP_Y %d\n"
      "#define WORK_GROUP_Z %d\n",
      texel_buffers ? "#extension GL_EXT_texture_buffer : require\n" : "",
      spec.shader, spec.work_group[0], spec.work_group[1], spec.work_group[2],
      spec.work_group[0], spec.work_group[1], spec.work_group[2]);
  for (const auto& [name, value] : spec.defines) {
    absl::StrAppend(&text, "#define ", name, " ", value, "\n");
  }
  absl::StrAppend(&text, "#define COMMON_PARAMS ", CommonParams(spec), "\n");
  const bool ints = IsInt(ElementFormat(spec));
  absl::StrAppend(&text, "#define ELEMENT ", ints ? "int" : "float",
                  "\n#define ELEMENT4 ", ints ? "ivec4" : "vec4", "\n");
  absl::StrAppend(&text, "#define gid ivec3(gl_GlobalInvocationID)\n");
  if (ChecksBounds()) absl::StrAppend(&text, "bool out_of_bounds = false;\n");
  absl::StrAppend(&text,
                  "bool outside_grid();\n"
                  "ivec4 unpack_codes(int p);\nint pack_codes(ivec4 v);\n");
  for (size_t i = 0; i < spec.tensors.size(); ++i) {
    const TensorBinding& t = spec.tensors[i];
    absl::StrAppend(&text, DeclareTensor(t, bindings.tensors[i]));
    if (t.write) {
      absl::StrAppendFormat(
          &text, "void write_%s(int x, int y, int slice, int batch, %s v);\n",
          t.name, Vec(t.format));
    } else {
      absl::StrAppendFormat(&text,
                            "%s read_%s(int x, int y, int slice, int batch);\n",
                            Vec(t.format), t.name);
    }
  }
  for (size_t i = 0; i < spec.constants.size(); ++i) {
    const ConstantBinding& c = spec.constants[i];
    absl::StrAppend(&text, DeclareConstant(c, bindings.constants[i]));
    absl::StrAppendFormat(&text, "vec4 %s_at(int x, int y);\n", c.name);
  }
  return text;
}

std::string Definitions(const ShaderSpec& spec, const Bindings& bindings) {
  std::string text =
      "bool outside_grid() { return any(greaterThanEqual(gid, grid.xyz)); }\n"
      "vec4 unpack_texel(uvec2 p) {\n"
      "  return vec4(unpackHalf2x16(p.x), unpackHalf2x16(p.y));\n}\n"
      "uvec2 pack_texel(vec4 v) {\n"
      "  return uvec2(packHalf2x16(v.xy), packHalf2x16(v.zw));\n}\n"
      "ivec4 unpack_codes(int p) {\n"
      "  return (ivec4(p) << ivec4(24, 16, 8, 0)) >> 24;\n}\n"
      "int pack_codes(ivec4 v) {\n"
      "  v = (v & 255) << ivec4(0, 8, 16, 24);\n"
      "  return v.x | v.y | v.z | v.w;\n}\n";
  const bool half_images =
      std::any_of(spec.tensors.begin(), spec.tensors.end(), [](const auto& t) {
        return t.write && t.format == Format::kRgba16f && !IsBuffer(t.storage);
      });
  if (!spec.saturate_halves && half_images) {
    text +=
        "vec4 infinite_past_halves(vec4 v) {\n"
        "  uvec4 infinite = floatBitsToUint(v) & uvec4(0x80000000u) |\n"
        "                   uvec4(0x7f800000u);\n"
        "  return mix(v, uintBitsToFloat(infinite),\n"
        "             greaterThanEqual(abs(v), vec4(65520.0)));\n}\n";
  }
  if (spec.saturate_halves) {
    // By bits, as compilers may take it that nothing is infinite.
    text +=
        "vec4 within_halves(vec4 v) {\n"
        "  bvec4 finite = lessThan(floatBitsToUint(v) & uvec4(0x7fffffffu),\n"
        "                          uvec4(0x7f800000u));\n"
        "  return mix(v, clamp(v, -65504.0, 65504.0), finite);\n}\n";
  }
  // Reads first: a write's post-ops call them.
  for (size_t i = 0; i < spec.tensors.size(); ++i) {
    if (!spec.tensors[i].write) {
      absl::StrAppend(&text, DefineRead(spec.tensors[i], bindings.tensors[i]));
    }
  }
  bool first_write = true;
  for (size_t i = 0; i < spec.tensors.size(); ++i) {
    if (!spec.tensors[i].write) continue;
    absl::StrAppend(&text,
                    DefineWrite(spec.tensors[i], bindings.tensors[i],
                                first_write ? absl::MakeConstSpan(spec.post_ops)
                                            : absl::Span<const PostOpCall>(),
                                spec.saturate_halves));
    first_write = false;
  }
  for (size_t i = 0; i < spec.constants.size(); ++i) {
    absl::StrAppend(&text,
                    DefineConstant(spec.constants[i], bindings.constants[i]));
  }
  return text;
}

// The names in `text` that begin with op_.
void FindOps(absl::string_view text, std::vector<std::string>* names) {
  const auto in_name = [](char c) {
    return absl::ascii_isalnum(c) || c == '_';
  };
  for (size_t at = text.find("op_"); at != text.npos;
       at = text.find("op_", at)) {
    size_t end = at;
    while (end < text.size() && in_name(text[end])) ++end;
    if (at == 0 || !in_name(text[at - 1]))
      names->emplace_back(text.substr(at, end - at));
    at = end;
  }
}

// What the shader needs of lib/elementwise.glsl: its post-ops, and what the
// .comp and its defines call.
std::vector<std::string> LibraryFunctions(const ShaderSpec& spec,
                                          absl::string_view body) {
  std::vector<std::string> names;
  for (const PostOpCall& op : spec.post_ops) {
    names.push_back(absl::StrCat("op_", op.function));
  }
  FindOps(body, &names);
  for (const auto& [name, value] : spec.defines) FindOps(value, &names);
  return names;
}

void DumpIfAsked(absl::string_view name, const std::string& text) {
  const char* dir = std::getenv("GLES_DELEGATE_DUMP_SHADERS");
  if (dir == nullptr || *dir == '\0') return;
  const std::string path = absl::StrFormat("%s/%s-%016x.comp", dir, name,
                                           std::hash<std::string>()(text));
  std::ofstream(path) << text;  // best effort: a debugging aid
}

}  // namespace

int BytesPerTexel(Format format) {
  switch (format) {
    case Format::kRgba32f:
    case Format::kRgba32i:
      return 16;
    case Format::kRgba16f:
      return 8;
    case Format::kRgba8i:
      return 4;
  }
  return 0;
}

absl::StatusOr<absl::string_view> ShaderFile(absl::string_view name) {
  for (size_t i = 0; i < kEmbeddedFileCount; ++i) {
    if (name == kEmbeddedFiles[i].name) {
      return absl::string_view(kEmbeddedFiles[i].text);
    }
  }
  return absl::NotFoundError(absl::StrCat("no shader file named ", name));
}

Bindings AssignBindings(const ShaderSpec& spec) {
  Bindings bindings;
  for (const TensorBinding& t : spec.tensors) {
    bindings.tensors.push_back(Take(KindOf(t, spec.read_by), &bindings));
  }
  for (const ConstantBinding& c : spec.constants) {
    bindings.constants.push_back(
        c.literal_width > 0 ? Bindings::Point{Bindings::Kind::kBuffer, -1}
                            : Take(KindOf(c, spec.read_by), &bindings));
  }
  return bindings;
}

absl::StatusOr<std::string> AssembleShader(const ShaderSpec& spec) {
  auto body = ShaderFile(absl::StrCat(spec.shader, ".comp"));
  if (!body.ok()) return body.status();
  const Bindings bindings = AssignBindings(spec);
  std::string text = Prelude(spec, bindings);
  if (std::vector<std::string> functions = LibraryFunctions(spec, *body);
      !functions.empty()) {
    auto library = ShaderFile("lib/elementwise.glsl");
    if (!library.ok()) return library.status();
    absl::StrAppend(&text, SelectFunctions(*library, functions));
  }
  absl::StrAppend(&text, "#line 1\n", *body, "\n", Definitions(spec, bindings));
  DumpIfAsked(spec.shader, text);
  return text;
}

}  // namespace gles_delegate::gl_shaders
