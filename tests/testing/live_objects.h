// Counts GL's objects that were made and not deleted.
#ifndef GLES_DELEGATE_TESTS_TESTING_LIVE_OBJECTS_H_
#define GLES_DELEGATE_TESTS_TESTING_LIVE_OBJECTS_H_

#include <atomic>
#include <type_traits>

#include "egl/testing.h"

namespace gles_delegate::testing {

// Buffers, textures, samplers, framebuffers, shaders, programs and fences that
// were made, and those of them that are left. One at a time; on any threads.
class LiveObjects {
 public:
  LiveObjects() { made_programs() = live() = 0; }
  int programs() const { return made_programs(); }
  int left() const { return live(); }

 private:
  static std::atomic<int>& live() {
    static std::atomic<int> live;
    return live;
  }
  static std::atomic<int>& made_programs() {
    static std::atomic<int> made;
    return made;
  }
  // An entry point that makes or deletes names or one object, counted.
  template <auto kMember>
  using Override =
      egl::ScopedGlOverride<egl::GlApi,
                            std::decay_t<decltype(egl::driver_gl().*kMember)>>;
  template <auto kGen, auto kDelete>
  struct Names {
    Override<kGen> gen{kGen, +[](GLsizei count, GLuint* names) {
                         live() += count;
                         (egl::driver_gl().*kGen)(count, names);
                       }};
    Override<kDelete> del{kDelete, +[](GLsizei count, const GLuint* names) {
                            live() -= count;
                            (egl::driver_gl().*kDelete)(count, names);
                          }};
  };
  template <auto kMember, typename Object>
  struct Deleted {
    Override<kMember> del{kMember, +[](Object object) {
                            --live();
                            (egl::driver_gl().*kMember)(object);
                          }};
  };
  using Api = egl::GlApi;
  Names<&Api::GenBuffers, &Api::DeleteBuffers> buffers_;
  Names<&Api::GenTextures, &Api::DeleteTextures> textures_;
  Names<&Api::GenSamplers, &Api::DeleteSamplers> samplers_;
  Names<&Api::GenFramebuffers, &Api::DeleteFramebuffers> framebuffers_;
  Deleted<&Api::DeleteProgram, GLuint> deleted_programs_;
  Deleted<&Api::DeleteShader, GLuint> deleted_shaders_;
  Deleted<&Api::DeleteSync, GLsync> deleted_fences_;
  Override<&Api::CreateProgram> programs_{
      &Api::CreateProgram, +[]() -> GLuint {
        ++live();
        ++made_programs();
        return egl::driver_gl().CreateProgram();
      }};
  Override<&Api::CreateShader> shaders_{
      &Api::CreateShader, +[](GLenum type) -> GLuint {
        ++live();
        return egl::driver_gl().CreateShader(type);
      }};
  Override<&Api::FenceSync> fences_{
      &Api::FenceSync, +[](GLenum condition, GLbitfield flags) -> GLsync {
        ++live();
        return egl::driver_gl().FenceSync(condition, flags);
      }};
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_LIVE_OBJECTS_H_
