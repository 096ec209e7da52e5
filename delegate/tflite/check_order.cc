#include "delegate/tflite/check_order.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/printable.h"
#include "delegate/tflite/read_node.h"
#include "delegate/tflite/read_tensor.h"

namespace gles_delegate {
namespace {

struct WaitingNode {
  int node = 0;
  std::string op;
  std::vector<int> inputs, outputs;
};

// The first of the step's inputs that is not ready; -1: all are.
int FirstMissing(const WaitingNode& step, const std::vector<bool>& is_ready) {
  const auto missing =
      std::find_if(step.inputs.begin(), step.inputs.end(),
                   [&](int id) { return id >= 0 && !is_ready[id]; });
  return missing == step.inputs.end() ? -1 : *missing;
}

void SetReady(const WaitingNode& step, bool ready,
              std::vector<bool>* is_ready) {
  for (int id : step.outputs) {
    if (id >= 0) (*is_ready)[id] = ready;
  }
}

absl::StatusOr<std::vector<WaitingNode>> WaitingNodesOf(
    TfLiteContext* context, const NodeFinder& find,
    absl::Span<const int> nodes) {
  std::vector<WaitingNode> steps;
  for (int index : nodes) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (auto s = find.Get(context, index, &node, &registration); !s.ok()) {
      return s;
    }
    steps.push_back({index, OpName(*registration), ReadInts(node->inputs),
                     ReadInts(node->outputs)});
  }
  return steps;
}

}  // namespace

absl::Status CheckOrder(TfLiteContext* context, const NodeFinder& find,
                        absl::Span<const int> nodes) {
  auto steps = WaitingNodesOf(context, find, nodes);
  if (!steps.ok()) return steps.status();
  std::vector<bool> is_ready(context->tensors_size, true);
  for (const WaitingNode& step : *steps) SetReady(step, false, &is_ready);
  std::vector<WaitingNode>& left = *steps;
  // One pass is enough for the order in which converters write nodes.
  for (size_t before = left.size() + 1;
       !left.empty() && left.size() < before;) {
    before = left.size();
    left.erase(std::remove_if(left.begin(), left.end(),
                              [&](const WaitingNode& step) {
                                if (FirstMissing(step, is_ready) >= 0) {
                                  return false;
                                }
                                SetReady(step, true, &is_ready);
                                return true;
                              }),
               left.end());
  }
  if (left.empty()) return absl::OkStatus();
  const TfLiteTensor& missing =
      context->tensors[FirstMissing(left.front(), is_ready)];
  return absl::FailedPreconditionError(absl::StrCat(
      left.front().op, " (node ", left.front().node, ") waits for '",
      PrintableName(missing.name == nullptr ? "" : missing.name),
      "', which waits for the node itself: a runtime cannot split such a model "
      "between processors"));
}

}  // namespace gles_delegate
