// The functions by which a shader reads and writes: read_T, write_T, K_at.
#ifndef GLES_DELEGATE_GL_SHADERS_ACCESSORS_H_
#define GLES_DELEGATE_GL_SHADERS_ACCESSORS_H_

#include <string>

#include "absl/types/span.h"
#include "gl_shaders/shader.h"

namespace gles_delegate::gl_shaders {

// GLES_DELEGATE_CHECK_BOUNDS=1, for tests: every accessor checks its
// coordinates. An invocation that left the bounds once writes nothing but
// poison from then on, whatever it does with what it read; a write outside is
// poison in the nearest texel. So what robust access would hide is in the
// result, on any driver. The accessors then need `bool out_of_bounds`.
bool ChecksBounds();

// The function of the library by which texels of such a view are read or
// written; "" where there is none.
absl::string_view FunctionOfView(View view);

std::string DefineRead(const TensorBinding& tensor,
                       const Bindings::Point& point);

// packed_T: what read_T gives, as two words of 16-bit floats.
std::string DefinePackedRead(const TensorBinding& tensor,
                             const Bindings::Point& point);

// Applies the post-ops, zeroes the channels past the last, and stores.
std::string DefineWrite(const TensorBinding& tensor,
                        const Bindings::Point& point,
                        absl::Span<const PostOpCall> post_ops,
                        const ShaderSpec& spec);

// value_T and store_T, which are write_T in two steps.
std::string DefineWriteInTwo(const TensorBinding& tensor,
                             const Bindings::Point& point,
                             absl::Span<const PostOpCall> post_ops,
                             const ShaderSpec& spec);

std::string DefineConstant(const ConstantBinding& constant,
                           const Bindings::Point& point);

// packed_K: what K_at gives, as two words of 16-bit floats.
std::string DefinePackedConstant(const ConstantBinding& constant,
                                 const Bindings::Point& point);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_ACCESSORS_H_
