// Counts what a process copies with memcpy and memmove, by the library that
// calls them: preloaded (LD_PRELOAD) into litert_app.c, which says when to
// count. Calls that a compiler has replaced by instructions are not seen.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Stands in for memcpy, so that it must not become a call of it.
static void* CopyBytes(void* to, const void* from, size_t bytes) {
  volatile unsigned char* out = to;
  const unsigned char* in = from;
  if ((uintptr_t)to <= (uintptr_t)from) {
    for (size_t i = 0; i < bytes; ++i) out[i] = in[i];
  } else {
    for (size_t i = bytes; i > 0; --i) out[i - 1] = in[i - 1];
  }
  return to;
}

enum { kLiteRt, kDelegate, kOthers, kCallers };
static const char* const kNames[kCallers] = {"LiteRT", "the delegate",
                                             "others"};
static atomic_size_t counted[kCallers];  // bytes
static atomic_size_t least;              // bytes of a call that counts; 0: none

static int CallerOf(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == NULL) return kOthers;
  if (strstr(info.dli_fname, "libgles_delegate") != NULL) return kDelegate;
  return strstr(info.dli_fname, "libLiteRt") != NULL ? kLiteRt : kOthers;
}

static void Count(const void* caller, size_t bytes) {
  const size_t from = atomic_load(&least);
  if (from == 0 || bytes < from) return;
  atomic_fetch_add(&counted[CallerOf(caller)], bytes);
}

#define VISIBLE __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

// From here on calls of this many bytes and more are counted.
VISIBLE void CountCopiesFrom(size_t bytes) {
  for (int i = 0; i < kCallers; ++i) atomic_store(&counted[i], 0);
  atomic_store(&least, bytes);
}

VISIBLE void SayCopies(const char* what) {
  atomic_store(&least, 0);
  for (int i = 0; i < kCallers; ++i) {
    printf("%s: bytes copied by %s: %zu\n", what, kNames[i],
           atomic_load(&counted[i]));
  }
}

VISIBLE void* memcpy(void* to, const void* from, size_t bytes) {
  Count(CALLER, bytes);
  return CopyBytes(to, from, bytes);
}

VISIBLE void* memmove(void* to, const void* from, size_t bytes) {
  Count(CALLER, bytes);
  return CopyBytes(to, from, bytes);
}

// As glibc's headers call them with _FORTIFY_SOURCE.
VISIBLE void* __memcpy_chk(void* to, const void* from, size_t bytes,
                           size_t room) {
  (void)room;
  Count(CALLER, bytes);
  return CopyBytes(to, from, bytes);
}

VISIBLE void* __memmove_chk(void* to, const void* from, size_t bytes,
                            size_t room) {
  (void)room;
  Count(CALLER, bytes);
  return CopyBytes(to, from, bytes);
}
