// labels: op llvmpipe softpipe
// GLES_DELEGATE_DEBUG: the driver's messages in the log, groups around
// dispatches, labels of objects.
#include "egl/debug.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/runtime/executor.h"
#include "egl/objects.h"
#include "egl/testing.h"
#include "tests/testing/device.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"

namespace gles_delegate::testing {
namespace {

using ::gles_delegate::egl::GlApi;
using ::gles_delegate::egl::ScopedGlOverride;

// The attributes that the driver was asked for.
struct Calls {
  std::vector<std::string> groups;  // as they were pushed
  int depth = 0;
  int max_depth = 0;
  std::vector<std::string> labels;
};
Calls& Seen() {
  static Calls& calls = *new Calls;
  return calls;
}

void Push(GLenum source, GLuint id, GLsizei length, const GLchar* message) {
  Seen().groups.emplace_back(message, length);
  ++Seen().depth;
  Seen().max_depth = std::max(Seen().max_depth, Seen().depth);
  egl::driver_gl().PushDebugGroupKHR(source, id, length, message);
}

void Pop() {
  --Seen().depth;
  egl::driver_gl().PopDebugGroupKHR();
}

void Label(GLenum kind, GLuint object, GLsizei length, const GLchar* label) {
  Seen().labels.emplace_back(label, length);
  egl::driver_gl().ObjectLabelKHR(kind, object, length, label);
}

class DebugTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    if (!TestContext()->device().Has("GL_KHR_debug")) {
      GTEST_SKIP() << "this driver has no GL_KHR_debug";
    }
    Seen() = Calls();
  }

  // Two Invokes of two convolutions; returns their labels.
  static std::vector<std::string> InvokeTwice() {
    const ScopedGlOverride push(&GlApi::PushDebugGroupKHR, Push);
    const ScopedGlOverride pop(&GlApi::PopDebugGroupKHR, Pop);
    const ScopedGlOverride label(&GlApi::ObjectLabelKHR, Label);
    std::vector<std::string> labels;
    const absl::Status status = TestContext()->Run([&]() -> absl::Status {
      const DeviceProfile profile = ProfileFor(TestContext()->device(), {});
      GraphBuilder b;
      b.graph.outputs = {b.Conv(b.Conv(b.Input({1, 8, 8, 4})))};
      ASSIGN_OR_RETURN(auto planned,
                       PlanPartition(std::move(b.graph), profile, nullptr));
      for (const Dispatch& d : planned.dispatches) labels.push_back(d.label);
      ProgramCache programs;
      ASSIGN_OR_RETURN(
          auto executor,
          Executor::Create(*TestContext(), &programs, planned.graph,
                           planned.dispatches, profile));
      std::vector<float> in(8 * 8 * 4, 1.0f), out(8 * 8 * 4);
      const absl::Span<const uint8_t> input(
          reinterpret_cast<const uint8_t*>(in.data()), in.size() * 4);
      const absl::Span<uint8_t> output(reinterpret_cast<uint8_t*>(out.data()),
                                       out.size() * 4);
      for (int i = 0; i < 2; ++i) {
        RETURN_IF_ERROR(executor->Invoke({&input, 1}, {&output, 1}));
      }
      return egl::CheckGl("labelling");
    });
    EXPECT_TRUE(status.ok()) << status;
    return labels;
  }
};

TEST_F(DebugTest, EachDispatchIsAGroupOfItsLabel) {
  const ScopedDebug debug("context");
  const std::vector<std::string> labels = InvokeTwice();
  ASSERT_GE(labels.size(), 2u);
  EXPECT_EQ(Seen().depth, 0);
  EXPECT_EQ(Seen().max_depth, 1);
  for (const std::string& label : labels) {
    EXPECT_EQ(std::count(Seen().groups.begin(), Seen().groups.end(), label),
              2 * std::count(labels.begin(), labels.end(), label))
        << label;
  }
}

TEST_F(DebugTest, ObjectsHaveLabels) {
  const ScopedDebug debug("context");
  const std::vector<std::string> labels = InvokeTwice();
  ASSERT_FALSE(labels.empty());
  EXPECT_THAT(Seen().labels, Contains(HasSubstr(labels[0])));  // a program
  EXPECT_THAT(Seen().labels, Contains(HasSubstr("slot 0")));
  EXPECT_THAT(Seen().labels, Contains(HasSubstr("weights")));
  EXPECT_THAT(Seen().labels, Contains(std::string("parameters")));
}

