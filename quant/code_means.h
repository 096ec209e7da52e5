// MEAN and SUM of 8-bit tensors as TFLite's CPU kernels compute them: how a sum
// of quantized values becomes an output value. docs/quantization.md says which
// runtime uses which kernel.
//
// The delegate's passes make tables and uniforms from it for
// gl_shaders/reduction/reduce.comp. Pure functions, any thread.
#ifndef GLES_DELEGATE_QUANT_CODE_MEANS_H_
#define GLES_DELEGATE_QUANT_CODE_MEANS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "quant/affine.h"
#include "quant/cpu_kernels.h"
#include "quant/fixed_point.h"

namespace gles_delegate::quant {

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

#endif  // GLES_DELEGATE_QUANT_CODE_MEANS_H_
