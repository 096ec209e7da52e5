// The variants of TFLite's integer kernels. Results depend on the runtime, on
// its build and on whether XNNPACK takes the node; docs/quantization.md has the
// table.
#ifndef GLES_DELEGATE_QUANT_CPU_KERNELS_H_
#define GLES_DELEGATE_QUANT_CPU_KERNELS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "quant/fixed_point.h"

namespace gles_delegate::quant {

enum class CpuKernels {
  // Built-in kernels with ruy: the C library 2.9.
  kTflite,
  // The same, compiled for ARM: some round in vectors, and floats are
  // multiplied and added at once.
  kTfliteArm,
  // Built-in kernels of 2.13 to 2.15, with another MEAN and SUM: Debian's
  // 2.14.1.
  kTflite214,
  // Those of 2.14 with gemmlowp for uint8: the wheel tflite-runtime 2.14.
  kTfliteWheel,
  // Built-in kernels of ai-edge-litert, for nodes that XNNPACK does not take.
  kLitert,
  // XNNPACK, which ai-edge-litert and other newer runtimes apply by default.
  kXnnpack,
  // TFLite's reference kernels (BUILTIN_REF).
  kReference,
};

// Differences between builds of one kind, found by running their kernels
// (delegate/tflite/ask_kernels.cc).
struct KernelTraits {
  // int8 BATCH_MATMUL: the second rounding rounds ties away from zero, not up.
  bool batch_matmul_away_from_zero = false;
  // XNNPACK takes int8 BATCH_MATMUL whose right side has the zero point 0.
  bool batch_matmul_by_xnnpack = false;
  // QUANTIZE of floats: multiplies by 1 / scale in float32, ties to even; else
  // divides in float64, ties away from zero.
  bool quantize_multiplies = false;
  // FULLY_CONNECTED of 16-bit activations: uses all 31 bits of the multiplier
  // if there is a bias; rounds twice if there is none.
  bool int16_rows_keep_31_bits = false;
  bool int16_rows_without_bias_round_twice = false;
  // The same op reads the type of a missing bias from the node's parameters: of
  // 64 bits, it rounds once. Known from the kernel alone.
  bool int16_rows_name_bias_type = false;
  // ADD of 16 bits: vectors of 16 quantized values of two equal shapes round
  // the input of the smaller scale once, not twice.
  bool int16_adds_round_once = false;
  // SUM of 16 bits: rescales and saturates; else takes one scale for both and
  // keeps the low bits.
  bool int16_sums_saturate = false;
  // FULLY_CONNECTED from uint8 to int16: ties of the second rounding go up, not
  // away from zero.
  bool rows_to_16_bits_round_up = true;
  // DEPTHWISE_CONV_2D and TRANSPOSE_CONV scale sums in vectors of eight
  // channels, whose ties go up, not away from zero.
  bool scales_in_vectors = false;
  // TFLite_Detection_PostProcess with regular suppression: of equal scores the
  // one of the last class comes first.
  bool last_class_first = false;

