// Models of up to eight ops one after the other, drawn by a seed: what models
// are made of, in an order that no one thought of.
#ifndef GLES_DELEGATE_TESTS_TESTING_RANDOM_CHAIN_H_
#define GLES_DELEGATE_TESTS_TESTING_RANDOM_CHAIN_H_

#include <cstdint>
#include <string>
#include <vector>

namespace gles_delegate::testing {

// The contents of a chain's tensors.
enum class ChainNumbers {
  kFloat,
  kEightBit,  // int8 quantized values, weights too
  kInt16,     // int16 values, 8-bit weights
};

struct RandomChain {
  std::string description;     // "CONV_2D MUL PAD"
  std::vector<uint8_t> bytes;  // the .tflite file
};

// Paddings, normalizations, convolutions of all kinds, residuals, channel
// scales, products with a sigmoid of oneself, softmax, means, movement. Equal
// arguments give equal chains.
RandomChain MakeRandomChain(uint32_t seed, ChainNumbers numbers);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_RANDOM_CHAIN_H_
