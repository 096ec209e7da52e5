// Computes a partition's GPU memory before any is allocated.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_MEMORY_NEEDS_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_MEMORY_NEEDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "egl/device_info.h"

namespace gles_delegate {

// Bytes requested from GL, by purpose. The driver's overhead (alignment,
// programs, its own buffers) is unknown.
struct GpuMemoryUse {
  int64_t tensors = 0;     // of run time; textures and buffers, shared by turns
  int64_t constants = 0;   // weights and constant operands
  int64_t transfers = 0;   // through which inputs and outputs travel
  int64_t parameters = 0;  // the Params blocks

  // The part of the constants that was on the GPU already, of another partition
  // or with the same share_key; unknown before a partition is built.
  int64_t shared_constants = 0;

  int64_t total() const {
    return tensors + constants - shared_constants + transfers + parameters;
  }
  // "1234 bytes (tensors 1000, constants 200, transfers 30, parameters 4)"
  std::string ToString() const;
};

// The memory of an Executor for the plan `dispatches` of `graph`. Needs no
// context: `device` has the driver's features. Errors: those of planning.
absl::StatusOr<GpuMemoryUse> MemoryNeeds(const egl::DeviceInfo& device,
                                         const Graph& graph,
                                         std::vector<Dispatch> dispatches,
                                         const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_MEMORY_NEEDS_H_