  // CAST of floats outside the range of 8 or 16 bits: saturates, with NaN as
  // `of_nan`; else keeps the low bits.
  struct Cast {
    bool saturates = false;
    int of_nan = 0;
  };
  Cast to_int8, to_uint8, to_int16;
};
// The traits of the newest known runtime of this kind.
KernelTraits TraitsOf(CpuKernels kernels);

// How a kernel rescales a sum of products.
enum class Rounding {
  kTwiceUp,            // Multiply() with Ties::kUp
  kTwiceAwayFromZero,  // Multiply() with Ties::kAwayFromZero
  // The former in whole vectors of kChannelsOfVector channels, the latter in
  // the channels that are left over.
  kTwiceUpInVectors,
  kOnceToEven,  // MultiplyAsFloat()
};
inline constexpr int kChannelsOfVector = 8;

// Ops that rescale sums of products.
enum class ProductOp {
  kConv2d,
  kGroupedConv2d,  // built-in kernels use the reference kernel
  kDepthwiseConv2d,
  kTransposeConv,
  kFullyConnected,
  kMul,
};

// Of 8-bit codes, uint8 ones or int8.
Rounding RoundingOf(CpuKernels kernels, const KernelTraits& traits,
                    ProductOp op, bool is_uint8);
// Of a rounding that is Multiply()'s, the same in each channel.
inline Ties TiesOf(Rounding rounding) {
  return rounding == Rounding::kTwiceUp ? Ties::kUp : Ties::kAwayFromZero;
}

// XNNPACK's rescaling: float32(sum) * scale in float32, rounded to nearest,
// ties to even.
int32_t MultiplyAsFloat(int32_t sum, float scale);

// XNNPACK's multiplier for a scale, in 256ths: x = value - zero point becomes
// (x * in_256ths + 128) / 256, rounded down.
int32_t In256ths(float scale);
// XNNPACK's multipliers for values of both signs, of which those below zero are
// scaled by `alpha` as well.
struct SignsIn256ths {
  int32_t positive = 0;
  int32_t negative = 0;
};
// nullopt: XNNPACK leaves these factors to the built-in kernels.
std::optional<SignsIn256ths> FactorsIn256ths(float in_scale, float out_scale,
                                             float alpha);

// XNNPACK's ADD and SUB of (value - zero point): (a * multiplier_a + b *
// multiplier_b) / 2^shift, rounded to nearest, ties up.
struct FloatSum {
  int32_t a = 0;  // below 2^22
  int32_t b = 0;  // negative for SUB
  int shift = 0;
};
// nullopt: XNNPACK leaves these scales to the built-in kernels.
std::optional<FloatSum> FloatSumOf(float a_scale, float b_scale,
                                   float sum_scale, bool subtract);

// XNNPACK's scale for products: a * b / output in float32.
float FloatScale(float a, float b, float output);

// --- MEAN and SUM ------------------------------------------------------------

// MEAN and SUM of 8-bit tensors as TFLite's CPU kernels compute them: how a sum
// of quantized values becomes an output value. docs/quantization.md says which
// runtime uses which kernel.
//
// The delegate's passes make tables and uniforms from it for
// gl_shaders/reduction/reduce.comp. Pure functions, any thread.

struct CodeQuantization {
  float scale = 1;
  int32_t zero_point = 0;
  bool operator==(const CodeQuantization& other) const {
    return scale == other.scale && zero_point == other.zero_point;
  }
};

// The quantizations of a reduction, and how many input values make one output.
struct ReducedQuantized {
  CodeQuantization in, out;
  bool is_unsigned = false;  // uint8, else int8
  int32_t count = 1;         // inputs per output, > 0
};

// A MEAN or SUM node.
struct Reducing : ReducedQuantized {
  // True for 4-D reductions over height and width with keep_dims, for which
  // TFLite has special kernels. `over_plane`: the axes are given as 1 and 2,
  // the only form that older runtimes match; `over_plane_by_any_name`: also as
  // -3 and -2.
  bool over_plane = false;
  bool over_plane_by_any_name = false;
};

// How a kernel computes an output value from a sum of `count` quantized values.
struct MeanOfQuantized : ReducedQuantized {
  enum class Way {
    // The mean of the quantized values, rounded towards zero.
    kTruncated,
    // Rescales the sum of (value - zero point), then divides by the count.
    kRescaledThenDivided,
    // Multiplies the sum, zero points included, once; rounds the contribution
    // of the zero points separately.
    kZeroPointsApart,
    // Multiplies the sum of (value - zero point) once, by the scales and, for a
    // mean, 1 / count.
    kByOneMultiplier,
    // In float32: the mean, times the scale, plus the contribution of the zero
    // points, rounded away from zero.
    kFloat,
    // XNNPACK: in float32, rounding to even after adding the output's zero
    // point.
    kFloatToEven,
  };
  Way way = Way::kTruncated;
  Ties ties = Ties::kAwayFromZero;  // of the second rounding of multipliers
  bool is_sum = false;              // SUM: no division by the count
  bool fused = false;               // kFloat: adds without rounding the product

  // The output value for this sum. Monotonic in `sum`.
  int32_t Code(int64_t sum) const;
  // True if the kernel's arithmetic fits 32 bits for every sum.
  bool FitsSums() const;
};

// The multiplier of kByOneMultiplier for a mean of `count` values; newer
// kernels also use it for 16-bit values.
Multiplier MeanMultiplierOf(float in_scale, float out_scale, int32_t count);

// How the kernels of `cpu` compute MEAN.
MeanOfQuantized MeanOf(const Reducing& reducing, CpuKernels cpu);
// How they compute the channels after the last full block of 16, if different.
std::optional<MeanOfQuantized> MeanOfLastChannels(const Reducing& reducing,
                                                  CpuKernels cpu);
inline constexpr int kMeanBlock = 16;

// Element i of 255: the smallest sum of (value - zero point) whose output
// exceeds the i-th of the type's 256 values, or INT32_MAX. Non-decreasing.
// Requires mean.FitsSums().
std::vector<int32_t> StepsOf(const MeanOfQuantized& mean);

// How the kernels of `cpu` compute SUM; nullopt: TFLite before 2.13,
// which keeps the low bits.
std::optional<MeanOfQuantized> SumOf(const Reducing& reducing, CpuKernels cpu);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_CPU_KERNELS_H_
