// RESIZE_BILINEAR in integers. TFLite's kernels interpolate the quantized
// values themselves, regardless of their quantization.
#include <any>

#include "delegate/ops/image/resize.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/kernel.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate::integer_path {

std::optional<Node> ResizeBilinearInIntegers(const Node& node,
                                             const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  if (node.post_ops.size() != 1 || !in.holds_quantized ||
      in.quantized != out.quantized) {
    return std::nullopt;
  }
  Node resized = node;
  resized.post_ops.clear();
  resized.attributes =
      ResizeOfQuantized{std::any_cast<const ResizeAttributes&>(node.attributes),
                        static_cast<int>(in.quantization.zero_point[0]),
                        static_cast<int>(out.quantization.zero_point[0]),
                        out.quantized == DataType::kUint8,
                        /*is_int16=*/false,
                        /*by_xnnpack=*/c.cpu == quant::CpuKernels::kXnnpack &&
                            SameQuantized(in, out)};
  return resized;
}

}  // namespace gles_delegate::integer_path
