#include "egl/staged_upload.h"

#include <algorithm>

#include "base/status_macros.h"
#include "egl/debug.h"

namespace gles_delegate::egl {

absl::Status StagedUpload::Fill(const Buffer& to,
                                absl::Span<const uint8_t> data) {
  if (memory_.mapped() == nullptr) {
    ASSIGN_OR_RETURN(memory_,
                     Buffer::CreateMapped(2 * kPieceBytes, GL_MAP_WRITE_BIT));
    LabelObject(GL_BUFFER_KHR, memory_.id(), "staging of uploads");
  }
  for (size_t at = 0; at < data.size(); at += kPieceBytes) {
    const size_t bytes = std::min(kPieceBytes, data.size() - at);
    const size_t from = next_ * kPieceBytes;
    if (copied_[next_]) {
      RETURN_IF_ERROR(copied_[next_]->Wait());
    }
    copier_.Copy(memory_.mapped() + from, data.data() + at, bytes);
    gl().BindBuffer(GL_COPY_READ_BUFFER, memory_.id());
    gl().BindBuffer(GL_COPY_WRITE_BUFFER, to.id());
    gl().CopyBufferSubData(
        GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(from),
        static_cast<GLintptr>(at), static_cast<GLsizeiptr>(bytes));
    ASSIGN_OR_RETURN(copied_[next_], Fence::Insert());
    next_ = 1 - next_;
  }
  return CheckGl("an upload through mapped memory");
}

}  // namespace gles_delegate::egl
