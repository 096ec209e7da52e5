// TFLite's integer kernels, one family of ops per file: they convert a node of
// the float view to one that computes on quantized values
// (docs/quantization.md), for the pass integer_path.h.
//
// To add a kernel, add a function to its family's file and a line to
// kernels.cc.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_KERNEL_H_
#define GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_KERNEL_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate::integer_path {

// The context of a kernel; it may add constants to the graph.
struct KernelContext {
  Graph* graph;
  const DeviceProfile& profile;
  // The kernels to match.
  quant::CpuKernels cpu = quant::CpuKernels::kTflite;
  quant::KernelTraits traits = quant::TraitsOf(cpu);
};

// `node` with TFLite's integer arithmetic instead of its float view's. It reads
// and writes (quantized value - zero point), or real values for tensors that
// are not quantized, and its post-ops produce such values. nullopt: the node
// keeps its float view, since it reads something else, or TFLite's arithmetic
// is not known for its parameters.
using Rewrite = std::optional<Node>(const Node& node,
                                    const KernelContext& context);

struct IntegerKernel {
  absl::string_view op;
  Rewrite* rewrite = nullptr;
  // Called only for nodes with one output in quantized values that end in a
  // simulator. False: the kernel checks this itself.
  bool ends_in_simulator = true;
};

// nullptr: `op` has none.
const IntegerKernel* FindIntegerKernel(absl::string_view op);

// --- The families: functions of the type above ---

// products.cc: sums of products with constant weights.
Rewrite Conv2dInIntegers;
Rewrite DepthwiseConv2dInIntegers;
Rewrite FullyConnectedInIntegers;
Rewrite TransposeConvInIntegers;
// binary.cc: functions of two tensors.
Rewrite AddInIntegers;
Rewrite SubInIntegers;
Rewrite MulInIntegers;
Rewrite DivInIntegers;
Rewrite SquaredDifferenceInIntegers;
Rewrite MaximumInIntegers;
Rewrite MinimumInIntegers;
Rewrite PreluInIntegers;
// comparison.cc: between two quantizations; SELECT of quantized values.
Rewrite ComparisonInIntegers;
Rewrite SelectInIntegers;
// unary.cc: functions of one value.
Rewrite LeakyReluInIntegers;
Rewrite TableInIntegers;
// rescaling.cc: from one quantization to another.
Rewrite QuantizeInIntegers;
Rewrite ReluInIntegers;
// pooling.cc
Rewrite AveragePoolInIntegers;
Rewrite MaxPoolInIntegers;
// reductions.cc
Rewrite MeanInIntegers;
Rewrite SumInIntegers;
Rewrite ProductInIntegers;
Rewrite ExtremeInIntegers;
// matrices.cc
Rewrite BatchMatMulInIntegers;
// rows.cc: functions of a pixel's channels.
Rewrite SoftmaxInIntegers;
Rewrite LogSoftmaxInIntegers;
Rewrite L2NormalizationInIntegers;
// movement.cc: values moved unchanged between quantizations.
Rewrite MoveInIntegers;
// Within one quantization; the value may be computed at run time.
Rewrite PadV2InIntegers;
// FILL with a value of the output's quantization.
Rewrite FillInIntegers;
Rewrite ArgExtremeInIntegers;
// Adds a node before some inputs, after which the ops below only move values,
// as in TFLite. Inputs of a uint8 CONCATENATION with another quantization than
// the output are rescaled. Those of a SELECT, or of a PADV2 with a runtime
// value, are reinterpreted in the output's quantization. Run it after
// holds_quantized is set.
void MatchQuantizations(Graph* graph);
// resizing.cc: within one quantization, only with XNNPACK's kernel.
Rewrite ResizeBilinearInIntegers;

}  // namespace gles_delegate::integer_path

#endif  // GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_KERNEL_H_
