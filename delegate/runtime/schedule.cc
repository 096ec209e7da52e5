#include "delegate/runtime/schedule.h"

#include <utility>

#include "delegate/runtime/transfer_dispatches.h"

namespace gles_delegate {
TransferPlan PlanTransfers(const Graph& graph, std::vector<Dispatch> plan,
                           const DeviceProfile& profile, bool can_map,
                           const BoundTransfers& bound) {
  const auto choose = [&](HostTransfer::Direction direction,
                          const std::vector<TensorId>& ids,
                          const std::vector<ObjectForm>& objects) {
    std::vector<HostTransfer> transfers;
    for (size_t i = 0; i < ids.size(); ++i) {
      transfers.emplace_back(direction, ids[i], graph.tensor(ids[i]), profile,
                             can_map,
                             i < objects.size() ? objects[i] : ObjectForm());
    }
    return transfers;
  };
  TransferPlan result;
  result.inputs =
      choose(HostTransfer::Direction::kUpload, graph.inputs, bound.inputs);
  result.outputs =
      choose(HostTransfer::Direction::kReadback, graph.outputs, bound.outputs);
  result.caches = FindBoundCaches(graph, profile, bound);
  for (const BoundCache& cache : result.caches) {
    result.outputs[cache.output].BecomeMemory();
  }
  result.schedule = ScheduleTransfers(graph, std::move(plan), result.inputs,
                                      result.outputs, profile);
  return result;
}

Schedule ScheduleTransfers(const Graph& graph, std::vector<Dispatch> plan,
                           absl::Span<const HostTransfer> inputs,
                           absl::Span<const HostTransfer> outputs,
                           const DeviceProfile& profile) {
  Schedule schedule;
  const bool reads_back_flat = ReadsBackFlat(outputs, profile);
  const auto add = [&](absl::Span<const HostTransfer> transfers) {
    for (size_t i = 0; i < transfers.size(); ++i) {
      if (!transfers[i].has_dispatch()) continue;
      for (TransferDispatch& t :
           TransferDispatches(graph, transfers[i], static_cast<int>(i),
                              reads_back_flat, profile)) {
        schedule.dispatches.push_back(std::move(t.dispatch));
        schedule.pieces.push_back(t.piece);
      }
    }
  };
  add(inputs);
  schedule.uploads = schedule.dispatches.size();
  for (Dispatch& d : plan) schedule.dispatches.push_back(std::move(d));
  const size_t readbacks_begin = schedule.dispatches.size();
  schedule.pieces.resize(readbacks_begin);
  add(outputs);
  schedule.readbacks = schedule.dispatches.size() - readbacks_begin;
  if (schedule.readbacks > 0) schedule.pieces.back().fenced = true;
  return schedule;
}

}  // namespace gles_delegate
