// Driver faults for tests. Include this from tests only.
#ifndef GLES_DELEGATE_EGL_TESTING_H_
#define GLES_DELEGATE_EGL_TESTING_H_

#include "egl/gl_api.h"

namespace gles_delegate::egl {

inline GlApi& MutableTable(GlApi*) { return MutableGlForTesting(); }
inline EglApi& MutableTable(EglApi*) { return MutableEglForTesting(); }

// The driver's own entry points, regardless of overrides; a replacement (a
// plain function without captures) forwards calls to them. Needs LoadGl().
template <typename Api>
const Api& DriverTable() {
  static const Api table = MutableTable(static_cast<Api*>(nullptr));
  return table;
}
inline const GlApi& driver_gl() { return DriverTable<GlApi>(); }
inline const EglApi& driver_egl() { return DriverTable<EglApi>(); }

// Replaces one entry point of GL or EGL while it is in scope:
//   ScopedGlOverride fault(&GlApi::GetGraphicsResetStatusKHR,
//                          +[]() -> GLenum { return GL_GUILTY_...; });
// Not thread-safe: no other thread may call GL. Needs LoadGl().
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

  // The driver's own function, to which a replacement can forward calls.
  Function original() const { return original_; }

 private:
  static Api& Table() { return MutableTable(static_cast<Api*>(nullptr)); }

  Function Api::*member_;
  Function original_;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_TESTING_H_
