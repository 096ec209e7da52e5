#include "gl_shaders/shader.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/format.h"
#include "base/status_macros.h"
#include "egl/process.h"

namespace gles_delegate::gl_shaders {

// --- The prelude -------------------------------------------------------------

namespace {

// --- Declarations of tensors, constants and Params ---------------------------

// The members that every Params block begins with. ParamsOf
// (delegate/plan/dispatch.h) writes their values, in the same order and
// by the same names.
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
  if (absl::c_any_of(spec.post_ops,
                     [](const PostOp& op) { return op.optional; })) {
    absl::StrAppend(&text, " ivec4 post_skipped;");
  }
  for (const StageFunctions& stage : spec.stages) {
    for (size_t i = 0; i < stage.ops.size(); ++i) {
      AppendFormatted(&text, " vec4 %s%d_params;", stage.name, i);
    }
  }
  for (const ConstantBinding& c : spec.constants) {
    AppendFormatted(&text, " ivec4 %s_size;", c.name);
  }
  return text;
}

// The format of ELEMENT.
Format ElementFormat(const ShaderSpec& spec) {
  for (const TensorBinding& t : spec.tensors) {
    if (t.write) return t.format;
  }
  return spec.tensors.empty() ? Format::kRgba32f : spec.tensors[0].format;
}

// Values above the largest 16-bit float become infinite.
constexpr absl::string_view kInfinitePastHalves =
    "vec4 infinite_past_halves(vec4 v) {\n"
    "  uvec4 infinite = floatBitsToUint(v) & uvec4(0x80000000u) |\n"
    "                   uvec4(0x7f800000u);\n"
    "  return mix(v, uintBitsToFloat(infinite),\n"
    "             greaterThanEqual(abs(v), vec4(65520.0)));\n}\n";

// The same for a driver that stores infinities as NaNs: it makes an infinity of
// 65536.0 and, of all NaNs, stores a whole one for 98304.0 alone. By bits, from
// 65520.0 on, as no comparison of floats holds for a NaN.
constexpr absl::string_view kInfinitePastHalvesOfAFaultyDriver =
    "vec4 infinite_past_halves(vec4 v) {\n"
    "  uvec4 sign_bit = floatBitsToUint(v) & uvec4(0x80000000u);\n"
    "  uvec4 size = floatBitsToUint(v) & uvec4(0x7fffffffu);\n"
    "  uvec4 stored = mix(uvec4(0x47800000u), uvec4(0x47c00000u),\n"
    "                     greaterThan(size, uvec4(0x7f800000u)));\n"
    "  return mix(v, uintBitsToFloat(sign_bit | stored),\n"
    "             greaterThanEqual(size, uvec4(0x477ff000u)));\n}\n";

// unpackHalf2x16 in integer arithmetic, for a driver that cannot compile it. A
// subnormal half is a multiple of 2^-24; bits that would be a subnormal float
// may be flushed to zero.
constexpr absl::string_view kUnpackHalf =
    "vec2 unpack_halves(uint p) {\n"
    "  uvec2 half_bits = uvec2(p & 0xffffu, p >> 16u);\n"
    "  uvec2 size = half_bits & uvec2(0x7fffu);\n"
    "  vec2 v = mix(uintBitsToFloat((size << 13u) + uvec2(0x38000000u)),\n"
    "               vec2(size) * 5.9604644775390625e-8,\n"
    "               lessThan(size, uvec2(0x400u)));\n"
    "  v = mix(v, uintBitsToFloat((size << 13u) | uvec2(0x7f800000u)),\n"
    "          greaterThanEqual(size, uvec2(0x7c00u)));\n"
    "  return uintBitsToFloat(floatBitsToUint(v) |\n"
    "                         ((half_bits & uvec2(0x8000u)) << 16u));\n}\n"
    "#define unpackHalf2x16 unpack_halves\n";

// The functions that convert values beyond the largest 16-bit float as its
// storage does.
std::string HalfRanges(const ShaderSpec& spec) {
  std::string text;
  const bool half_images = absl::c_any_of(spec.tensors, [](const auto& t) {
    return t.write && t.format == Format::kRgba16f && !IsBuffer(t.storage);
  });
  if (spec.infinite_halves_are_nan) {
    absl::StrAppend(&text, kInfinitePastHalvesOfAFaultyDriver);
  } else if (!spec.saturate_halves && half_images) {
    absl::StrAppend(&text, kInfinitePastHalves);
  }
  if (spec.saturate_halves) {
    // By bits, as compilers may take it that nothing is infinite.
    text +=
        "vec4 within_halves(vec4 v) {\n"
        "  bvec4 finite = lessThan(floatBitsToUint(v) & uvec4(0x7fffffffu),\n"
        "                          uvec4(0x7f800000u));\n"
        "  return mix(v, clamp(v, -65504.0, 65504.0), finite);\n}\n";
  }
  return text;
}

// outside_grid, and the functions between texels as memory holds them and as
// shaders see them.
std::string Conversions(const ShaderSpec& spec) {
  return absl::StrCat(
      "bool outside_grid() {\n"
      "  return any(greaterThanEqual(gid, grid.xyz));\n}\n"
      "vec4 unpack_texel(uvec2 p) {\n"
      "  return vec4(unpackHalf2x16(p.x), unpackHalf2x16(p.y));\n}\n",
      "uvec2 pack_texel(vec4 v) {\n",
      spec.infinite_halves_are_nan ? "  v = infinite_past_halves(v);\n" : "",
      "  return uvec2(packHalf2x16(v.xy), packHalf2x16(v.zw));\n}\n"
      "ivec4 unpack_quantized(int p) {\n"
      "  return (ivec4(p) << ivec4(24, 16, 8, 0)) >> 24;\n}\n"
      "int pack_quantized(ivec4 v) {\n"
      "  v = (v & 255) << ivec4(0, 8, 16, 24);\n"
      "  return v.x | v.y | v.z | v.w;\n}\n",
      HalfRanges(spec));
}

// Whether the shader asks for something by this define.
bool Asks(const ShaderSpec& spec, absl::string_view define) {
  return absl::c_any_of(spec.defines, [define](const auto& asked) {
    return asked.first == define;
  });
}

// The extensions that the bindings need, and those that shaders ask for.
std::string Extensions(const ShaderSpec& spec) {
  std::string text;
  if (absl::c_any_of(spec.tensors, [](const auto& t) {
        return t.storage == Storage::kTexelBuffer && !t.write;
      })) {
    text += "#extension GL_EXT_texture_buffer : require\n";
  }
  // An app's texture with its own sampler type.
  if (Asks(spec, "EXTERNAL")) {
    text += "#extension GL_OES_EGL_image_external_essl3 : require\n";
  }
  // `precise`, if the driver has it (EXT_gpu_shader5; GLSL ES 3.20, 4.9).
  if (Asks(spec, "ORDERED_SUMS")) {
    text +=
        "#ifdef GL_EXT_gpu_shader5\n"
        "#extension GL_EXT_gpu_shader5 : require\n"
        "#define PRECISE precise\n"
        "#endif\n";
  }
  return text;
}

// The version, the extensions, and the work group.
std::string Head(const ShaderSpec& spec) {
  return Formatted(
      "#version 310 es\n%s"
      "// %s.comp, assembled by gles_delegate\n"
      "precision highp float;\n"
      "precision highp int;\n"
      "layout(local_size_x = %d, local_size_y = %d, local_size_z = %d) in;\n"
      "#define WORK_GROUP_X %d\n#define WORK_GROUP_Y %d\n"
      "#define WORK_GROUP_Z %d\n",
      Extensions(spec), spec.shader, spec.work_group[0], spec.work_group[1],
      spec.work_group[2], spec.work_group[0], spec.work_group[1],
      spec.work_group[2]);
}

// The op's own #defines, and those of its parameters and elements.
std::string Defines(const ShaderSpec& spec) {
  std::string text;
  for (const auto& [name, value] : spec.defines) {
    absl::StrAppend(&text, "#define ", name, " ", value, "\n");
  }
  absl::StrAppend(&text, "#define COMMON_PARAMS ", CommonParams(spec), "\n");
  const bool ints = ElementFormat(spec) == Format::kRgba32i;
  absl::StrAppend(&text, "#define ELEMENT ", ints ? "int" : "float",
                  "\n#define ELEMENT4 ", ints ? "ivec4" : "vec4", "\n");
  return text;
}

// lib/<name>.glsl.
absl::string_view LibraryText(absl::string_view name) {
  return ShaderFile(absl::StrCat("lib/", name, ".glsl")).value();
}

// The declarations of these functions.
std::string DeclarationsOf(absl::string_view definitions) {
  std::string text;
  for (absl::string_view line : absl::StrSplit(definitions, '\n')) {
    if (!absl::StartsWith(line, " ") && absl::ConsumeSuffix(&line, " {")) {
      absl::StrAppend(&text, line, ";\n");
    }
  }
  return text;
}

// Before the .comp: version, work group, #defines, COMMON_PARAMS, bindings, and
// the declarations of what comes after it.
std::string Prelude(const ShaderSpec& spec, const Bindings& bindings,
                    absl::string_view definitions) {
  std::string text = Head(spec) + Defines(spec);
  if (spec.unpack_half_fails) absl::StrAppend(&text, kUnpackHalf);
  if (spec.half_arithmetic) {
    absl::StrAppend(&text,
                    "#define HALF_ARITHMETIC 1\n"
                    "mediump vec4 halves(uvec2 p) {\n"
                    "  return vec4(unpackHalf2x16(p.x), unpackHalf2x16(p.y));\n"
                    "}\n");
  }
  if (ChecksBounds()) absl::StrAppend(&text, "bool out_of_bounds = false;\n");
  absl::StrAppend(&text, LibraryText("prelude"), DeclareObjects(spec, bindings),
                  DeclarationsOf(definitions));
  return text;
}

// --- Bindings ----------------------------------------------------------------

Bindings::Point Take(Storage storage, bool write, ReadBy read_by,
                     Bindings* bindings) {
  const bool texel_buffer = storage == Storage::kTexelBuffer;
  if (storage == Storage::kBuffer || (texel_buffer && write)) {
    return {Bindings::Kind::kBuffer, bindings->buffers++};
  }
  if (texel_buffer || write || read_by == ReadBy::kImage) {
    return {Bindings::Kind::kImage, bindings->images++};
  }
  return {Bindings::Kind::kSampler, bindings->samplers++};
}

bool IsWord(char c) { return absl::ascii_isalnum(c) || c == '_'; }

// Calls fn for each identifier of the text.
template <typename Fn>
void ForEachWord(absl::string_view text, Fn fn) {
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && IsWord(text[end])) ++end;
    if (end > i) fn(text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
}

// The names in `text` that begin with op_.
void FindOps(absl::string_view text, std::vector<std::string>* names) {
  ForEachWord(text, [names](absl::string_view word) {
    if (absl::StartsWith(word, "op_")) names->emplace_back(word);
  });
}

void DumpIfAsked(absl::string_view name, const std::string& text) {
  const auto folder = egl::DebugValue("shaders");
  if (!folder || folder->empty()) return;
  const std::string path = Formatted("%s/%s-%016x.comp", *folder, name,
                                     std::hash<std::string>()(text));
  std::ofstream(path) << text;  // best effort: a debugging aid
}

constexpr absl::string_view kParamsBlock =
    "layout(std140, binding = 0) uniform Params";

// The text with constants in place of its block, and as many lines.
std::string WithFixedParams(absl::string_view body,
                            absl::string_view constants) {
  const size_t begin = body.find(kParamsBlock);
  const size_t end = body.find("};", begin) + 2;
  const absl::string_view block = body.substr(begin, end - begin);
  return absl::StrCat(
      body.substr(0, begin), absl::StrReplaceAll(constants, {{"\n", " "}}),
      std::string(absl::c_count(block, '\n'), '\n'), body.substr(end));
}

}  // namespace

