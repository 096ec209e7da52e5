// labels: unit sanitize
// The table of features that exclude one another, and the public header, which
// tells users of it.
#include <fstream>
#include <string>

#include "delegate/session/executor_source.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

// The lines of comment around the line that has `words`, as one text.
std::string CommentWith(const std::string& words) {
  std::ifstream file(GLES_DELEGATE_SOURCE_DIR
                     "/delegate/include/gles_delegate/gles_delegate.h");
  std::string comment, line;
  while (std::getline(file, line)) {
    const size_t start = line.find("// ");
    if (start == std::string::npos) {
      if (comment.find(words) != std::string::npos) return comment;
      comment.clear();
    } else {
      comment += line.substr(start + 2);
    }
  }
  return "";
}

TEST(ExclusionsTest, EachFactExcludesWhatItsRowSays) {
  EXPECT_EQ(WhyNoBaseline({}), "");
  EXPECT_EQ(WhyNoZeroCopy({}), "");
  for (const Exclusion& row : Exclusions()) {
    FeatureFacts facts;
    facts.*row.fact = true;
    EXPECT_EQ(WhyNoBaseline(facts), row.excludes_baseline ? row.why : "");
    EXPECT_EQ(WhyNoZeroCopy(facts), row.excludes_zero_copy ? row.why : "");
  }
}

TEST(ExclusionsTest, TheHeaderNamesThemAll) {
  const std::string baseline = CommentWith("in a borrowed context and");
  const std::string zero_copy = CommentWith("without copies on the host");
  ASSERT_NE(baseline, "");
  ASSERT_NE(zero_copy, "");
  for (const Exclusion& row : Exclusions()) {
    if (row.name == nullptr) continue;
    if (row.excludes_baseline) {
      EXPECT_THAT(baseline, HasSubstr(row.name));
    }
    if (row.excludes_zero_copy) {
      EXPECT_THAT(zero_copy, HasSubstr(row.name));
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing
