// The programs of a plan.
#ifndef GLES_DELEGATE_TESTS_TESTING_PROGRAM_TEXTS_H_
#define GLES_DELEGATE_TESTS_TESTING_PROGRAM_TEXTS_H_

#include <set>
#include <string>

#include "absl/types/span.h"
#include "delegate/plan/dispatch.h"
#include "gl_shaders/shader.h"
#include "gtest/gtest.h"

namespace gles_delegate::testing {

// The text of each program that the dispatches have, once.
inline std::set<std::string> ProgramTexts(const Graph& graph,
                                          absl::Span<const Dispatch> dispatches,
                                          const DeviceProfile& profile) {
  std::set<std::string> texts;
  for (const Dispatch& d : dispatches) {
    const auto text = gl_shaders::AssembleShader(SpecOf(graph, d, profile));
    EXPECT_TRUE(text.ok()) << text.status();
    texts.insert(text.value_or(""));
  }
  return texts;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_PROGRAM_TEXTS_H_
