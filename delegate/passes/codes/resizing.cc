// RESIZE_BILINEAR in integers. TFLite's kernels interpolate the quantized
// values themselves, regardless of their quantization.
#include <any>

#include "delegate/ops/image/resize.h"
#include "delegate/passes/codes/helpers.h"
#include "delegate/passes/codes/kernel.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate::codes {

std::optional<Node> ResizeBilinearOnCodes(const Node& node,
                                          const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  if (node.post_ops.size() != 1 || !in.holds_codes || in.codes != out.codes) {
    return std::nullopt;
  }
  Node resized = node;
  resized.post_ops.clear();
  resized.attributes =
      ResizeOfCodes{std::any_cast<const ResizeAttributes&>(node.attributes),
                    static_cast<int>(in.quantization.zero_point[0]),
                    static_cast<int>(out.quantization.zero_point[0]),
                    out.codes == DataType::kUint8,
                    /*is_sixteen_bit=*/false,
                    /*by_xnnpack=*/c.cpu == quant::CpuKernels::kXnnpack &&
                        SameCodes(in, out)};
  return resized;
}

}  // namespace gles_delegate::codes
