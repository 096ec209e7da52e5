// Counts the calls that bring bytes between the CPU and GL.
#ifndef GLES_DELEGATE_TESTS_TESTING_COUNTED_CALLS_H_
#define GLES_DELEGATE_TESTS_TESTING_COUNTED_CALLS_H_

#include "egl/testing.h"

namespace gles_delegate::testing {

// While it lives. One at a time.
class CountedCalls {
 public:
  CountedCalls() = default;

  // Calls that move bytes between the CPU and GL, or make memory for that.
  int host_calls() const { return counts().host; }
  // The same for textures, which constants may live in.
  int texture_calls() const { return counts().textures; }
  int programs() const { return counts().programs; }  // made
  int objects() const { return counts().objects; }    // buffers and textures
  void Reset() { counts() = {}; }

 private:
  using GlApi = egl::GlApi;
  struct Counts {
    int host = 0, textures = 0, programs = 0, objects = 0;
  };
  static Counts& counts() {
    static Counts counts;
    return counts;
  }

  const bool is_begun_ = [] {
    counts() = {};
    return true;
  }();
  egl::ScopedGlOverride<GlApi, decltype(GlApi::BufferSubData)> sub_data_{
      &GlApi::BufferSubData,
      +[](GLenum target, GLintptr offset, GLsizeiptr size, const void* data) {
        ++counts().host;
        egl::driver_gl().BufferSubData(target, offset, size, data);
      }};
  egl::ScopedGlOverride<GlApi, decltype(GlApi::MapBufferRange)> map_{
      &GlApi::MapBufferRange, +[](GLenum target, GLintptr offset,
                                  GLsizeiptr length, GLbitfield access) {
        ++counts().host;
        return egl::driver_gl().MapBufferRange(target, offset, length, access);
      }};
  egl::ScopedGlOverride<GlApi, decltype(GlApi::BufferStorageEXT)> storage_{
      &GlApi::BufferStorageEXT,
      +[](GLenum target, GLsizeiptr size, const void* data, GLbitfield flags) {
        ++counts().host;
        egl::driver_gl().BufferStorageEXT(target, size, data, flags);
      }};
  egl::ScopedGlOverride<GlApi, decltype(GlApi::TexSubImage2D)> sub_image_{
      &GlApi::TexSubImage2D,
      +[](GLenum target, GLint level, GLint x, GLint y, GLsizei width,
          GLsizei height, GLenum format, GLenum type, const void* data) {
        ++counts().textures;
        egl::driver_gl().TexSubImage2D(target, level, x, y, width, height,
                                       format, type, data);
      }};
  egl::ScopedGlOverride<GlApi, decltype(GlApi::ReadPixels)> read_pixels_{
      &GlApi::ReadPixels, +[](GLint x, GLint y, GLsizei width, GLsizei height,
                              GLenum format, GLenum type, void* data) {
        ++counts().textures;
        egl::driver_gl().ReadPixels(x, y, width, height, format, type, data);
      }};
  egl::ScopedGlOverride<GlApi, decltype(GlApi::CreateProgram)> program_{
      &GlApi::CreateProgram, +[]() -> GLuint {
        ++counts().programs;
        return egl::driver_gl().CreateProgram();
      }};
  egl::ScopedGlOverride<GlApi, decltype(GlApi::GenBuffers)> buffers_{
      &GlApi::GenBuffers, +[](GLsizei count, GLuint* names) {
        counts().objects += count;
        egl::driver_gl().GenBuffers(count, names);
      }};
  egl::ScopedGlOverride<GlApi, decltype(GlApi::GenTextures)> textures_{
      &GlApi::GenTextures, +[](GLsizei count, GLuint* names) {
        counts().objects += count;
        egl::driver_gl().GenTextures(count, names);
      }};
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_COUNTED_CALLS_H_
