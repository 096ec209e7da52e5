// labels: op delegate llvmpipe softpipe oldest_tflite
// Inputs resized after the delegate was applied: the partition is planned
// again.

#include "gmock/gmock.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device.h"

namespace gles_delegate::testing {
namespace {

class DelegateResizeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    model_ = LoadOrDie(ChainModel("carnm"));
    delegate_ = MakeDelegate(
        [](auto& options) { options.max_delegated_partitions = 0; });
    interpreter_ = InterpreterOrDie(*model_);
    const absl::Status applied = interpreter_->ApplyDelegate(delegate_.get());
    ASSERT_TRUE(applied.ok()) << applied;
  }

  void TearDown() override { interpreter_.reset(); }

  // Resizes, and compares two runs with the CPU's at that size.
  void ExpectRunsAt(const Shape& shape) {
    SCOPED_TRACE(ShapeString(shape));
    ASSERT_TRUE(interpreter_->ResizeInput(0, shape).ok());
    const absl::Status allocated = interpreter_->AllocateTensors();
    ASSERT_TRUE(allocated.ok()) << allocated;
    EXPECT_EQ(interpreter_->output(0).dims(), shape);
    for (int round : {0, 1}) {
      ExpectClose(RunOnce(interpreter_.get(), round),
                  CpuResult(*model_, round, shape));
    }
    const nlohmann::json report = ReportOf(delegate_);
    EXPECT_EQ(report["partitions"], 2) << report;
    EXPECT_EQ(report["nodes_delegated"], 4) << report;
    EXPECT_EQ(report["partition"].size(), 2u) << report;
  }

  std::unique_ptr<Model> model_;
  DelegatePtr delegate_;
  std::unique_ptr<Interpreter> interpreter_;
};

TEST_F(DelegateResizeTest, LargerSmallerAndBack) {
  ExpectRunsAt({1, 6, 5, 5});
  ExpectRunsAt({1, 17, 33, 5});
  ExpectRunsAt({1, 6, 1, 5});
  ExpectRunsAt({1, 6, 5, 5});
}

TEST_F(DelegateResizeTest, ToOnePixelToBatchThreeAndBack) {
  const auto model = LoadOrDie(ChainModel("canm"));
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = InterpreterOrDie(*model);
  ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
  for (const Shape& shape :
       {Shape{1, 1, 1, 5}, Shape{3, 6, 5, 5}, Shape{1, 6, 5, 5}}) {
    ASSERT_TRUE(interpreter->ResizeInput(0, shape).ok());
    ASSERT_TRUE(interpreter->AllocateTensors().ok());
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model, 0, shape));
    EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 4);
  }
}

// Five channels are what the filter has: TFLite's own kernels refuse seven, and
// so does AllocateTensors. The delegation holds: at a legal shape it runs
// again, and applied again it finds nothing to do.
TEST_F(DelegateResizeTest, AfterAnIllegalShapeItRunsAgain) {
  for (const Shape& illegal : {Shape{1, 6, 5, 7}, Shape{1, 6, 5}}) {
    SCOPED_TRACE(ShapeString(illegal));
    absl::Status status = interpreter_->ResizeInput(0, illegal);
    if (status.ok()) status = interpreter_->AllocateTensors();
    EXPECT_FALSE(status.ok());
    EXPECT_FALSE(RunOnce(interpreter_.get()).ok());
    ExpectRunsAt({1, 7, 5, 5});
    const absl::Status applied = interpreter_->ApplyDelegate(delegate_.get());
    ASSERT_TRUE(applied.ok()) << applied;
    ExpectRunsAt({1, 6, 5, 5});
  }
}

// This one TFLite refuses at once, and forgets nothing.
TEST_F(DelegateResizeTest, ANegativeShapeIsAnErrorAndNothingIsLost) {
  EXPECT_FALSE(interpreter_->ResizeInput(0, {1, -6, 5, 5}).ok());
  ExpectRunsAt({1, 6, 5, 5});
  ExpectRunsAt({1, 7, 5, 5});
}

TEST_F(DelegateResizeTest, InvokeBeforeAllocateTensorsIsAnError) {
  ASSERT_TRUE(interpreter_->ResizeInput(0, {1, 8, 8, 5}).ok());
  EXPECT_FALSE(interpreter_->Invoke().ok());
  ExpectRunsAt({1, 8, 8, 5});
}

TEST_F(DelegateResizeTest, TheSameShapeChangesNothing) {
  ExpectClose(RunOnce(interpreter_.get()), CpuResult(*model_));
  ASSERT_TRUE(interpreter_->ResizeInput(0, {1, 6, 5, 5}).ok());
  ASSERT_TRUE(interpreter_->AllocateTensors().ok());
  ExpectClose(RunOnce(interpreter_.get(), 1), CpuResult(*model_, 1));
}

}  // namespace
}  // namespace gles_delegate::testing
