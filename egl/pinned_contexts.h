// Pinned contexts: the delegate's own, which stay current on a thread between
// calls (Context::Pin). Each has an owner, the only thread on which it may be
// current. If it is destroyed while current on its owner by another thread, it
// is an orphan: EGL keeps it until the owner releases it.
#ifndef GLES_DELEGATE_EGL_PINNED_CONTEXTS_H_
#define GLES_DELEGATE_EGL_PINNED_CONTEXTS_H_

#include "egl/gl_api.h"

namespace gles_delegate::egl {

// Whether this thread owns the context. If it has no owner and `may_become`,
// this thread becomes it, until the context is destroyed or the thread ends,
// which releases the context.
bool IsOwnedHere(EGLContext context, bool may_become);

// Whether `context`, current on this thread now or before a Run(), was left
// current by a Run() and is not the app's.
bool IsLeftCurrent(EGLContext context);

// Releases the context if it is current on this thread.
void Release(EGLDisplay display, EGLContext context);

// Releases this thread's current context if it is an orphan.
void ReleaseOrphan();

// After Release(): the context has no owner any more, unless that is another
// thread, on which it may be current; then false.
bool ForgetOwner(EGLContext context);

// Destroys a context, pinned or not, after Release().
void DestroyContext(EGLDisplay display, EGLContext context);

// False if a context that stays current could disturb the app: if the
// environment variable DISPLAY is set, the app may make a GLX context current
// on the thread, which libglvnd refuses while an EGL context is current there.
bool MayStayCurrent();

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_PINNED_CONTEXTS_H_
