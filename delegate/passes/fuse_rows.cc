#include "delegate/passes/fuse_rows.h"

#include <set>
#include <utility>
#include <vector>

#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/passes/dead_nodes.h"
#include "delegate/passes/row_region.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Nodes that a region looks at. Normalizations have up to 14.
constexpr int kMaxNodes = 32;

class RowFuser {
 public:
  RowFuser(Graph* graph, const DeviceProfile& profile)
      : graph_(graph),
        max_tensors_(MaxBoundTensors(profile)),
        uses_(*graph),
        taken_(graph->nodes.size(), false) {}

  void Run() {
    for (size_t n = 0; n < graph_->nodes.size(); ++n) {
      if (!taken_[n] && RowReducerOf(*graph_, graph_->nodes[n])) {
        const int reduction = static_cast<int>(n);
        const int first = FirstOf(reduction);
        // An operand that is computed late may keep earlier functions out.
        if (!FuseFrom(first) && first != reduction) FuseFrom(reduction);
      }
    }
    RemoveNodes(taken_, graph_);
  }

 private:
  // The first node of what the reduction reads alone: functions of rows, such
  // as squares.
  int FirstOf(int reduction) const {
    int first = reduction;
    for (;;) {
      const TensorId id = graph_->nodes[first].inputs[0];
      const int p = uses_.producer[id];
      if (p < 0 || taken_[p] || uses_.is_output[id] ||
          uses_.consumers[id].size() != 1 ||
          !IsPlainElementwise(*graph_, graph_->nodes[p])) {
        return first;
      }
      first = p;
    }
  }

  bool FuseFrom(int first) {
    const Shape rows = graph_->tensor(graph_->nodes[first].inputs[0]).shape;
    if (rows.c == 1) return false;
    // The region after each node that it takes.
    std::vector<RowRegion> regions;
    RowRegion region(*graph_, uses_, first, rows, max_tensors_);
    // Candidates are what reads the region, in order.
    std::set<int> next = {first};
    for (int i = 0; i < kMaxNodes && !next.empty(); ++i) {
      const int n = *next.begin();
      next.erase(next.begin());
      if (taken_[n] || !region.Take(n)) continue;
      regions.push_back(region);
      for (int reader : uses_.consumers[graph_->nodes[n].outputs[0]]) {
        next.insert(reader);
      }
    }
    for (; !regions.empty(); regions.pop_back()) {
      auto fused = regions.back().Fused();
      if (!fused) continue;
      for (int n : regions.back().nodes()) taken_[n] = true;
      taken_[first] = false;
      graph_->nodes[first] = *std::move(fused);
      return true;
    }
    return false;
  }

  Graph* graph_;
  int max_tensors_;
  Uses uses_;
  std::vector<bool> taken_;
};

}  // namespace

void FuseRows(Graph* graph, const DeviceProfile& profile) {
  RowFuser(graph, profile).Run();
}

}  // namespace gles_delegate
