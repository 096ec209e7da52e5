// Caches that stay in an app's buffers: the output's buffer is the tensors'
// memory. No dispatch copies it after the update, and none copies the input's
// buffer before it if that is the same.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_BOUND_CACHES_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_BOUND_CACHES_H_

#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/runtime/command.h"
#include "delegate/runtime/object_form.h"
#include "egl/objects.h"

namespace gles_delegate {

// An input whose memory an output is a view of (passes/views.cc).
struct BoundCache {
  int input = -1;   // of the graph
  int output = -1;  // of the graph
  // The rest is set by the executor.
  int slot = -1;
  GLuint view = 0;  // of texel buffers: a texture for those without a view
  // Each command that binds it, and the number of its binding.
  std::vector<std::pair<int, int>> bindings;
  bool is_in_place = false;  // both have the same buffer
};

// The pairs of inputs and outputs whose objects hold texels exactly as the
// tensors' buffers do.
std::vector<BoundCache> FindBoundCaches(const Graph& graph,
                                        const DeviceProfile& profile,
                                        const BoundTransfers& bound);

// Makes `outputs`, by position, the caches' memory, and rewrites the commands'
// bindings.
void UseBuffers(absl::Span<const UsedObject> inputs,
                absl::Span<const UsedObject> outputs,
                std::vector<BoundCache>* caches,
                std::vector<Command>* commands);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_BOUND_CACHES_H_
