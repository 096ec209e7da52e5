// The app's GL textures and buffers bound to tensors
// (TfLiteGlesDelegateBindObject).
#ifndef GLES_DELEGATE_DELEGATE_SESSION_BOUND_OBJECTS_H_
#define GLES_DELEGATE_DELEGATE_SESSION_BOUND_OBJECTS_H_

#include "base/hash_tables.h"
#include "delegate/session/app_object.h"

namespace gles_delegate {

// Shared by a delegate and its kernels. Threads: as the delegate's Invoke.
class BoundObjects {
 public:
  // By the runtime's tensor index.
  void Bind(int tensor, const AppObject& object) {
    objects_[tensor] = object;
    ++version_;
  }
  void Unbind(int tensor) {
    objects_.erase(tensor);
    ++version_;
  }
  // nullptr if none is bound. Valid until the next change.
  const AppObject* Of(int tensor) const {
    const auto it = objects_.find(tensor);
    return it == objects_.end() ? nullptr : &it->second;
  }
  const HashMap<int, AppObject>& all() const { return objects_; }
  // Changes with each of these; never -1.
  int version() const { return version_; }

 private:
  HashMap<int, AppObject> objects_;
  int version_ = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_BOUND_OBJECTS_H_
