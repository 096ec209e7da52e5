// The app's EGL context, if the program gave one to LiteRT.
#ifndef GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_APP_CONTEXT_H_
#define GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_APP_CONTEXT_H_

namespace gles_delegate::litert {

// Whether `context`, an EGLContext, is current on this thread. False if it is
// null or libEGL cannot be opened.
bool IsCurrentHere(const void* context);

}  // namespace gles_delegate::litert

#endif  // GLES_DELEGATE_DELEGATE_ADAPTERS_LITERT_APP_CONTEXT_H_
