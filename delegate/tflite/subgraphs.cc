#include "delegate/tflite/subgraphs.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/tflite/kept_messages.h"
#include "delegate/tflite/node_finder.h"
#include "delegate/tflite/read_tensor.h"
#include "delegate/tflite/runtime.h"

namespace gles_delegate {
namespace {

// A function that 2.14 appended to TfLiteContext; the headers here may be
// older.
template <typename Function>
Function AppendedFunction(const TfLiteContext& context, size_t position) {
  Function function;
  std::memcpy(&function,
              reinterpret_cast<const char*>(&context) + sizeof(context) +
                  position * sizeof(function),
              sizeof(function));
  return function;
}

// The subgraphs that a node calls, by their places in the file.
std::vector<int> CalledBy(const TfLiteNode& node,
                          const TfLiteRegistration& registration) {
  const void* params = node.builtin_data;
  if (params == nullptr) return {};
  switch (registration.builtin_code) {
    case BuiltinOperator_WHILE: {
      const auto& loop = *static_cast<const WhileParams*>(params);
      return {loop.condition, loop.body};
    }
    case BuiltinOperator_IF: {
      const auto& branches = *static_cast<const IfParams*>(params);
      return {branches.then_branch, branches.else_branch};
    }
    case BuiltinOperator_CALL_ONCE:
      return {static_cast<const CallOnceParams*>(params)->initialization};
    case BuiltinOperator_STABLEHLO_COMPOSITE:
      return {static_cast<const CompositeParams*>(params)->subgraph};
    default:
      return {};
  }
}

}  // namespace

Subgraphs::Subgraphs(TfLiteContext* own)
    : own_(own), get_plan_(own->GetExecutionPlan) {
  if (!IsRuntimeOf214(*own)) return;
  acquire_ = AppendedFunction<Acquire>(*own, 0);
  release_ = AppendedFunction<Release>(*own, 1);
}

absl::StatusOr<TfLiteContext*> Subgraphs::Get(int subgraph) const {
  if (acquire_ == nullptr || release_ == nullptr) {
    return absl::UnimplementedError(
        "this runtime shows a delegate no other subgraph");
  }
  TfLiteContext* found = nullptr;
  // Of an index that is wrong.
  const KeptMessages messages(own_);
  if (acquire_(own_, subgraph, &found) != kTfLiteOk || found == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("the model has no subgraph ", subgraph));
  }
  // The caller's own stays as it is.
  if (found != own_) release_(own_, subgraph);
  return found;
}

HashSet<const void*> Subgraphs::ConstantsExcept(
    absl::Span<TfLiteContext* const> those) const {
  HashSet<const void*> found;
  for (int i = 0;; ++i) {
    const auto other = Get(i);
    if (!other.ok()) return found;
    if (*other == own_ ||
        std::find(those.begin(), those.end(), *other) != those.end()) {
      continue;
    }
    for (const TfLiteTensor& tensor :
         absl::MakeConstSpan((*other)->tensors, (*other)->tensors_size)) {
      if (tensor.allocation_type == kTfLiteMmapRo) {
        found.insert(tensor.data.raw);
      }
    }
  }
}

HashSet<const TfLiteContext*> Subgraphs::Called() const {
  HashSet<const TfLiteContext*> called;
  const NodeFinder find(*own_);
  for (int i = 0;; ++i) {
    const auto caller = Get(i);
    if (!caller.ok()) return called;
    const auto plan = PlanOf(*caller);
    if (!plan.ok()) continue;
    for (int index : *plan) {
      TfLiteNode* node = nullptr;
      TfLiteRegistration* registration = nullptr;
      if (!find.Get(*caller, index, &node, &registration).ok()) continue;
      for (int subgraph : CalledBy(*node, *registration)) {
        if (const auto found = Get(subgraph); found.ok()) called.insert(*found);
      }
    }
  }
}

absl::StatusOr<std::vector<int>> Subgraphs::PlanOf(
    TfLiteContext* subgraph) const {
  TfLiteIntArray* plan = nullptr;
  if (get_plan_(subgraph, &plan) != kTfLiteOk) {
    return absl::InternalError("the runtime gave no execution plan");
  }
  return ReadInts(plan);
}

}  // namespace gles_delegate
