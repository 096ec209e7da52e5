#include "delegate/ops/softmax.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "delegate/ops/checks.h"
#include "delegate/ops/work_group.h"
#include "delegate/tflite/builtin_params.h"

namespace gles_delegate {
namespace {

absl::StatusOr<ParsedNode> Parse(const NodeView& node,
                                 const SoftmaxAttributes& a) {
  if (auto s = CheckFloatTensors(node, 0, 0); !s.ok()) return s;
  if (auto s = CheckDims(*node.outputs[0], node.inputs[0]->dims); !s.ok())
    return s;
  return ParsedNode{a, {}};
}

constexpr int kShortRow = 16;  // slices

// Invocations that share a row. Devices that run invocations one after another
// (they ask for small work groups) gain nothing from sharing.
int Threads(const Shape& shape, const DeviceProfile& profile) {
  constexpr int64_t kManyRows = 8192;
  if (profile.work_group_size < 32 ||
      int64_t{shape.b} * shape.h * shape.w >= kManyRows) {
    return 1;
  }
  const int most = std::min({128, profile.max_work_group_invocations,
                             profile.max_work_group_size[0]});
  int threads = 1;
  while (threads * 2 <= most && threads * 4 <= shape.slices()) threads *= 2;
  return threads < 8 ? 1 : threads;
}

}  // namespace

absl::StatusOr<ParsedNode> ParseSoftmax(const NodeView& node) {
  if (auto s = node.CheckCounts(1, 1, 1); !s.ok()) return s;
  auto params = node.Get<SoftmaxParams>();
  if (!params.ok()) return params.status();
  return Parse(node, {(*params)->beta, false});
}

absl::StatusOr<ParsedNode> ParseLogSoftmax(const NodeView& node) {
  if (auto s = node.CheckCounts(1, 1, 1); !s.ok()) return s;
  return Parse(node, {1.0f, true});
}

absl::Status PlanSoftmax(const Node& node, Planner* planner) {
  const auto& a = std::any_cast<const SoftmaxAttributes&>(node.attributes);
  const Shape shape = planner->tensor(node.outputs[0]).shape;
  const int threads = Threads(shape, planner->profile());
  Dispatch d("softmax");
  d.Define("THREADS", threads);
  if (a.log) d.Define("LOG");
  d.Read("src", node.inputs[0]).Write("dst", node.outputs[0]);
  d.uniforms.Float("beta", a.beta);
  d.Grid(shape.w * threads, shape.h, shape.b);
  if (threads > 1) {
    d.WorkGroup(threads, 1, 1);
  } else if (shape.slices() <= kShortRow) {
    UseLightWorkGroup(planner->profile(), &d);
  }
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
