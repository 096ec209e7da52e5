// Ops of rows (the channels of each pixel), and of elements along one axis.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ROWS_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ROWS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/dispatches.h"
#include "delegate/ops/reduction/reduction.h"
#include "quant/code_table.h"

namespace gles_delegate {

// --- Invocations of a row ----------------------------------------------------

// Whether the device runs many invocations at once, so that sharing a sum pays.
// Devices that run them one after another ask for small work groups.
bool RunsAbreast(const DeviceChoices& choices);

// Number of invocations of a work group that share a sum, of which up to
// `useful` have enough work: a power of two from 8 on, or 1.
int SharingThreads(int64_t useful, const DeviceProfile& profile);

// --- L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION --------------------------

// L2_NORMALIZATION: y = x / max(sqrt(sum of x^2 over the channels), 1e-6), for
// each pixel. Any rank. No fused activation, as in TFLite's kernel. The
// attributes of nodes on 8-bit quantized values, which use TFLite's integer
// arithmetic; float nodes have none.
struct L2NormalizationOfQuantized {
  int zero_out = 0;
  bool is_unsigned = false;
};

// LOCAL_RESPONSE_NORMALIZATION: y[c] = x[c] * (bias + alpha * sum of x[i]^2
// over the existing channels i from c - radius to c + radius)^-beta. The
// attributes are TFLite's LocalResponseNormParams.

// --- SOFTMAX, LOG_SOFTMAX ----------------------------------------------------

// SOFTMAX: exp(beta * (x - max)) / sum of the same, along the last axis.
// LOG_SOFTMAX: x - max - log(sum exp(x - max)). BHWC, any rank and batch, in
// highp with any storage.

// For 8-bit quantized values, as in TFLite's kernels.
struct SoftmaxOfQuantized {
  std::vector<float> exps;  // [256]: by distance from the row's maximum
  float in_scale = 1;
  float out_scale = 1;
  int zero_in = 0;
  int zero_out = 0;
  bool is_unsigned = false;
};

struct SoftmaxAttributes {
  float beta = 1;
  bool log = false;
  std::shared_ptr<const SoftmaxOfQuantized> quantized = nullptr;
  // For int16, as in TFLite's kernel. If both are null: floats.
  std::shared_ptr<const quant::SoftmaxOfInt16> int16 = nullptr;
};

// --- Functions and reductions of rows ----------------------------------------

// Functions and reductions of rows of channels as one dispatch: what a model
// writes as MEAN, SQUARED_DIFFERENCE, RSQRT, MUL, ADD, ... is one pass over a
// row for each reduction, and one for the results. A layer or RMS normalization
// is such a node in whatever way an exporter writes it. Only FuseRows makes
// them.

// One value of a node with row functions. Rows have the results' channels; the
// others are one number for each row.
struct RowStep : FunctionStep {
  enum class Kind {
    kInput,   // of the results' height, width and batch, or a constant of one
              // pixel
    kReduce,  // `reducer` over the channels of step a
    kFunction,
  };
  Kind kind = Kind::kInput;
  bool is_row = true;
  Reducer reducer = Reducer::kMean;  // kMean, kSum, kMax or kMin
};

struct RowFunctionsAttributes {
  std::vector<RowStep> steps;  // each reads earlier ones
  std::vector<int> results;    // steps, rows; one for each output of the node
};

// All outputs have the same shape.
PlanFunction PlanRowFunctions;
inline constexpr OpDefinition kRowFunctionsOp =
    OpOfPasses("ROW_FUNCTIONS", PlanRowFunctions);

// --- ARG_MAX, ARG_MIN, TOPK_V2 -----------------------------------------------

// ARG_MAX, ARG_MIN: the position of the first maximum or minimum along one
// constant axis, which is removed, as int32. Numbers take precedence over NaNs,
// as in TFLite's newest kernel (2.9 keeps a leading NaN); if all are NaN, the
// first is taken. Input of float32 or int32, any rank.
using ArgExtremeAttributes = AxisView;

// --- CUMSUM ------------------------------------------------------------------

// CUMSUM: running sums along one constant axis, from its end with `reverse`,
// without the element itself with `exclusive`. float32 or int32. Above rank 4:
// along one of the last three axes, or the only leading one that is not 1.
struct CumsumAttributes {
  AxisView view;
  bool exclusive = false;
  bool reverse = false;
};

// --- RFFT2D, COMPLEX_ABS, REAL, IMAG -----------------------------------------

// RFFT2D of single rows, as mel front ends have it, and COMPLEX_ABS, REAL and
// IMAG. A complex tensor has twice as many channels here, real and imaginary
// parts in turn (Tensor::is_complex), in 32 bits.
//
// RFFT2D: [..., 1, N] to [..., 1, L / 2 + 1] complex, where L, a power of two,
// is the second of the constant lengths in input 1 and the first is 1. Rows are
// filled up with zeros, or cut, to L samples. A work group transforms a row in
// shared memory, 8 bytes a sample: 2,048 samples on every device.
struct Rfft2dAttributes {
  int length = 2;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_ROWS_H_
