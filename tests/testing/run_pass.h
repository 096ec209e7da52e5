// Runs passes one by one, for tests of them.
#ifndef GLES_DELEGATE_TESTS_TESTING_RUN_PASS_H_
#define GLES_DELEGATE_TESTS_TESTING_RUN_PASS_H_

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

// Runs one pass alone.
inline void RunPass(absl::string_view name, Graph* graph,
                    const DeviceProfile& profile = {}) {
  const absl::Status passed = RunPass(name, PassContext{profile}, graph);
  EXPECT_TRUE(passed.ok()) << passed;
  ExpectInOrder(*graph);
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_RUN_PASS_H_
