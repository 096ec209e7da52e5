// labels: unit sanitize abi
// The option struct grows from release to release: apps that were compiled
// against a shorter or a longer one than the library's (tests/abi/caller.c).
// Each struct ends where a block ends, so that a byte read or written past it
// is a crash (a page without access) or a report of AddressSanitizer (the
// heap).
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include "delegate/tflite/options.h"
#include "gles_delegate/gles_delegate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/guarded_page.h"

#define DECLARE_CALLER(prefix)            \
  extern "C" size_t prefix##Size(void);   \
  extern "C" void prefix##Default(void*); \
  extern "C" TfLiteDelegate* prefix##Create(const void*);
DECLARE_CALLER(shorter)
DECLARE_CALLER(same)
DECLARE_CALLER(longer)
extern "C" size_t longerFirstLaterField(void);

namespace gles_delegate {
namespace {

using ::gles_delegate::testing::GuardedPage;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

struct Caller {
  const char* name;
  size_t (*size)();
  void (*defaults)(void*);
  TfLiteDelegate* (*create)(const void*);
};
constexpr Caller kShorter = {"shorter", shorterSize, shorterDefault,
                             shorterCreate};
constexpr Caller kSame = {"same", sameSize, sameDefault, sameCreate};
constexpr Caller kLonger = {"longer", longerSize, longerDefault, longerCreate};

// The caller's default options, `size()` bytes of the heap.
std::unique_ptr<char[]> Defaults(const Caller& caller) {
  std::unique_ptr<char[]> place(new char[caller.size()]);
  std::memset(place.get(), 0xa5, caller.size());
  caller.defaults(place.get());
  return place;
}

// Why these options make no delegate; "" where they do. Asked twice: with the
// struct at the end of a page, and at the end of a heap block.
std::string Refusal(const Caller& caller, const char* options) {
  GuardedPage page(caller.size());
  std::memcpy(page.data(), options, caller.size());
  std::string reasons[2];
  const char* places[] = {page.data(), options};
  for (int i = 0; i < 2; ++i) {
    TfLiteDelegate* delegate = caller.create(places[i]);
    if (delegate == nullptr) reasons[i] = TfLiteGlesDelegateLastError();
    TfLiteGlesDelegateDelete(delegate);
  }
  EXPECT_EQ(reasons[0], reasons[1]);
  return reasons[0];
}

class EachCallerTest : public ::testing::TestWithParam<Caller> {};

TEST_P(EachCallerTest, TheDefaultsAreAcceptedAndSayTheCallersSize) {
  const Caller& caller = GetParam();
  const std::unique_ptr<char[]> options = Defaults(caller);
  size_t stored = 0;
  std::memcpy(&stored, options.get(), sizeof(stored));
  EXPECT_EQ(stored, caller.size());
  EXPECT_EQ(Refusal(caller, options.get()), "");
}

TEST_P(EachCallerTest, InitWritesTheCallersBytesAndNoMore) {
  const Caller& caller = GetParam();
  GuardedPage page(caller.size());
  auto* options = reinterpret_cast<TfLiteGlesDelegateOptions*>(page.data());
  TfLiteGlesDelegateOptionsInit(options, caller.size());
  EXPECT_EQ(options->struct_size, caller.size());
  EXPECT_EQ(options->max_delegated_partitions, -1);
  EXPECT_EQ(options->exclude_nodes, nullptr);
}

TEST_P(EachCallerTest, AFieldThatTheCallerKnowsIsRead) {
  const Caller& caller = GetParam();
  const std::unique_ptr<char[]> options = Defaults(caller);
  const int32_t bad = 9;
  std::memcpy(options.get() + offsetof(TfLiteGlesDelegateOptions, storage),
              &bad, sizeof(bad));
  EXPECT_THAT(Refusal(caller, options.get()), HasSubstr("storage: 9"));
}

INSTANTIATE_TEST_SUITE_P(Callers, EachCallerTest,
                         ::testing::Values(kShorter, kSame, kLonger),
                         [](const auto& test) { return test.param.name; });

TEST(StructSizeTest, TheCallersDiffer) {
  EXPECT_LT(kShorter.size(), sizeof(TfLiteGlesDelegateOptions));
  EXPECT_EQ(kSame.size(), sizeof(TfLiteGlesDelegateOptions));
  EXPECT_GT(kLonger.size(), sizeof(TfLiteGlesDelegateOptions));
}

// A field of the next release would lie in this release's padding, which an app
// leaves undefined where it copies the struct.
TEST(StructSizeTest, TheStructDoesNotEndInPadding) {
  EXPECT_EQ(longerFirstLaterField(), sizeof(TfLiteGlesDelegateOptions))
      << "append an int32_t field `reserved_N`, zero, to the option struct";
}

TEST(StructSizeTest, FieldsThatTheCallerLacksHaveTheirDefaults) {
  GuardedPage page(kShorter.size());
  kShorter.defaults(page.data());
  const auto options = OptionsFrom(
      reinterpret_cast<const TfLiteGlesDelegateOptions*>(page.data()));
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->session.build.cache.directory, "");
}

TEST(StructSizeTest, FieldsThatTheLibraryLacksMustBeZero) {
  const std::unique_ptr<char[]> options = Defaults(kLonger);
  const std::string unknown(options.get() + kSame.size(),
                            kLonger.size() - kSame.size());
  EXPECT_THAT(unknown, Each('\0'));
  for (const size_t at : {kSame.size(), kLonger.size() - 1}) {
    options[at] = 1;
    EXPECT_THAT(Refusal(kLonger, options.get()),
                AllOf(HasSubstr("newer"), HasSubstr(std::to_string(at)),
                      HasSubstr(TfLiteGlesDelegateVersion())));
    options[at] = 0;
  }
  EXPECT_EQ(Refusal(kLonger, options.get()), "");
}

// A size that no release had: it ends inside a field.
TEST(StructSizeTest, ASizeThatCutsAFieldIsRefused) {
  constexpr size_t kCut =
      offsetof(TfLiteGlesDelegateOptions, serialization_dir) + 1;
  GuardedPage page(kCut);
  auto* options = reinterpret_cast<TfLiteGlesDelegateOptions*>(page.data());
  TfLiteGlesDelegateOptionsInit(options, kCut);
  EXPECT_EQ(TfLiteGlesDelegateCreate(options), nullptr);
  EXPECT_THAT(TfLiteGlesDelegateLastError(),
              AllOf(HasSubstr("struct_size"), HasSubstr("serialization_dir")));
}

// Init takes what it is given: no size is large enough for nothing to be said.
TEST(StructSizeTest, SizesThatAreNone) {
  TfLiteGlesDelegateOptionsInit(nullptr, sizeof(TfLiteGlesDelegateOptions));
  for (const size_t size : {size_t{0}, size_t{1}, sizeof(size_t) - 1}) {
    const std::unique_ptr<char[]> block(new char[size]);
    TfLiteGlesDelegateOptionsInit(
        reinterpret_cast<TfLiteGlesDelegateOptions*>(block.get()), size);
  }
  for (const size_t size :
       {size_t{0}, sizeof(size_t), size_t{4097}, static_cast<size_t>(-1)}) {
    GuardedPage page(sizeof(size_t));
    std::memcpy(page.data(), &size, sizeof(size));
    EXPECT_EQ(
        TfLiteGlesDelegateCreate(
            reinterpret_cast<const TfLiteGlesDelegateOptions*>(page.data())),
        nullptr);
    EXPECT_THAT(TfLiteGlesDelegateLastError(),
                AllOf(HasSubstr("struct_size"),
                      HasSubstr("TfLiteGlesDelegateOptionsInit")));
  }
}

}  // namespace
}  // namespace gles_delegate
