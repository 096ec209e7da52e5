// The accessor functions of shaders: read_T, write_T, K_at.
#ifndef GLES_DELEGATE_GL_SHADERS_ACCESSORS_H_
#define GLES_DELEGATE_GL_SHADERS_ACCESSORS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {

// --- Types -------------------------------------------------------------------

// GLSL's names for types and formats of texels.

// Whether shaders read texels of this format as integers.
bool IsInt(Format format);

// The type of a texel in shaders: "vec4" or "ivec4".
absl::string_view Vec(Format format);

// The prefix of "sampler" and "image" for this format: "i" for integers, else
// "".
absl::string_view ObjectPrefix(Format format);

// The format qualifier of an image: "rgba32f".
absl::string_view ImageFormat(Format format);

// The type of a texel in a storage buffer. 16-bit floats are packed in pairs,
// 8-bit integers in fours.
absl::string_view BufferElement(Format format);

// --- Reads and writes --------------------------------------------------------

// For tests with GLES_DELEGATE_DEBUG=bounds: every accessor checks its
// coordinates. Once an invocation leaves the bounds, everything that it writes
// is poison; a write outside poisons the nearest texel. Errors that robust
// access would hide thus show in the result on any driver. The accessors then
// need `bool out_of_bounds`.
bool ChecksBounds();

std::string DefineRead(const TensorBinding& tensor,
                       const Bindings::Point& point);

// packed_T: the result of read_T as two words of 16-bit floats.
std::string DefinePackedRead(const TensorBinding& tensor,
                             const Bindings::Point& point);

// Applies the post-ops, zeroes padding channels, and stores.
std::string DefineWrite(const TensorBinding& tensor,
                        const Bindings::Point& point,
                        absl::Span<const PostOp> post_ops,
                        const ShaderSpec& spec);

// value_T and store_T: write_T in two steps.
std::string DefineWriteInTwo(const TensorBinding& tensor,
                             const Bindings::Point& point,
                             absl::Span<const PostOp> post_ops,
                             const ShaderSpec& spec);

// K_at, and the other functions of a constant of quantized rows.
std::string DeclareAccessors(const ConstantBinding& constant);
std::string DefineConstant(const ConstantBinding& constant,
                           const Bindings::Point& point);

// packed_K: the result of K_at as two words of 16-bit floats.
std::string DefinePackedConstant(const ConstantBinding& constant,
                                 const Bindings::Point& point);

// --- Functions ---------------------------------------------------------------

// The statements that apply functions, in write_T and in stages.

// Applies function `index` of a list to `v`, a texel of type `vec`. Uses the
// position x, y, slice and batch of `v`. `list`: "post" or a stage's name, with
// which the names of params and operands begin.
std::string PostOpText(const PostOp& op, absl::string_view list, int index,
                       absl::string_view vec);

// The declaration and the definition of a stage's function.
std::string DeclareStage(const StageFunctions& stage);
std::string DefineStage(const StageFunctions& stage);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_ACCESSORS_H_
