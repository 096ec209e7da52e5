#include "delegate/tflite/propagate_shapes.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/tflite/kept_messages.h"
#include "delegate/tflite/read_node.h"
#include "delegate/tflite/scratch_memory.h"
#include "delegate/tflite/tensor_room.h"

namespace gles_delegate {
namespace {

// kTfLiteOutputShapeNotKnown of runtimes that are newer than the headers here:
// the kernel will know what it writes when it runs.
constexpr int kShapeNotKnown = 9;

// The node's first input without a known shape; end(): all are known.
UnknownShapes::const_iterator FirstUnknown(const TfLiteIntArray* inputs,
                                           const UnknownShapes& unknown) {
  for (int i = 0; i < inputs->size; ++i) {
    const auto it = unknown.find(inputs->data[i]);
    if (it != unknown.end()) return it;
  }
  return unknown.end();
}

void AddAll(const TfLiteIntArray* tensors, int cause, UnknownShapes* unknown) {
  for (int i = 0; i < tensors->size; ++i) {
    if (tensors->data[i] >= 0) unknown->try_emplace(tensors->data[i], cause);
  }
}

// The runtime's kernels would follow a null pointer. A file may name the
// temporary tensors of a node, which get their shapes as that is prepared.
bool HaveShapes(const TfLiteContext& context, const TfLiteIntArray* tensors) {
  return std::all_of(tensors->data, tensors->data + tensors->size, [&](int id) {
    return id < 0 || context.tensors[id].dims != nullptr;
  });
}

void AddDynamic(const TfLiteContext& context, const TfLiteIntArray* tensors,
                const TensorValues& values, UnknownShapes* unknown) {
  for (int i = 0; i < tensors->size; ++i) {
    const int id = tensors->data[i];
    if (id >= 0 && context.tensors[id].allocation_type == kTfLiteDynamic &&
        !values.contains(id)) {
      unknown->try_emplace(id, kKnownAtRunTime);
    }
  }
}

void AddMade(const TfLiteIntArray* outputs, HashSet<int>* made) {
  made->insert(outputs->data, outputs->data + outputs->size);
}

}  // namespace

absl::Status ShapeFacts::refused() const {
  return refusals.empty()
             ? absl::OkStatus()
             : absl::FailedPreconditionError(refusals.begin()->second);
}

bool HasOldMemoryPlan(TfLiteContext* context) {
  TfLiteIntArray* plan = nullptr;
  if (context->GetExecutionPlan(context, &plan) != kTfLiteOk) return false;
  const NodeFinder find(*context);
  const auto in_arena = [&](int id) {
    return id >= 0 && context->tensors[id].allocation_type == kTfLiteArenaRw &&
           context->tensors[id].bytes > 0;
  };
  HashSet<int> made;
  bool any_allocated = false, input_resized = false;
  for (int i = 0; i < plan->size; ++i) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (!find.Get(context, plan->data[i], &node, &registration).ok()) continue;
    for (int k = 0; k < node->inputs->size; ++k) {
      const int id = node->inputs->data[k];
      if (!in_arena(id) || made.contains(id)) continue;
      // Resizing takes an input's memory away.
      (context->tensors[id].data.raw == nullptr ? input_resized
                                                : any_allocated) = true;
    }
    for (int k = 0; k < node->outputs->size; ++k) {
      const int id = node->outputs->data[k];
      made.insert(id);
      if (in_arena(id) && context->tensors[id].data.raw != nullptr) {
        any_allocated = true;
      }
    }
  }
  return any_allocated && input_resized;
}

absl::StatusOr<ShapeFacts> PropagateShapes(TfLiteContext* context,
                                           const NodeFinder& find,
                                           absl::Span<const int> plan,
                                           const Decompositions& decompositions,
                                           const std::vector<int>* own) {
  TensorRoom room(context);
  return PropagateFrom({}, &room, context, find, plan, decompositions, own);
}

