// Small .tflite files for the fuzzer to begin with.
#ifndef GLES_DELEGATE_TESTS_FUZZ_SEED_MODELS_H_
#define GLES_DELEGATE_TESTS_FUZZ_SEED_MODELS_H_

#include <cstdint>
#include <vector>

namespace gles_delegate::fuzz {

// The conformance suite's small models of at most 8 KiB, one or more of each
// op, and chains of several ops. Every scalar is in the file, defaults too, so
// that each is a number that can be changed in place.
std::vector<std::vector<uint8_t>> SeedModels();

}  // namespace gles_delegate::fuzz

#endif  // GLES_DELEGATE_TESTS_FUZZ_SEED_MODELS_H_
