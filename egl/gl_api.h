// The GL ES 3.1 and EGL 1.5 entry points, loaded at run time.
//
// Nothing is linked, so that the delegate can be loaded without libEGL.so.1 and
// report that it is missing. The tables are filled once per process and never
// change, except through ScopedGlOverride, with which tests inject faults.
#ifndef GLES_DELEGATE_EGL_GL_API_H_
#define GLES_DELEGATE_EGL_GL_API_H_

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl31.h>
// Extension types without GL_APICALL (timer queries, debug, buffer storage).
#include <GLES2/gl2ext.h>

#include "absl/status/status.h"

namespace gles_delegate::egl {

// One member per function of gl_functions.inc, without its prefix:
// gl().DispatchCompute(x, y, z), egl().MakeCurrent(...). Extension functions
// may be null, and may be set although the driver lacks the extension: ask
// DeviceInfo::Has() first.
struct GlApi;
struct EglApi;

// Loads libEGL.so.1 and libGLESv2.so.2. The environment variable
// GLES_DELEGATE_EGL_LIBRARY names another libEGL (such as ANGLE's), whose own
// GL entry points then take precedence. Thread-safe, idempotent. kUnavailable,
// with the missing library and the loader's message; kFailedPrecondition:
// CheckDriverProcess().
absl::Status LoadGl();

// Valid after LoadGl() returned OK.
const GlApi& gl();
const EglApi& egl();

// The mutable tables, for fault injection in tests only (egl/testing.h).
GlApi& MutableGlForTesting();
EglApi& MutableEglForTesting();

}  // namespace gles_delegate::egl

#include "egl/gl_functions.h"

#endif  // GLES_DELEGATE_EGL_GL_API_H_
