// Counts GL's objects that were made and not deleted.
#ifndef GLES_DELEGATE_TESTS_TESTING_LIVE_OBJECTS_H_
#define GLES_DELEGATE_TESTS_TESTING_LIVE_OBJECTS_H_

#include <atomic>

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
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::GenBuffers)>
      gen_buffers_{&egl::GlApi::GenBuffers, +[](GLsizei count, GLuint* names) {
                     live() += count;
                     egl::driver_gl().GenBuffers(count, names);
                   }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::DeleteBuffers)>
      delete_buffers_{&egl::GlApi::DeleteBuffers,
                      +[](GLsizei count, const GLuint* names) {
                        live() -= count;
                        egl::driver_gl().DeleteBuffers(count, names);
                      }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::GenTextures)>
      gen_textures_{&egl::GlApi::GenTextures,
                    +[](GLsizei count, GLuint* names) {
                      live() += count;
                      egl::driver_gl().GenTextures(count, names);
                    }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::DeleteTextures)>
      delete_textures_{&egl::GlApi::DeleteTextures,
                       +[](GLsizei count, const GLuint* names) {
                         live() -= count;
                         egl::driver_gl().DeleteTextures(count, names);
                       }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::CreateProgram)>
      create_program_{&egl::GlApi::CreateProgram, +[]() -> GLuint {
                        ++live();
                        ++made_programs();
                        return egl::driver_gl().CreateProgram();
                      }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::DeleteProgram)>
      delete_program_{&egl::GlApi::DeleteProgram, +[](GLuint name) {
                        --live();
                        egl::driver_gl().DeleteProgram(name);
                      }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::CreateShader)>
      create_shader_{&egl::GlApi::CreateShader, +[](GLenum type) -> GLuint {
                       ++live();
                       return egl::driver_gl().CreateShader(type);
                     }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::DeleteShader)>
      delete_shader_{&egl::GlApi::DeleteShader, +[](GLuint name) {
                       --live();
                       egl::driver_gl().DeleteShader(name);
                     }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::GenSamplers)>
      gen_samplers_{&egl::GlApi::GenSamplers,
                    +[](GLsizei count, GLuint* names) {
                      live() += count;
                      egl::driver_gl().GenSamplers(count, names);
                    }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::DeleteSamplers)>
      delete_samplers_{&egl::GlApi::DeleteSamplers,
                       +[](GLsizei count, const GLuint* names) {
                         live() -= count;
                         egl::driver_gl().DeleteSamplers(count, names);
                       }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::GenFramebuffers)>
      gen_framebuffers_{&egl::GlApi::GenFramebuffers,
                        +[](GLsizei count, GLuint* names) {
                          live() += count;
                          egl::driver_gl().GenFramebuffers(count, names);
                        }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::DeleteFramebuffers)>
      delete_framebuffers_{&egl::GlApi::DeleteFramebuffers,
                           +[](GLsizei count, const GLuint* names) {
                             live() -= count;
                             egl::driver_gl().DeleteFramebuffers(count, names);
                           }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::FenceSync)>
      fence_sync_{&egl::GlApi::FenceSync,
                  +[](GLenum condition, GLbitfield flags) -> GLsync {
                    ++live();
                    return egl::driver_gl().FenceSync(condition, flags);
                  }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::DeleteSync)>
      delete_sync_{&egl::GlApi::DeleteSync, +[](GLsync sync) {
                     --live();
                     egl::driver_gl().DeleteSync(sync);
                   }};
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_LIVE_OBJECTS_H_
