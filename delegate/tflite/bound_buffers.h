// The app's GL buffers that stand in for tensors
// (TfLiteGlesDelegateBindBuffer).
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_BOUND_BUFFERS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_BOUND_BUFFERS_H_

#include "absl/container/flat_hash_map.h"
#include "egl/gl_api.h"

namespace gles_delegate {

// Shared by a delegate and its kernels. Threads: as the delegate's Invoke.
class BoundBuffers {
 public:
  // By TFLite's tensor index. A buffer of 0 unbinds.
  void Bind(int tensor, GLuint buffer) {
    if (buffer == 0) {
      buffers_.erase(tensor);
    } else {
      buffers_[tensor] = buffer;
    }
    ++version_;
  }
  // 0: none is bound.
  GLuint Of(int tensor) const {
    const auto it = buffers_.find(tensor);
    return it == buffers_.end() ? 0 : it->second;
  }
  const absl::flat_hash_map<int, GLuint>& all() const { return buffers_; }
  // Another number after each change; never -1.
  int version() const { return version_; }

 private:
  absl::flat_hash_map<int, GLuint> buffers_;
  int version_ = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_BOUND_BUFFERS_H_
