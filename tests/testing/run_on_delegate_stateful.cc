#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "tests/testing/stateful.h"
#include "tools/op_models/random.h"

namespace gles_delegate::testing {

StatefulPair::StatefulPair(std::vector<uint8_t> bytes, Precision precision,
                           TfLiteGlesStorage storage)
    : bound_(precision == Precision::kFloat16 ? 0x1p-8 : 0x1p-17) {
  if (precision == Precision::kFloat16) RoundConstantsToHalf(&bytes);
  cpu_model_ = LoadOrDie(std::move(bytes));
  Apply(precision, storage);
}

StatefulPair::StatefulPair(std::vector<uint8_t> cpu_bytes,
                           std::vector<uint8_t> gpu_bytes)
    : cpu_model_(LoadOrDie(std::move(cpu_bytes))),
      gpu_model_(LoadOrDie(std::move(gpu_bytes))),
      bound_(0x1p-17) {
  Apply(Precision::kFloat32, kTfLiteGlesStorageAuto);
}

void StatefulPair::Apply(Precision precision, TfLiteGlesStorage storage) {
  delegate_ = MakeDelegate([&](TfLiteGlesDelegateOptions& options) {
    options.is_precision_loss_allowed = precision == Precision::kFloat16;
    options.storage = storage;
  });
  cpu_ = InterpreterOrDie(*cpu_model_);
  gpu_ = InterpreterOrDie(gpu_model_ != nullptr ? *gpu_model_ : *cpu_model_);
  const absl::Status applied = gpu_->ApplyDelegate(delegate_.get());
  EXPECT_TRUE(applied.ok()) << applied;
  const nlohmann::json report = ReportOf(delegate_);
  EXPECT_EQ(report["nodes_delegated"], report["nodes_total"]) << report.dump(2);
  EXPECT_EQ(report["partitions"], 1);
}

void StatefulPair::FillInputs(Interpreter* interpreter, int count) const {
  Random random(absl::StrCat("round ", round_));
  for (int i = 0; i < count; ++i) {
    // Halves hold these exactly.
    for (float& v : interpreter->input(i).data<float>()) {
      v = static_cast<float>(random.NextInt(-128, 128)) / 64;
    }
  }
}

void StatefulPair::Step() { StepOn(cpu_->inputs()); }

void StatefulPair::StepKeepingOtherInputs() { StepOn(1); }

void StatefulPair::StepOn(int inputs) {
  ++round_;
  for (Interpreter* interpreter : {cpu_.get(), gpu_.get()}) {
    FillInputs(interpreter, inputs);
    const absl::Status status = interpreter->Invoke();
    ASSERT_TRUE(status.ok()) << status;
  }
  for (int o = 0; o < cpu_->outputs(); ++o) {
    const auto want = cpu_->output(o).AsFloats();
    const auto got = gpu_->output(o).AsFloats();
    ASSERT_EQ(got.size(), want.size());
    double max = 1;
    for (float v : want) max = std::max<double>(max, std::fabs(v));
    for (size_t i = 0; i < want.size(); ++i) {
      ASSERT_NEAR(got[i], want[i], bound_ * max)
          << "output " << o << " element " << i << " of round " << round_;
    }
  }
}

void StatefulPair::Reset() {
  for (Interpreter* interpreter : {cpu_.get(), gpu_.get()}) {
    const absl::Status status = interpreter->ResetVariables();
    ASSERT_TRUE(status.ok()) << status;
  }
}

void StatefulPair::Resize(const std::vector<int>& dims) {
  for (Interpreter* interpreter : {cpu_.get(), gpu_.get()}) {
    absl::Status status = interpreter->ResizeInput(0, dims);
    ASSERT_TRUE(status.ok()) << status;
    status = interpreter->AllocateTensors();
    ASSERT_TRUE(status.ok()) << status;
  }
}

void ExpectSameStates(const std::vector<uint8_t>& bytes, Precision precision,
                      TfLiteGlesStorage storage) {
  StatefulPair pair(bytes, precision, storage);
  for (int i = 0; i < 3; ++i) pair.Step();
  pair.Reset();
  for (int i = 0; i < 2; ++i) pair.Step();
}

}  // namespace gles_delegate::testing
