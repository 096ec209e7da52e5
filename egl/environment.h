// The process's environment, if it may be trusted.
#ifndef GLES_DELEGATE_EGL_ENVIRONMENT_H_
#define GLES_DELEGATE_EGL_ENVIRONMENT_H_

namespace gles_delegate::egl {

// Whether this program has rights that whoever started it may lack: setuid,
// setgid, or file capabilities. Variables would lend those rights to its
// caller, who could name a library to load or a file to write.
bool IsPrivileged();

// The variable's value, the only way to one; nullptr: it is not set, or
// IsPrivileged().
const char* EnvironmentValue(const char* name);

// Whether the variable is set to something that neither is empty nor begins
// with a 0.
bool EnvironmentFlag(const char* name);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_ENVIRONMENT_H_
