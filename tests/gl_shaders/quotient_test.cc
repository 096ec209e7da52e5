// labels: op llvmpipe
// op_quotient against the division of integers, for every index that it is for.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/ops/dispatches.h"
#include "egl/objects.h"
#include "gl_shaders/shader.h"
#include "tests/testing/device.h"
#include "tests/testing/gl.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Buffer;
using ::gles_delegate::egl::gl;
using ::gles_delegate::egl::Program;

constexpr int kWorkGroup = 128;

// Counts the quotients that differ, by divisor.
constexpr char kMain[] = R"(
layout(std430, binding = 0) readonly buffer Divisors { int divisors[]; };
layout(std430, binding = 1) readonly buffer Reciprocals { float reciprocals[]; };
layout(std430, binding = 2) buffer Wrong { uint wrong[]; };
void main() {
  int a = int(gl_GlobalInvocationID.x);
  for (int i = 0; i < divisors.length(); ++i) {
    if (op_quotient(a, reciprocals[i]) != a / divisors[i]) {
      atomicAdd(wrong[i], 1u);
    }
  }
}
)";

template <typename T>
Buffer BufferOf(const std::vector<T>& values) {
  return Must(Buffer::Create(values.size() * sizeof(T), values.data(),
                             GL_DYNAMIC_COPY));
}

// Numbers that images and tensors have, primes, and the largest.
TEST(QuotientTest, IsTheIntegersOwnForEveryIndex) {
  GLES_SKIP_WITHOUT_DEVICE();
  const std::vector<int> divisors = {
      1,    2,    3,   4,    5,    6,    7,     9,      10,      14,     19,
      28,   33,   49,  112,  127,  224,  257,   300,    481,     640,    1001,
      1023, 1024, 999, 1449, 2047, 4099, 65537, 524287, 1048577, 2097151};
  std::vector<float> reciprocals;
  for (const int divisor : divisors) {
    reciprocals.push_back(Reciprocal(divisor));
  }
  InContext([&] {
    const std::string text = absl::StrCat(
        "#version 310 es\nprecision highp float;\nprecision highp int;\n"
        "layout(local_size_x = ",
        kWorkGroup, ") in;\n", gl_shaders::Library().Select({"op_quotient"}),
        kMain);
    const Program program = Must(Program::Compile(text, "quotient"));
    const Buffer of_divisors = BufferOf(divisors);
    const Buffer of_reciprocals = BufferOf(reciprocals);
    const Buffer wrong = BufferOf(std::vector<uint32_t>(divisors.size()));
    gl().UseProgram(program.id());
    GLuint binding = 0;
    for (const Buffer* buffer : {&of_divisors, &of_reciprocals, &wrong}) {
      gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, binding++, buffer->id());
    }
    gl().DispatchCompute(kQuotientEnd / kWorkGroup, 1, 1);
    gl().MemoryBarrier(GL_ALL_BARRIER_BITS);
    const auto counts = ReadAll<uint32_t>(wrong);
    for (size_t i = 0; i < divisors.size(); ++i) {
      EXPECT_EQ(counts[i], 0u) << "by " << divisors[i];
    }
  });
}

}  // namespace
}  // namespace gles_delegate::testing
