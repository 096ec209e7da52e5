// From a .comp file and a description of its bindings to the final GLSL text.
//
// What a .comp file may use, all written by the prelude:
//   COMMON_PARAMS     the first members of the block that each .comp declares,
//                     layout(std140, binding = 0) uniform Params: `ivec4 grid`
//                     (invocations: x, y, z) and, per tensor T, `ivec4 T_size`
//                     (W, H, slices, batch) and `ivec4 T_aux` (channels, ...).
//                     The .comp's own members follow, by the names, in the
//                     order and of the types of Dispatch::uniforms.
//   vec4 read_T(int x, int y, int slice, int batch)   a texel of a read tensor;
//                     the coordinates must be in range (no wrapping, no zero).
//   void write_T(int x, int y, int slice, int batch, vec4 v)   post-ops are
//                     applied to the first written tensor, channels past the
//                     tensor's last are written as zero.
//                     Tensors of integers have ivec4 in place of vec4.
//                     With ShaderSpec::write_in_two there are also
//                     vec4 value_T(int x, int y, int slice, int batch, vec4 v),
//                     what write_T stores of v, and void store_T(... vec4 v),
//                     which stores such a value as it is.
//   ivec4 variant     with ShaderSpec::has_variant, in COMMON_PARAMS: what of
//                     its text a dispatch asks for, as the .comp says.
//   ELEMENT, ELEMENT4 the type of a channel and of a texel of the first written
//                     tensor (where none is written, of the first read): float
//                     and vec4, or int and ivec4. What only moves values is
//                     written in these and works for both.
//   vec4 K_at(int x, int y)   texel of packed constant K; COMMON_PARAMS also
//                     declares `ivec4 K_size` (width, height, 0, 0).
//   HALF_ARITHMETIC   defined where the shader is to multiply in 16 bits. Then
//                     there are also uvec2 packed_T(x, y, slice, batch) and
//                     uvec2 packed_K(x, y), what read_T and K_at give as 16-bit
//                     floats, uvec2 pack_texel(vec4) and mediump vec4
//                     halves(uvec2).
//   ivec3 gid         gl_GlobalInvocationID as ints.
//   bool outside_grid()   this invocation is past `grid`: return at once,
//                     unless barriers follow.
//   op_...            the functions of lib/*.glsl that the .comp or the value
//                     of a #define names.
//   The op's own #defines.
// llvmpipe runs the body of a loop whose test stands before it once more, with
// no invocation in it, and takes as long. So loops that every invocation takes
// at least once, and that much time is spent in, are do {} while loops. Their
// counters begin at grid.w, which is 0 and which no compiler knows: where a
// counter begins at a constant, Mesa computes what depends on it at the end of
// a turn for the next, and each such value is one more that a loop keeps. The
// prelude declares the size of the work group. GLSL ES has no token pasting,
// hence a function read_T for each tensor.
#ifndef GLES_DELEGATE_GL_SHADERS_SHADER_H_
#define GLES_DELEGATE_GL_SHADERS_SHADER_H_

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gles_delegate::gl_shaders {

// Where a tensor lives. Texel (x, y, slice, batch), layer = batch*slices+slice:
enum class Storage {
  kTextureArray,  // 2-D array, (x, y, layer)
  kTexture2d,     // 2-D, slices stacked: (x, layer * H + y)
  kBuffer,        // SSBO of texels: (layer * H + y) * W + x; halves as uvec2
  kTexelBuffer,   // as kBuffer, but read as an imageBuffer (EXT_texture_buffer)
};

inline bool IsBuffer(Storage storage) {
  return storage == Storage::kBuffer || storage == Storage::kTexelBuffer;
}

// What a texel is.
enum class Format {
  kRgba32f,
  kRgba16f,
  kRgba32i,  // read_T gives ivec4, write_T takes it
  // Codes of -128..127 (in a buffer four to an int) that stand for numbers: to
  // shaders they are floats, code - T_aux.y, and where the binding is `scaled`
  // that times the float whose bits T_aux.z is.
  kRgba8i,
};
int BytesPerTexel(Format format);

// How the texels of a tensor lie in the memory of another tensor, of which
// COMMON_PARAMS then also has `ivec4 T_of` (width, height, slices).
enum class View {
  kNone,  // the tensor has memory of its own
  // A box of it; `ivec4 T_at` is where the box begins (x, y, layer) and the
  // layers of a batch of the larger tensor.
  kBox,
  // Only to be written: rows of its pixels, as MemoryView::Kind::kRows says.
  // T_at is where they begin (x, y, layer), and the channels of a pixel there.
  kRows,
  // Only to be read: each texel is one of the other tensor, by DEPTH_TO_SPACE;
  // T_at.x is the block.
  kDepthToSpace,
  // Only to be read: each texel is what RESIZE_BILINEAR makes of the other
  // tensor; T_at holds the bits of three floats, source pixels an output pixel
  // along x and y, and 0.5 where pixels are at their centers.
  kBilinear,
  // Only to be read: each texel is the largest of a window's texels of the
  // other tensor, of at most 2x2; T_at holds the pixels from one window to the
  // next along x and y, and from a window's first pixel to its last one.
  kMaxPool,
};

// How a texture is read: sampler and texelFetch, or image and imageLoad. A
// texel buffer is always read as an image.
enum class ReadBy { kFetch, kImage };

struct TensorBinding {
  std::string name;
  Storage storage = Storage::kTextureArray;
  Format format = Format::kRgba32f;
  bool write = false;
  bool mask_tail = false;  // channels % 4 != 0: zero what lies past the last
  bool scaled = false;     // of kRgba8i
  View view = View::kNone;
};

struct ConstantBinding {
  std::string name;
  Storage storage = Storage::kBuffer;  // or kTexture2d
  bool half = false;
  // Texels a row of a constant that the text holds as literals; nothing is
  // bound for it. 0: the constant is bound.
  int literal_width = 0;
  // The literals, four a texel, all finite. Empty until the values are known.
  std::vector<float> literals;
};

struct PostOpCall {
  std::string function;  // op_<function>
  std::string operand;   // name of a read tensor, "" for none
  bool operand_first = false;
  bool operand_splat = false;        // one channel, broadcast to four
  bool operand_zero_extend = false;  // slices that it lacks are zero
  // op_<function>(v, first, second, params): texels (0, 0) and (1, 0) of the
  // operand at the slice written.
  bool operand_table = false;
  // Channel 0 of texel (op_<function>(v, params), 0) of the operand, for each
  // channel of v.
  bool operand_lookup = false;
  // The table is of 4 channels and 128 columns: entry i is channel i & 3 of
  // texel i >> 2, rows before columns.
  bool operand_lookup_packed = false;
  // COMMON_PARAMS has `ivec4 post_skipped`; bit i of its x skips the i-th call.
  bool optional = false;
};

// The binding points of tensors, then of constants. Samplers, images and
// storage buffers count from 0 each; Params is uniform block 0.
struct Bindings {
  enum class Kind { kSampler, kImage, kBuffer };
  struct Point {
    Kind kind;
    int unit;
  };
  std::vector<Point> tensors;
  std::vector<Point> constants;  // unit -1: literals
  int samplers = 0;
  int images = 0;
  int buffers = 0;
};

struct ShaderSpec {
  std::string shader;  // <shader>.comp
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<TensorBinding> tensors;
  std::vector<ConstantBinding> constants;
  std::vector<PostOpCall> post_ops;
  ReadBy read_by = ReadBy::kFetch;
  // Finite values past the largest 16-bit float are stored as the largest one.
  bool saturate_halves = false;
  // The driver stores an infinity as a NaN, in 16 bits; 65536 it stores as an
  // infinity.
  bool infinite_halves_are_nan = false;
  // The driver cannot compile unpackHalf2x16.
  bool unpack_half_fails = false;
  // HALF_ARITHMETIC is defined: the shader multiplies in 16 bits.
  bool half_arithmetic = false;
  // There are value_T and store_T of the first written tensor.
  bool write_in_two = false;
  // COMMON_PARAMS has `ivec4 variant`: which of what the shader does a dispatch
  // asks for. Each .comp says what its members are.
  bool has_variant = false;
  std::array<int, 3> work_group = {1, 1, 1};
};

// The embedded text of <name>.comp or lib/<name>.glsl. kNotFound.
absl::StatusOr<absl::string_view> ShaderFile(absl::string_view name);

// Which unit each tensor and constant is bound to.
Bindings AssignBindings(const ShaderSpec& spec);

// The whole program's text: prelude, libraries, `#line 1`, the .comp. kNotFound
// where there is no such shader. With GLES_DELEGATE_DUMP_SHADERS=dir the text
// is also written there, as <shader>-<hash>.comp.
absl::StatusOr<std::string> AssembleShader(const ShaderSpec& spec);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_SHADER_H_
