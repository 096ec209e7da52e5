// The part of Session that uses the app's textures and buffers.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/session/session.h"

namespace gles_delegate {
namespace {

std::vector<UsedObject> UsedOf(const std::vector<ResolvedObject>& objects) {
  std::vector<UsedObject> used;
  used.reserve(objects.size());
  for (const ResolvedObject& o : objects) used.push_back(o.used);
  return used;
}

bool HaveForms(const std::vector<ResolvedObject>& objects,
               const std::vector<ObjectForm>& forms) {
  return std::equal(
      objects.begin(), objects.end(), forms.begin(), forms.end(),
      [](const ResolvedObject& o, const ObjectForm& f) { return o.form == f; });
}

// Whether the buffer is bound at another position. GL numbers textures
// separately.
bool IsElsewhere(GLuint buffer, const std::vector<ResolvedObject>& objects,
                 int position) {
  for (int i = 0; i < static_cast<int>(objects.size()); ++i) {
    if (i != position && objects[i].used.name == buffer &&
        objects[i].form.kind == ObjectForm::Kind::kBuffer) {
      return true;
    }
  }
  return false;
}

}  // namespace

absl::Status Session::CheckCaches(const ResolvedObjects& objects) const {
  for (const BoundCache& cache : on_gpu()->source->executor().caches()) {
    const GLuint buffer = objects.outputs[cache.output].used.name;
    if (IsElsewhere(buffer, objects.inputs, cache.input) ||
        IsElsewhere(buffer, objects.outputs, cache.output)) {
      return CannotBind(graph_.tensor(graph_.outputs[cache.output]),
                        "its buffer is that of another tensor, too; it may be "
                        "that of the cache's input alone");
    }
  }
  return absl::OkStatus();
}

void Session::NoteObjects() {
  if (on_gpu() != nullptr) on_gpu()->has_objects = false;
}

Session::ResolvedObjects Session::ResolveObjects() const {
  ResolvedObjects objects;
  const auto resolve = [&](const std::vector<IoSlot>& slots,
                           const std::vector<TensorId>& tensors,
                           bool are_inputs) {
    std::vector<ResolvedObject> list(slots.size());
    for (size_t i = 0; i < slots.size(); ++i) {
      if (!slots[i].object) continue;
      auto resolved = ResolveObject(*slots[i].object, graph_.tensor(tensors[i]),
                                    are_inputs, setup_.gpu->context->device());
      if (resolved.ok()) {
        list[i] = *std::move(resolved);
      } else {
        objects.status.Update(resolved.status());
      }
    }
    return list;
  };
  objects.inputs = resolve(inputs_, graph_.inputs, true);
  objects.outputs = resolve(outputs_, graph_.outputs, false);
  return objects;
}

absl::Status Session::CheckBound(SessionHost* host, const AppObject& object,
                                 const Tensor& tensor) const {
  if (object.is_own) return absl::OkStatus();
  if (is_on_cpu()) {
    return CannotBind(tensor, "its partition runs on the CPU now");
  }
  if (!setup_.gpu->has_objects_of_app()) {
    return CannotBind(tensor,
                      "the delegate has an EGLContext of its own, which has no "
                      "objects of the app's; apply the delegate with the app's "
                      "context current (thread_mode: caller or "
                      "worker_sharing)");
  }
  return host->CheckMayBind(tensor);
}

absl::Status Session::CheckMayReturnAtOnce(const BoundTransfers& bound) const {
  if (!setup_.options.does_not_wait) return absl::OkStatus();
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    if (bound.outputs[i].is_bound()) continue;
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

absl::Status Session::UpdateObjects(SessionHost* host) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!inputs_[i].object) continue;
    RETURN_IF_ERROR(
        CheckBound(host, *inputs_[i].object, graph_.tensor(graph_.inputs[i])));
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!outputs_[i].object) continue;
    RETURN_IF_ERROR(CheckBound(host, *outputs_[i].object,
                               graph_.tensor(graph_.outputs[i])));
  }
  if (is_on_cpu()) return absl::OkStatus();
  ResolvedObjects objects;
  RETURN_IF_ERROR(setup_.gpu->context->Run([&] {
    objects = ResolveObjects();
    return objects.status;
  }));
  const BoundTransfers& bound = on_gpu()->bound;
  if (!HaveForms(objects.inputs, bound.inputs) ||
      !HaveForms(objects.outputs, bound.outputs)) {
    RETURN_IF_ERROR(FallBack(host, Build(host)));
    if (is_on_cpu()) return UpdateObjects(host);
  }
  RETURN_IF_ERROR(CheckCaches(objects));
  return setup_.gpu->context->Run([&]() -> absl::Status {
    auto s = on_gpu()->source->executor().UseObjects(UsedOf(objects.inputs),
                                                     UsedOf(objects.outputs));
    on_gpu()->has_objects = s.ok();
    return s;
  });
}

}  // namespace gles_delegate
