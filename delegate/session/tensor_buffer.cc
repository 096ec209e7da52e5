#include "delegate/session/tensor_buffer.h"

#include <utility>

#include "egl/gl_api.h"

namespace gles_delegate {

absl::Status GpuPlace::Run(absl::FunctionRef<absl::Status()> fn) const {
  if (worker == nullptr) return gpu->context->Run(fn);
  absl::Status status;
  absl::Status ran = worker->Run([&] { status = gpu->context->Run(fn); });
  return ran.ok() ? status : ran;
}

TensorBuffer::~TensorBuffer() { Release(); }

void TensorBuffer::Release() {
  if (object_.id() == 0) return;
  (void)place_.Run([this] {
    object_ = egl::Buffer();
    return absl::OkStatus();
  });
  object_ = egl::Buffer();  // a lost context has no objects to delete
  gpu_is_current_ = false;
}

bool TensorBuffer::IsOn(const GpuPlace& place) const {
  return object_.id() != 0 && place_.gpu == place.gpu &&
         context_ == place.gpu->context;
}

absl::Status TensorBuffer::Download() {
  if (context_ != place_.gpu->context) {
    return absl::AbortedError(
        "the values of a tensor's GPU buffer were lost with its context");
  }
  return place_.Run([this] {
    egl::gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    return object_.Read(0, absl::MakeSpan(host_));
  });
}

absl::StatusOr<void*> TensorBuffer::OnHost(bool reads, bool writes) {
  if (host_.empty()) host_.resize(bytes_);
  if (reads && !host_is_current_) {
    if (auto s = Download(); !s.ok()) return s;
  }
  host_is_current_ |= reads || writes;
  if (writes) gpu_is_current_ = false;
  return host_.data();
}

absl::StatusOr<uint32_t> TensorBuffer::OnGpu(const GpuPlace& place, bool reads,
                                             bool writes) {
  if (!IsOn(place)) {
    if (reads && !host_is_current_) {
      if (auto on_host = OnHost(true, false); !on_host.ok()) {
        return on_host.status();
      }
    }
    Release();
    place_ = place;
    context_ = place.gpu->context;
  }
  const bool uploads = reads && !gpu_is_current_;
  if (uploads && host_.empty()) host_.resize(bytes_);
  absl::Status status = place.Run([&]() -> absl::Status {
    if (object_.id() == 0) {
      auto made = egl::Buffer::Create(bytes_, nullptr, GL_DYNAMIC_COPY);
      if (!made.ok()) return made.status();
      object_ = *std::move(made);
    }
    return uploads ? object_.Upload(0, host_) : absl::OkStatus();
  });
  if (!status.ok()) return status;
  gpu_is_current_ |= uploads || writes;
  if (writes) host_is_current_ = false;
  return object_.id();
}

}  // namespace gles_delegate
