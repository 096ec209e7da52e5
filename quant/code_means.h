// MEAN and SUM of 8-bit codes as the CPU's kernels compute them: what code a
// sum of codes becomes. docs/quantization.md says which kernel is whose.
//
// The delegate's passes make tables and uniforms of it for the shader
// (gl_shaders/reduction/reduce_codes.comp). Pure functions, any thread.
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

// What becomes what: the codes of `in` that make one of `out`.
struct ReducedCodes {
  CodeQuantization in, out;
  bool is_unsigned = false;  // uint8, else int8
  int32_t count = 1;         // of the codes that make one, more than 0
};

// What a node asks for, and of what.
struct Reducing : ReducedCodes {
  // Of a 4-D tensor over its height and width, which are kept: kernels of their
  // own have it. `over_plane`: the axes are written as 1 and 2, which alone
  // older runtimes know; `over_plane_by_any_name`: as -3 and -2, too.
  bool over_plane = false;
  bool over_plane_by_any_name = false;
};

// A way to make the output's code of a sum of `count` codes.
struct MeanOfCodes : ReducedCodes {
  enum class Way {
    // The mean code, towards zero.
    kTruncated,
    // The sum without its zero points is rescaled, then divided.
    kRescaledThenDivided,
    // The sum, zero points and all, is multiplied once; the zero points' share
    // is rounded apart.
    kZeroPointsApart,
    // The sum without its zero points times one multiplier, of the scales and,
    // of a mean, the count.
    kByOneMultiplier,
    // In float32: the mean, times the scale, plus the zero points' share,
    // rounded away from zero.
    kFloat,
    // XNNPACK's: in float32, the output's zero point among what is rounded,
    // ties to even.
    kFloatToEven,
  };
  Way way = Way::kTruncated;
  Ties ties = Ties::kAwayFromZero;  // of the second rounding of multipliers
  bool is_sum = false;              // SUM: nothing is divided by the count

  // The output's code of codes that have this sum. Never less for a larger one.
  int32_t Code(int64_t sum) const;
  // True where the kernel's arithmetic fits 32 bits for every sum.
  bool FitsSums() const;
};

// kByOneMultiplier's of a mean of `count` codes; newer kernels have it of
// 16-bit codes as well.
Multiplier MeanMultiplierOf(float in_scale, float out_scale, int32_t count);

// What MEAN becomes in the kernels of `cpu`.
MeanOfCodes MeanOf(const Reducing& reducing, CpuKernels cpu);
// What becomes of the channels that the kernel's blocks of 16 leave over, where
// that is something else.
std::optional<MeanOfCodes> MeanOfLastChannels(const Reducing& reducing,
                                              CpuKernels cpu);
inline constexpr int kMeanBlock = 16;

// Element i: the least sum of (code - zero point) whose code is past the i-th
// of the type's 256, INT32_MAX where none is: 255 elements, none less than the
// one before. mean.FitsSums().
std::vector<int32_t> StepsOf(const MeanOfCodes& mean);

// What SUM becomes in the kernels of `cpu`; nullopt: LowBitsOfSum().
std::optional<MeanOfCodes> SumOf(const Reducing& reducing, CpuKernels cpu);

// SUM of TFLite before 2.13: round(sum * scale + bias) + zero_point, in
// float32, ties away from zero; of one quantization the sum itself. Of either
// the low eight bits are kept.
struct LowBits {
  bool rescales = false;
  float scale = 1;
  float bias = 0;
  int32_t zero_point = 0;  // 0 where it does not rescale
};
LowBits LowBitsOfSum(const CodeQuantization& in, const CodeQuantization& out,
                     int32_t count);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_CODE_MEANS_H_
