/* Preloaded into a test: a connection to Mesa's fixed virgl socket goes to the
 * one that VTEST_SOCKET_NAME names. Mesa before 23 does not look at that. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

int connect(int fd, const struct sockaddr* address, socklen_t length) {
  int (*next)(int, const struct sockaddr*, socklen_t) = NULL;
  void* symbol = dlsym(RTLD_NEXT, "connect");
  memcpy(&next, &symbol, sizeof(next));
  const char* wanted = getenv("VTEST_SOCKET_NAME");
  const struct sockaddr_un* local = (const struct sockaddr_un*)address;
  if (wanted == NULL || address->sa_family != AF_UNIX ||
      length <= offsetof(struct sockaddr_un, sun_path) ||
      strcmp(local->sun_path, "/tmp/.virgl_test") != 0) {
    return next(fd, address, length);
  }
  struct sockaddr_un redirected;
  memset(&redirected, 0, sizeof(redirected));
  redirected.sun_family = AF_UNIX;
  strncpy(redirected.sun_path, wanted, sizeof(redirected.sun_path) - 1);
  return next(fd, (const struct sockaddr*)&redirected, sizeof(redirected));
}
