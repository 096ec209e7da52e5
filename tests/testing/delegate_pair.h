// One model on the CPU and with a delegate that takes every partition.
#ifndef GLES_DELEGATE_TESTS_TESTING_DELEGATE_PAIR_H_
#define GLES_DELEGATE_TESTS_TESTING_DELEGATE_PAIR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/testing/delegate_case.h"

namespace gles_delegate::testing {

struct DelegatePair {
  std::unique_ptr<Model> model;
  DelegatePtr delegate;
  std::unique_ptr<Interpreter> cpu, gpu;
};

// Fails the test if the delegate cannot be applied.
inline DelegatePair MakePair(
    std::vector<uint8_t> bytes,
    const std::function<void(TfLiteGlesDelegateOptions&)>& set = {}) {
  DelegatePair pair;
  pair.model = LoadOrDie(std::move(bytes));
  pair.delegate = MakeDelegate([&set](auto& o) {
    o.max_delegated_partitions = 0;
    if (set) set(o);
  });
  pair.cpu = InterpreterOrDie(*pair.model);
  pair.gpu = Applied(*pair.model, pair.delegate);
  return pair;
}

// Resizes the inputs from `first` on, and allocates, on both.
inline void Resize(DelegatePair* pair, const std::vector<Shape>& shapes,
                   int first = 0) {
  for (Interpreter* i : {pair->cpu.get(), pair->gpu.get()}) {
    for (size_t k = 0; k < shapes.size(); ++k) {
      ASSERT_TRUE(i->ResizeInput(first + static_cast<int>(k), shapes[k]).ok());
    }
    const absl::Status allocated = i->AllocateTensors();
    ASSERT_TRUE(allocated.ok()) << allocated;
  }
}

// Three runs with other inputs give the same on both.
inline void ExpectSame(DelegatePair* pair) {
  for (int round : {0, 1, 2}) {
    const auto expected = RunOnce(pair->cpu.get(), round);
    ASSERT_TRUE(expected.ok()) << expected.status();
    ExpectClose(RunOnce(pair->gpu.get(), round), *expected);
  }
}

// All nodes are in one partition, and other subgraphs have nothing left to do.
inline void ExpectWhole(const DelegatePair& pair) {
  const nlohmann::json report = ReportOf(pair.delegate);
  EXPECT_EQ(report["nodes_delegated"], report["nodes_total"]) << report;
  EXPECT_EQ(report["partitions"], 1) << report;
  EXPECT_EQ(report["subgraphs"], 1) << report;
  EXPECT_TRUE(report["cpu"].empty()) << report["cpu"];
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_DELEGATE_PAIR_H_
