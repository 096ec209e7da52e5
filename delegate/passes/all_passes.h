// The passes, of which passes.cc has the order. Each is described in its file.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_ALL_PASSES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_ALL_PASSES_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

void ConcatInPlace(Graph* graph);
void RemoveDeadNodes(Graph* graph);
// Removes the nodes marked in `removed`, which has one value per node, in
// order.
void RemoveNodes(const std::vector<bool>& removed, Graph* graph);
// True: the node's output is now a constant of `graph`.
absl::StatusOr<bool> FoldConstantNode(Graph* graph, const Node& node);
absl::Status FoldConstants(Graph* graph);
void FoldHeads(Graph* graph);
absl::Status FoldScales(Graph* graph, bool half = false);
absl::Status FoldTransposes(Graph* graph);
void FuseAttention(Graph* graph, const DeviceProfile& profile);
void FuseDepthwise(Graph* graph, const DeviceProfile& profile);
// The tensors that a dispatch may bind on a minimal device: OpenGL ES 3.1
// guarantees only four images or four buffers.
inline constexpr int kMinimalBoundTensors = 4;
void FuseElementwise(Graph* graph, int max_tensors = kMinimalBoundTensors);
void RealignOperands(Graph* graph);
void FuseFewRows(Graph* graph, const DeviceProfile& profile);
void FuseInputs(Graph* graph, const DeviceProfile& profile);
// The tensor of which an elementwise node's post-ops are functions that an
// input stage can have; kNoTensor if they are not.
TensorId SourceOfInputStage(const Graph& graph, const Node& node);
void FuseMovement(Graph* graph, const DeviceProfile& profile);
void FuseNext(Graph* graph, const DeviceProfile& profile);
void FusePadding(Graph* graph);
void FuseChannelPadding(Graph* graph);
void FusePlanes(Graph* graph, const DeviceProfile& profile);
void FuseRows(Graph* graph, const DeviceProfile& profile);
void FuseSqueezeExcite(Graph* graph, const DeviceProfile& profile);
int UseIntegerPath(Graph* graph, const DeviceProfile& profile,
                   quant::CpuKernels cpu, const quant::KernelTraits& traits);
inline int UseIntegerPath(Graph* graph, const DeviceProfile& profile,
                          quant::CpuKernels cpu = quant::CpuKernels::kTflite) {
  return UseIntegerPath(graph, profile, cpu, quant::TraitsOf(cpu));
}
void JoinProducts(Graph* graph);
void KeepFloat32(Graph* graph, const DeviceProfile& profile);
void ReadThrough(Graph* graph, const DeviceProfile& profile);
void RemoveIdentityNodes(Graph* graph);
void SinkReshapes(Graph* graph, const DeviceProfile& profile);
void UpdateInPlace(Graph* graph);
void ViewSlices(Graph* graph);
void WriteThrough(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_ALL_PASSES_H_
