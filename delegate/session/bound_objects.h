// The app's GL textures and buffers bound to tensors
// (TfLiteGlesDelegateBindObject).
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_BOUND_OBJECTS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_BOUND_OBJECTS_H_

#include "absl/container/flat_hash_map.h"
#include "gles_delegate/gles_delegate.h"

namespace gles_delegate {

// Shared by a delegate and its kernels. Threads: as the delegate's Invoke.
class BoundObjects {
 public:
  // By TFLite's tensor index. nullptr unbinds.
  void Bind(int tensor, const TfLiteGlesObject* object) {
    if (object == nullptr) {
      objects_.erase(tensor);
    } else {
      objects_[tensor] = *object;
    }
    ++version_;
  }
  // nullptr if none is bound. Valid until the next Bind().
  const TfLiteGlesObject* Of(int tensor) const {
    const auto it = objects_.find(tensor);
    return it == objects_.end() ? nullptr : &it->second;
  }
  const absl::flat_hash_map<int, TfLiteGlesObject>& all() const {
    return objects_;
  }
  // Changes with each Bind(); never -1.
  int version() const { return version_; }

 private:
  absl::flat_hash_map<int, TfLiteGlesObject> objects_;
  int version_ = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_BOUND_OBJECTS_H_
