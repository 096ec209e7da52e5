// Assembles the final GLSL from a .comp file and a description of its bindings.
//
// The prelude provides a .comp file with:
//   COMMON_PARAMS    the first members of the block that each .comp declares,
//                    layout(std140, binding = 0) uniform Params: `ivec4 grid`
//                    (invocations: x, y, z) and, per tensor T, `ivec4 T_size`
//                    (W, H, slices, batch) and `ivec4 T_aux` (channels, ...).
//                    The .comp's own members follow, with the names, order and
//                    types of Dispatch::uniforms. A .comp without any need not
//                    declare the block.
//   main()           if the .comp has ELEMENT4 dst_texel(ivec4 p) instead:
//   writes
//                    it at x, y, slice, batch, one texel of dst an invocation.
//   vec4 read_T(int x, int y, int slice, int batch)
//                    a texel of a read tensor. The coordinates must be in
//                    range.
//   void write_T(int x, int y, int slice, int batch, vec4 v)
//                    stores v. Applies post-ops for the first written tensor,
//                    and zeroes padding channels. Integer tensors have ivec4.
//                    With ShaderSpec::write_in_two there are also
//                    vec4 value_T(int x, int y, int slice, int batch, vec4 v),
//                    the value that write_T would store, and
//                    void store_T(... vec4 v), which stores it unchanged.
//   vec4 S(int x, int y, int slice, int batch, vec4 v)
//                    for each stage S (ShaderSpec::stages): the value of its
//                    functions for v, which is at this place of the tensor that
//                    they are functions of. <S> in capitals is defined.
//   ELEMENT, ELEMENT4
//                    the type of a channel and of a texel of the first written
//                    tensor (else of the first read one): float and vec4, or
//                    int and ivec4. Shaders that only move values use these.
//   vec4 K_at(int x, int y)
//                    a texel of packed constant K. COMMON_PARAMS also declares
//                    `ivec4 K_size` (width, height, 0, 0).
//                    Quantized rows (ConstantBinding::quantized_bits): row y
//                    has the weights of outputs 4y to 4y + 3. K_at(x, y) are
//                    those of input x.
//   mat4 K_quantized(int t, int y)
//                    the integers of inputs 4t to 4t + 3, a column each.
//   const int K_fours, ivec4 K_words(int x, int y), mat4 K_columns(ivec4, int
//   i)
//                    the same for several t at once: texel x of the row has the
//                    integers of K_fours of them, the i-th are its columns.
//   vec4 K_scale(int t, int y)
//                    the scales of these inputs for the four outputs.
//   vec4 K_bias(int y)
//                    A row has words of 32 bits, four in a texel: its weights,
//                    the scales by block and output, the biases. Each part
//                    begins at a texel. Weights fill words from the lowest
//                    bits:
//                      8 bits | input 0, outputs 0 1 2 3 | input 1 ...
//                      4 bits | input 0, outputs 0 1 2 3, input 1 ... |
//   HALF_ARITHMETIC  defined if the shader is to multiply in 16 bits. Then
//                    uvec2 packed_T(x, y, slice, batch), uvec2 packed_K(x, y)
//                    are the results of read_T and K_at as 16-bit floats.
//                    uvec2 pack_texel(vec4) and mediump vec4 halves(uvec2)
//                    convert these.
//   ivec3 gid        gl_GlobalInvocationID as ints.
//   bool outside_grid()
//                    this invocation is outside `grid`: return at once, unless
//                    barriers follow.
//   op_...           the functions of lib/*.glsl that the .comp or the value of
//                    a #define names.
// The op's own #defines and the size of the work group are declared as well.
//
// Performance rules. llvmpipe executes the body of a loop that tests first once
// more, without active invocations, at full cost. Hot loops that run at least
// once are therefore do {} while loops. Their counters begin at grid.w, which
// is 0 but unknown to compilers: with a constant start, Mesa hoists the next
// iteration's values to the end of each iteration, which takes more registers.
//
// GLSL ES has no token pasting, hence a function read_T for each tensor.
#ifndef GLES_DELEGATE_GL_SHADERS_SHADER_H_
#define GLES_DELEGATE_GL_SHADERS_SHADER_H_

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gles_delegate::gl_shaders {

// Storage of a tensor. Texel (x, y, slice, batch), layer = batch*slices+slice:
enum class Storage {
  kTextureArray,  // 2-D array, (x, y, layer)
  kTexture2d,     // 2-D, slices stacked: (x, layer * H + y)
  kBuffer,        // SSBO of texels: (layer * H + y) * W + x; halves as uvec2
  kTexelBuffer,   // as kBuffer, but read as an imageBuffer (EXT_texture_buffer)
};

inline bool IsBuffer(Storage storage) {
  return storage == Storage::kBuffer || storage == Storage::kTexelBuffer;
}

// Texel formats.
enum class Format {
  kRgba32f,
  kRgba16f,
  kRgba32i,  // read_T returns ivec4, write_T takes it
  // Quantized values in -128..127 (four per int in buffers). Shaders read
  // floats: value - T_aux.y, multiplied by the float whose bits are in T_aux.z
  // if the binding is `scaled`.
  kRgba8i,
};
int BytesPerTexel(Format format);

// How a tensor's texels are located in another tensor's memory. COMMON_PARAMS
// then also has `ivec4 T_of` (its width, height, slices).
enum class View {
  kNone,  // the tensor has its own memory
  // A box; `ivec4 T_at` has its origin (x, y, layer) and the layers from one
  // batch to the next.
  kBox,
  // For writes: rows of the other tensor's pixels, as RESHAPE makes them: each
  // pixel's slices become the slices of consecutive pixels. T_at has their
  // origin (x, y, layer) and the channels of a pixel there.
  kRows,
  // For reads: each texel is one of the other tensor's, by DEPTH_TO_SPACE;
  // T_at.x is the block.
  kDepthToSpace,
  // For reads: each texel is RESIZE_BILINEAR of the other tensor; T_at has the
  // bits of three floats: source pixels per output pixel along x and y, and 0.5
  // for half-pixel centers.
  kBilinear,
  // For reads: each texel is the maximum of a window of at most 2x2 texels of
  // the other tensor; T_at has the stride along x and y, and the distance from
  // a window's first pixel to its last.
  kMaxPool,
};

// How a texture is read: sampler and texelFetch, or image and imageLoad. Texel
// buffers are always images.
enum class ReadBy { kFetch, kImage };

struct TensorBinding {
  std::string name;
  Storage storage = Storage::kTextureArray;
  Format format = Format::kRgba32f;
  bool write = false;
  bool mask_tail = false;  // channels % 4 != 0: zero padding channels
  bool scaled = false;     // of kRgba8i
  View view = View::kNone;
};

struct ConstantBinding {
  std::string name;
  Storage storage = Storage::kBuffer;  // or kTexture2d
  Format format = Format::kRgba32f;
  // Texels per row if the constant consists of literals in the text and is not
  // bound. 0: it is bound.
  int literal_width = 0;
  // The literals, four per texel, all finite. Empty until the values are known.
  std::vector<float> literals;
  // Of quantized rows (kRgba32i): a weight's bits, 8, 4 or 2, and whether the
  // scales are 16-bit floats. 0: the constant has floats.
  int quantized_bits = 0;
  bool half_scales = false;
};

// How a function reads its operand for the value at (x, y, slice, batch).
enum class OperandAs {
  kBroadcast,     // that texel; axes of extent 1 are broadcast
  kZeroExtended,  // the same; missing slices are zero
  // A table of two pixels for all positions. The function is f(x, first,
  // second), with the two pixels' values for x's four channels.
  kTable,
  // A table from which f(x) selects a value for each channel: 256 pixels of one
  // channel, or 128 x 128 pixels of four channels (65,536 entries, for one
  // int16 value or a pair of 8-bit values).
  kLookup,
  // SpecOf() (delegate/plan/dispatch.h) replaces these by what the tensors
  // allow:
  kSplat,         // one channel, broadcast to four
  kPackedLookup,  // the table of 128 x 128 pixels
  kChannel,       // texel (0, 0, slice, 0)
  kElement,       // that texel
};

// An elementwise function applied to values before they are stored. Every op
// whose shader writes through write_dst() supports post-ops; an elementwise
// node is a copy with post-ops. The GLSL function is op_<function>() of lib/.
struct PostOp {
  std::string function;              // "clamp", "add", "prelu", ...
  std::array<float, 4> params = {};  // the function's constants
  int operand = -1;                  // a tensor, the second argument; -1: none
  bool operand_first = false;        // f(operand, x) rather than f(x, operand)
  OperandAs operand_as = OperandAs::kBroadcast;
  // The operand is a view of kMaxPool. A program that can skip the function
  // reads whatever is bound instead.
  bool operand_max_pool = false;
  // In a ShaderSpec: COMMON_PARAMS has `ivec4 post_skipped`; bit i of its x
  // skips function i.
  bool optional = false;
};

// Functions that the .comp calls by this name. The i-th's operand is the read
// tensor <name>i.
struct StageFunctions {
  absl::string_view name;
  std::vector<PostOp> ops;
};

// Binding points of tensors, then of constants. Samplers, images and storage
// buffers are numbered from 0 separately; Params is uniform block 0.
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
  std::vector<PostOp> post_ops;  // their operands: read tensors post0, ...
  std::vector<StageFunctions> stages;
  ReadBy read_by = ReadBy::kFetch;
  // Stores finite values beyond the largest 16-bit float as that value.
  bool saturate_halves = false;
  // The driver stores a 16-bit infinity as NaN, but 65536 as infinity.
  bool infinite_halves_are_nan = false;
  // The driver cannot compile unpackHalf2x16.
  bool unpack_half_fails = false;
  // Defines HALF_ARITHMETIC: the shader multiplies in 16 bits.
  bool half_arithmetic = false;
  // Provides value_T and store_T for the first written tensor.
  bool write_in_two = false;
  std::array<int, 3> work_group = {1, 1, 1};
  // If not empty, declarations of the members of Params as constants, which
  // replace the block.
  std::string fixed_params;
};

