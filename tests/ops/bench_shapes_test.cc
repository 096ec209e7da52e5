// labels: unit tools sanitize
// The rows of benches/shapes, of which op_bench makes its nodes.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/delegate_case.h"
#include "tools/cases/model.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {
namespace {

namespace fs = std::filesystem;

TEST(BenchShapesTest, AreModelsThatTfliteTakesWithTheShapesOfTheRows) {
  const fs::path lists = fs::path(GLES_DELEGATE_SOURCE_DIR) / "benches/shapes";
  int rows = 0;
  for (const auto& list : fs::directory_iterator(lists)) {
    if (list.path().extension() != ".tsv") continue;
    std::ifstream file(list.path());
    std::string line;
    ASSERT_TRUE(std::getline(file, line));
    EXPECT_EQ(line, "node\tcount\tcase");
    for (; std::getline(file, line); ++rows) {
      SCOPED_TRACE(list.path().stem().string() + ": " + line);
      const std::vector<std::string> cells = absl::StrSplit(line, '\t');
      ASSERT_EQ(cells.size(), 3u);
      const auto spec = cases::ParseCase(cells[2]);
      ASSERT_TRUE(spec.ok()) << spec.status();
      const auto model = testing::LoadOrDie(cases::BytesOf(*spec));
      const auto interpreter = testing::InterpreterOrDie(*model);
      for (int i = 0; i < interpreter->outputs(); ++i) {
        EXPECT_THAT(
            interpreter->output(i).dims(),
            ::testing::ElementsAreArray(spec->nodes[0].outputs[i].shape));
      }
    }
  }
  EXPECT_GT(rows, 500);
}

}  // namespace
}  // namespace gles_delegate
