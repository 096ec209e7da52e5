// labels: op delegate llvmpipe softpipe sanitize
// Inputs and outputs in a runtime's own buffers, whose memory the GPU accesses.
// A fake takes the runtime's part.
#include <memory>
#include <utility>
#include <vector>

#include "tests/testing/counted_calls.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/fake_runtime.h"
#include "tests/testing/matchers.h"
#include "tests/testing/pretended_resets.h"

namespace gles_delegate::testing {
namespace {

class DelegateBufferedTensorsTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    GLES_SKIP_WITHOUT("GL_EXT_buffer_storage");
  }
  void TearDown() override {
    interpreter_.reset();
    delegate_.reset();
    buffers_.clear();
  }

  // In textures, which no host packs.
  void Apply(
      const char* letters,
      const std::function<void(TfLiteGlesDelegateOptions&)>& change =
          [](TfLiteGlesDelegateOptions&) {}) {
    model_ = LoadOrDie(ChainModel(letters));
    delegate_ = MakeDelegate([&](TfLiteGlesDelegateOptions& o) {
      o.thread_mode = kTfLiteGlesThreadWorker;
      o.zero_copy = kTfLiteGlesOn;
      o.storage = kTfLiteGlesStorageTexture2d;
      o.max_delegated_partitions = 0;
      change(o);
    });
    runtime_.required.clear();
    const GlesRuntimeBuffers functions = runtime_.functions();
    ASSERT_EQ(TensorBufferFunctions().use(delegate_.get(), &functions), 0);
    interpreter_ = InterpreterOrDie(*model_);
    ASSERT_TRUE(interpreter_->ApplyDelegate(delegate_.get()).ok());
  }
  TfLiteTensor* In() {
    return TfLiteInterpreterGetInputTensor(interpreter_->get(), 0);
  }
  TfLiteTensor* Out() {
    return const_cast<TfLiteTensor*>(
        TfLiteInterpreterGetOutputTensor(interpreter_->get(), 0));
  }
  FakeBuffer* Make(const TfLiteTensor* tensor, bool is_host = false) {
    buffers_.push_back(std::make_unique<FakeBuffer>(tensor->bytes, is_host));
    return buffers_.back().get();
  }
  // Of the test's model, and of one at another size.
  std::vector<float> Values(int round, const Shape& shape = {}) {
    auto on_cpu = InterpreterOrDie(*model_);
    if (!shape.empty()) {
      Resize(on_cpu.get(), shape);
    }
    EXPECT_TRUE(RunOnce(on_cpu.get(), round).ok());
    return on_cpu->input(0).AsFloats();
  }
  absl::Status Run(FakeBuffer* from, FakeBuffer* to) {
    runtime_.buffers = {{In(), from}, {Out(), to}};
    const absl::Status status = interpreter_->Invoke();
    EXPECT_EQ(runtime_.locked, 0);
    return status;
  }
  void ExpectRuns(FakeBuffer* from, FakeBuffer* to, int round,
                  const Shape& shape = {}) {
    from->Write(Values(round, shape));
    const absl::Status ran = Run(from, to);
    ASSERT_TRUE(ran.ok()) << ran;
    ExpectResult(to, round, shape);
  }
  void ExpectResult(FakeBuffer* to, int round, const Shape& shape = {}) {
    const std::vector<float> expected = CpuResult(*model_, round, shape);
    ExpectClose(to->Read(expected.size()), expected);
  }

  FakeRuntime runtime_;
  std::unique_ptr<Model> model_;
  std::vector<std::unique_ptr<FakeBuffer>> buffers_;
  DelegatePtr delegate_;
  std::unique_ptr<Interpreter> interpreter_;
};

TEST_F(DelegateBufferedTensorsTest, TheGpuAccessesThem) {
  Apply("can");
  EXPECT_EQ(runtime_.required.size(), 2u);
  EXPECT_EQ(ReportOf(delegate_)["partition"][0]["zero_copy_tensors"].size(), 2);
  FakeBuffer *from = Make(In()), *to = Make(Out());
  const void* const plain = from->Address();
  {
    const CountedCalls counted;
    ExpectRuns(from, to, 0);  // they may be used once alone
    EXPECT_EQ(counted.host_calls(), 0);
  }
  EXPECT_EQ(from->Address(), plain);
  ExpectRuns(from, to, 1);
  const void* const mapped = from->Address();
  EXPECT_NE(mapped, plain);
  // In the program's turns of buffers, each is mapped once.
  FakeBuffer *second = Make(In()), *other = Make(Out());
  for (int round : {0, 1}) ExpectRuns(second, other, round);
  const CountedCalls counted;
  for (int round : {2, 3}) {
    ExpectRuns(from, other, round);
    ExpectRuns(second, to, round + 2);
  }
  EXPECT_EQ(counted.host_calls(), 0);
  EXPECT_EQ(from->Address(), mapped);
}

