// Access to environment variables, unless the process is privileged.
#ifndef GLES_DELEGATE_EGL_ENVIRONMENT_H_
#define GLES_DELEGATE_EGL_ENVIRONMENT_H_

namespace gles_delegate::egl {

// Whether this program has more rights than its caller: setuid, setgid or file
// capabilities. Variables would let the caller use those rights, by naming a
// library to load or a file to write.
bool IsPrivileged();

// The variable's value; nullptr if it is not set or IsPrivileged(). All code
// reads variables through this.
const char* EnvironmentValue(const char* name);

// Whether the variable is set, not empty and does not begin with 0.
bool EnvironmentFlag(const char* name);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_ENVIRONMENT_H_
