#include "tests/fuzz/mutate.h"

#include <cstring>

namespace gles_delegate::fuzz {
namespace {

// minstd_rand's own values, and no distribution: the standard leaves open what
// a distribution makes of them.
uint32_t Below(uint32_t limit, std::minstd_rand* random) {
  return static_cast<uint32_t>((*random)()) % limit;
}

int64_t Interesting(std::minstd_rand* random) {
  switch (Below(6, random)) {
    case 0:
      return 0;
    case 1:
      return -1 - static_cast<int64_t>(Below(3, random));
    case 2:
      return INT32_MAX - static_cast<int64_t>(Below(4, random));
    case 3:
      return INT32_MIN + static_cast<int64_t>(Below(4, random));
    case 4:
      return (int64_t{1} << Below(32, random)) - 1 + Below(3, random);
    default:
      return Below(17, random);
  }
}

}  // namespace

void MutateNumber(uint8_t* data, size_t size, std::minstd_rand* random) {
  constexpr size_t kWidths[] = {4, 4, 4, 2, 8};
  const size_t width = kWidths[Below(5, random)];
  if (size < width) return;
  const auto places = static_cast<uint32_t>(size / width);
  uint8_t* at = data + width * Below(places, random);
  if (Below(8, random) == 0) {
    std::memmove(at, data + width * Below(places, random), width);
    return;
  }
  const int64_t value = Interesting(random);  // little-endian, as the files are
  std::memcpy(at, &value, width);
}

size_t Mutate(uint8_t* data, size_t size, std::minstd_rand* random) {
  if (size == 0) return 0;
  switch (Below(8, random)) {
    case 0:
      return Below(static_cast<uint32_t>(size), random);
    case 1:
    case 2:
      for (uint32_t i = Below(4, random) + 1; i > 0; --i) {
        data[Below(static_cast<uint32_t>(size), random)] =
            static_cast<uint8_t>(Below(256, random));
      }
      return size;
    default:
      for (uint32_t i = Below(4, random) + 1; i > 0; --i) {
        MutateNumber(data, size, random);
      }
      return size;
  }
}

}  // namespace gles_delegate::fuzz