Bindings AssignBindings(const ShaderSpec& spec) {
  Bindings bindings;
  for (const TensorBinding& t : spec.tensors) {
    bindings.tensors.push_back(
        Take(t.storage, t.write, spec.read_by, &bindings));
  }
  for (const ConstantBinding& c : spec.constants) {
    bindings.constants.push_back(
        c.literal_width > 0 ? Bindings::Point{Bindings::Kind::kBuffer, -1}
                            : Take(c.storage, false, spec.read_by, &bindings));
  }
  return bindings;
}

absl::StatusOr<absl::string_view> ShaderFile(absl::string_view name) {
  for (size_t i = 0; i < kEmbeddedFileCount; ++i) {
    if (name == kEmbeddedFiles[i].name) {
      return absl::string_view(kEmbeddedFiles[i].text);
    }
  }
  return absl::NotFoundError(absl::StrCat("no shader file named ", name));
}

absl::StatusOr<std::string> AssembleShader(const ShaderSpec& spec) {
  ASSIGN_OR_RETURN(auto file, ShaderFile(absl::StrCat(spec.shader, ".comp")));
  const bool has_params = absl::StrContains(file, kParamsBlock);
  std::string body = absl::StrCat(has_params ? "" : LibraryText("params"),
                                  "#line 1\n", file, "\n");
  if (!spec.fixed_params.empty()) {
    body = WithFixedParams(body, spec.fixed_params);
  }
  const Bindings bindings = AssignBindings(spec);
  const std::string definitions =
      Conversions(spec) + DefineAccessors(spec, bindings);
  std::vector<std::string> functions;
  FindOps(body, &functions);
  for (const auto& [name, value] : spec.defines) FindOps(value, &functions);
  FindOps(definitions, &functions);
  std::string text = Prelude(spec, bindings, definitions);
  if (!functions.empty()) absl::StrAppend(&text, Library().Select(functions));
  if (absl::StrContains(body, "RETURN_IF_OUTSIDE")) {
    absl::StrAppend(&text, LibraryText("shares"));
  }
  absl::StrAppend(
      &text, body, definitions,
      absl::StrContains(body, "void main()") ? "" : LibraryText("texel_main"));
  DumpIfAsked(spec.shader, text);
  return text;
}

