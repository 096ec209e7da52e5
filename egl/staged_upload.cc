#include "egl/staged_upload.h"

#include <algorithm>
#include <utility>

#include "egl/debug.h"

namespace gles_delegate::egl {

absl::Status StagedUpload::Fill(const Buffer& to,
                                absl::Span<const uint8_t> data) {
  if (memory_.mapped() == nullptr) {
    auto memory = Buffer::CreateMapped(2 * kPieceBytes, GL_MAP_WRITE_BIT);
    if (!memory.ok()) return memory.status();
    memory_ = *std::move(memory);
    LabelObject(GL_BUFFER_KHR, memory_.id(), "staging of uploads");
  }
  for (size_t at = 0; at < data.size(); at += kPieceBytes) {
    const size_t bytes = std::min(kPieceBytes, data.size() - at);
    const size_t from = next_ * kPieceBytes;
    if (copied_[next_]) {
      if (auto s = copied_[next_]->Wait(); !s.ok()) return s;
    }
    copier_.Copy(memory_.mapped() + from, data.data() + at, bytes);
    gl().BindBuffer(GL_COPY_READ_BUFFER, memory_.id());
    gl().BindBuffer(GL_COPY_WRITE_BUFFER, to.id());
    gl().CopyBufferSubData(
        GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, static_cast<GLintptr>(from),
        static_cast<GLintptr>(at), static_cast<GLsizeiptr>(bytes));
    auto fence = Fence::Insert();
    if (!fence.ok()) return fence.status();
    copied_[next_] = *std::move(fence);
    next_ = 1 - next_;
  }
  return CheckGl("an upload through mapped memory");
}

}  // namespace gles_delegate::egl
