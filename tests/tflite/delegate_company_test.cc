// labels: op delegate llvmpipe softpipe
// The delegate beside others: XNNPACK for what it leaves, two interpreters in
// turns, a host that moves its tensors' memory.
#include <vector>

#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"

namespace gles_delegate::testing {
namespace {

// The first node of "can" is left to others.
DelegatePtr WithoutTheConvolution() {
  return MakeDelegate([](auto& options) { options.exclude_nodes = "0"; });
}

class DelegateCompanyTest : public DeviceTest {};

TEST_F(DelegateCompanyTest, XnnpackTakesTheRestInEitherOrder) {
  const auto model = LoadOrDie(ChainModel("can"));
  const std::vector<float> right = CpuResult(*model);
  for (const bool xnnpack_first : {false, true}) {
    const DelegatePtr delegate = WithoutTheConvolution();
    auto xnnpack = CreateXnnpackDelegate(1);
    ASSERT_TRUE(xnnpack.ok()) << xnnpack.status();
    auto interpreter = InterpreterOrDie(*model);
    if (xnnpack_first) {
      ASSERT_TRUE(interpreter->ApplyDelegate(xnnpack->get()).ok());
    }
    ASSERT_TRUE(interpreter->ApplyDelegate(delegate.get()).ok());
    if (!xnnpack_first) {
      ASSERT_TRUE(interpreter->ApplyDelegate(xnnpack->get()).ok());
    }
    // XNNPACK knows all three ops.
    EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], xnnpack_first ? 0 : 2);
    ExpectClose(RunOnce(interpreter.get()), right);
    ExpectClose(RunOnce(interpreter.get(), 1), CpuResult(*model, 1));
    interpreter.reset();
  }
}

TEST_F(DelegateCompanyTest, TwoInterpretersOfOneDelegateTakeTurns) {
  const auto first_model = LoadOrDie(ChainModel("can"));
  const auto second_model = LoadOrDie(ChainModel("nm", {2, 3, 5, 9}));
  const DelegatePtr delegate = MakeDelegate();
  auto first = InterpreterOrDie(*first_model);
  auto second = InterpreterOrDie(*second_model);
  ASSERT_TRUE(first->ApplyDelegate(delegate.get()).ok());
  ASSERT_TRUE(second->ApplyDelegate(delegate.get()).ok());
  for (int round = 0; round < 3; ++round) {
    ExpectClose(RunOnce(first.get(), round), CpuResult(*first_model, round));
    ExpectClose(RunOnce(second.get(), round), CpuResult(*second_model, round));
  }
  first.reset();
  ExpectClose(RunOnce(second.get(), 4), CpuResult(*second_model, 4));
}

// As hosts with their own buffers do (TFLite's custom allocations).
TEST_F(DelegateCompanyTest, TensorsMayMoveBetweenInvokes) {
  const auto model = LoadOrDie(ChainModel("can"));
  const DelegatePtr delegate = MakeDelegate();
  auto interpreter = Applied(*model, delegate);
  auto* input = const_cast<TfLiteTensor*>(interpreter->input(0).get());
  auto* output = const_cast<TfLiteTensor*>(interpreter->output(0).get());
  char* const own_input = input->data.raw;
  char* const own_output = output->data.raw;
  for (int round = 0; round < 4; ++round) {
    std::vector<char> in(input->bytes, 0x5a), out(output->bytes, 0x5a);
    input->data.raw = in.data();
    output->data.raw = out.data();
    ExpectClose(RunOnce(interpreter.get(), round), CpuResult(*model, round));
  }
  input->data.raw = own_input;
  output->data.raw = own_output;
  ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
}

}  // namespace
}  // namespace gles_delegate::testing
