// labels: unit
// The table of passes in docs/architecture.md is the list that runs.
#include <fstream>
#include <string>
#include <vector>

#include "delegate/passes/passes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gles_delegate {
namespace {

// The names in the first column of the table whose head is "| pass |".
std::vector<std::string> DocumentedPasses() {
  std::vector<std::string> names;
  std::ifstream file(GLES_DELEGATE_SOURCE_DIR "/docs/architecture.md");
  EXPECT_TRUE(file.good());
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("| pass |", 0) == 0) inside = true;
    if (line.rfind('|', 0) != 0) inside = false;
    if (inside && line.rfind("| `", 0) == 0) {
      names.push_back(line.substr(3, line.find('`', 3) - 3));
    }
  }
  return names;
}

TEST(PassesListTest, TheDocumentationHasTheSameOrder) {
  std::vector<std::string> names;
  for (const Pass& pass : Passes()) names.emplace_back(pass.name);
  EXPECT_EQ(DocumentedPasses(), names);
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