// The embedded text of <name>.comp or lib/<name>.glsl. kNotFound.
absl::StatusOr<absl::string_view> ShaderFile(absl::string_view name);

// The unit of each tensor and constant.
Bindings AssignBindings(const ShaderSpec& spec);

// The complete program: prelude, libraries, `#line 1`, the .comp. kNotFound: no
// such shader. With GLES_DELEGATE_DEBUG=shaders=dir, also writes it there, as
// <shader>-<hash>.comp.
absl::StatusOr<std::string> AssembleShader(const ShaderSpec& spec);

// --- The accessors -----------------------------------------------------------

// The objects of a shader, and the functions that access them: read_T, write_T,
// K_at, and those of stages.

// For tests with GLES_DELEGATE_DEBUG=bounds: every accessor checks its
// coordinates. Once an invocation leaves the bounds, everything that it writes
// is poison; a write outside poisons the nearest texel. Errors that robust
// access would hide thus show in the result on any driver. The accessors then
// need `bool out_of_bounds`.
bool ChecksBounds();

// Before the .comp.
std::string DeclareObjects(const ShaderSpec& spec, const Bindings& bindings);
// The functions, after it, as they use the Params block that it declares.
std::string DefineAccessors(const ShaderSpec& spec, const Bindings& bindings);

// --- The library -------------------------------------------------------------

// The table of files that cmake/EmbedShaders.cmake generates.
struct EmbeddedFile {
  const char* name;  // "conv_2d.comp", "lib/math.glsl"
  const char* text;
};

extern const EmbeddedFile kEmbeddedFiles[];
extern const size_t kEmbeddedFileCount;

// One-line #defines and functions, each after those that it calls. Programs get
// a selection, since drivers parse everything that they are given: Mesa takes
// 12 ms for the whole library.
class FunctionLibrary {
 public:
  explicit FunctionLibrary(absl::string_view text);

  // The functions with these names (all overloads), the functions that they
  // call, and all #defines, in the library's order and without comments. Leaves
  // unknown names to the GLSL compiler.
  std::string Select(absl::Span<const std::string> names) const;

 private:
  struct Item {
    std::string text;
    std::string name;  // of the function; "" for a #define
  };
  std::vector<Item> items_;
};

// All functions that shaders may use: those of lib/*.glsl. Threads: any.
const FunctionLibrary& Library();

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_SHADER_H_
