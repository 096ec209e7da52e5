// Contexts of the delegate's own that stay current on a thread between calls
// (Context::KeepCurrent). Each has a keeper, the one thread that may have it
// current. One that is destroyed while another thread, its keeper, has it
// current is an orphan: EGL keeps it until that thread lets it go.
#ifndef GLES_DELEGATE_EGL_KEPT_CONTEXTS_H_
#define GLES_DELEGATE_EGL_KEPT_CONTEXTS_H_

#include "egl/gl_api.h"

namespace gles_delegate::egl {

// Whether this thread is the context's keeper. Where it has none, and
// `may_become`, this thread becomes it, until the context is destroyed or the
// thread ends, which lets the context go.
bool IsKeptHere(EGLContext context, bool may_become);

// Whether a context that is current on this thread, or was before a Run(), is
// one that a Run() left current, and none of the app's.
bool IsLeftCurrent(EGLContext context);

// Lets go of the context where it is current on this thread.
void LetGo(EGLDisplay display, EGLContext context);

// Lets go of what is current on this thread where that is an orphan.
void LetGoOfOrphan();

// Destroys a context, kept or not, after LetGo().
void DestroyContext(EGLDisplay display, EGLContext context);

// False where a context that is left current could be in the app's way: where
// the environment variable DISPLAY is set, the app may make a GLX context
// current on the same thread, and libglvnd refuses that while one of EGL is
// current there.
bool MayStayCurrent();

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_KEPT_CONTEXTS_H_
