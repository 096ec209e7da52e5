#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "egl/extension.h"
#include "egl/objects.h"

// COPY_READ and COPY_WRITE are scratch: nothing but these functions binds them,
// so nothing needs putting back.
namespace gles_delegate::egl {
namespace {

absl::Status CheckRange(size_t size, size_t offset, size_t count,
                        const char* what) {
  if (offset <= size && count <= size - offset) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat(what, " of ", count, " bytes at ",
                                            offset, " in a buffer of ", size));
}

absl::Status CheckSize(size_t bytes) {
  if (bytes > 0 &&
      bytes <= static_cast<size_t>(std::numeric_limits<GLsizeiptr>::max())) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("a buffer of ", bytes, " bytes"));
}

// By mapping, which waits for the GPU.
absl::Status ReadMapping(GLuint name, size_t offset, absl::Span<uint8_t> data) {
  absl::Status status;
  gl().BindBuffer(GL_COPY_READ_BUFFER, name);
  const void* source = gl().MapBufferRange(
      GL_COPY_READ_BUFFER, static_cast<GLintptr>(offset),
      static_cast<GLsizeiptr>(data.size()), GL_MAP_READ_BIT);
  if (source == nullptr) {
    status = CheckGl(absl::StrCat("mapping ", data.size(), " bytes at ", offset,
                                  " of a buffer"));
    return status.ok()
               ? absl::InternalError("the driver mapped a buffer to no address")
               : status;
  }
  std::memcpy(data.data(), source, data.size());
  if (!gl().UnmapBuffer(GL_COPY_READ_BUFFER)) {
    return absl::DataLossError(
        "the driver lost a buffer's contents while it was mapped "
        "(glUnmapBuffer); run the inference again");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Buffer> Buffer::Create(size_t bytes, const void* data,
                                      GLenum usage) {
  RETURN_IF_ERROR(CheckSize(bytes));
  Buffer buffer;
  buffer.handle_ = Handle<DeleteBuffer>::New(gl().GenBuffers);
  buffer.bytes_ = bytes;
  gl().BindBuffer(GL_COPY_WRITE_BUFFER, buffer.id());
  gl().BufferData(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes), data,
                  usage);
  RETURN_IF_ERROR(
      CheckGl(absl::StrCat("creating a buffer of ", bytes, " bytes")));
  return buffer;
}

bool Buffer::CanBeMapped() { return HasExtension("GL_EXT_buffer_storage"); }

absl::StatusOr<Buffer> Buffer::CreateMapped(size_t bytes, GLbitfield access) {
  RETURN_IF_ERROR(CheckSize(bytes));
  if (!CanBeMapped()) {
    return absl::UnimplementedError(
        "this driver has no GL_EXT_buffer_storage (persistently mapped "
        "buffers)");
  }
  Buffer buffer;
  buffer.handle_ = Handle<DeleteBuffer>::New(gl().GenBuffers);
  buffer.bytes_ = bytes;
  const GLbitfield flags =
      access | GL_MAP_PERSISTENT_BIT_EXT | GL_MAP_COHERENT_BIT_EXT;
  gl().BindBuffer(GL_COPY_WRITE_BUFFER, buffer.id());
  gl().BufferStorageEXT(GL_COPY_WRITE_BUFFER, static_cast<GLsizeiptr>(bytes),
                        /*data=*/nullptr, flags);
  buffer.mapped_ = static_cast<uint8_t*>(gl().MapBufferRange(
      GL_COPY_WRITE_BUFFER, 0, static_cast<GLsizeiptr>(bytes), flags));
  RETURN_IF_ERROR(
      CheckGl(absl::StrCat("mapping a buffer of ", bytes, " bytes for good")));
  if (buffer.mapped_ == nullptr) {
    return absl::InternalError(
        absl::StrCat("the driver mapped a buffer of ", bytes,
                     " bytes to no address, and raised no error"));
  }
  return buffer;
}

absl::Status Buffer::Upload(size_t offset, absl::Span<const uint8_t> data) {
  absl::Status status = CheckRange(bytes_, offset, data.size(), "an upload");
  if (!status.ok() || data.empty()) return status;
  if (mapped_ != nullptr) {
    std::memcpy(mapped_ + offset, data.data(), data.size());
    return absl::OkStatus();
  }
  gl().BindBuffer(GL_COPY_WRITE_BUFFER, id());
  gl().BufferSubData(GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(offset),
                     static_cast<GLsizeiptr>(data.size()), data.data());
  return absl::OkStatus();
}

absl::Status Buffer::Read(size_t offset, absl::Span<uint8_t> data) const {
  absl::Status status = CheckRange(bytes_, offset, data.size(), "a read");
  if (!status.ok() || data.empty()) return status;
  if (mapped_ != nullptr) {
    // A persistent mapping waits for nothing by itself.
    gl().MemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT);
    gl().Finish();
    std::memcpy(data.data(), mapped_ + offset, data.size());
    return CheckGl("waiting for a mapped buffer");
  }
  return ReadMapping(id(), offset, data);
}

absl::Status Buffer::ReadOther(GLuint name, absl::Span<uint8_t> data) {
  return data.empty() ? absl::OkStatus() : ReadMapping(name, 0, data);
}

absl::Status Buffer::UploadToOther(GLuint name,
                                   absl::Span<const uint8_t> data) {
  gl().BindBuffer(GL_COPY_WRITE_BUFFER, name);
  gl().BufferSubData(GL_COPY_WRITE_BUFFER, 0,
                     static_cast<GLsizeiptr>(data.size()), data.data());
  return CheckGl("an upload to a buffer (glBufferSubData)");
}

}  // namespace gles_delegate::egl
