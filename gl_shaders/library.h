// Selects functions from the GLSL library, since drivers parse everything that
// they are given: Mesa takes 12 ms per program for the whole library.
#ifndef GLES_DELEGATE_GL_SHADERS_LIBRARY_H_
#define GLES_DELEGATE_GL_SHADERS_LIBRARY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gles_delegate::gl_shaders {

// All functions that shaders may use: lib/math.glsl, lib/quantized.glsl and
// lib/elementwise.glsl, concatenated.
const std::string& Library();

// The library's functions with these names (all overloads), the functions that
// they call, and all #defines, in the library's order and without comments.
// Leaves unknown names to the GLSL compiler. A library consists of one-line
// #defines and functions only.
std::string SelectFunctions(absl::string_view library,
                            absl::Span<const std::string> names);

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_LIBRARY_H_
