// A batch whose upload takes long, computed in parts.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_BATCH_PARTS_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_BATCH_PARTS_H_

#include <cstddef>

#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

// The first `dispatches` of a plan run once for each of `count` equal parts of
// the batch: all of them for one part, then all for the next one, whose upload
// is under way meanwhile. The others run once, for the whole batch.
//
// A part's dispatch has the program and the parameters of the whole one. It has
// fewer work groups, and each tensor is bound from where the part begins in its
// memory: batches follow one another there. So all tensors of these dispatches
// have memory at the same time.
struct BatchParts {
  int input = -1;  // of the graph, that is uploaded in parts; -1: none is
  int count = 1;
  size_t dispatches = 0;

  bool IsThere() const { return input >= 0; }
};

// The parts in which the first input is uploaded whose parts have
// choices.batch_part_bytes at least, and whose plan begins with dispatches that
// take each batch by itself. Only images (three channels), which reach the GPU
// by a shader. `is_bound`: by input, whether it is an object of the app's; none
// past its end.
BatchParts ChooseBatchParts(const Graph& graph, absl::Span<const Dispatch> plan,
                            const DeviceProfile& profile,
                            absl::Span<const bool> is_bound);

// The work groups along d.batch.axis that compute one of `count` equal parts of
// so many batches; 0: no whole number does.
int GroupsOfPart(const Dispatch& d, int batches, int count);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_BATCH_PARTS_H_
