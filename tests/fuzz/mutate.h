// Deterministic mutations for the replay, and the step that libFuzzer's own
// lack: whole numbers, in place, to values where arithmetic goes wrong.
#ifndef GLES_DELEGATE_TESTS_FUZZ_MUTATE_H_
#define GLES_DELEGATE_TESTS_FUZZ_MUTATE_H_

#include <cstddef>
#include <cstdint>
#include <random>

namespace gles_delegate::fuzz {

// Changes one aligned word of 2, 4 or 8 bytes of the `size` bytes to 0, to an
// end of its range, to a power of two and its neighbours, or to what stands in
// another place. Nothing if there is no word.
void MutateNumber(uint8_t* data, size_t size, std::minstd_rand* random);

// One to four MutateNumber(), or bytes changed, or the end cut off. The new
// size, at most `size`.
size_t Mutate(uint8_t* data, size_t size, std::minstd_rand* random);

}  // namespace gles_delegate::fuzz

#endif  // GLES_DELEGATE_TESTS_FUZZ_MUTATE_H_
