#include "tests/testing/life.h"

#include <unistd.h>

#include <utility>

#include "gtest/gtest.h"

namespace gles_delegate::testing {

Life* LiveOnce(DelegatePtr delegate) {
  alarm(120);
  auto* life =
      new Life{LoadOrDie(ChainModel("can")), std::move(delegate), nullptr};
  life->interpreter = Applied(*life->model, life->delegate);
  EXPECT_TRUE(RunOnce(life->interpreter.get()).ok());
  return life;
}

void LeaveAtExit(Life* life) {
  [[maybe_unused]] static Life* volatile left;
  left = life;
}

void DeleteAtExit(Life* life) {
  static Life* to_delete;
  to_delete = life;
  std::atexit([] { delete to_delete; });
}

}  // namespace gles_delegate::testing