TEST_F(DelegateBufferedTensorsTest,
       TensorsOfOtherNodesAndOptionsAreTheRuntimes) {
  Apply("rcan");
  EXPECT_EQ(runtime_.required.size(), 1u);
  EXPECT_EQ(runtime_.required.count(Out()), 1u);
  Apply("canr");
  EXPECT_EQ(runtime_.required.count(Out()), 0u);
  // The second partition's input is the CPU's.
  Apply("carnm");
  EXPECT_EQ(runtime_.required.size(), 2u);
  Apply("can", [](auto& o) { o.zero_copy = kTfLiteGlesOff; });
  EXPECT_TRUE(runtime_.required.empty());
  ExpectClose(RunOnce(interpreter_.get()), CpuResult(*model_));
}

// Nor is anything built again for them.
TEST_F(DelegateBufferedTensorsTest, BuffersOfOtherKindsAreCopied) {
  Apply("can");
  FakeBuffer *from = Make(In()), *to = Make(Out());
  FakeBuffer *host_from = Make(In(), true), *host_to = Make(Out(), true);
  ExpectRuns(host_from, host_to, 0);
  const CountedCalls counted;
  ExpectRuns(from, host_to, 1);
  ExpectRuns(host_from, to, 2);
  ExpectRuns(from, to, 3);
  EXPECT_EQ(counted.programs(), 0);
  // Or none: LiteRT has placed the tensor like others.
  runtime_.buffers.clear();
  ExpectClose(RunOnce(interpreter_.get(), 4), CpuResult(*model_, 4));
}

TEST_F(DelegateBufferedTensorsTest, ALockedBufferStaysWhereItIs) {
  Apply("can");
  FakeBuffer *from = Make(In()), *to = Make(Out());
  from->Write(Values(0));
  const void* const locked = from->Lock(1, 1);
  ASSERT_TRUE(Run(from, to).ok());
  ExpectResult(to, 0);
  EXPECT_EQ(from->Address(), locked);
  from->Unlock();
  ExpectRuns(from, to, 1);
  EXPECT_NE(from->Address(), locked);
}

TEST_F(DelegateBufferedTensorsTest, AfterAResize) {
  Apply("can");
  FakeBuffer *from = Make(In()), *to = Make(Out());
  FakeBuffer* const small_host = Make(Out(), /*is_host=*/true);
  ExpectRuns(from, to, 0);
  const Shape larger = {2, 7, 5, 5};
  Resize(interpreter_.get(), larger);
  EXPECT_FALSE(Run(from, Make(Out())).ok());
  EXPECT_FALSE(Run(Make(In()), small_host).ok());
  EXPECT_THAT(interpreter_->log(), Contains(HasSubstr("make new buffers")));
  ExpectRuns(Make(In()), Make(Out()), 1, larger);
  // Large ones hold less as well.
  FakeBuffer *large_in = Make(In()), *large_out = Make(Out());
  const Shape smaller = {1, 6, 5, 5};
  Resize(interpreter_.get(), smaller);
  ExpectRuns(large_in, large_out, 2, smaller);
}

TEST_F(DelegateBufferedTensorsTest, ValuesSurviveALostContext) {
  GLES_SKIP_WITHOUT("GL_KHR_robustness");
  PretendedResets resets;
  Apply("can");
  FakeBuffer *from = Make(In()), *to = Make(Out());
  for (int round : {1, 0}) ExpectRuns(from, to, round);
  const void* const lost = from->Address();
  resets.Tell();
  EXPECT_FALSE(Run(from, to).ok());
  // The first copies, and the second has moved them.
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(Run(from, to).ok());
    ExpectResult(to, 0);
  }
  EXPECT_EQ(ReportOf(delegate_)["contexts_lost"], 1);
  EXPECT_NE(from->Address(), lost);
  ExpectRuns(from, to, 1);
}

TEST_F(DelegateBufferedTensorsTest, OnTheCpuToo) {
  Apply("can");
  const int64_t needed = ReportOf(delegate_)["gpu_bytes"]["total"];
  interpreter_.reset();
  Apply("can", [&](auto& o) { o.memory_limit_bytes = 2 * needed; });
  FakeBuffer *from = Make(In()), *to = Make(Out());
  ExpectRuns(from, to, 0);
  const Shape larger = {1, 60, 50, 5};
  Resize(interpreter_.get(), larger);
  ExpectRuns(Make(In()), Make(Out()), 1, larger);
  ExpectRuns(Make(In(), true), Make(Out()), 2, larger);
  EXPECT_THAT(ReportOf(delegate_).dump(), HasSubstr("memory_limit_bytes"));
}

// Two models with a delegate each, of which one reads what the other writes.
TEST_F(DelegateBufferedTensorsTest, TwoModelsShareABuffer) {
  Apply("nn");
  FakeBuffer *from = Make(In()), *middle = Make(Out()), *to = Make(Out());
  for (int round : {1, 0}) ExpectRuns(from, middle, round);
  const DelegatePtr first_delegate = std::move(delegate_);
  const auto first = std::move(interpreter_);
  Apply("n");
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(Run(middle, to).ok());
  ExpectResult(to, 0);
}

TEST_F(DelegateBufferedTensorsTest, BuffersOutliveTheDelegate) {
  Apply("can");
  FakeBuffer *from = Make(In()), *to = Make(Out());
  for (int round : {1, 0}) ExpectRuns(from, to, round);
  interpreter_.reset();
  delegate_.reset();
  ExpectResult(to, 0);
  Apply("can");
  ExpectRuns(from, to, 1);
}

}  // namespace
}  // namespace gles_delegate::testing
