// The ordered list of all graph passes.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_PASSES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_PASSES_H_

#include <string>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/passes/rewrite.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

enum class PassStage {
  // Once, when a partition is read: determines the contents of the partition's
  // inputs and outputs. Only if quantized_compute asks for the integer path.
  kRead,
  // Each time the partition is planned, on a copy of the graph as read. May
  // change the contents of constants and of tensors between nodes.
  kFold,
  // After kFold. All remaining tensors keep their contents.
  kFuse,
};

// Parameters of the passes.
struct PassContext {
  const DeviceProfile& profile;
  // The kernels that quantized nodes must match.
  quant::CpuKernels cpu = quant::CpuKernels::kTflite;
  quant::KernelTraits traits = quant::TraitsOf(cpu);
  // Output of integer_path: number of nodes on the integer path.
  int* nodes_on_integer_path = nullptr;
  // Gets a line for each node that a pass leaves as it is although it looks
  // like one for it, with the reason.
  std::vector<std::string>* notes = nullptr;
};

// A rule looks at node n, for each node in order, or at the whole graph. It
// takes linear time, and preserves the graph's outputs and their tensor ids.
using NodeRule = void (*)(Rewriter& r, int n);
using GraphRule = void (*)(Rewriter& r);

struct Pass {
  absl::string_view name;
  PassStage stage;
  std::variant<NodeRule, GraphRule> rule;
  absl::string_view does;  // for the table in docs/architecture.md
  // The names of the passes that it must follow, separated by spaces.
  absl::string_view follows = "";
  // False: not on this device. nullptr: on all.
  bool (*gate)(const DeviceProfile& profile) = nullptr;
};

// In execution order. A pass that runs twice is listed twice.
absl::Span<const Pass> Passes();

// Called after each pass with its name and the resulting graph.
using PassObserver =
    absl::FunctionRef<void(absl::string_view pass, const Graph& graph)>;

// Runs the passes of one stage, up to the first error. kInvalidArgument: a
// malformed constant.
absl::Status RunPasses(PassStage stage, const PassContext& context,
                       Graph* graph, PassObserver observer);

// Runs the passes of kFold and kFuse without an observer.
absl::Status RunPasses(Graph* graph, const DeviceProfile& profile = {});

// Runs the pass of this name alone.
absl::Status RunPass(absl::string_view name, const PassContext& context,
                     Graph* graph);

// --- The rules ---------------------------------------------------------------

// Each is described in its file; passes.cc has their order and says what each
// does.

void ConcatInPlace(Rewriter& r, int n);
void FoldHeads(Rewriter& r, int n);
void FoldScales(Rewriter& r);
void FoldTransposes(Rewriter& r, int n);
void FuseAttention(Rewriter& r, int n);
void FuseChannelPadding(Rewriter& r, int n);
void FuseDepthwise(Rewriter& r, int n);
void FuseElementwise(Rewriter& r, int n);
void FuseGates(Rewriter& r, int n);
void FuseInputs(Rewriter& r, int n);
void FuseMovement(Rewriter& r);
void FuseNext(Rewriter& r, int n);
void FusePadding(Rewriter& r, int n);
void FusePlanes(Rewriter& r, int n);
void FuseRows(Rewriter& r, int n);
void FuseSqueezeExcite(Rewriter& r, int n);
void FuseUpdates(Rewriter& r, int n);
void JoinProducts(Rewriter& r, int n);
void KeepFloat32(Rewriter& r);
void NormalizeFewRows(Rewriter& r, int n);
void ReadThrough(Rewriter& r, int n);
void RealignOperands(Rewriter& r, int n);
void RemoveIdentityNodes(Rewriter& r);
void SinkReshapes(Rewriter& r);
void UpdateInPlace(Rewriter& r);
void UseIntegerPath(Rewriter& r);
void ViewSlices(Rewriter& r, int n);
void WriteThrough(Rewriter& r, int n);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_PASSES_H_
