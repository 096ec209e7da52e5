// Computes a batch in parts while later parts are uploaded.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_BATCH_PARTS_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_BATCH_PARTS_H_

#include <cstddef>

#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// The first `dispatches` of a plan run once for each of `count` equal parts of
// the batch: all of them for one part, then all for the next, whose upload runs
// meanwhile. The others run once for the whole batch.
//
// A part's dispatch has the program and parameters of the whole, but fewer work
// groups, and binds each tensor at the part's offset, since batches are
// contiguous in memory. All tensors of these dispatches therefore need memory
// at the same time.
// have memory at the same time.
struct BatchParts {
  int input = -1;  // of the graph, that is uploaded in parts; -1: none is
  int count = 1;
  size_t dispatches = 0;

  bool IsThere() const { return input >= 0; }
};

// The parts for the first input whose parts have at least
// bus.batch_part_bytes, if the plan begins with dispatches that treat
// batches independently. Only for images (three channels), which a shader
// uploads. `is_bound`: by input, whether it is an app's object; missing entries
// mean no.
BatchParts ChooseBatchParts(const Graph& graph, absl::Span<const Dispatch> plan,
                            const DeviceProfile& profile,
                            absl::Span<const bool> is_bound);

// Work groups along d.batch.axis for one of `count` equal parts of `batches`; 0
// if that is not a whole number.
int GroupsOfPart(const Dispatch& d, int batches, int count);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_BATCH_PARTS_H_
