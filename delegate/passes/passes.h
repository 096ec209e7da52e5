// The passes over a graph: the one ordered list of all of them.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_PASSES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_PASSES_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

enum class PassStage {
  // Once, when a partition is read: decides what the partition's inputs and
  // outputs hold. Runs where the option quantized_compute asks for codes.
  kRead,
  // Each time that the partition is planned, on a copy of the graph as read.
  // May change what a tensor between two nodes holds, and what constants hold.
  kFold,
  // Likewise, behind those. Every tensor that is left holds what it held.
  kFuse,
};

// What passes are given beside the graph.
struct PassContext {
  const DeviceProfile& profile;
  // Whose codes the nodes that compute on codes give.
  quant::CpuKernels cpu = quant::CpuKernels::kTflite;
  quant::KernelTraits traits = quant::TraitsOf(cpu);
  // Set by compute_on_codes: how many nodes compute on codes.
  int* nodes_on_codes = nullptr;
};

struct Pass {
  absl::string_view name;  // as docs/architecture.md has it
  PassStage stage;
  // Takes time linear in the graph's nodes. The graph computes the same outputs
  // afterwards, under the same tensor ids. kInvalidArgument: a malformed
  // constant.
  absl::Status (*run)(Graph* graph, const PassContext& context);
};

// In the order in which they run. A pass that runs twice is listed twice.
absl::Span<const Pass> Passes();

// Is told the name of each pass that has run, and the graph as it is then.
using PassObserver =
    absl::FunctionRef<void(absl::string_view pass, const Graph& graph)>;

// Runs the passes of one stage. The first error of a pass is returned.
absl::Status RunPasses(PassStage stage, const PassContext& context,
                       Graph* graph, PassObserver observer);

// Runs the passes of stages kFold and kFuse, observed by nobody.
absl::Status RunPasses(Graph* graph, const DeviceProfile& profile = {});

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_PASSES_H_
