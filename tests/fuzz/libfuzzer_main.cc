// One target as a libFuzzer program: FUZZ_TARGET names the function that gives
// it. With --write_seeds=DIR the program writes its seeds there and ends.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/target.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max);

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr char kFlag[] = "--write_seeds=";
  for (int i = 1; i < *argc; ++i) {
    if (std::strncmp((*argv)[i], kFlag, sizeof(kFlag) - 1) != 0) continue;
    const std::string folder = (*argv)[i] + sizeof(kFlag) - 1;
    int count = 0;
    for (const auto& seed : gles_delegate::fuzz::FUZZ_TARGET().seeds()) {
      std::ofstream file(folder + "/seed_" + std::to_string(count++),
                         std::ios::binary);
      file.write(reinterpret_cast<const char*>(seed.data()),
                 static_cast<std::streamsize>(seed.size()));
    }
    std::printf("%d seeds in %s\n", count, folder.c_str());
    std::exit(count == 0 ? 1 : 0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gles_delegate::fuzz::FUZZ_TARGET().run({data, size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max, unsigned int seed) {
  std::minstd_rand random(seed);
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max);
  return gles_delegate::fuzz::Mutate(data, size, &random);
}
