#include "delegate/tflite/propagate_shapes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

// Kernels add temporary tensors as they prepare, and keep pointers to others
// meanwhile: the array of tensors must not move under them. TFLite sees to that
// with room for 16 more before each node, and so does this, by what it can see:
// TFLite makes room for 128 tensors at first, and an array that moves has
// doubled.
class TensorRoom {
 public:
  explicit TensorRoom(TfLiteContext* context)
      : context_(context),
        capacity_(std::max<size_t>(128, context->tensors_size)) {}

  absl::Status Ensure() {
    constexpr size_t kRoom = 16;
    while (context_->tensors_size + kRoom > capacity_) {
      const TfLiteTensor* before = context_->tensors;
      const size_t size = context_->tensors_size;
      // One more than is known to fit: tensors that nothing uses.
      const int more =
          size < capacity_ ? static_cast<int>(capacity_ - size) + 1 : 1;
      if (context_->AddTensors(context_, more, nullptr) != kTfLiteOk) {
        return absl::InternalError("the runtime adds no tensors");
      }
      capacity_ = context_->tensors == before
                      ? context_->tensors_size
                      : std::max(context_->tensors_size, 2 * size);
    }
    return absl::OkStatus();
  }

 private:
  TfLiteContext* context_;
  size_t capacity_;  // at least
};

bool AnyUnknown(const TfLiteIntArray* tensors, const UnknownShapes& unknown) {
  return tensors != nullptr &&
         std::any_of(tensors->data, tensors->data + tensors->size,
                     [&](int id) { return unknown.contains(id); });
}

void AddDynamic(const TfLiteContext& context, const TfLiteIntArray* tensors,
                UnknownShapes* unknown) {
  if (tensors == nullptr) return;
  for (int i = 0; i < tensors->size; ++i) {
    const int id = tensors->data[i];
    if (id >= 0 && context.tensors[id].allocation_type == kTfLiteDynamic) {
      unknown->insert(id);
    }
  }
}

}  // namespace

absl::Status NodeFinder::Get(TfLiteContext* context, int index,
                             TfLiteNode** node,
                             TfLiteRegistration** registration) const {
  if (get_ != nullptr &&
      get_(context, index, node, registration) == kTfLiteOk) {
    return absl::OkStatus();
  }
  return absl::InternalError(absl::StrCat("the runtime has no node ", index));
}

bool HasOldMemoryPlan(TfLiteContext* context) {
  TfLiteIntArray* plan = nullptr;
  if (context->GetExecutionPlan(context, &plan) != kTfLiteOk) return false;
  const NodeFinder find(*context);
  const auto in_arena = [&](int id) {
    return id >= 0 && context->tensors[id].allocation_type == kTfLiteArenaRw &&
           context->tensors[id].bytes > 0;
  };
  absl::flat_hash_set<int> made;
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

absl::StatusOr<UnknownShapes> PropagateShapes(TfLiteContext* context,
                                              const NodeFinder& find,
                                              absl::Span<const int> nodes) {
  UnknownShapes unknown;
  TensorRoom room(context);
  for (int index : nodes) {
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (auto s = find.Get(context, index, &node, &registration); !s.ok()) {
      return s;
    }
    AddDynamic(*context, node->inputs, &unknown);
    if (AnyUnknown(node->inputs, unknown)) {
      for (int i = 0; i < node->outputs->size; ++i) {
        const int id = node->outputs->data[i];
        if (id >= 0) unknown.insert(id);
      }
      continue;
    }
    // No function: the shapes of the file hold (a custom op that the app did
    // not register has none either).
    if (registration->prepare != nullptr) {
      if (auto s = room.Ensure(); !s.ok()) return s;
      if (registration->prepare(context, node) != kTfLiteOk) {
        return absl::FailedPreconditionError(absl::StrCat(
            "TFLite's own kernel of node ", index, " (builtin code ",
            registration->builtin_code, ") refuses its inputs"));
      }
    }
    AddDynamic(*context, node->outputs, &unknown);
  }
  return unknown;
}

}  // namespace gles_delegate
