// Counts the calls that bring bytes between the CPU and GL.
#ifndef GLES_DELEGATE_TESTS_TESTING_COUNTED_CALLS_H_
#define GLES_DELEGATE_TESTS_TESTING_COUNTED_CALLS_H_

#include <cstdint>

#include "tests/testing/driver_faults.h"

namespace gles_delegate::testing {

// While it lives. One at a time.
class CountedCalls {
 public:
  // Calls that move bytes between the CPU and GL, or make memory for that.
  int host_calls() const { return counts_.host; }
  // The bytes that they moved between buffers and the CPU.
  int64_t host_bytes() const { return counts_.host_bytes; }
  // The same for textures, which constants may live in.
  int texture_calls() const { return counts_.textures; }
  int programs() const { return counts_.programs; }  // made
  int objects() const { return counts_.objects; }    // buffers and textures
  int dispatches() const { return counts_.dispatches; }
  // Calls by which the CPU waits for the GPU.
  int waits() const { return counts_.waits; }
  void Reset() { counts_ = {}; }

 private:
  using GlApi = egl::GlApi;
  template <auto kMember>
  using Before = egl::Before<kMember>;
  struct Counts {
    int host = 0, textures = 0, programs = 0, objects = 0, dispatches = 0,
        waits = 0;
    int64_t host_bytes = 0;
  };

  mutable Counts counts_;
  Before<&GlApi::BufferSubData> sub_data_{
      [this](GLenum, GLintptr, GLsizeiptr size, auto...) {
        ++counts_.host;
        counts_.host_bytes += size;
      }};
  Before<&GlApi::MapBufferRange> map_{
      [this](GLenum, GLintptr, GLsizeiptr length, auto...) {
        ++counts_.host;
        counts_.host_bytes += length;
      }};
  Before<&GlApi::BufferStorageEXT> storage_{
      [this](auto...) { ++counts_.host; }};
  Before<&GlApi::TexSubImage2D> sub_image_{
      [this](auto...) { ++counts_.textures; }};
  Before<&GlApi::ReadPixels> read_pixels_{
      [this](auto...) { ++counts_.textures; }};
  Before<&GlApi::CreateProgram> program_{
      [this](auto...) { ++counts_.programs; }};
  Before<&GlApi::GenBuffers> buffers_{
      [this](GLsizei count, auto...) { counts_.objects += count; }};
  Before<&GlApi::GenTextures> textures_{
      [this](GLsizei count, auto...) { counts_.objects += count; }};
  Before<&GlApi::DispatchCompute> dispatches_{
      [this](auto...) { ++counts_.dispatches; }};
  Before<&GlApi::ClientWaitSync> client_wait_{
      [this](auto...) { ++counts_.waits; }};
  Before<&GlApi::Finish> finish_{[this](auto...) { ++counts_.waits; }};
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_COUNTED_CALLS_H_