TEST_F(DebugTest, WithoutTheVariableNothingOfItHappens) {
  const ScopedNoDebug debug;
  InvokeTwice();
  EXPECT_THAT(Seen().groups, IsEmpty());
  EXPECT_THAT(Seen().labels, IsEmpty());
}

// The text on stderr after two messages of `text` and an error were raised in a
// separate context.
std::string LogOf(const std::string& text, absl::Status* error) {
  ::testing::internal::CaptureStderr();
  auto context = egl::Context::Create({});
  EXPECT_TRUE(context.ok()) << context.status();
  *error = (*context)->Run([&] {
    for (int i = 0; i < 2; ++i) {
      egl::gl().DebugMessageInsertKHR(
          GL_DEBUG_SOURCE_APPLICATION_KHR, GL_DEBUG_TYPE_OTHER_KHR, /*id=*/1,
          GL_DEBUG_SEVERITY_HIGH_KHR, static_cast<GLsizei>(text.size()),
          text.c_str());
    }
    egl::gl().Enable(0xFFFF);
    return egl::CheckGl("enabling");
  });
  return ::testing::internal::GetCapturedStderr();
}

TEST_F(DebugTest, TheDriversMessagesAreLoggedOnceEach) {
  const ScopedDebug debug("context");
  absl::Status error;
  const std::string log = LogOf("debug_test was here", &error);
  const std::string line =
      "TfLiteGlesDelegate: driver: high: debug_test was here\n";
  EXPECT_THAT(log, HasSubstr(line));
  EXPECT_EQ(log.find(line), log.rfind(line));
  // The errors' own messages are still part of the errors.
  EXPECT_THAT(error.message(), AllOf(HasSubstr("enabling: GL_INVALID_ENUM"),
                                     HasSubstr("\n  driver: ")));
}

TEST_F(DebugTest, OfProgramsTheMessagesAreLoggedEachTime) {
  const ScopedDebug debug("programs");
  absl::Status error;
  const std::string log = LogOf("debug_test was here, too", &error);
  const std::string line =
      "TfLiteGlesDelegate: driver: high: debug_test was here, too\n";
  EXPECT_THAT(log, HasSubstr(line));
  EXPECT_NE(log.find(line), log.rfind(line));
}

// The lines of `log` that begin with `lead`, without it.
std::vector<std::string> LinesOf(const std::string& log, const char* lead) {
  std::vector<std::string> lines;
  for (const absl::string_view line : absl::StrSplit(log, '\n')) {
    if (absl::StartsWith(line, lead)) {
      lines.emplace_back(line.substr(std::strlen(lead)));
    }
  }
  return lines;
}

TEST_F(DebugTest, EachProgramIsCompiledBetweenItsLines) {
  std::vector<std::string> labels, begun, ended;
  {
    const ScopedDebug debug("programs");
    ::testing::internal::CaptureStderr();
    labels = InvokeTwice();
    const std::string log = ::testing::internal::GetCapturedStderr();
    begun = LinesOf(log, "TfLiteGlesDelegate: program begins: ");
    ended = LinesOf(log, "TfLiteGlesDelegate: program ends: ");
  }
  ASSERT_FALSE(labels.empty());
  // Both convolutions have one program.
  EXPECT_THAT(begun, Contains(StartsWith(labels[0] + " (")).Times(1));
  EXPECT_EQ(begun, ended);
  // And nothing of it without the variable.
  const ScopedDebug debug("context");
  ::testing::internal::CaptureStderr();
  InvokeTwice();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              Not(HasSubstr("program begins")));
}

TEST_F(DebugTest, WithoutTheVariableTheLogHasNoMessages) {
  const ScopedNoDebug debug;
  absl::Status error;
  EXPECT_THAT(LogOf("debug_test is silent", &error),
              Not(HasSubstr("TfLiteGlesDelegate: driver:")));
  EXPECT_THAT(error.message(), HasSubstr("enabling: GL_INVALID_ENUM"));
}

}  // namespace
}  // namespace gles_delegate::testing
