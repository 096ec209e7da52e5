// Runs cases of a self-check on the GPU.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_GROUP_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/graph/graph.h"
#include "delegate/partition/self_check.h"
#include "delegate/partition/self_check_units.h"
#include "delegate/partition/self_check_values.h"
#include "delegate/plan/dispatch.h"
#include "delegate/runtime/shared_objects.h"

namespace gles_delegate {

// Cases that one executor runs, each with its own tensors: no other case writes
// what it reads. All arguments must outlive this.
class CaseGroup {
 public:
  explicit CaseGroup(const SelfCheckInput& in) : in_(in) {}

  void Add(const SelfCheckCase& c);
  // Of tensors, all cases together.
  int64_t elements() const { return elements_; }
  // Of inputs and outputs on the host.
  size_t host_bytes() const;

  // Runs all cases. Places their inputs and outputs in `host`, of at least
  // host_bytes(), and leaves nothing on the GPU but programs. Inside
  // context.Run().
  absl::Status Run(SharedObjects* objects, absl::Span<uint8_t> host);

  size_t size() const { return laid_.size(); }
  // The values that case `i` has computed for tensor `id` of the planned graph,
  // one of its results, in the memory given to Run().
  ValueAt ResultOf(size_t i, TensorId id) const;

 private:
  struct Laid {
    const SelfCheckCase* of;
    HashMap<TensorId, TensorId> own;  // by id of the planned graph
  };

  TensorId OwnOf(TensorId id, Laid* laid);
  Dispatch WithOwn(const Dispatch& of, Laid* laid);

  const SelfCheckInput& in_;
  Graph graph_;  // the cases' tensors
  std::vector<Dispatch> dispatches_;
  std::vector<Laid> laid_;
  // Of graph_'s inputs.
  struct Source {
    size_t laid;
    TensorId id;  // of the planned graph
  };
  std::vector<Source> sources_;
  int64_t elements_ = 0;
  std::vector<absl::Span<uint8_t>> outputs_;  // as graph_.outputs, after Run()
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_SELF_CHECK_GROUP_H_
