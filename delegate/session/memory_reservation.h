// The option memory_limit_bytes.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_MEMORY_RESERVATION_H_
#define GLES_DELEGATE_DELEGATE_SESSION_MEMORY_RESERVATION_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/session/gpu.h"

namespace gles_delegate {

// One partition's share of the memory that a Gpu may use.
class MemoryReservation {
 public:
  explicit MemoryReservation(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}
  ~MemoryReservation() { Release(); }
  MemoryReservation(const MemoryReservation&) = delete;
  MemoryReservation& operator=(const MemoryReservation&) = delete;

  // Reserves what the graph's plan needs, in place of an earlier reservation.
  // `limit`: bytes of all partitions; 0: no limit, nothing is reserved.
  // kResourceExhausted, with the bytes: the limit does not allow it. Otherwise
  // planning errors. Makes no GL call.
  absl::Status Reserve(const Graph& graph, const DeviceProfile& profile,
                       int64_t limit);
  void Release();

 private:
  std::shared_ptr<Gpu> gpu_;
  int64_t bytes_ = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_MEMORY_RESERVATION_H_
