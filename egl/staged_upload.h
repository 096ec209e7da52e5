// Fills large buffers in a GPU's own memory.
#ifndef GLES_DELEGATE_EGL_STAGED_UPLOAD_H_
#define GLES_DELEGATE_EGL_STAGED_UPLOAD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "egl/host_copy.h"
#include "egl/objects.h"

namespace gles_delegate::egl {

// Copies through mapped memory, a piece at a time: several threads fill a piece
// while the GPU copies the one before. glBufferData takes three times as long
// on NVIDIA's driver. Threads: inside the context's Run(), as for Buffer.
class StagedUpload {
 public:
  // Copies `data` to the beginning of `to`. Does not wait for the GPU, whose
  // later commands see the data. kUnimplemented if Buffer::CanBeMapped() is
  // false.
  absl::Status Fill(const Buffer& to, absl::Span<const uint8_t> data);

 private:
  static constexpr size_t kPieceBytes = 4 << 20;

  Buffer memory_;  // of two pieces, made by the first Fill()
  std::array<std::optional<Fence>, 2> copied_;  // from each piece
  HostCopier copier_;
  int next_ = 0;  // piece
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_STAGED_UPLOAD_H_
