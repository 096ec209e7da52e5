// labels: egl llvmpipe softpipe
// Programs: compiled, refused in words, stored and loaded.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "egl/objects.h"
#include "tests/testing/device_test.h"
#include "tests/testing/gl.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::Buffer;
using ::gles_delegate::egl::Program;

class ProgramTest : public DeviceTest {};

TEST_F(ProgramTest, ComputesIntoABuffer) {
  InContext([] {
    const std::vector<uint32_t> sent = {1, 2, 3, 4};
    const Buffer buffer =
        Must(Buffer::Create(16, sent.data(), GL_DYNAMIC_COPY));
    RunDouble(Must(Program::Compile(kDouble, "double")), buffer, 4);
    EXPECT_THAT(ReadAll<uint32_t>(buffer), ElementsAre(2, 4, 6, 8));
  });
}

TEST_F(ProgramTest, ManyCompileAtOnce) {
  InContext([] {
    std::vector<std::string> sources;
    std::vector<Program> programs;
    for (int i = 0; i < 3; ++i) {
      sources.push_back(absl::StrCat(kDouble, "// ", i));
      programs.push_back(Must(Program::Start(sources.back())));
    }
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(programs[i].Finish(sources[i], "double").ok());
    }
    EXPECT_EQ(programs[0].Finish(sources[0], "double").code(),
              absl::StatusCode::kFailedPrecondition);
  });
}

TEST_F(ProgramTest, ACompileErrorHasLabelLogAndSourceLine) {
  InContext([] {
    const absl::Status status =
        Program::Compile(
            "#version 310 es\nlayout(local_size_x = 1) in;\n"
            "void main() {\n  no_such_thing = 1;\n}\n",
            "my_op.comp")
            .status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_THAT(status.message(),
                AllOf(HasSubstr("my_op.comp"), HasSubstr("does not compile"),
                      HasSubstr("\n  4 |   no_such_thing = 1;")));
    EXPECT_THAT(status.message(), Not(HasSubstr("void main")));
  });
}

TEST_F(ProgramTest, ALinkErrorHasTheLog) {
  InContext([] {
    // A function that is declared, called and never defined.
    const absl::Status status =
        Program::Compile(
            "#version 310 es\nlayout(local_size_x = 1) in;\n"
            "void missing();\nvoid main() { missing(); }\n",
            "my_op.comp")
            .status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_THAT(status.message(),
                AllOf(HasSubstr("my_op.comp"), HasSubstr("missing")));
  });
}

TEST_F(ProgramTest, ABinaryRoundTrips) {
  InContext([] {
    const Program compiled = Must(Program::Compile(kDouble, "double"));
    const absl::StatusOr<Program::Binary> binary = compiled.GetBinary();
    if (TestContext()->device().program_binary_formats == 0) {
      EXPECT_EQ(binary.status().code(), absl::StatusCode::kUnimplemented);
      return;
    }
    ASSERT_TRUE(binary.ok()) << binary.status();
    ASSERT_FALSE(binary->data.empty());
    const Program loaded =
        Must(Program::FromBinary(binary->format, binary->data));
    const std::vector<uint32_t> sent = {1, 2};
    const Buffer buffer = Must(Buffer::Create(8, sent.data(), GL_DYNAMIC_COPY));
    RunDouble(loaded, buffer, 2);
    EXPECT_THAT(ReadAll<uint32_t>(buffer), ElementsAre(2, 4));
  });
}

TEST_F(ProgramTest, ABinaryThatIsGarbageIsRefused) {
  InContext([] {
    const std::vector<uint8_t> garbage(64, 0xA5);
    EXPECT_EQ(Program::FromBinary(0x1234, garbage).status().code(),
              absl::StatusCode::kFailedPrecondition);
    const Program compiled = Must(Program::Compile(kDouble, "double"));
    absl::StatusOr<Program::Binary> binary = compiled.GetBinary();
    if (!binary.ok()) return;  // the driver has no formats: nothing more to try
    EXPECT_EQ(Program::FromBinary(binary->format, garbage).status().code(),
              absl::StatusCode::kFailedPrecondition);
    binary->data.resize(binary->data.size() / 2);
    EXPECT_EQ(Program::FromBinary(binary->format, binary->data).status().code(),
              absl::StatusCode::kFailedPrecondition);
  });
}

}  // namespace
}  // namespace gles_delegate::testing
