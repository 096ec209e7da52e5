// labels: op egl delegate llvmpipe softpipe
// One delegate on several interpreters: what it reports of each, and what may
// be bound to each.
#include <string>
#include <vector>

#include "egl/objects.h"
#include "tests/testing/app_context.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/gl.h"
#include "tests/testing/matchers.h"
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate::testing {
namespace {

class DelegateInterpretersTest : public DeviceTest {};

// The keys of the report that are of one interpreter.
const std::vector<std::string>& KeysOfAnInterpreter() {
  static const auto* keys = new std::vector<std::string>{
      "nodes_total", "nodes_delegated", "partitions", "subgraphs", "partition",
      "cache",       "profile",         "cpu",        "stages_ms"};
  return *keys;
}

TEST_F(DelegateInterpretersTest, TheReportHasEachThatLives) {
  for (const int mode : {kTfLiteGlesThreadCaller, kTfLiteGlesThreadWorker}) {
    const auto first_model = LoadOrDie(ChainModel("cran"));
    const auto second_model = LoadOrDie(ChainModel("nm", {2, 3, 5, 9}));
    const DelegatePtr delegate = MakeDelegate([&](auto& options) {
      options.thread_mode = mode;
      options.max_delegated_partitions = 0;
    });
    auto first = Applied(*first_model, delegate);
    const auto alone = ReportOf(delegate);
    EXPECT_FALSE(alone.contains("interpreters"));
    ASSERT_EQ(alone["partitions"], 2);
    auto second = Applied(*second_model, delegate);

    const auto both = ReportOf(delegate);
    ASSERT_EQ(both["interpreters"].size(), 2u) << both;
    const auto& of_first = both["interpreters"][0];
    const auto& of_second = both["interpreters"][1];
    EXPECT_EQ(of_first["nodes_total"], 4);
    EXPECT_EQ(of_first["nodes_delegated"], 3);
    for (const std::string& key : KeysOfAnInterpreter()) {
      EXPECT_EQ(of_first[key], alone[key]) << key;
      EXPECT_EQ(of_second[key], both[key]) << key;  // the one applied last
    }
    EXPECT_EQ(of_second["nodes_total"], 2);
    EXPECT_EQ(of_first["gpu_bytes"], alone["gpu_bytes"]);
    EXPECT_EQ(both["gpu_bytes"]["total"],
              of_first["gpu_bytes"]["total"].get<int64_t>() +
                  of_second["gpu_bytes"]["total"].get<int64_t>());

    first.reset();
    const auto left = ReportOf(delegate);
    EXPECT_FALSE(left.contains("interpreters")) << left;
    EXPECT_EQ(left["gpu_bytes"], of_second["gpu_bytes"]);
    EXPECT_EQ(left["nodes_total"], 2);
  }
}

TEST_F(DelegateInterpretersTest, OneThatIsAppliedAgainIsTheLast) {
  const auto first_model = LoadOrDie(ChainModel("can"));
  const auto second_model = LoadOrDie(ChainModel("nm"));
  const DelegatePtr delegate = MakeDelegate();
  auto first = Applied(*first_model, delegate);
  auto second = Applied(*second_model, delegate);
  ASSERT_TRUE(first->ApplyDelegate(delegate.get()).ok());
  const auto report = ReportOf(delegate);
  EXPECT_EQ(report["nodes_total"], 3) << report;
  ASSERT_EQ(report["interpreters"].size(), 2u) << report;
  EXPECT_EQ(report["interpreters"][0]["nodes_total"], 2);
  EXPECT_EQ(report["interpreters"][1]["partition"].size(), 1u);
}

TEST_F(DelegateInterpretersTest, ThoseThatAreGoneAreForgotten) {
  const auto model = LoadOrDie(ChainModel("can"));
  const auto refused_model = LoadOrDie(ChainModel("r"));
  const DelegatePtr delegate = MakeDelegate();
  auto stays = Applied(*model, delegate);
  for (int i = 0; i < 3; ++i) {
    auto refused = Applied(*refused_model, delegate);
    auto comes_and_goes = Applied(*model, delegate);
    EXPECT_EQ(ReportOf(delegate)["interpreters"].size(), 2u);
  }
  // The last one stays until another takes its place.
  EXPECT_EQ(ReportOf(delegate)["interpreters"].size(), 2u);
  auto last = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["interpreters"].size(), 2u);
}

// The first model's output has an index that the second has no tensor for.
TEST_F(DelegateInterpretersTest, TensorsOfEachMayBeBound) {
  AppContext app;
  const auto first_model = LoadOrDie(ChainModel("cannmm"));
  const auto second_model = LoadOrDie(ChainModel("n", {1, 2, 3, 3}));
  const int output = schema::GetModel(first_model->bytes().data())
                         ->subgraphs()
                         ->Get(0)
                         ->outputs()
                         ->Get(0);
  const DelegatePtr delegate = MakeDelegate();
  auto first = Applied(*first_model, delegate);
  auto second = Applied(*second_model, delegate);
  const std::vector<float> right = CpuResult(*first_model);
  auto buffer = egl::Buffer::Create(right.size() * sizeof(float), nullptr,
                                    GL_DYNAMIC_COPY);
  ASSERT_TRUE(buffer.ok()) << buffer.status();
  ASSERT_EQ(BindBuffer(delegate.get(), output, buffer->id()), 0)
      << TfLiteGlesDelegateLastError();
  ASSERT_TRUE(RunOnce(first.get()).ok());
  ExpectClose(ReadAll<float>(*buffer), right);
  ExpectClose(RunOnce(second.get()), CpuResult(*second_model));
  ASSERT_EQ(TfLiteGlesDelegateUnbindObject(delegate.get(), output), 0);

  // Once the first is gone, nothing has such a tensor.
  first.reset();
  EXPECT_EQ(BindBuffer(delegate.get(), output, buffer->id()), 1);
  EXPECT_THAT(TfLiteGlesDelegateLastError(),
              HasSubstr("is no input or output"));
}

}  // namespace
}  // namespace gles_delegate::testing
