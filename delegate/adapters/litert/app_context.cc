#include "delegate/adapters/litert/app_context.h"

#include "egl/gl_api.h"

namespace gles_delegate::litert {

bool IsCurrentHere(const void* context) {
  return context != nullptr && egl::LoadGl().ok() &&
         egl::egl().GetCurrentContext() == context;
}

}  // namespace gles_delegate::litert
