// Quantized ops on codes: the second way to run an 8-bit model, beside the
// float view (docs/quantization.md).
//
// Activations that the float view rounds to codes anyway are stored as those, a
// byte each. The ops of codes/kernels.cc then compute on (code - zero point):
// small integers, whose products and sums floats hold exactly up to 2^24; and
// they scale the sums as TFLite's integer kernels do (quant/fixed_point.h), or
// look codes up in a table (quant/code_table.h). Ops that move values move
// codes. Every other op keeps its float view: what it reads is code * scale,
// what it writes goes to its code.
//
// The kernels of 16-bit activations are integers as well, of tensors that stay
// real values (codes/wide_kernels.h).
#ifndef GLES_DELEGATE_DELEGATE_PASSES_COMPUTE_ON_CODES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_COMPUTE_ON_CODES_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

// `graph` is as the reader made it, with simulators. A node that the device
// cannot run on codes, or whose parameters TFLite's arithmetic is not known
// for, stays as it is. `cpu`: whose codes are to be computed. Returns how many
// nodes are on codes.
int ComputeOnCodes(Graph* graph, const DeviceProfile& profile,
                   quant::CpuKernels cpu, const quant::KernelTraits& traits);
inline int ComputeOnCodes(Graph* graph, const DeviceProfile& profile,
                          quant::CpuKernels cpu = quant::CpuKernels::kTflite) {
  return ComputeOnCodes(graph, profile, cpu, quant::TraitsOf(cpu));
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_COMPUTE_ON_CODES_H_
