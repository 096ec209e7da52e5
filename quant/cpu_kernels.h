// Whose integer kernels: what TensorFlow Lite's CPU makes of 8-bit codes
// depends on the runtime, how it was built, and whether XNNPACK takes the node.
// The table of docs/quantization.md has what was measured.
#ifndef GLES_DELEGATE_QUANT_CPU_KERNELS_H_
#define GLES_DELEGATE_QUANT_CPU_KERNELS_H_

#include <cstdint>
#include <optional>

#include "quant/fixed_point.h"

namespace gles_delegate::quant {

enum class CpuKernels {
  // The built-in kernels with ruy: the C library 2.9.
  kTflite,
  // Likewise of 2.13 to 2.15, whose MEAN and SUM are others: Debian's 2.14.1.
  kTflite214,
  // Those of 2.14 with gemmlowp for uint8: the wheel tflite-runtime 2.14.
  kTfliteWheel,
  // The built-in kernels of ai-edge-litert, where XNNPACK takes no node.
  kLitert,
  // XNNPACK's, which ai-edge-litert and other newer runtimes apply unasked.
  kXnnpack,
  // TFLite's reference kernels (BUILTIN_REF).
  kReference,
};

// How a runtime's kernels compute what differs even among builds of one kind
// above: found by running them (delegate/tflite/ask_kernels.h).
struct KernelTraits {
  // int8 BATCH_MATMUL: ties of the second rounding go away from zero, not up.
  bool batch_matmul_away_from_zero = false;
  // XNNPACK takes int8 BATCH_MATMUL whose right side has the zero point 0.
  bool batch_matmul_by_xnnpack = false;
  // QUANTIZE of floats: times 1 / scale in float32, ties to even; else divided
  // in 64 bits, ties away from zero.
  bool quantize_multiplies = false;
  // FULLY_CONNECTED of 16-bit activations: with a bias, all 31 bits of the
  // multiplier; without one, rounded twice.
  bool wide_rows_keep_31_bits = false;
  bool wide_rows_without_bias_round_twice = false;

  // CAST of floats out of the range of 8 or 16 bits: to the nearest end, and
  // NaN to `of_nan`; else the low bits.
  struct Cast {
    bool saturates = false;
    int of_nan = 0;
  };
  Cast to_int8, to_uint8, to_int16;
};
// Those of the newest runtime of the kind that was measured.
KernelTraits TraitsOf(CpuKernels kernels);

// How a kernel makes codes of a sum of products of codes.
enum class Rounding {
  kTwiceUp,            // Multiply() with Ties::kUp
  kTwiceAwayFromZero,  // Multiply() with Ties::kAwayFromZero
  kOnceToEven,         // MultiplyAsFloat()
};

// The ops whose sums of products are scaled.
enum class ProductOp {
  kConv2d,
  kGroupedConv2d,  // which the built-in kernels leave to the reference kernel
  kDepthwiseConv2d,
  kTransposeConv,
  kFullyConnected,
  kMul,
};

// Of 8-bit codes, uint8 ones or int8.
Rounding RoundingOf(CpuKernels kernels, ProductOp op, bool is_uint8);
// Of a rounding that is Multiply()'s.
inline Ties TiesOf(Rounding rounding) {
  return rounding == Rounding::kTwiceUp ? Ties::kUp : Ties::kAwayFromZero;
}

// XNNPACK's way: float32(sum) * scale in float32, rounded to the nearest
// integer, ties to the even one.
int32_t MultiplyAsFloat(int32_t sum, float scale);

// XNNPACK's multiplier for a scale, in 256ths, and what it makes of a code less
// its zero point: (x * in_256ths + 128) / 256, rounded down.
int32_t In256ths(float scale);
int32_t MultiplyBy256ths(int32_t x, int32_t in_256ths);
// XNNPACK's LEAKY_RELU multiplies by one of two such.
struct LeakyIn256ths {
  int32_t positive = 0;
  int32_t negative = 0;
};
// nullopt: factors that XNNPACK leaves to the built-in kernels.
std::optional<LeakyIn256ths> LeakyReluIn256ths(float in_scale, float out_scale,
                                               float alpha);

// XNNPACK's ADD and SUB of codes less their zero points: (a * multiplier_a +
// b * multiplier_b) / 2^shift, rounded to the nearest, ties up.
struct FloatSum {
  int32_t a = 0;  // below 2^22
  int32_t b = 0;  // negative for SUB
  int shift = 0;
};
// nullopt: scales that XNNPACK leaves to the built-in kernels.
std::optional<FloatSum> FloatSumOf(float a_scale, float b_scale,
                                   float sum_scale, bool subtract);
int32_t AddAsXnnpack(int32_t a, int32_t b, const FloatSum& sum);

// The scale of XNNPACK's products: a * b / output in float32.
float FloatScale(float a, float b, float output);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_CPU_KERNELS_H_
