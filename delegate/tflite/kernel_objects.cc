// The part of GlesKernel that uses the app's textures and buffers.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/session/resolve_object.h"
#include "delegate/tflite/kernel.h"

namespace gles_delegate {

GlesKernel::ResolvedObjects GlesKernel::ResolveObjects() const {
  ResolvedObjects objects;
  const auto resolve = [&](const std::vector<TensorId>& tensors,
                           bool are_inputs) {
    std::vector<ResolvedObject> list;
    for (TensorId id : tensors) {
      const Tensor& tensor = graph_.tensor(id);
      list.emplace_back();
      const AppObject* object = ObjectOf(tensor.tflite_index);
      if (object == nullptr) continue;
      auto resolved = ResolveObject(*object, tensor, are_inputs,
                                    setup_.gpu->context->device());
      if (resolved.ok()) {
        list.back() = *std::move(resolved);
      } else {
        objects.status.Update(resolved.status());
      }
    }
    return list;
  };
  objects.inputs = resolve(graph_.inputs, true);
  objects.outputs = resolve(graph_.outputs, false);
  return objects;
}

BoundTransfers GlesKernel::FormsOf(const ResolvedObjects& objects) {
  BoundTransfers forms;
  for (const ResolvedObject& o : objects.inputs) forms.inputs.push_back(o.form);
  for (const ResolvedObject& o : objects.outputs) {
    forms.outputs.push_back(o.form);
  }
  return forms;
}

absl::Status GlesKernel::CheckBound(TfLiteContext* context, TensorId id) const {
  const Tensor& tensor = graph_.tensor(id);
  if (on_cpu_ != nullptr) {
    return CannotBind(tensor, "its partition runs on the CPU now");
  }
  if (!setup_.gpu->has_objects_of_app()) {
    return CannotBind(tensor,
                      "the delegate has an EGLContext of its own, which has no "
                      "objects of the app's; apply the delegate with the app's "
                      "context current (thread_mode: caller or "
                      "worker_sharing)");
  }
  for (int index : setup_.nodes.plan) {
    const auto& own = setup_.partition.nodes;
    if (std::find(own.begin(), own.end(), index) != own.end()) continue;
    TfLiteNode* node = nullptr;
    TfLiteRegistration* registration = nullptr;
    if (auto s = setup_.nodes.find.Get(context, index, &node, &registration);
        !s.ok()) {
      return s;
    }
    const int* inputs = node->inputs->data;
    if (std::find(inputs, inputs + node->inputs->size, tensor.tflite_index) !=
        inputs + node->inputs->size) {
      return CannotBind(tensor,
                        absl::StrCat("node ", index,
                                     ", which is not of the partition, reads "
                                     "it from the CPU's memory"));
    }
  }
  return absl::OkStatus();
}

absl::Status GlesKernel::CheckMayReturnAtOnce() const {
  if (!setup_.options.does_not_wait) return absl::OkStatus();
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    if (bound_.outputs[i].is_bound()) continue;
    const Tensor& tensor = graph_.tensor(graph_.outputs[i]);
    return absl::FailedPreconditionError(absl::StrCat(
        "wait_type: do_not_wait wants all outputs bound to GL objects, and "
        "tensor ",
        tensor.tflite_index, " (", tensor.ToString(),
        ") is not: bind it before the delegate is applied, or let Invoke "
        "wait"));
  }
  return absl::OkStatus();
}

absl::Status GlesKernel::UpdateObjects(TfLiteContext* context) {
  for (const auto* list : {&graph_.inputs, &graph_.outputs}) {
    for (TensorId id : *list) {
      if (ObjectOf(graph_.tensor(id).tflite_index) == nullptr) continue;
      if (auto s = CheckBound(context, id); !s.ok()) return s;
    }
  }
  if (on_cpu_ != nullptr) return absl::OkStatus();
  ResolvedObjects objects;
  absl::Status resolved = setup_.gpu->context->Run([&] {
    objects = ResolveObjects();
    return objects.status;
  });
  if (!resolved.ok()) return resolved;
  const BoundTransfers forms = FormsOf(objects);
  if (forms.inputs != bound_.inputs || forms.outputs != bound_.outputs) {
    built_ = false;
    if (auto s = Prepare(context); !s.ok()) return s;
    if (on_cpu_ != nullptr) return UpdateObjects(context);
  }
  const auto used = [](const std::vector<ResolvedObject>& list) {
    std::vector<UsedObject> result;
    result.reserve(list.size());
    for (const ResolvedObject& o : list) result.push_back(o.used);
    return result;
  };
  return setup_.gpu->context->Run([&]() -> absl::Status {
    if (auto s = source_->executor().UseObjects(used(objects.inputs),
                                                used(objects.outputs));
        !s.ok()) {
      return s;
    }
    objects_version_ = ObjectsVersion();
    return absl::OkStatus();
  });
}

}  // namespace gles_delegate
