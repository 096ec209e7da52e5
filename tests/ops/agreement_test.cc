// labels: unit tools sanitize
// Classes and boxes of two runs, compared.
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/runner/output_diff.h"

namespace gles_delegate {
namespace {

using ::testing::ElementsAre;

TEST(ClassAgreementTest, EqualScoresGoByTheirPlace) {
  EXPECT_THAT(Top({1, 3, 3, 0}, 3), ElementsAre(1, 2, 0));
  EXPECT_THAT(Top({1}, 5), ElementsAre(0));
}

TEST(ClassAgreementTest, TopFiveIsASetTopOneIsNot) {
  ClassAgreement agreement;
  agreement.Add({9, 8, 7, 6, 5, 4},
                {8, 9, 7, 6, 5, 4});  // the first two swapped
  EXPECT_EQ(agreement.top_1, 0);
  EXPECT_EQ(agreement.top_5, 1);
  agreement.Add({9, 8, 7, 6, 5, 4}, {9, 8, 7, 6, 4, 5});  // another fifth
  EXPECT_EQ(agreement.top_1, 1);
  EXPECT_EQ(agreement.top_5, 1);
  EXPECT_EQ(agreement.runs, 2);
}

TEST(BoxAgreementTest, IntersectionOverUnion) {
  const Box box = {0, 0, 1, 1, 3, 0.9f};
  EXPECT_EQ(IntersectionOverUnion(box, box), 1);
  EXPECT_FLOAT_EQ(IntersectionOverUnion(box, {0, 0, 0.5f, 1, 3, 0.9f}), 0.5f);
  EXPECT_EQ(IntersectionOverUnion(box, {2, 2, 3, 3, 3, 0.9f}), 0);
  EXPECT_EQ(IntersectionOverUnion({1, 1, 0, 0, 3, 0.9f}, {0, 0, 0, 0, 3, 0.9f}),
            0);
}

TEST(BoxAgreementTest, MatchesEachBoxOnceByLabelAndPlace) {
  const std::vector<Box> reference = {{0, 0, 1, 1, 3, 0.9f},
                                      {0, 0, 1, 1, 3, 0.8f},
                                      {0, 0, 1, 1, 5, 0.2f}};  // too faint
  const std::vector<Box> actual = {{0, 0, 1, 1, 7, 0.9f},      // another label
                                   {0, 0, 0.8f, 1, 3, 0.9f}};
  BoxAgreement agreement;
  agreement.Add(reference, actual);
  EXPECT_EQ(agreement.reference, 2);
  EXPECT_EQ(agreement.actual, 2);
  EXPECT_EQ(agreement.matched, 1);
  EXPECT_FLOAT_EQ(agreement.mean_iou(), 0.8f);
  EXPECT_FLOAT_EQ(agreement.min_iou, 0.8f);
}

}  // namespace
}  // namespace gles_delegate
