// TFLite's integer kernels, one family of ops a file: how a node of the float
// view becomes one that computes on codes (docs/quantization.md). The pass
// compute_on_codes.h asks them.
//
// A new kernel is a function in its family's file and a line in kernels.cc.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_CODES_KERNEL_H_
#define GLES_DELEGATE_DELEGATE_PASSES_CODES_KERNEL_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate::codes {

// What a kernel may look at, and the graph that it may add constants to.
struct KernelContext {
  Graph* graph;
  const DeviceProfile& profile;
  // Whose codes are to be computed.
  quant::CpuKernels cpu = quant::CpuKernels::kTflite;
  quant::KernelTraits traits = quant::TraitsOf(cpu);
};

// `node` with TFLite's integer arithmetic in place of its float view's. What it
// reads and writes is then code - zero point of each tensor, and its post-ops
// end on such values; real values where a tensor holds no codes. nullopt: the
// node keeps its float view, because it reads something else than codes, or
// because TFLite's arithmetic is not known for its parameters.
using Rewrite = std::optional<Node>(const Node& node,
                                    const KernelContext& context);

struct IntegerKernel {
  absl::string_view op;
  Rewrite* rewrite = nullptr;
  // The rewriting is asked only for nodes of one output that holds codes,
  // behind a simulator. False: it looks for itself.
  bool ends_in_simulator = true;
};

// nullptr: `op` has none.
const IntegerKernel* FindIntegerKernel(absl::string_view op);

// --- The families: functions of the type above ---

// products.cc: sums of products with constant weights.
Rewrite Conv2dOnCodes;
Rewrite DepthwiseConv2dOnCodes;
Rewrite FullyConnectedOnCodes;
Rewrite TransposeConvOnCodes;
// binary.cc: functions of two tensors.
Rewrite AddOnCodes;
Rewrite SubOnCodes;
Rewrite MulOnCodes;
Rewrite DivOnCodes;
Rewrite SquaredDifferenceOnCodes;
Rewrite MaximumOnCodes;
Rewrite MinimumOnCodes;
Rewrite PreluOnCodes;
// comparison.cc: of codes of two quantizations; SELECT among codes.
Rewrite ComparisonOnCodes;
Rewrite SelectOnCodes;
// unary.cc: functions of one code.
Rewrite LeakyReluOnCodes;
Rewrite TableOnCodes;
// rescaling.cc: one quantization's codes as another's.
Rewrite QuantizeOnCodes;
Rewrite ReluOnCodes;
// pooling.cc
Rewrite AveragePoolOnCodes;
Rewrite MaxPoolOnCodes;
// reductions.cc
Rewrite MeanOnCodes;
Rewrite SumOnCodes;
Rewrite ProductOnCodes;
Rewrite ExtremeOnCodes;
// matrices.cc
Rewrite BatchMatMulOnCodes;
// rows.cc: functions of a pixel's channels.
Rewrite SoftmaxOnCodes;
Rewrite LogSoftmaxOnCodes;
Rewrite L2NormalizationOnCodes;
// movement.cc: codes moved from one quantization to another, as they are.
Rewrite MoveOnCodes;
// Likewise of one quantization; the value may be computed at run time there.
Rewrite PadV2OnCodes;
// FILL, whose value is of the output's quantization.
Rewrite FillOnCodes;
Rewrite ArgExtremeOnCodes;
// Gives each input of a uint8 CONCATENATION that has another quantization than
// the output a node before it that rescales its codes, and each of a SELECT, or
// of a PADV2 by a runtime value, one that takes its codes for the output's, as
// TFLite does: these nodes then move codes. Tensors know if they hold codes.
void MatchQuantizations(Graph* graph);
// resizing.cc: of one quantization alone by XNNPACK's kernel.
Rewrite ResizeBilinearOnCodes;

}  // namespace gles_delegate::codes

#endif  // GLES_DELEGATE_DELEGATE_PASSES_CODES_KERNEL_H_
