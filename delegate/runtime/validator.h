// Validation mode: checks the executor's GL calls against GL's memory rules.
//
// With GLES_DELEGATE_DEBUG=validate in the environment an executor reports all
// memory operations to a Validator, in order: dispatches, barriers, uploads,
// buffer copies, fences, and host accesses to mappings. The Validator is
// independent of the plan's own bookkeeping (HazardTracker, PlanMemory): for
// each access it looks for earlier conflicting ones, and for a barrier or fence
// in between. The first violation is kept as an Internal error with the
// dispatch, the tensor or buffer, and the rule. See docs/architecture.md.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_VALIDATOR_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_VALIDATOR_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/hazards.h"

namespace gles_delegate {

// True if GLES_DELEGATE_DEBUG has the item validate.
bool ValidationIsOn();

class Validator {
 public:
  static constexpr size_t kWhole = std::numeric_limits<size_t>::max();

  // Bytes [begin, end) of a resource.
  struct Range {
    size_t begin = 0;
    size_t end = kWhole;
  };

  struct Touch {
    int resource = 0;
    AccessKind kind = AccessKind::kBuffer;
    bool write = false;
    // The tensor in this resource; kNoTensor: a host buffer.
    TensorId tensor = kNoTensor;
    Range range = {};
  };

  // A dispatch's accesses.
  struct Command {
    std::string label;
    std::vector<Touch> touches;
    // For an upload in several disjoint pieces: whether this is not the first,
    // and how many follow.
    bool continues = false;
    int pieces_left = 0;
  };

  explicit Validator(const Graph& graph);

  // Registers a texture or buffer; returns its id for Touch::resource.
  int AddResource(std::string name);
  // Returns the command's index for Dispatched().
  int AddCommand(Command command);

  // The host will write this tensor through a mapping.
  void HostBrings(int resource, TensorId tensor) {
    brought_.emplace_back(resource, tensor);
  }

  // The executor calls these in order of events. Resources on the host side are
  // buffers.
  void BeginInvoke();
  void Barrier(GLbitfield bits);
  void Dispatched(int command);
  void FenceInserted();
  void FenceWaited();  // the oldest fence that was not waited for yet
  void Finished();     // glFinish
  // The host writes or reads a persistent mapping. `tensor`: whose values these
  // are, if the resource is a tensor's memory.
  void HostWrote(int resource, Range range, TensorId tensor = kNoTensor);
  void HostReads(int resource, Range range, TensorId tensor = kNoTensor);
  // The tensor's values are in the app's buffer, which is its memory.
  void AppWrote(int resource, TensorId tensor);
  // By glBufferSubData, and by a temporary mapping (glMapBufferRange).
  void Uploaded(int resource, Range range);
  void ReadsBack(int resource, Range range);
  void Copied(int from, int to, Range range);  // glCopyBufferSubData

  // Checks every command with its barrier, as recorded by the first Invoke.
  // Does not affect later checks.
  absl::Status Rehearse(absl::Span<const GLbitfield> barriers);

  // The first violation.
  const absl::Status& status() const { return status_; }

 private:
  enum class By { kShader, kCopy };
  struct Event {
    uint64_t time = 0;
    By by = By::kShader;
    bool write = false;
    TensorId tensor = kNoTensor;
    Range range;
  };
  struct Memory {
    std::string name;
    // Accesses that a later access may still have to wait for.
    std::vector<Event> events;
    // Host buffers: bytes written since BeginInvoke.
    std::vector<Range> written;
    // Slots: the tensor whose values it holds, its views that were written, and
    // the Invoke that wrote them.
    TensorId holds = kNoTensor;
    std::set<TensorId> parts;
    uint64_t invoke = 0;
  };
  struct TensorFacts {
    std::string name;
    TensorId memory = kNoTensor;  // itself, or what it is a view of
    bool is_written = true;       // false: it is a view that is only read
    bool is_variable = false;
    std::vector<TensorId> views;  // that are written
  };

  static bool Overlap(const Range& a, const Range& b);
  // Whether both are parts of one tensor and therefore disjoint.
  bool LieApart(TensorId a, TensorId b) const;
  bool BarrierBetween(uint64_t after, uint64_t before, GLbitfield bit) const;
  bool IsUnordered(const Event& event, const Touch& touch) const;
  // Whether `pieces` cover the range.
  static bool IsCovered(const std::vector<Range>& pieces, const Range& range);
  static bool Contains(const Range& outer, const Range& inner) {
    return outer.begin <= inner.begin && inner.end <= outer.end;
  }
  bool IsWritten(const Memory& memory, const Range& range) const {
    return IsCovered(memory.written, range);
  }
  bool Holds(const Memory& memory, TensorId tensor) const;
  // From now on the memory holds `owner`, with no contents if that is new.
  void Occupy(TensorId owner, Memory* memory);
  void Store(TensorId tensor, Memory* memory);
  // Drops the events of a range that the host overwrites: it has waited for
  // them, and its writes are visible without a barrier.
  static void Forget(const Range& range, Memory* memory);
  void CheckRead(const Command& command, const Touch& touch);
  void CheckWrite(const Command& command, const Touch& touch);
  // `who` reads data, which must have been written in this Invoke.
  void CheckWritten(absl::string_view who, const Memory& memory,
                    const Range& range);
  // `who` accesses shader stores, which needs the barrier for uploads,
  // readbacks and buffer copies.
  void CheckUpdateBarrier(absl::string_view who, absl::string_view does,
                          const Memory& memory, const Range& range);
  void Violation(absl::string_view who, absl::string_view does,
                 const Memory& memory, TensorId tensor, absl::string_view rule);

  std::vector<TensorFacts> tensors_;
  std::vector<Memory> memories_;
  std::vector<Command> commands_;
  std::vector<std::pair<int, TensorId>> brought_;          // resource, tensor
  std::vector<std::pair<uint64_t, GLbitfield>> barriers_;  // by time
  std::vector<uint64_t> fences_;  // inserted in this Invoke
  size_t fences_waited_ = 0;
  uint64_t now_ = 1;
  uint64_t completed_ = 0;  // events before this time have finished
  uint64_t invoke_ = 0;
  uint64_t invoke_begin_ = 0;  // the time
  absl::Status status_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_VALIDATOR_H_
