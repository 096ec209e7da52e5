// Selects functions from the GLSL library, since drivers parse everything that
// they are given: Mesa takes 12 ms per program for the whole library.
#ifndef GLES_DELEGATE_GL_SHADERS_LIBRARY_H_
#define GLES_DELEGATE_GL_SHADERS_LIBRARY_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gles_delegate::gl_shaders {

// One-line #defines and functions, each after those that it calls.
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
    std::string name;                // of the function; "" for a #define
    std::vector<std::string> calls;  // names of functions, perhaps its own
  };
  void Add(std::string text, std::string name);

  std::vector<Item> items_;
};

// All functions that shaders may use: those of lib/*.glsl. Threads: any.
const FunctionLibrary& Library();

}  // namespace gles_delegate::gl_shaders

#endif  // GLES_DELEGATE_GL_SHADERS_LIBRARY_H_
