// Counts GL's objects that were made and not deleted.
#ifndef GLES_DELEGATE_TESTS_TESTING_LIVE_OBJECTS_H_
#define GLES_DELEGATE_TESTS_TESTING_LIVE_OBJECTS_H_

#include <atomic>

#include "tests/testing/driver_faults.h"

namespace gles_delegate::testing {

// Buffers, textures, samplers, framebuffers, shaders, programs and fences that
// were made, and those of them that are left. One at a time; on any threads.
class LiveObjects {
 public:
  int programs() const { return made_programs_; }
  int left() const { return live_; }

 private:
  template <auto kMember>
  using Before = egl::Before<kMember>;
  // What makes or deletes names, counted.
  template <auto kGen, auto kDelete>
  struct Names {
    std::atomic<int>& live;
    Before<kGen> gen{[this](GLsizei count, auto...) { live += count; }};
    Before<kDelete> del{[this](GLsizei count, auto...) { live -= count; }};
  };
  using Api = egl::GlApi;

  // Counted in const objects, too.
  mutable std::atomic<int> live_ = 0, made_programs_ = 0;
  Names<&Api::GenBuffers, &Api::DeleteBuffers> buffers_{live_};
  Names<&Api::GenTextures, &Api::DeleteTextures> textures_{live_};
  Names<&Api::GenSamplers, &Api::DeleteSamplers> samplers_{live_};
  Names<&Api::GenFramebuffers, &Api::DeleteFramebuffers> framebuffers_{live_};
  Before<&Api::DeleteProgram> deleted_programs_{[this](auto...) { --live_; }};
  Before<&Api::DeleteShader> deleted_shaders_{[this](auto...) { --live_; }};
  Before<&Api::DeleteSync> deleted_fences_{[this](auto...) { --live_; }};
  Before<&Api::CreateProgram> programs_{[this](auto...) {
    ++live_;
    ++made_programs_;
  }};
  Before<&Api::CreateShader> shaders_{[this](auto...) { ++live_; }};
  Before<&Api::FenceSync> fences_{[this](auto...) { ++live_; }};
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_LIVE_OBJECTS_H_
