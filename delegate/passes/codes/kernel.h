// TFLite's integer kernels, one family of ops a file: how a node of the float
// view becomes one that computes on codes (docs/quantization.md). The pass
// compute_on_codes.h asks them.
//
// A new kernel is a function in its family's file and a line in kernels.cc.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_CODES_KERNEL_H_
#define GLES_DELEGATE_DELEGATE_PASSES_CODES_KERNEL_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
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
};

// `node` with TFLite's integer arithmetic in place of its float view's. What it
// reads and writes is then code - zero point of each tensor, and its post-ops
// end on such values; real values where a tensor holds no codes. nullopt: the
// node keeps its float view, because it reads something else than codes, or
// because TFLite's arithmetic is not known for its parameters.
using Rewrite = std::optional<Node> (*)(const Node& node,
                                        const KernelContext& context);

struct IntegerKernel {
  absl::string_view op;
  Rewrite rewrite = nullptr;
  // The rewriting is asked only for nodes of one output that holds codes,
  // behind a simulator. False: it looks for itself.
  bool ends_in_simulator = true;
};

absl::Span<const IntegerKernel> IntegerKernels();
// nullptr: `op` has none.
const IntegerKernel* FindIntegerKernel(absl::string_view op);

// --- The families ---

// products.cc: sums of products with constant weights.
std::optional<Node> Conv2dOnCodes(const Node& node, const KernelContext& c);
std::optional<Node> DepthwiseConv2dOnCodes(const Node& node,
                                           const KernelContext& c);
std::optional<Node> FullyConnectedOnCodes(const Node& node,
                                          const KernelContext& c);
std::optional<Node> TransposeConvOnCodes(const Node& node,
                                         const KernelContext& c);
// binary.cc: functions of two tensors.
std::optional<Node> AddOnCodes(const Node& node, const KernelContext& c);
std::optional<Node> MulOnCodes(const Node& node, const KernelContext& c);
std::optional<Node> DivOnCodes(const Node& node, const KernelContext& c);
std::optional<Node> SquaredDifferenceOnCodes(const Node& node,
                                             const KernelContext& c);
// MAXIMUM and MINIMUM.
std::optional<Node> PairExtremeOnCodes(const Node& node,
                                       const KernelContext& c);
std::optional<Node> PreluOnCodes(const Node& node, const KernelContext& c);
// comparison.cc: of codes of two quantizations; SELECT among codes.
std::optional<Node> ComparisonOnCodes(const Node& node, const KernelContext& c);
std::optional<Node> SelectOnCodes(const Node& node, const KernelContext& c);
// unary.cc: functions of one code.
std::optional<Node> LeakyReluOnCodes(const Node& node, const KernelContext& c);
std::optional<Node> TableOnCodes(const Node& node, const KernelContext& c);
// rescaling.cc: one quantization's codes as another's.
std::optional<Node> QuantizeOnCodes(const Node& node, const KernelContext& c);
std::optional<Node> ReluOnCodes(const Node& node, const KernelContext& c);
// pooling.cc
std::optional<Node> AveragePoolOnCodes(const Node& node,
                                       const KernelContext& c);
std::optional<Node> MaxPoolOnCodes(const Node& node, const KernelContext& c);
// reductions.cc
std::optional<Node> MeanOnCodes(const Node& node, const KernelContext& c);
std::optional<Node> SumOnCodes(const Node& node, const KernelContext& c);
std::optional<Node> ProductOnCodes(const Node& node, const KernelContext& c);
std::optional<Node> ExtremeOnCodes(const Node& node, const KernelContext& c);
// matrices.cc
std::optional<Node> BatchMatMulOnCodes(const Node& node,
                                       const KernelContext& c);
// rows.cc: functions of a pixel's channels.
std::optional<Node> SoftmaxOnCodes(const Node& node, const KernelContext& c);
std::optional<Node> LogSoftmaxOnCodes(const Node& node, const KernelContext& c);
std::optional<Node> L2NormalizationOnCodes(const Node& node,
                                           const KernelContext& c);
// movement.cc: codes moved from one quantization to another, as they are.
std::optional<Node> MoveOnCodes(const Node& node, const KernelContext& c);
std::optional<Node> ArgExtremeOnCodes(const Node& node, const KernelContext& c);
// Gives each input of a uint8 CONCATENATION that has another quantization than
// the output a node before it that rescales its codes, and each input of a
// SELECT one that takes its codes for the output's, as TFLite does: so that
// these nodes move codes. Tensors know whether they hold codes.
void MatchQuantizations(Graph* graph);
// resizing.cc: of one quantization alone by XNNPACK's kernel.
std::optional<Node> ResizeBilinearOnCodes(const Node& node,
                                          const KernelContext& c);

}  // namespace gles_delegate::codes

#endif  // GLES_DELEGATE_DELEGATE_PASSES_CODES_KERNEL_H_
