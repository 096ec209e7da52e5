#include "delegate/tflite/interpreter_reports.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gles_delegate {
namespace {

// A kernel shares its partition's report for as long as it lives.
bool HasKernel(const std::shared_ptr<PartitionReport>& partition) {
  return partition.use_count() > 1;
}

}  // namespace

bool SubgraphReport::IsGone() const {
  return !partitions.empty() &&
         std::none_of(partitions.begin(), partitions.end(), HasKernel);
}

bool SubgraphReport::IsUsed() const {
  return !is_inlined || std::any_of(partitions.begin(), partitions.end(),
                                    [](const auto& partition) {
                                      return partition->was_built;
                                    });
}

bool InterpreterReport::IsGone() const {
  return std::none_of(
      subgraphs.begin(), subgraphs.end(), [](const SubgraphReport& s) {
        return std::any_of(s.partitions.begin(), s.partitions.end(), HasKernel);
      });
}

void InterpreterReports::Begin(const void* interpreter, const void* subgraph) {
  if (interpreter == nullptr) interpreter = subgraph;
  const auto found = std::find_if(
      list_.begin(), list_.end(),
      [&](const InterpreterReport& i) { return i.interpreter == interpreter; });
  if (found == list_.end()) {
    list_.push_back(
        {interpreter, std::vector<SubgraphReport>(1), absl::OkStatus()});
    list_.back().subgraphs[0].subgraph = subgraph;
  } else {
    std::rotate(found, std::next(found), list_.end());
  }
  // If memory ends below, there is a now() all the same.
  current_ = 0;
  ForgetGone();
  std::vector<SubgraphReport>& subgraphs = list_.back().subgraphs;
  subgraphs.reserve(subgraphs.size() + 1);
  subgraphs.erase(std::remove_if(subgraphs.begin(), subgraphs.end(),
                                 [&](const SubgraphReport& s) {
                                   return s.subgraph != subgraph && s.IsGone();
                                 }),
                  subgraphs.end());
  const auto entry = std::find_if(
      subgraphs.begin(), subgraphs.end(),
      [&](const SubgraphReport& s) { return s.subgraph == subgraph; });
  current_ = static_cast<size_t>(entry - subgraphs.begin());
  if (entry == subgraphs.end()) subgraphs.emplace_back();
  previous_ = std::exchange(now(), SubgraphReport());
  now().subgraph = subgraph;
  now().is_inlined = IsInlined(subgraph);
}

void InterpreterReports::Finish(const absl::Status& applied, bool was_read) {
  list_.back().applied = applied;
  const bool same = now().partitions_chosen == 0 &&
                    previous_.subgraph == now().subgraph &&
                    !previous_.partitions.empty() && !previous_.IsGone();
  if (same && was_read) now() = std::move(previous_);
  previous_ = SubgraphReport();
}

bool InterpreterReports::IsInlined(const void* subgraph) const {
  const auto has = [subgraph](const std::vector<const void*>& list) {
    return std::find(list.begin(), list.end(), subgraph) != list.end();
  };
  bool is_inlined = false;
  for (const InterpreterReport& i : list_) {
    for (const SubgraphReport& s : i.subgraphs) {
      // A subgraph of a deleted interpreter may have had the same address.
      if (s.IsGone()) continue;
      if (has(s.called)) return false;
      is_inlined |= !s.partitions.empty() && has(s.inlined);
    }
  }
  return is_inlined;
}

bool InterpreterReports::IsOnBorder(int tensor) const {
  const auto has = [tensor](const SubgraphReport& s) {
    return std::find(s.border.begin(), s.border.end(), tensor) !=
           s.border.end();
  };
  return std::any_of(
      list_.begin(), list_.end(), [&has](const InterpreterReport& i) {
        return std::any_of(i.subgraphs.begin(), i.subgraphs.end(), has);
      });
}

void InterpreterReports::ForgetGone() {
  const auto last = std::prev(list_.end());
  list_.erase(
      std::remove_if(list_.begin(), last,
                     [](const InterpreterReport& i) { return i.IsGone(); }),
      last);
}

}  // namespace gles_delegate
