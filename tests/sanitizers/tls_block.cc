// usage: tls_block MODULE
//
// Puts a block of dynamic TLS 16 bytes into a page and ends. LeakSanitizer of
// GCC 12 crashed after that, as Mesa's TLS made it do now and then, unless
// __asan_default_options of cmake/sanitizer_runtime.cc prevents it.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <vector>

int main(int, char** argv) {
  void* const module = dlopen(argv[1], RTLD_NOW);
  if (module == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const auto block =
      reinterpret_cast<char* (*)()>(dlsym(module, "BlockOfThisThread"));
  // Blocks of 16 bytes lie 32 apart, so that the one of TLS is next.
  std::vector<char*> before;
  before.reserve(1024);
  do {
    before.push_back(new char[16]);
  } while (reinterpret_cast<uintptr_t>(before.back()) % 4096 != 4096 - 16);
  const uintptr_t address = reinterpret_cast<uintptr_t>(block());
  for (char* each : before) delete[] each;
  if (address % 4096 != 16) {
    std::fprintf(stderr, "the block lies %zu bytes into a page\n",
                 size_t{address % 4096});
    return 1;
  }
  return 0;
}
