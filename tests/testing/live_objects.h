// Counts GL's objects that were made and not deleted.
#ifndef GLES_DELEGATE_TESTS_TESTING_LIVE_OBJECTS_H_
#define GLES_DELEGATE_TESTS_TESTING_LIVE_OBJECTS_H_

#include <atomic>

#include "egl/testing.h"

namespace gles_delegate::testing {

// Buffers, textures and programs that were made, and those of them that are
// left. One at a time; on any threads.
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
  static egl::GlApi& driver() {
    static egl::GlApi driver = egl::gl();
    return driver;
  }
  const bool is_begun_ = (driver(), true);
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::GenBuffers)>
      gen_buffers_{&egl::GlApi::GenBuffers, +[](GLsizei count, GLuint* names) {
                     live() += count;
                     driver().GenBuffers(count, names);
                   }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::DeleteBuffers)>
      delete_buffers_{&egl::GlApi::DeleteBuffers,
                      +[](GLsizei count, const GLuint* names) {
                        live() -= count;
                        driver().DeleteBuffers(count, names);
                      }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::GenTextures)>
      gen_textures_{&egl::GlApi::GenTextures,
                    +[](GLsizei count, GLuint* names) {
                      live() += count;
                      driver().GenTextures(count, names);
                    }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::DeleteTextures)>
      delete_textures_{&egl::GlApi::DeleteTextures,
                       +[](GLsizei count, const GLuint* names) {
                         live() -= count;
                         driver().DeleteTextures(count, names);
                       }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::CreateProgram)>
      create_program_{&egl::GlApi::CreateProgram, +[]() -> GLuint {
                        ++live();
                        ++made_programs();
                        return driver().CreateProgram();
                      }};
  egl::ScopedGlOverride<egl::GlApi, decltype(egl::GlApi::DeleteProgram)>
      delete_program_{&egl::GlApi::DeleteProgram, +[](GLuint name) {
                        --live();
                        driver().DeleteProgram(name);
                      }};
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_LIVE_OBJECTS_H_
