// Is this driver to be trusted with this partition? Each program that the
// partition uses is run once, on random input, and single elements of what it
// writes are held against the host's own computation
// (docs/decisions/0006-self-check.md).
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"
#include "delegate/runtime/program_cache.h"
#include "egl/context.h"

namespace gles_delegate {

// What one self-check came to.
struct SelfCheckResult {
  int programs = 0;  // of the partition, each once
  int checked = 0;   // compared now, or found right earlier in this process
  double ms = 0;     // what it took
  // "CONV_2D 3 (conv_1x1.comp): element 17 of 'x' is 3.5, not 1.25": a line for
  // each node that is answered wrongly.
  std::vector<std::string> faults;

  bool ok() const { return faults.empty(); }
  int skipped() const { return programs - checked; }
  // Of what was found: "right", where every program was compared; "partly
  // checked"; "not checked"; "wrong".
  std::string Verdict() const;
};

struct SelfCheckInput {
  const egl::Context& context;
  // As it was read, before any pass, on real numbers (no codes).
  const Graph& original;
  // After the passes that change what tensors hold, before those that fuse.
  const Graph& unfused;
  // What is to run: after the passes, with its dispatches and their profile.
  const Graph& planned;
  absl::Span<const Dispatch> dispatches;
  const DeviceProfile& profile;
};

// Runs on the GPU the nodes that together use every program, the smallest that
// do, each with the inputs that random numbers and the nodes before give it;
// nothing where all of the programs were found right before in this process, by
// the same driver. Programs come from `programs` and are added to it. Inside
// context.Run(). Errors: what running them gave; they are no verdict.
absl::StatusOr<SelfCheckResult> SelfCheck(const SelfCheckInput& input,
                                          ProgramCache* programs);

// The profile with nothing in it that a driver could do without: no weights in
// the text, no Winograd, no sums shared or split, no fusions, no mapped
// tensors, one output an invocation; tensors in texture arrays unless
// `keep_storage`.
DeviceProfile PlainProfile(DeviceProfile profile, bool keep_storage);

// Forgets which programs were found right, for tests.
void ForgetSelfChecks();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_H_
