// Checks that a program's Params block matches the host's layout.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_PARAMS_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_PARAMS_H_

#include "absl/status/status.h"
#include "delegate/plan/dispatch.h"
#include "egl/gl_api.h"

namespace gles_delegate {

// kInternal if the program has no such block or its size differs from `params`.
// One cheap query, made after every link.
absl::Status CheckParamsSize(GLuint program, const UniformBlock& params);

// kInternal if a member's name, type or offset differs; the message compares
// both sides at the first such offset. Queries each member, so only for
// validation (GLES_DELEGATE_DEBUG=validate).
absl::Status CheckParamsMembers(GLuint program, const UniformBlock& params);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_PARAMS_H_
