// The accessor functions of shaders: read_T, write_T, K_at.
#ifndef GLES_DELEGATE_GL_SHADERS_ACCESSORS_H_
#define GLES_DELEGATE_GL_SHADERS_ACCESSORS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {

// For tests with GLES_DELEGATE_DEBUG=bounds: every accessor checks its
// coordinates. Once an invocation leaves the bounds, everything that it writes
// is poison; a write outside poisons the nearest texel. Errors that robust
// access would hide thus show in the result on any driver. The accessors then
// need `bool out_of_bounds`.
bool ChecksBounds();

// The library function for reading or writing the texels of a view; "" if there
// is none.
absl::string_view FunctionOfView(View view);

std::string DefineRead(const TensorBinding& tensor,
                       const Bindings::Point& point);

// packed_T: the result of read_T as two words of 16-bit floats.
std::string DefinePackedRead(const TensorBinding& tensor,
                             const Bindings::Point& point);

// Applies the post-ops, zeroes padding channels, and stores.
std::string DefineWrite(const TensorBinding& tensor,
                        const Bindings::Point& point,
                        absl::Span<const PostOpCall> post_ops,
                        const ShaderSpec& spec);

// value_T and store_T: write_T in two steps.
std::string DefineWriteInTwo(const TensorBinding& tensor,
                             const Bindings::Point& point,
                             absl::Span<const PostOpCall> post_ops,
                             const ShaderSpec& spec);

// K_at, and the other functions of a constant of quantized rows.
std::string DeclareAccessors(const ConstantBinding& constant);
std::string DefineConstant(const ConstantBinding& constant,
                           const Bindings::Point& point);
// The library functions that these call.
std::vector<std::string> FunctionsOf(const ConstantBinding& constant);

// packed_K: the result of K_at as two words of 16-bit floats.
std::string DefinePackedConstant(const ConstantBinding& constant,
                                 const Bindings::Point& point);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_ACCESSORS_H_
