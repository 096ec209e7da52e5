#include "delegate/runtime/schedule.h"

#include <utility>

#include "absl/container/fixed_array.h"
#include "delegate/runtime/transfer_dispatches.h"

namespace gles_delegate {
namespace {

// Adds the steps in order, with an upload of the next part before each step of
// a part.
void AddSteps(Schedule* schedule) {
  const BatchParts& parts = schedule->parts;
  const auto add = [schedule](size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) schedule->steps.push_back({i});
  };
  if (!parts.IsThere()) {
    schedule->uploads = schedule->upload_dispatches;
    add(0, schedule->dispatches.size());
    return;
  }
  std::vector<size_t> later;  // uploads of all parts but the first
  for (size_t i = 0; i < schedule->upload_dispatches; ++i) {
    const Piece& piece = schedule->pieces[i];
    if (piece.index == parts.input && piece.begin > 0) {
      later.push_back(i);
    } else {
      schedule->steps.push_back({i});
    }
  }
  schedule->uploads = schedule->steps.size();
  size_t next = 0;  // of `later`
  for (int part = 0; part < parts.count; ++part) {
    for (size_t i = 0; i < parts.dispatches; ++i) {
      if (next < later.size()) schedule->steps.push_back({later[next++]});
      schedule->steps.push_back(
          {schedule->upload_dispatches + i, part, parts.count});
    }
  }
  add(schedule->upload_dispatches + parts.dispatches,
      schedule->dispatches.size());
}

}  // namespace

TransferPlan PlanTransfers(const Graph& graph, std::vector<Dispatch> plan,
                           const DeviceProfile& profile, bool can_map,
                           const BoundTransfers& bound) {
  absl::FixedArray<bool> is_bound(bound.inputs.size());
  for (size_t i = 0; i < bound.inputs.size(); ++i) {
    is_bound[i] = bound.inputs[i].is_bound();
  }
  const BatchParts parts =
      can_map ? ChooseBatchParts(graph, plan, profile, is_bound) : BatchParts();
  const auto choose = [&](HostTransfer::Direction direction,
                          const std::vector<TensorId>& ids,
                          const std::vector<ObjectForm>& objects) {
    std::vector<HostTransfer> transfers;
    for (size_t i = 0; i < ids.size(); ++i) {
      const bool in_parts = direction == HostTransfer::Direction::kUpload &&
                            parts.input == static_cast<int>(i);
      transfers.emplace_back(
          direction, ids[i], graph.tensor(ids[i]), profile, can_map,
          i < objects.size() ? objects[i] : ObjectForm(), in_parts);
    }
    return transfers;
  };
  TransferPlan result;
  result.inputs =
      choose(HostTransfer::Direction::kUpload, graph.inputs, bound.inputs);
  result.outputs =
      choose(HostTransfer::Direction::kReadback, graph.outputs, bound.outputs);
  result.schedule = ScheduleTransfers(graph, std::move(plan), result.inputs,
                                      result.outputs, parts, profile);
  return result;
}

Schedule ScheduleTransfers(const Graph& graph, std::vector<Dispatch> plan,
                           absl::Span<const HostTransfer> inputs,
                           absl::Span<const HostTransfer> outputs,
                           const BatchParts& parts,
                           const DeviceProfile& profile) {
  Schedule schedule;
  schedule.parts = parts;
  const bool reads_back_flat = ReadsBackFlat(outputs, profile);
  const auto add = [&](absl::Span<const HostTransfer> transfers) {
    for (size_t i = 0; i < transfers.size(); ++i) {
      if (transfers[i].is_packed_by_host()) continue;
      for (TransferDispatch& t :
           TransferDispatches(graph, transfers[i], static_cast<int>(i), parts,
                              reads_back_flat, profile)) {
        schedule.dispatches.push_back(std::move(t.dispatch));
        schedule.pieces.push_back(t.piece);
      }
    }
  };
  add(inputs);
  schedule.upload_dispatches = schedule.dispatches.size();
  for (Dispatch& d : plan) schedule.dispatches.push_back(std::move(d));
  const size_t readbacks_begin = schedule.dispatches.size();
  schedule.pieces.resize(readbacks_begin);
  add(outputs);
  schedule.readbacks = schedule.dispatches.size() - readbacks_begin;
  if (schedule.readbacks > 0) schedule.pieces.back().fenced = true;
  AddSteps(&schedule);
  return schedule;
}

std::pair<size_t, size_t> TogetherIn(const Schedule& schedule) {
  if (!schedule.parts.IsThere()) return {0, 0};
  return {schedule.upload_dispatches,
          schedule.upload_dispatches + schedule.parts.dispatches};
}

}  // namespace gles_delegate
