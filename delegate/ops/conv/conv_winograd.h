// CONV_2D with a 3x3 window by Winograd's F(4x4, 3x3) (Lavin & Gray 2015, "Fast
// Algorithms for Convolutional Neural Networks"): outputs are made in tiles of
// 4x4 from 6x6 inputs d by 36 multiplications a pair of channels, not 144,
//
//     Y = A^T [ (G g G^T) * (B^T d B) ] A,
//
// so three dispatches: B^T d B of every tile, 36 products of matrices (one for
// each of its elements, over the channels), A^T [ ] A with bias and post-ops.
// The filter's G g G^T is made once, in double precision, on the CPU.
//
// Accuracy. The points that the matrices come from decide it (Vincent et al.
// 2017, "On improving the numerical stability of Winograd convolutions"): with
// Lavin's 0, +-1, +-2 sums of C = 16 channels erred by up to 43 * 2^-24 of the
// sum of their terms' magnitudes, with 0, +-3/4, +-3/2 as here by 7 (a plain
// float32 sum by 4), at C = 256 by 23, 6 and 4. All entries of A and B are
// exact in float32 then. That is within what sums of 9 C terms are allowed
// anywhere here, (4 sqrt(9 C) + 4) * 2^-24: tests/testing/single_op.h. Two
// things remain: an error is relative to the largest terms of the whole tile,
// not of the output's own window, and so one infinity or NaN reaches all of its
// 16 outputs.
//
// 16-bit storage: never chosen. B^T d B is up to 32 times d, and A^T cancels
// most of that again: planes of halves would lose 5 of their 11 bits, planes of
// floats cost more than the halves save.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_WINOGRAD_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_WINOGRAD_H_

#include <vector>

#include "absl/types/span.h"

namespace gles_delegate {

// The strategy is kConvWinograd of conv_strategies.h: winograd_min_channels of
// the profile says from how many channels on it pays. Never on codes, of 8-bit
// tensors, or of weights computed at run time.

// G g G^T of each filter of `filter` (OHWI, 3x3): [36][O][I], by the row and
// column of the result.
std::vector<float> WinogradFilter(absl::Span<const float> filter, int outputs,
                                  int inputs);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_WINOGRAD_H_
