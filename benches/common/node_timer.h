// Times one node of a graph on the device alone, without upload and readback.
#ifndef GLES_DELEGATE_BENCHES_COMMON_NODE_TIMER_H_
#define GLES_DELEGATE_BENCHES_COMMON_NODE_TIMER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"
#include "delegate/runtime/executor.h"

namespace gles_delegate {

// The same node so often in one graph: what an Invoke costs besides is then
// small in the processor's time.
constexpr int kNodeCopies = 8;

// Threads: made, used and destroyed inside BenchContext()->Run().
class NodeTimer {
 public:
  // `graph` has one node, read but not planned. Its inputs are filled with 0.5.
  // Runs it twice: the first compiles, on llvmpipe.
  static absl::StatusOr<std::unique_ptr<NodeTimer>> Create(
      Graph graph, const DeviceProfile& profile);

  // Of the node, once.
  struct Cost {
    double us = 0;      // between the start and the end of its dispatches
    double cpu_us = 0;  // of the processor, all threads together, with an
                        // eighth of an upload and a readback
  };
  absl::StatusOr<Cost> Invoke();

  // How it is dispatched. Empty: there is nothing to do for it.
  const std::string& plan() const { return plan_; }

 private:
  NodeTimer() = default;

  Graph graph_;
  std::string plan_;
  std::unique_ptr<Executor> executor_;
  std::vector<std::vector<uint8_t>> inputs_;
  std::vector<std::vector<uint8_t>> outputs_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BENCHES_COMMON_NODE_TIMER_H_
