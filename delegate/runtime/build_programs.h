// Compiling and linking programs on several threads.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_BUILD_PROGRAMS_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_BUILD_PROGRAMS_H_

#include <vector>

#include "egl/context.h"
#include "egl/objects.h"

namespace gles_delegate {

// Compiles and links `programs`, which were made in `context` and not started,
// on at most `threads` threads, at most one a core and one a program: the
// calling one, where `context` is current, and others with contexts that share
// its objects and go when they are done. Whether a program was linked is asked
// of the program. Where the driver or the system gives no more threads or
// contexts, the calling thread does what is left.
// Returns how many threads built a program.
int BuildOnThreads(const egl::Context& context,
                   const std::vector<const egl::Program*>& programs,
                   int threads);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_BUILD_PROGRAMS_H_
