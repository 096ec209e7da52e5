// The GL ES 3.1 and EGL 1.5 entry points, opened at run time.
//
// Nothing here is linked: a machine without libEGL.so.1 can load the delegate
// and be told so. The tables are filled once per process and never change,
// except through ScopedGlOverride, which tests use to inject driver faults.
#ifndef GLES_DELEGATE_EGL_GL_API_H_
#define GLES_DELEGATE_EGL_GL_API_H_

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl31.h>
// GL_APICALL-free extension types (timer queries, debug, buffer storage).
#include <GLES2/gl2ext.h>

#include "absl/status/status.h"

namespace gles_delegate::egl {

// One member per function of gl_functions.inc, named without its prefix:
// gl().DispatchCompute(x, y, z), egl().MakeCurrent(...). Functions of
// extensions may be null, and may be set although the driver lacks the
// extension: ask DeviceInfo::Has() first.
struct GlApi;
struct EglApi;

// Opens libEGL.so.1 and libGLESv2.so.2. The environment variable
// GLES_DELEGATE_EGL_LIBRARY names another libEGL (ANGLE's, say), whose own GL
// entry points are then preferred. Thread-safe, idempotent.
// kUnavailable, naming the library that is missing and the loader's message.
// kFailedPrecondition: CheckDriverProcess().
absl::Status LoadGl();

// Valid after LoadGl() returned OK.
const GlApi& gl();
const EglApi& egl();

// For fault injection in tests only (egl/testing.h): the mutable tables.
GlApi& MutableGlForTesting();
EglApi& MutableEglForTesting();

}  // namespace gles_delegate::egl

#include "egl/gl_functions.h"

#endif  // GLES_DELEGATE_EGL_GL_API_H_
