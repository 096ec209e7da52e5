// labels: unit sanitize
// The accelerator under a LiteRT of any version: short structs, newer ones,
// null members, members that fail.
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/adapters/litert/accelerator.h"
#include "tests/litert/fake_litert.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"

namespace gles_delegate::testing {
namespace {

struct Outcome {
  int status;
  std::string said;  // on stderr
};

Outcome Create(FakeLiteRt& fake) {
  ::testing::internal::CaptureStderr();
  void* wrapper = nullptr;
  const int status = LiteRtAcceleratorImpl.create_delegate(
      fake.context(), fake.environment(), nullptr, fake.options(), &wrapper);
  EXPECT_EQ(status == litert::kOk, wrapper != nullptr);
  EXPECT_EQ(status == litert::kOk, fake.delegate() != nullptr);
  return {status, ::testing::internal::GetCapturedStderr()};
}

TEST(LitertAcceleratorTest, IsAGpuOfVersionOne) {
  const litert::AcceleratorDefinition& definition = LiteRtAcceleratorImpl;
  EXPECT_EQ(definition.header.struct_size, 200);
  EXPECT_EQ(definition.header.major, 1);
  EXPECT_EQ(definition.header.minor, 0);
  const char* name = nullptr;
  EXPECT_EQ(definition.get_name(nullptr, &name), litert::kOk);
  EXPECT_STREQ(name, "GPU OpenGL ES (gles_delegate)");
  litert::ApiVersion version = {};
  EXPECT_EQ(definition.get_version(nullptr, &version), litert::kOk);
  EXPECT_EQ(version.major, 1);
  int hardware = 0;
  EXPECT_EQ(definition.get_hardware_support(nullptr, &hardware), litert::kOk);
  EXPECT_EQ(hardware, 2);
  bool compiles = false;
  EXPECT_EQ(definition.is_responsible_for_jit_compilation(nullptr, &compiles),
            litert::kOk);
  EXPECT_TRUE(compiles);
  const litert::BufferHandlers& handlers = definition.buffer_handlers;
  ASSERT_EQ(handlers.type_count, 1u);
  EXPECT_EQ(handlers.types[0], 150);
}

TEST(LitertAcceleratorTest, MakesBuffersOfTheLargerSize) {
  const litert::BufferHandlers& handlers =
      LiteRtAcceleratorImpl.buffer_handlers;
  litert::MemoryInfo* info = nullptr;
  EXPECT_EQ(handlers.create(nullptr, nullptr, nullptr, 1, 4, 4, &info),
            litert::kInvalidArgument);  // another type
  ASSERT_EQ(handlers.create(nullptr, nullptr, nullptr, 150, 4, 8, &info),
            litert::kOk);
  constexpr int kRead = 0, kWrite = 1;
  void* memory = nullptr;
  ASSERT_EQ(handlers.lock(info, kWrite, &memory), litert::kOk);
  std::memset(memory, 7, 8);
  EXPECT_EQ(handlers.unlock(info), litert::kOk);
  ASSERT_EQ(handlers.lock(info, kRead, &memory), litert::kOk);
  EXPECT_EQ(std::string(static_cast<char*>(memory), 8), std::string(8, 7));
  EXPECT_EQ(handlers.clear(info), litert::kOk);
  ASSERT_EQ(handlers.lock(info, kRead, &memory), litert::kOk);
  EXPECT_EQ(std::string(static_cast<char*>(memory), 8), std::string(8, 0));
  EXPECT_EQ(handlers.destroy(info), litert::kOk);
  EXPECT_EQ(handlers.destroy(nullptr), litert::kInvalidArgument);
}

TEST(LitertAcceleratorTest, NullResultsAreRefused) {
  const litert::AcceleratorDefinition& definition = LiteRtAcceleratorImpl;
  EXPECT_EQ(definition.get_name(nullptr, nullptr), litert::kInvalidArgument);
  EXPECT_EQ(definition.get_version(nullptr, nullptr), litert::kInvalidArgument);
  EXPECT_EQ(definition.get_hardware_support(nullptr, nullptr),
            litert::kInvalidArgument);
  EXPECT_EQ(definition.is_responsible_for_jit_compilation(nullptr, nullptr),
            litert::kInvalidArgument);
  FakeLiteRt fake;
  EXPECT_EQ(
      definition.create_delegate(fake.context(), fake.environment(), nullptr,
                                 fake.options(), /*wrapper=*/nullptr),
      litert::kInvalidArgument);
  void* wrapper = nullptr;
  EXPECT_EQ(definition.create_delegate(/*runtime_context=*/nullptr,
                                       fake.environment(), nullptr,
                                       fake.options(), &wrapper),
            litert::kInvalidArgument);
}

// 2.2, 2.3, and what may come: members are appended, the major version stays.
TEST(LitertAcceleratorTest, EachMinorVersionIsTaken) {
  const struct {
    uint16_t size, minor;
  } versions[] = {{400, 0}, {408, 1}, {416, 2}, {4096, 9}};
  for (const auto& version : versions) {
    FakeLiteRt fake(version.size, 1, version.minor);
    const Outcome outcome = Create(fake);
    EXPECT_EQ(outcome.status, litert::kOk) << version.size << outcome.said;
    EXPECT_THAT(outcome.said, IsEmpty());
  }
}

TEST(LitertAcceleratorTest, AnotherMajorVersionIsDeclined) {
  for (const uint16_t major : {0, 2, 65535}) {
    FakeLiteRt fake(416, major, 0);
    const Outcome outcome = Create(fake);
    EXPECT_EQ(outcome.status, litert::kWrongVersion);
    EXPECT_THAT(
        outcome.said,
        AllOf(HasSubstr("ERROR: libLiteRtGpuAccelerator: "),
              HasSubstr("version " + std::to_string(major) + ".0 of 416 bytes"),
              HasSubstr("this library knows 1.x")));
  }
}

// A struct that ends before, or in the middle of, the one function that is
// needed.
TEST(LitertAcceleratorTest, ATooShortContextIsDeclined) {
  for (const uint16_t size : {8, 80, 144, 145, 151}) {
    FakeLiteRt fake(size);
    const Outcome outcome = Create(fake);
    EXPECT_EQ(outcome.status, litert::kWrongVersion) << size;
    EXPECT_THAT(outcome.said, HasSubstr("without a function at 144"));
  }
}

TEST(LitertAcceleratorTest, AShortContextIsEnough) {
  FakeLiteRt fake(152);
  EXPECT_EQ(Create(fake).status, litert::kOk);
}

TEST(LitertAcceleratorTest, NullMembersAreNotCalled) {
  FakeLiteRt without_wrap;
  without_wrap.Clear(kAtWrapDelegate);
  EXPECT_EQ(Create(without_wrap).status, litert::kWrongVersion);
  for (const size_t member :
       {kAtGetOpaqueOptions, kAtFindOpaqueOptionsData, kAtGetEnvironmentOptions,
        kAtGetEnvironmentOptionsValue}) {
    FakeLiteRt fake;
    fake.gpu_options = "precision = 1\n";
    fake.Clear(member);
    EXPECT_EQ(Create(fake).status, litert::kOk) << member;
  }
}

TEST(LitertAcceleratorTest, NoEnvironmentAndNoOptionsAreDefaults) {
  FakeLiteRt fake;
  void* wrapper = nullptr;
  EXPECT_EQ(LiteRtAcceleratorImpl.create_delegate(fake.context(), nullptr,
                                                  nullptr, nullptr, &wrapper),
            litert::kOk);
  fake.DeleteDelegate();
  fake.has_gpu_options = false;
  EXPECT_EQ(Create(fake).status, litert::kOk);
}

// The leak sanitizer finds a delegate that LiteRT did not take and no one
// deleted.
TEST(LitertAcceleratorTest, AFunctionThatFailsIsAnError) {
  const std::pair<int FakeLiteRt::*, const char*> failures[] = {
      {&FakeLiteRt::find_status, "cannot give its GPU options"},
      {&FakeLiteRt::wrap_status, "does not take the delegate"}};
  for (const auto& [status, words] : failures) {
    FakeLiteRt fake;
    fake.*status = litert::kRuntimeFailure;
    const Outcome outcome = Create(fake);
    EXPECT_EQ(outcome.status, litert::kRuntimeFailure);
    EXPECT_THAT(outcome.said,
                HasSubstr(absl::StrCat("LiteRT ", words, " (status 3)")));
  }
}

TEST(LitertAcceleratorTest, BadOptionsAreRefusedWithTheReason) {
  FakeLiteRt fake;
  fake.gpu_options = "precision = 9\n";
  const Outcome outcome = Create(fake);
  EXPECT_EQ(outcome.status, litert::kInvalidArgument);
  EXPECT_THAT(outcome.said, HasSubstr("GPU option precision is 9, not 0 to 3"));
}

TEST(LitertAcceleratorTest, UnknownKeysAreNamedOnce) {
  FakeLiteRt first;
  first.gpu_options = "of_the_future = 1\nprecision = 2\n";
  EXPECT_THAT(Create(first).said,
              AllOf(HasSubstr("WARNING: libLiteRtGpuAccelerator: "),
                    HasSubstr("have no effect: of_the_future."),
                    Not(HasSubstr("precision"))));
  FakeLiteRt second;
  second.gpu_options = "of_the_future = 1\nof_another_one = true\n";
  EXPECT_THAT(Create(second).said,
              AllOf(HasSubstr("no effect: of_another_one."),
                    Not(HasSubstr("of_the_future"))));
}

TEST(LitertAcceleratorTest, TheEnvironmentVariableIsHeard) {
  const ScopedEnvironment bad("GLES_DELEGATE_OPTIONS", "storage:attic");
  FakeLiteRt fake;
  const Outcome outcome = Create(fake);
  EXPECT_EQ(outcome.status, litert::kInvalidArgument);
  EXPECT_THAT(outcome.said, HasSubstr("GLES_DELEGATE_OPTIONS"));
}

// A context that is current nowhere cannot be borrowed.
TEST(LitertAcceleratorTest, AnEglContextOfAnotherThreadIsNotBorrowed) {
  FakeLiteRt fake;
  const int not_current = 0;
  fake.environment_options[litert::kEglContext] = &not_current;
  const Outcome outcome = Create(fake);
  EXPECT_EQ(outcome.status, litert::kOk);
  EXPECT_THAT(outcome.said,
              HasSubstr("EGL context is not current on this thread"));
}

TEST(LitertAcceleratorTest, AnOlderLiteRtIsToldWhichOneItTakes) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(LiteRtRegisterGpuAccelerator(nullptr), litert::kWrongVersion);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("install LiteRT 2.2 or newer"));
}

}  // namespace
}  // namespace gles_delegate::testing
