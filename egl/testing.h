// Driver faults for tests. Include this from tests only.
#ifndef GLES_DELEGATE_EGL_TESTING_H_
#define GLES_DELEGATE_EGL_TESTING_H_

#include "egl/gl_api.h"

namespace gles_delegate::egl {

inline GlApi& MutableTable(GlApi*) { return MutableGlForTesting(); }
inline EglApi& MutableTable(EglApi*) { return MutableEglForTesting(); }

// The driver's own entry points, whatever overrides there are: a replacement,
// which is a plain function without captures, passes calls on to them. Needs
// LoadGl().
template <typename Api>
const Api& DriverTable() {
  static const Api table = MutableTable(static_cast<Api*>(nullptr));
  return table;
}
inline const GlApi& driver_gl() { return DriverTable<GlApi>(); }
inline const EglApi& driver_egl() { return DriverTable<EglApi>(); }

// Replaces one entry point of GL or EGL until it goes out of scope:
//   ScopedGlOverride fault(&GlApi::GetGraphicsResetStatusKHR,
//                          +[]() -> GLenum { return GL_GUILTY_...; });
// Not thread-safe: no other thread may call GL meanwhile. Needs LoadGl().
template <typename Api, typename Function>
class ScopedGlOverride {
 public:
  ScopedGlOverride(Function Api::*member, Function replacement)
      : member_(member), original_(Table().*member) {
    DriverTable<Api>();  // is copied before the first change
    Table().*member_ = replacement;
  }
  ~ScopedGlOverride() { Table().*member_ = original_; }
  ScopedGlOverride(const ScopedGlOverride&) = delete;
  ScopedGlOverride& operator=(const ScopedGlOverride&) = delete;

  // What the driver itself has, for a replacement that passes calls on.
  Function original() const { return original_; }

 private:
  static Api& Table() { return MutableTable(static_cast<Api*>(nullptr)); }

  Function Api::*member_;
  Function original_;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_TESTING_H_