// --- The library -------------------------------------------------------------

namespace {

// The word before the first parenthesis.
std::string FunctionName(absl::string_view text) {
  const size_t end = text.find('(');
  if (end == absl::string_view::npos) return "";
  size_t begin = end;
  while (begin > 0 && IsWord(text[begin - 1])) --begin;
  return std::string(text.substr(begin, end - begin));
}

}  // namespace

FunctionLibrary::FunctionLibrary(absl::string_view library) {
  std::string text;  // of the function that is not at its end yet
  int depth = 0;
  for (absl::string_view line : absl::StrSplit(library, '\n')) {
    line = absl::StripTrailingAsciiWhitespace(line.substr(0, line.find("//")));
    if (line.empty()) continue;
    if (line[0] == '#') {
      items_.push_back({absl::StrCat(line, "\n"), ""});
      continue;
    }
    absl::StrAppend(&text, line, "\n");
    depth += static_cast<int>(absl::c_count(line, '{'));
    depth -= static_cast<int>(absl::c_count(line, '}'));
    if (depth == 0 && absl::StrContains(text, '}')) {
      const std::string name = FunctionName(text);
      items_.push_back({std::exchange(text, ""), name});
    }
  }
}

std::string FunctionLibrary::Select(absl::Span<const std::string> names) const {
  std::set<absl::string_view> wanted(names.begin(), names.end());
  // Callees come before their callers, as GLSL demands: one pass backwards.
  std::vector<bool> taken(items_.size(), false);
  for (size_t i = items_.size(); i-- > 0;) {
    const Item& item = items_[i];
    taken[i] = item.name.empty() || wanted.count(item.name) > 0;
    if (!taken[i]) continue;
    ForEachWord(item.text,
                [&wanted](absl::string_view word) { wanted.insert(word); });
  }
  std::string text;
  for (size_t i = 0; i < items_.size(); ++i) {
    if (taken[i]) text += items_[i].text;
  }
  return text;
}

