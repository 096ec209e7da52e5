// Of host_memory.h: TensorBuffer.
#include <cstring>
#include <utility>

#include "base/status_macros.h"
#include "delegate/graph/texels.h"
#include "delegate/session/host_memory.h"
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

void PlacedBuffer::Release() {
  if (!exists()) return;
  const auto release = [this] {
    view = egl::Texture();
    buffer = egl::Buffer();
    return absl::OkStatus();
  };
  (void)place.Run(release);
  (void)release();  // a lost context has no objects to delete
}

TensorBuffer::~TensorBuffer() {
  mapped_.Release();
  texels_.Release();
}

absl::Status TensorBuffer::Download() {
  if (texels_.context != texels_.place.gpu->context) {
    return absl::AbortedError(
        "the values of a tensor's GPU buffer were lost with its context");
  }
  std::vector<uint8_t> texels(TexelBytes(shape_));
  absl::Status status = texels_.place.Run([&] {
    egl::gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    return texels_.buffer.Read(0, absl::MakeSpan(texels));
  });
  if (status.ok()) TexelsToHost(texels.data(), shape_, OnHost());
  host_is_current_ |= status.ok();
  return status;
}

absl::Status TensorBuffer::Upload() {
  std::vector<uint8_t> texels(TexelBytes(shape_));
  if (mapped_.exists() || !host_.empty()) {
    HostToTexels(OnHost(), shape_, texels.data());
  }
  return texels_.buffer.Upload(0, texels);
}

uint8_t* TensorBuffer::OnHost() {
  if (mapped_.exists()) return mapped_.buffer.mapped();
  host_.resize(bytes_);
  return host_.data();
}

void TensorBuffer::Map(const GpuPlace& place) {
  const bool is_others = mapped_.exists() && mapped_.place.gpu != place.gpu;
  if (is_others || mapped_.IsIn(place)) return;
  PlacedBuffer made = {place, place.gpu->context, {}, {}};
  const absl::Status status = place.Run([&] {
    ASSIGN_OR_RETURN(made.buffer, egl::Buffer::CreateMapped(
                                      HostTransfer::PaddedBytes(bytes_),
                                      GL_MAP_READ_BIT | GL_MAP_WRITE_BIT));
    return absl::OkStatus();
  });
  if (!status.ok()) return;  // other memory does as well
  std::memcpy(made.buffer.mapped(), OnHost(), bytes_);
  mapped_.Release();
  mapped_ = std::move(made);
  host_ = {};
}

absl::StatusOr<HostMemory> TensorBuffer::Lock(bool reads, bool writes,
                                              const GpuPlace* place) {
  // Without the mutex, for which the GPU's thread may wait.
  if (reads && !host_is_current_) RETURN_IF_ERROR(Download());
  const std::lock_guard<std::mutex> lock(mutex_);
  // A buffer that is used once is not worth it.
  const bool is_used_again =
      place != nullptr && std::exchange(has_place_, true);
  if (is_used_again && locks_ == 0) Map(*place);
  ++locks_;
  if (writes) {
    host_is_current_ = true;
    gpu_is_current_ = false;
  }
  HostMemory memory;
  memory.data = OnHost();
  memory.bytes = bytes_;
  memory.buffer = mapped_.buffer.id();
  memory.context = mapped_.context.get();
  return memory;
}

void TensorBuffer::Unlock() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (locks_ > 0) --locks_;
}

absl::Status TensorBuffer::MakeTexels() {
  ASSIGN_OR_RETURN(texels_.buffer,
                   egl::Buffer::Create(TexelBytes(shape_) + kMoreBytes, nullptr,
                                       GL_DYNAMIC_COPY));
  auto view = egl::Texture::OfBuffer(texels_.buffer, GL_RGBA32F);
  if (view.ok()) texels_.view = *std::move(view);
  return absl::OkStatus();
}

absl::StatusOr<TensorBuffer::OnGpuBuffer> TensorBuffer::OnGpu(
    const GpuPlace& place, const Shape& shape, bool reads, bool writes) {
  if (!texels_.IsIn(place) || shape_ != shape) {
    if (reads && !host_is_current_) RETURN_IF_ERROR(Download());
    texels_.Release();
    texels_.place = place;
    texels_.context = place.gpu->context;
    shape_ = shape;
    gpu_is_current_ = false;
  }
  const bool uploads = reads && !gpu_is_current_;
  if (!texels_.exists() || uploads) {
    RETURN_IF_ERROR(place.Run([&]() -> absl::Status {
      if (!texels_.exists()) RETURN_IF_ERROR(MakeTexels());
      return uploads ? Upload() : absl::OkStatus();
    }));
  }
  gpu_is_current_ |= uploads || writes;
  if (writes) host_is_current_ = false;
  return OnGpuBuffer{texels_.buffer.id(), texels_.view.id()};
}

}  // namespace gles_delegate
