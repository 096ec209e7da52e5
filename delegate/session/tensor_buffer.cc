#include "delegate/session/tensor_buffer.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/graph/texels.h"
#include "egl/gl_api.h"

namespace gles_delegate {
namespace {

// A buffer's bytes are then no power of two (DeviceFaults::compiles_by_sizes).
constexpr size_t kMoreBytes = 16;

size_t TexelBytes(const Shape& shape) {
  return size_t{16} * shape.b * shape.slices() * shape.h * shape.w;
}

}  // namespace

absl::Status GpuPlace::Run(absl::FunctionRef<absl::Status()> fn) const {
  if (worker == nullptr) return gpu->context->Run(fn);
  absl::Status status;
  absl::Status ran = worker->Run([&] { status = gpu->context->Run(fn); });
  return ran.ok() ? status : ran;
}

TensorBuffer::~TensorBuffer() { Release(); }

void TensorBuffer::Release() {
  if (object_.id() == 0) return;
  const auto release = [this] {
    view_ = egl::Texture();
    object_ = egl::Buffer();
    return absl::OkStatus();
  };
  (void)place_.Run(release);
  (void)release();  // a lost context has no objects to delete
  gpu_is_current_ = false;
}

bool TensorBuffer::IsOn(const GpuPlace& place, const Shape& shape) const {
  return object_.id() != 0 && place_.gpu == place.gpu &&
         context_ == place.gpu->context && shape_ == shape;
}

absl::Status TensorBuffer::Download() {
  if (context_ != place_.gpu->context) {
    return absl::AbortedError(
        "the values of a tensor's GPU buffer were lost with its context");
  }
  std::vector<uint8_t> texels(TexelBytes(shape_));
  absl::Status status = place_.Run([&] {
    egl::gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    return object_.Read(0, absl::MakeSpan(texels));
  });
  if (status.ok()) TexelsToHost(texels.data(), shape_, host_.data());
  return status;
}

absl::Status TensorBuffer::Upload() {
  std::vector<uint8_t> texels(TexelBytes(shape_));
  if (!host_.empty()) HostToTexels(host_.data(), shape_, texels.data());
  return object_.Upload(0, texels);
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

absl::Status TensorBuffer::Make() {
  auto made = egl::Buffer::Create(TexelBytes(shape_) + kMoreBytes, nullptr,
                                  GL_DYNAMIC_COPY);
  if (!made.ok()) return made.status();
  object_ = *std::move(made);
  auto view = egl::Texture::OfBuffer(object_, GL_RGBA32F);
  if (view.ok()) view_ = *std::move(view);
  return absl::OkStatus();
}

absl::StatusOr<TensorBuffer::OnGpuBuffer> TensorBuffer::OnGpu(
    const GpuPlace& place, const Shape& shape, bool reads, bool writes) {
  const size_t needed = shape.elements() * sizeof(float);
  if (needed > bytes_) {
    return absl::InvalidArgumentError(
        absl::StrCat("the runtime's buffer of a cache has ", bytes_,
                     " bytes, and its tensor ", needed,
                     "; make new buffers after a resize"));
  }
  if (!IsOn(place, shape)) {
    if (reads && !host_is_current_) {
      if (auto on_host = OnHost(true, false); !on_host.ok()) {
        return on_host.status();
      }
    }
    Release();
    place_ = place;
    shape_ = shape;
    context_ = place.gpu->context;
  }
  const bool uploads = reads && !gpu_is_current_;
  if (object_.id() == 0 || uploads) {
    absl::Status status = place.Run([&]() -> absl::Status {
      if (object_.id() == 0) {
        if (auto s = Make(); !s.ok()) return s;
      }
      return uploads ? Upload() : absl::OkStatus();
    });
    if (!status.ok()) return status;
  }
  gpu_is_current_ |= uploads || writes;
  if (writes) host_is_current_ = false;
  return OnGpuBuffer{object_.id(), view_.id()};
}

}  // namespace gles_delegate
