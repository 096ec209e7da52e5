// Runs passes, for tests of them.
#ifndef GLES_DELEGATE_TESTS_TESTING_RUN_PASS_H_
#define GLES_DELEGATE_TESTS_TESTING_RUN_PASS_H_

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "delegate/graph/op.h"
#include "delegate/passes/passes.h"
#include "gtest/gtest.h"

namespace gles_delegate::testing {

// Each node comes after those that make what it reads.
inline void ExpectInOrder(const Graph& graph) {
  const Uses uses(graph);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (TensorId id : ReadBy(graph.nodes[n])) {
      EXPECT_LE(uses.producer[id], static_cast<int>(n))
          << graph.nodes[n].op->name << " comes before " << id;
    }
  }
}

// Runs the pass of this name alone.
inline absl::Status RunPass(absl::string_view name, const PassContext& context,
                            Graph* graph) {
  for (const Pass& pass : Passes()) {
    if (pass.name == name) return RunPass(pass, context, graph);
  }
  return absl::NotFoundError(absl::StrCat("no pass ", name));
}
inline void RunPass(absl::string_view name, Graph* graph,
                    const DeviceProfile& profile = {}) {
  const absl::Status passed = RunPass(name, PassContext{profile}, graph);
  EXPECT_TRUE(passed.ok()) << passed;
  ExpectInOrder(*graph);
}

// Runs the passes of kFold and kFuse.
inline absl::Status RunPasses(Graph* graph, const DeviceProfile& profile = {}) {
  absl::Status passed;
  for (const PassStage stage : {PassStage::kFold, PassStage::kFuse}) {
    if (!passed.ok()) break;
    passed = RunPasses(stage, {profile}, graph,
                       [](absl::string_view, const Graph&) {});
  }
  return passed;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_RUN_PASS_H_
