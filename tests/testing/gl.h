// Helpers of the tests of GL objects: a context to be in, buffers to read.
#ifndef GLES_DELEGATE_TESTS_TESTING_GL_H_
#define GLES_DELEGATE_TESTS_TESTING_GL_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "egl/context.h"
#include "egl/objects.h"
#include "tests/testing/device.h"

namespace gles_delegate::testing {

// Runs a test's body in the shared context; the body asserts for itself.
inline void InContext(absl::FunctionRef<void()> body) {
  const absl::Status status = TestContext()->Run([&] {
    body();
    return egl::CheckGl("what the test left behind");
  });
  EXPECT_TRUE(status.ok()) << status;
}

template <typename T>
absl::Span<const uint8_t> BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()),
          values.size() * sizeof(T)};
}

template <typename T>
std::vector<T> ReadAll(const egl::Buffer& buffer) {
  std::vector<T> values(buffer.bytes() / sizeof(T));
  const absl::Status status =
      buffer.Read(0, absl::MakeSpan(reinterpret_cast<uint8_t*>(values.data()),
                                    buffer.bytes()));
  EXPECT_TRUE(status.ok()) << status;
  return values;
}

// Doubles the unsigned integers of a buffer.
inline constexpr char kDouble[] = R"(#version 310 es
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Data { uint value[]; };
void main() { value[gl_GlobalInvocationID.x] *= 2u; }
)";

inline void RunDouble(const egl::Program& program, const egl::Buffer& buffer,
                      GLuint count) {
  egl::gl().UseProgram(program.id());
  egl::gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer.id());
  egl::gl().DispatchCompute(count, 1, 1);
  egl::gl().MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
}

// Fails the test with a Status's message if there is no value.
template <typename T>
T Must(absl::StatusOr<T> value) {
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? *std::move(value) : T();
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_GL_H_
