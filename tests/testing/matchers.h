// gMock's matchers that tests use, by short names.
#ifndef GLES_DELEGATE_TESTS_TESTING_MATCHERS_H_
#define GLES_DELEGATE_TESTS_TESTING_MATCHERS_H_

#include "gmock/gmock.h"  // IWYU pragma: export

namespace gles_delegate::testing {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::EndsWith;
using ::testing::FloatEq;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::Pointwise;
using ::testing::SizeIs;
using ::testing::StartsWith;

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_MATCHERS_H_
