#include "egl/environment.h"

#include <sys/auxv.h>

#include <cstdlib>

namespace gles_delegate::egl {

// The kernel's word for it, which every C library hands on; secure_getenv() of
// glibc asks the same.
bool IsPrivileged() { return getauxval(AT_SECURE) != 0; }

const char* EnvironmentValue(const char* name) {
  return IsPrivileged() ? nullptr : std::getenv(name);
}

bool EnvironmentFlag(const char* name) {
  const char* value = EnvironmentValue(name);
  return value != nullptr && *value != '\0' && *value != '0';
}

}  // namespace gles_delegate::egl
