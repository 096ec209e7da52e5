// Whether a program's Params block is what the host laid out for it.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_PARAMS_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_PARAMS_H_

#include "absl/status/status.h"
#include "delegate/plan/dispatch.h"
#include "egl/gl_api.h"

namespace gles_delegate {

// kInternal where the block's size is not that of `params`, or where there is
// no block. The check compares one number, so it is made after every link.
absl::Status CheckParamsSize(GLuint program, const UniformBlock& params);

// kInternal where a member's name, type or offset differs; the message has the
// members of both sides at the first such offset. The check asks the driver for
// each member, so validation alone makes it (GLES_DELEGATE_VALIDATE=1).
absl::Status CheckParamsMembers(GLuint program, const UniformBlock& params);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_PARAMS_H_
