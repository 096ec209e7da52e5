// The integer path of 8-bit models, as an alternative to the float view
// (docs/quantization.md).
//
// Activations that the float view would round are stored as quantized values,
// one byte each. The ops of codes/kernels.cc compute on (quantized value - zero
// point): small integers, whose products and sums floats hold exactly up to
// 2^24. They rescale sums as TFLite's integer kernels do (quant/fixed_point.h),
// or use tables (quant/code_table.h). Ops that move values move quantized
// values. Other ops keep their float view: they read value * scale and round
// what they write.
//
// Kernels for 16-bit activations use integer arithmetic, too, on tensors of
// real values (integer_path/kernel.h).
#ifndef GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_H_
#define GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

// `graph` is as read, with simulators. A node that the device cannot run in
// integers, or whose parameters are not known to match TFLite's arithmetic,
// stays as it is. `cpu`: the kernels to match. Returns the number of nodes on
// the integer path.
int UseIntegerPath(Graph* graph, const DeviceProfile& profile,
                   quant::CpuKernels cpu, const quant::KernelTraits& traits);
inline int UseIntegerPath(Graph* graph, const DeviceProfile& profile,
                          quant::CpuKernels cpu = quant::CpuKernels::kTflite) {
  return UseIntegerPath(graph, profile, cpu, quant::TraitsOf(cpu));
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_H_
