// The self-check: can this driver run this partition? Runs each program of the
// partition once, on random input, and compares single elements of its output
// with the host's computation (docs/decisions/0006-self-check.md).
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"
#include "delegate/runtime/gpu_memory.h"
#include "delegate/runtime/host_transfer.h"
#include "egl/context.h"

namespace gles_delegate {

// The result of a self-check.
struct SelfCheckResult {
  int programs = 0;  // of the partition, each once
  int checked = 0;   // compared now or earlier in this process
  double ms = 0;     // duration
  // "CONV_2D 3 (conv_1x1.comp): element 17 of 'x' is 3.5, not 1.25": one line
  // for each node with a wrong result, or, if inputs or outputs are wrong, only
  // for those: "upload x (upload.comp): ...".
  std::vector<std::string> faults;

  bool ok() const { return faults.empty(); }
  int skipped() const { return programs - checked; }
  // "right": every program was compared; "partly checked"; "not checked";
  // "wrong".
  std::string Verdict() const;
};

struct SelfCheckInput {
  const egl::Context& context;
  // As read, before any pass, on real values.
  const Graph& original;
  // After the passes that change tensors' contents, before those that fuse.
  const Graph& unfused;
  // The final graph, after the passes, with its dispatches and their profile.
  const Graph& planned;
  absl::Span<const Dispatch> dispatches;
  const DeviceProfile& profile;
  // The app's objects among inputs and outputs, which the check leaves out.
  const BoundTransfers& bound;
};

// Runs the smallest nodes that together use every program, with random inputs
// and the results of preceding nodes, and the smallest inputs and outputs;
// nothing if this process has already
// checked all programs with the same driver. Takes programs and constants from
// `objects`, and adds the other programs. Inside context.Run(). Errors are
// failures to run, not verdicts.
absl::StatusOr<SelfCheckResult> SelfCheck(const SelfCheckInput& input,
                                          SharedObjects* objects);

// The fallback profile, with only the simplest programs: no literal weights,
// Winograd, shared or split sums, fusions or mapped tensors, one output per
// invocation; tensors in texture arrays unless `keep_storage`.
DeviceProfile FallbackProfile(DeviceProfile profile, bool keep_storage);

// For tests: forgets which programs passed.
void ForgetSelfChecks();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_H_