namespace {

// For each "T op_name(T x, T y, vec4 p)" its form for a constant scalar y.
std::string ScalarForms(absl::string_view functions) {
  std::string text;
  for (absl::string_view line : absl::StrSplit(functions, '\n')) {
    const std::vector<absl::string_view> words =
        absl::StrSplit(line.substr(0, line.find(')')), absl::ByAnyChar(" (,"),
                       absl::SkipEmpty());
    if (words.size() != 8 || !absl::StartsWith(words[1], "op_") ||
        words[2] != words[0] || words[4] != words[0]) {
      continue;
    }
    AppendFormatted(&text,
                    "%s %s(%s x, vec4 p) {\n"
                    "  return %s(first_of(x, p), second_of(x, p), p);\n}\n",
                    words[0], words[1], words[0], words[1]);
  }
  return text;
}

}  // namespace

const FunctionLibrary& Library() {
  static const auto& library = *new FunctionLibrary([] {
    std::string text;
    // Each file uses only those before it.
    for (const char* name :
         {"indices", "math", "quantized", "elementwise", "views"}) {
      absl::StrAppend(&text, LibraryText(name));
    }
    absl::StrAppend(&text, ScalarForms(LibraryText("elementwise")));
    return text;
  }());
  return library;
}

}  // namespace gles_delegate::gl_shaders
