// Sessions without an interpreter: graphs made by hand, and a host that notes
// what it is asked.
#ifndef GLES_DELEGATE_TESTS_TESTING_SESSION_CASE_H_
#define GLES_DELEGATE_TESTS_TESTING_SESSION_CASE_H_

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "delegate/session/session.h"
#include "tests/testing/device_test.h"
#include "tests/testing/graph_builder.h"

namespace gles_delegate::testing {

using Ran = Session::Ran;

class FakeHost final : public SessionHost {
 public:
  void Warn(const std::string& text) override { warnings.push_back(text); }
  bool MayFallBack() const override { return may_fall_back; }
  absl::Status UseCpu() override { return cpu; }
  absl::Status CheckMayBind(const Tensor&) override { return absl::OkStatus(); }

  bool may_fall_back = false;
  absl::Status cpu;  // whether the CPU can run the nodes
  std::vector<std::string> warnings;
};

// RELU6 of that many rows of 4 pixels of 4 channels.
inline Graph Relu6(int rows) {
  GraphBuilder b;
  const TensorId x = b.Input({1, rows, 4, 4});
  b.graph.outputs = {b.Relu(x)};
  b.graph.tensor(x).tflite_index = 0;
  b.graph.tensor(b.graph.outputs[0]).tflite_index = 1;
  return std::move(b.graph);
}

class SessionTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    GpuOptions options;
    options.force_own_context = true;
    auto gpu = MakeGpu(options, absl::UnavailableError("none"),
                       [](const std::string&) {});
    ASSERT_TRUE(gpu.ok()) << gpu.status();
    gpu_ = *std::move(gpu);
  }

  // A session on gpu_ with a graph, not prepared.
  std::unique_ptr<Session> Make(absl::FunctionRef<void(SessionSetup*)> change =
                                    [](SessionSetup*) {}) {
    SessionSetup setup;
    setup.gpu = gpu_;
    setup.profile = ProfileFor(gpu_->context->device(), {});
    setup.profile.choices.zero_copy = 0;
    setup.options.build.checks_itself = checks_itself_;
    setup.nodes = {0};
    setup.report = std::make_shared<PartitionReport>();
    report_ = setup.report;
    change(&setup);
    auto session = std::make_unique<Session>(std::move(setup));
    SetGraph(session.get(), 3);
    return session;
  }
  void SetGraph(Session* session, int rows) {
    const Graph graph = Relu6(rows);
    session->SetGraph(graph, graph, /*outputs=*/{1});
    in_.resize(rows * 16);
    out_.resize(in_.size());
    for (size_t i = 0; i < in_.size(); ++i) in_[i] = 0.5f * i - 4;
  }
  // One that has run.
  std::unique_ptr<Session> MakeRun() {
    auto session = Make();
    EXPECT_TRUE(session->Prepare(&host_).ok());
    ExpectRuns(session.get());
    return session;
  }

  absl::StatusOr<Ran> Submit(Session* session, bool may_split = false) {
    session->inputs()[0].memory = {in_.data(), in_.size() * 4, "x"};
    session->outputs()[0].memory = {out_.data(), out_.size() * 4, "y"};
    std::fill(out_.begin(), out_.end(), -1.0f);
    return session->Submit(&host_, may_split);
  }
  void ExpectOutput() {
    for (size_t i = 0; i < in_.size(); ++i) {
      ASSERT_EQ(out_[i], std::clamp(in_[i], 0.0f, 6.0f)) << i;
    }
  }
  void ExpectRuns(Session* session) {
    const auto ran = Submit(session);
    ASSERT_TRUE(ran.ok()) << ran.status();
    ASSERT_EQ(*ran, Ran::kDone);
    ExpectOutput();
  }

  bool checks_itself_ = true;  // the option self_check
  std::shared_ptr<Gpu> gpu_;
  std::shared_ptr<PartitionReport> report_;  // of the last Make()
  FakeHost host_;
  std::vector<float> in_, out_;
  std::unique_ptr<Session> session_;
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_SESSION_CASE_H_
