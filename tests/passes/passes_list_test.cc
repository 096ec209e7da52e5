// labels: unit
// The table of passes in docs/architecture.md is the list that runs.
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/passes/passes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gles_delegate {
namespace {

// The table whose head is "| pass |".
std::string DocumentedPasses() {
  std::string table;
  std::ifstream file(GLES_DELEGATE_SOURCE_DIR "/docs/architecture.md");
  EXPECT_TRUE(file.good());
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("| pass |", 0) == 0) inside = true;
    if (line.rfind('|', 0) != 0) inside = false;
    if (inside) table += line + "\n";
  }
  return table;
}

// If it differs, the table is to be replaced by the one of the message.
TEST(PassesListTest, TheDocumentationHasTheSameTable) {
  std::string table = "| pass | does |\n|---|---|\n";
  for (const Pass& pass : Passes()) {
    absl::StrAppend(&table, "| `", pass.name, "` | ", pass.does, " |\n");
  }
  EXPECT_EQ(DocumentedPasses(), table) << table;
}

TEST(PassesListTest, StagesFollowOneAnother) {
  PassStage last = PassStage::kRead;
  for (const Pass& pass : Passes()) {
    EXPECT_GE(pass.stage, last) << pass.name;
    last = pass.stage;
  }
}

TEST(PassesListTest, TheObserverIsToldOfEachPassOfTheStage) {
  for (const PassStage stage :
       {PassStage::kRead, PassStage::kFold, PassStage::kFuse}) {
    std::vector<std::string> wanted, told;
    for (const Pass& pass : Passes()) {
      if (pass.stage == stage) wanted.emplace_back(pass.name);
    }
    const DeviceProfile profile;
    Graph graph;
    const absl::Status passed =
        RunPasses(stage, {profile}, &graph,
                  [&told](absl::string_view pass, const Graph&) {
                    told.emplace_back(pass);
                  });
    EXPECT_TRUE(passed.ok()) << passed;
    EXPECT_EQ(told, wanted);
  }
}

}  // namespace
}  // namespace gles_delegate
