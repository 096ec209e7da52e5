// CONV_2D with a 3x3 window by Winograd's F(4x4, 3x3) (Lavin & Gray 2015, "Fast
// Algorithms for Convolutional Neural Networks"): computes tiles of 4x4 outputs
// from 6x6 inputs d with 36 multiplications per pair of channels instead of
// 144,
//
//     Y = A^T [ (G g G^T) * (B^T d B) ] A,
//
// in three dispatches: B^T d B of every tile, 36 matrix products over the
// channels (one per element), and A^T [ ] A with bias and post-ops. The CPU
// computes the filter's G g G^T once, in double precision.
//
// Accuracy depends on the interpolation points (Vincent et al. 2017, "On
// improving the numerical stability of Winograd convolutions"). Lavin's points
// 0, +-1, +-2 err by up to 43 * 2^-24 of the sum of the terms' magnitudes at C
// = 16; 0, +-3/4, +-3/2, used here, by 7 (a plain float32 sum by 4), and all
// entries of A and B are exact in float32. That is within the tolerance for
// sums of 9 C terms, (4 sqrt(9 C) + 4) * 2^-24 (tests/testing/single_op.h).
// Errors are relative to the largest terms of the whole tile, so one infinity
// or NaN reaches all of its 16 outputs.
//
// Never with 16-bit storage: B^T d B is up to 32 times d, most of which A^T
// cancels, so that halves would lose 5 of their 11 bits, and planes of floats
// cost more than halves save.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_WINOGRAD_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_WINOGRAD_H_

#include <vector>

#include "absl/types/span.h"

namespace gles_delegate {

// The strategy is kConvWinograd of conv_strategies.h, for at least
// winograd_min_channels channels. Not for quantized values, 8-bit tensors, or
// weights computed at run time.

// G g G^T of each filter of `filter` (OHWI, 3x3): [36][O][I], by the row and
// column of the result.
std::vector<float> WinogradFilter(absl::Span<const float> filter, int outputs,
                                  int inputs);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_WINOGRAD_H_
