// MEAN and SUM of 8-bit codes as TFLite's kernels compute them: what code a sum
// of codes becomes. docs/quantization.md says which kernel is whose.
//
// The delegate's passes make tables and uniforms of it for the shader
// (gl_shaders/reduction/reduce_codes.comp). Pure functions, any thread.
#ifndef GLES_DELEGATE_QUANT_CODE_MEANS_H_
#define GLES_DELEGATE_QUANT_CODE_MEANS_H_

#include <cstdint>
#include <vector>

#include "quant/affine.h"

namespace gles_delegate::quant {

struct CodeQuantization {
  float scale = 1;
  int32_t zero_point = 0;
};

struct MeanOfCodes {
  CodeQuantization in, out;
  bool is_unsigned = false;  // uint8, else int8
  // Of a 4-D tensor over its height and width, as axes 1 and 2, which are kept:
  // TFLite has kernels of their own for it.
  bool over_plane = false;
  int32_t count = 1;  // codes a mean is of, more than 0

  // The output's code of a mean whose codes have this sum. Never less for a
  // larger sum.
  int32_t Code(int64_t sum) const;
  // True where TFLite's arithmetic fits 32 bits for every sum.
  bool FitsSums() const;
};

// Element i: the least sum of (code - zero point) whose code is past the i-th
// of the type's 256, INT32_MAX where none is: 255 elements, none less than the
// one before. mean.FitsSums().
std::vector<int32_t> StepsOf(const MeanOfCodes& mean);

// SUM: round(sum * scale + bias) + zero_point, in float32, ties away from zero;
// of one quantization the sum itself. Of either the low eight bits are kept.
struct SumOfCodes {
  bool rescales = false;
  float scale = 1;
  float bias = 0;
  int32_t zero_point = 0;  // 0 where it does not rescale
};
SumOfCodes SumOf(const CodeQuantization& in, const CodeQuantization& out,
                 int32_t count);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_CODE_MEANS_H_