absl::StatusOr<ShapeFacts> PropagateFrom(TensorValues known, TensorRoom* room,
                                         TfLiteContext* context,
                                         const NodeFinder& find,
                                         absl::Span<const int> plan,
                                         const Decompositions& decompositions,
                                         const std::vector<int>* own) {
  ShapeFacts facts;
  facts.values = std::move(known);
  // A loop's state may be of another type than the body's input.
  EraseIf(facts.values, [context](const auto& value) {
    return value.second.bytes().size() < BytesOf(context->tensors[value.first]);
  });
  KeptMessages messages(context);
  std::deque<KeptMessages> of_subgraphs;
  for (TfLiteContext* subgraph : SubgraphsOf(decompositions)) {
    of_subgraphs.emplace_back(subgraph);
  }
  HashSet<int> own_nodes;
  if (own != nullptr) own_nodes.insert(own->begin(), own->end());
  HashSet<int> made;
  for (int index : plan) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    RETURN_IF_ERROR(find.Get(context, index, &node, &registration));
    AddEmptyInputs(*context, *node, made, &facts.values);
    AddMade(node->outputs, &made);
    RETURN_IF_ERROR(room->Ensure());
    const bool is_own = own == nullptr || own_nodes.contains(index);
    if (!HaveShapes(*context, node->inputs)) {
      AddAll(node->outputs, index, &facts.unknown);
      facts.refusals.emplace(
          index, absl::StrCat("node ", index, " (", OpName(*registration),
                              ") reads a tensor without a shape"));
      continue;
    }
    if (!is_own) {
      EvaluateBeside(context, node, *registration, &facts.values);
      continue;
    }
    // Of a partition, the runtime knows the inputs' shapes by now.
    if (own == nullptr) {
      AddDynamic(*context, node->inputs, facts.values, &facts.unknown);
    }
    const auto decomposition = decompositions.find({context, index});
    const bool is_known = decomposition != decompositions.end();
    const auto unknown = FirstUnknown(node->inputs, facts.unknown);
    if (unknown != facts.unknown.end()) {
      AddAll(node->outputs, unknown->second, &facts.unknown);
      // Its subgraphs have no right shapes since their borders were found.
      if (is_known && own == nullptr && !decomposition->second.is_unsafe &&
          registration->prepare != nullptr) {
        (void)registration->prepare(context, node);
        (void)messages.Take();
      }
      continue;
    }
    if (is_known && decomposition->second.is_unsafe) {
      AddAll(node->outputs, kKnownAtRunTime, &facts.unknown);
      continue;
    }
    const LoopSteps* loop = nullptr;
    if (is_known && decomposition->second.condition) {
      loop = &(facts.loops[{context, index}] = FollowLoop(
                   *context, *node, find, decomposition->second, facts.values));
      if (own != nullptr && !loop->status.ok()) {
        AddAll(node->outputs, kKnownAtRunTime, &facts.unknown);
        continue;
      }
    }
    // Later, the kernel of a loop would prepare the delegate's own kernels in
    // the body, which do not run.
    const TfLiteStatus prepared =
        loop != nullptr && own != nullptr
            ? kTfLiteOk
            : PrepareWithValues(context, node, *registration, &facts.values);
    if (prepared == kTfLiteOk && loop != nullptr && loop->status.ok()) {
      GiveOutputs(context, *node, *loop, &facts.values);
    }
    if (prepared == kTfLiteOk) {
      ReadDecomposed(decompositions, {context, index}, &facts.decomposed);
      AddDynamic(*context, node->outputs, facts.values, &facts.unknown);
      continue;
    }
    const bool is_refused = static_cast<int>(prepared) != kShapeNotKnown;
    AddAll(node->outputs, is_refused ? index : kKnownAtRunTime, &facts.unknown);
    if (!is_refused) continue;
    facts.refusals.emplace(
        index, absl::StrCat("TFLite's own kernel of node ", index, " (",
                            OpName(*registration),
                            ") refuses its inputs: ", messages.Take()));
  }
  return facts;
}

}  // namespace gles_delegate
