// The part of ExecutorBuilder that tells the validator what the commands touch.
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/runtime/executor_builder.h"
#include "delegate/plan/program.h"

namespace gles_delegate {

using gl_shaders::Bindings;

AccessKind AccessKindOf(Bindings::Kind kind) {
  switch (kind) {
    case Bindings::Kind::kSampler:
      return AccessKind::kFetch;
    case Bindings::Kind::kImage:
      return AccessKind::kImage;
    case Bindings::Kind::kBuffer:
      return AccessKind::kBuffer;
  }
  return AccessKind::kBuffer;
}

void ExecutorBuilder::RegisterHostBuffers() {
  Validator* validator = executor_->validator_.get();
  if (validator == nullptr) return;
  const auto add = [&](const std::vector<TensorId>& ids, const char* what,
                       std::vector<Executor::HostBuffer>* buffers) {
    for (size_t i = 0; i < buffers->size(); ++i) {
      Executor::HostBuffer& host = (*buffers)[i];
      if (host.texels != nullptr) continue;
      const std::string name =
          absl::StrCat(what, " ", graph_.tensor(ids[i]).ToString());
      host.resource =
          validator->AddResource(absl::StrCat("the host's buffer of ", name));
      if (!host.is_staged()) continue;
      host.staging_resource = validator->AddResource(
          absl::StrCat("the GPU's staging buffer of ", name));
    }
  };
  add(graph_.inputs, "input", &executor_->inputs_);
  add(graph_.outputs, "output", &executor_->outputs_);
  for (const Executor::HostBuffer& host : executor_->inputs_) {
    if (host.texels == nullptr) continue;
    validator->HostBrings(host.resource, host.tensor);
  }
}

absl::Status ExecutorBuilder::DescribeToValidator(
    size_t dispatch, const Bindings& points, const Executor::Command& command) {
  Validator* validator = executor_->validator_.get();
  if (validator == nullptr) return absl::OkStatus();
  const Dispatch& d = dispatches_[dispatch];
  const Executor::Piece& piece = pieces_[dispatch];
  Bindings bound = points;
  if (piece.tensor >= 0) ++bound.buffers;  // the host's, after all others
  if (auto s = CheckDeviceLimits(d, bound, command.params_bytes,
                                 command.params_offset, context_.device());
      !s.ok()) {
    return s;
  }
  Validator::Command told;
  told.label = absl::StrCat(d.label, " (", d.shader, ".comp)");
  const std::vector<TensorId> ids = BoundTensors(d);
  for (size_t t = 0; t < ids.size(); ++t) {
    if (tensors_[ids[t]].slot < 0) continue;  // a constant
    told.touches.push_back({tensors_[ids[t]].slot,
                            AccessKindOf(points.tensors[t].kind),
                            specs_[dispatch].tensors[t].write,
                            ids[t],
                            {}});
  }
  if (piece.tensor >= 0) {
    const bool is_upload = d.reads.empty();
    told.continues = is_upload && piece.begin > 0;
    const Executor::HostBuffer& host =
        (is_upload ? executor_->inputs_ : executor_->outputs_)[piece.tensor];
    told.touches.push_back(
        {host.is_staged() ? host.staging_resource : host.resource,
         AccessKind::kBuffer,
         !is_upload,
         kNoTensor,
         {piece.begin, piece.end}});
    for (size_t next = dispatch + 1;
         next < executor_->uploads_ && pieces_[next].tensor == piece.tensor;
         ++next) {
      ++told.pieces_left;
    }
  }
  validator->AddCommand(std::move(told));
  return absl::OkStatus();
}

}  // namespace gles_delegate
