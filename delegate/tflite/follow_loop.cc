#include "delegate/tflite/follow_loop.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/host_budget.h"
#include "delegate/tflite/propagate_shapes.h"
#include "delegate/tflite/read_node.h"
#include "delegate/tflite/read_tensor.h"
#include "delegate/tflite/tensor_room.h"

namespace gles_delegate {
namespace {

// Of all steps together: each becomes a node of the partition, which takes
// about 50 us of a start on llvmpipe, and 12 KiB. 8,192 take half a second and
// 100 MiB; to follow them until they are too many takes 0.05 s.
constexpr size_t kMaxNodesOfSteps = 1 << 13;

// Only integers and bools are followed: a list of floats whose first rows
// happen to be known would end up as values of the host.
LoopState StateOf(const TfLiteContext& context, int id,
                  const TensorValues& values) {
  const TfLiteTensor& tensor = context.tensors[id];
  LoopState state = {ReadInts(tensor.dims), KnownIntegers(tensor)};
  const auto value = values.find(id);
  if (value != values.end() && tensor.type != kTfLiteFloat32) {
    state.value = value->second;
  }
  return state;
}

class LoopFollower {
 public:
  LoopFollower(const NodeFinder& find, const Decomposition& loop)
      : find_(find),
        loop_(loop),
        room_of_condition_(loop.condition->context),
        room_of_body_(loop.context) {}

  // Changes `states` to those after the last step.
  absl::Status Follow(std::vector<LoopState>* states,
                      std::vector<DecomposedGraph>* steps) {
    for (;;) {
      ASSIGN_OR_RETURN(auto goes_on, Ask(*states));
      if (!goes_on) return absl::OkStatus();
      const size_t nodes =
          (steps->size() + 1) * std::max<size_t>(1, loop_.plan.size());
      if (nodes > kMaxNodesOfSteps) {
        return absl::UnimplementedError(absl::StrCat(
            "its body of ", loop_.plan.size(), " nodes runs more than ",
            steps->size(), " times; at most ", kMaxNodesOfSteps,
            " nodes of a loop run on the GPU"));
      }
      RETURN_IF_ERROR(Step(states, steps));
    }
  }

 private:
  // Asks the condition.
  absl::StatusOr<bool> Ask(const std::vector<LoopState>& states) {
    const LoopCondition& condition = *loop_.condition;
    ASSIGN_OR_RETURN(
        auto facts,
        PropagateFrom(Give(condition.context, condition.inputs, states),
                      &room_of_condition_, condition.context, find_,
                      condition.plan, {}));
    const auto answer = facts.values.find(condition.output);
    if (answer == facts.values.end()) {
      return absl::UnimplementedError(
          "the number of its steps is known only at run time");
    }
    return answer->second.bytes()[0] != 0;
  }

  absl::Status Step(std::vector<LoopState>* states,
                    std::vector<DecomposedGraph>* steps) {
    ASSIGN_OR_RETURN(
        auto facts,
        PropagateFrom(Give(loop_.context, loop_.border.inputs, *states),
                      &room_of_body_, loop_.context, find_, loop_.plan, {}));
    if (const absl::Status refused = facts.refused(); !refused.ok()) {
      return absl::Status(refused.code(),
                          absl::StrCat("in step ", steps->size(),
                                       " of its body, ", refused.message()));
    }
    if (!facts.unknown.empty()) return WhyUnknown(facts.unknown);
    const auto tensors = static_cast<int64_t>(loop_.context->tensors_size);
    RETURN_IF_ERROR(
        HostBudget::Take(tensors * sizeof(Tensor), "a step of a loop"));
    steps->push_back(
        ReadDecomposedGraph(*loop_.context, facts.values,
                            steps->empty() ? nullptr : &steps->front()));
    for (size_t i = 0; i < states->size(); ++i) {
      (*states)[i] =
          StateOf(*loop_.context, loop_.border.outputs[i], facts.values);
    }
    return absl::OkStatus();
  }

  // Gives a subgraph's inputs their shapes. Returns those that are known.
  static TensorValues Give(TfLiteContext* subgraph,
                           const std::vector<SubgraphBorder::Input>& inputs,
                           const std::vector<LoopState>& states) {
    TensorValues values;
    for (const auto& [id, position] : inputs) {
      ResizeTensor(subgraph, id, states[position].dims);
      subgraph->tensors[id].data.raw = nullptr;
      if (states[position].value) values[id] = *states[position].value;
    }
    return values;
  }

  absl::Status WhyUnknown(const UnknownShapes& unknown) const {
    for (int index : loop_.plan) {
      TfLiteNode* node = nullptr;
      TfLiteRegistration* registration = nullptr;
      RETURN_IF_ERROR(find_.Get(loop_.context, index, &node, &registration));
      for (int id : ReadInts(node->outputs)) {
        if (!unknown.contains(id)) continue;
        return absl::UnimplementedError(
            absl::StrCat(OpName(*registration), " of its body: ",
                         ReadTensor(loop_.context->tensors[id], id).ToString(),
                         " has a shape that is known only at run time"));
      }
    }
    return absl::InternalError("its body has a shape that is not known");
  }

  const NodeFinder& find_;
  const Decomposition& loop_;
  TensorRoom room_of_condition_, room_of_body_;
};

}  // namespace

LoopSteps FollowLoop(const TfLiteContext& context, const TfLiteNode& node,
                     const NodeFinder& find, const Decomposition& loop,
                     const TensorValues& values) {
  LoopSteps result;
  result.status = loop.status;
  if (!loop.status.ok()) return result;
  for (int id : ReadInts(node.inputs)) {
    result.outputs.push_back(StateOf(context, id, values));
  }
  result.status =
      LoopFollower(find, loop).Follow(&result.outputs, &result.steps);
  return result;
}

void GiveOutputs(TfLiteContext* context, const TfLiteNode& node,
                 const LoopSteps& loop, TensorValues* values) {
  const std::vector<int> outputs = ReadInts(node.outputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] < 0) continue;
    const LoopState& state = loop.outputs[i];
    ReturnToArena(&context->tensors[outputs[i]]);
    ResizeTensor(context, outputs[i], state.dims);
    if (state.value) (*values)[outputs[i]] = *state.value;
  }
}

}  // namespace gles_delegate
