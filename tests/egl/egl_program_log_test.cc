// labels: unit egl
// Compiler logs of drivers that this machine need not have.
#include "egl/objects.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gles_delegate::egl {
namespace {

constexpr char kSource[] = "one\ntwo\nthree\nfour";

TEST(DescribeLogTest, KnowsEachDriversWayToNameALine) {
  EXPECT_EQ(DescribeLog("0:2(14): error: x", kSource),  // Mesa
            "0:2(14): error: x\n  2 | two");
  EXPECT_EQ(DescribeLog("0(3) : error C1503: x", kSource),  // NVIDIA
            "0(3) : error C1503: x\n  3 | three");
  EXPECT_EQ(DescribeLog("0:4: S0001: x", kSource),  // Mali
            "0:4: S0001: x\n  4 | four");
  EXPECT_EQ(DescribeLog("ERROR: 0:1: 'x' : y", kSource),  // Adreno, PowerVR
            "ERROR: 0:1: 'x' : y\n  1 | one");
}

TEST(DescribeLogTest, GivesEachLineOnceAndInOrder) {
  EXPECT_EQ(DescribeLog("0:3(1): a\n0:1(1): b\n0:3(9): c\n", kSource),
            "0:3(1): a\n0:1(1): b\n0:3(9): c\n  1 | one\n  3 | three");
}

TEST(DescribeLogTest, FollowsLineDirectives) {
  constexpr char kPieces[] = "prelude\n#line 1 1\nfirst\nsecond\n# line 7\nx\n";
  EXPECT_EQ(DescribeLog("1:2(1): a", kPieces), "1:2(1): a\n  2 | second");
  EXPECT_EQ(DescribeLog("0:1(1): a", kPieces), "0:1(1): a\n  1 | prelude");
  EXPECT_EQ(DescribeLog("1:7(1): a", kPieces), "1:7(1): a\n  7 | x");
}

TEST(DescribeLogTest, LeavesAloneWhatNamesNoLine) {
  EXPECT_EQ(DescribeLog("error: too many images\n", kSource),
            "error: too many images");
  EXPECT_EQ(DescribeLog("0:99(1): past the end", kSource),
            "0:99(1): past the end");
  EXPECT_EQ(DescribeLog("0:99999999999999(1): not a number", kSource),
            "0:99999999999999(1): not a number");
  EXPECT_EQ(DescribeLog("", ""), "");
}

}  // namespace
}  // namespace gles_delegate::egl
