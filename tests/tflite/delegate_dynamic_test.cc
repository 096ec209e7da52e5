// labels: op delegate llvmpipe
// Models with dynamic tensors: what does not depend on them is delegated, and a
// partition whose shapes change is planned again.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/edit_model.h"
#include "tests/testing/live_objects.h"
#include "tests/testing/matchers.h"
#include "tests/testing/process.h"
#include "tests/testing/real_model.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

// y = -x, and where z = -y is above 0: WHERE's output has a row for each such
// place. `where_first`: nodes GREATER, WHERE, NEG, NEG; else NEG, NEG, GREATER,
// WHERE. x is `y`'s and `places`' only source.
std::vector<uint8_t> WhereModel(bool where_first, const Shape& shape) {
  const char* const text =
      where_first
          ? "GREATER x={s} zero=[1](0.0) -> above:bool{s} ; WHERE above "
            "-> places:i64[1,4] ; NEG x -> y:f32{s} ; NEG y -> z:f32{s}"
          : "NEG x={s} -> y:f32{s} ; NEG y -> z:f32{s} ; GREATER z "
            "zero=[1](0.0) -> above:bool{s} ; WHERE above -> "
            "places:i64[1,4]";
  ModelBuilder b = cases::BuilderOf(absl::StrReplaceAll(
      text, {{"{s}", absl::StrCat("[", absl::StrJoin(shape, ","), "]")}}));
  b.SetOutputs(Named(b, "z places"));
  return b.Finish();
}

class DelegateDynamicTest : public DeviceTest {
 protected:
  static DelegatePtr AnyPartitions() {
    return MakeDelegate([](auto& o) { o.max_delegated_partitions = 0; });
  }
};

TEST_F(DelegateDynamicTest, AModelWithWhereIsDelegatedAroundIt) {
  for (bool where_first : {false, true}) {
    SCOPED_TRACE(where_first);
    const auto model = LoadOrDie(WhereModel(where_first, {1, 3, 4, 5}));
    const DelegatePtr delegate = AnyPartitions();
    auto interpreter = Applied(*model, delegate);
    const nlohmann::json report = ReportOf(delegate);
    EXPECT_EQ(report["nodes_delegated"], 3) << report;
    ASSERT_EQ(report["cpu"].size(), 1u) << report;
    EXPECT_EQ(report["cpu"][0]["op"], "WHERE");
    // The places differ from one round to the next, and so does their number.
    for (int round : {0, 1, 2}) {
      ExpectClose(RunOnce(interpreter.get(), round), CpuResult(*model, round));
    }
  }
}

TEST_F(DelegateDynamicTest, ResizedInputs) {
  for (bool where_first : {false, true}) {
    SCOPED_TRACE(where_first);
    const auto model = LoadOrDie(WhereModel(where_first, {1, 3, 4, 5}));
    const DelegatePtr delegate = AnyPartitions();
    auto interpreter = Applied(*model, delegate);
    for (const Shape& shape :
         {Shape{1, 7, 9, 5}, Shape{2, 1, 1, 6}, Shape{1, 3, 4, 5}}) {
      SCOPED_TRACE(ShapeString(shape));
      Resize(interpreter.get(), shape);
      EXPECT_EQ(interpreter->output(0).dims(), shape);
      for (int round : {0, 1}) {
        ExpectClose(RunOnce(interpreter.get(), round),
                    CpuResult(*model, round, shape));
      }
      EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 3);
    }
  }
}

// An input that was resized before the delegate is applied: the shapes in the
// file are not the model's. TFLite plans memory again for such a delegate only
// where it finds the tensors allocated, or never allocated yet.
TEST_F(DelegateDynamicTest, ResizedBeforeItIsApplied) {
  const Shape shape = {1, 6, 2, 7};
  const auto model = LoadOrDie(WhereModel(false, {1, 3, 4, 5}));
  for (bool allocated : {false, true}) {
    SCOPED_TRACE(allocated);
    const DelegatePtr delegate = AnyPartitions();
    auto interpreter = InterpreterOrDie(*model);
    ASSERT_TRUE(interpreter->ResizeInput(0, shape).ok());
    if (allocated) {
      ASSERT_TRUE(interpreter->AllocateTensors().ok());
    }
    const absl::Status applied = interpreter->ApplyDelegate(delegate.get());
    ASSERT_TRUE(applied.ok()) << applied;
    const nlohmann::json report = ReportOf(delegate);
    EXPECT_EQ(report["nodes_delegated"], allocated ? 3 : 0) << report;
    if (!allocated) {
      EXPECT_THAT(report.dump(), HasSubstr("call AllocateTensors again first"));
    }
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model, 0, shape));
  }
}

// A file that names no shape but the input's, as TFLite's tests of single ops
// build it; and a delegate in the interpreter's options, where nothing was
// prepared before.
TEST_F(DelegateDynamicTest, ShapesThatTheFileDoesNotSay) {
  const auto model = LoadOrDie(
      EditModel(WhereModel(false, {1, 3, 4, 5}), [](schema::ModelT& root) {
        for (auto& tensor : root.subgraphs[0]->tensors) {
          if (tensor->name != "x" && tensor->name != "zero") {
            tensor->shape.clear();
          }
        }
      }));
  ExpectCloseHoweverApplied(*model, AnyPartitions, 3);
}

// RANGE up to a number that is an input: what follows it stays with it, and the
// report says why of each node.
TEST_F(DelegateDynamicTest, WhatFollowsADynamicTensorStaysOnTheCpu) {
  const auto model = LoadOrDie(
      cases::BuilderOf("RANGE start=0 n=i32[] step=1 -> range:i32[1] ; CAST "
                       "range in_data_type=INT32 -> floats:f32[1] ; NEG floats "
                       "-> f32[1] ; NEG x=[1,2,2,3] -> f32[1,2,2,3]")
          .Finish());
  const DelegatePtr delegate = AnyPartitions();
  auto interpreter = Applied(*model, delegate);
  const nlohmann::json report = ReportOf(delegate);
  EXPECT_EQ(report["nodes_delegated"], 1) << report;
  int refused = 0;
  for (const auto& entry : report["cpu"]) {
    refused += static_cast<int>(entry["nodes"].size());
    if (entry["op"] == "RANGE") continue;
    EXPECT_THAT(
        entry["reason"].get<std::string>(),
        HasSubstr("a tensor has a shape that is known only at run time"));
  }
  EXPECT_EQ(refused, 3) << report;
  const std::vector<float> values(12, 0.5f);
  for (int count : {3, 5, 1}) {
    ASSERT_TRUE(interpreter->input(1).WriteFloats(values).ok());
    *interpreter->input(0).data<int32_t>().data() = count;
    const absl::Status invoked = interpreter->Invoke();
    ASSERT_TRUE(invoked.ok()) << invoked;
    EXPECT_EQ(interpreter->output(1).AsFloats(), std::vector<float>(12, -0.5f));
    const std::vector<float> counted = interpreter->output(0).AsFloats();
    ASSERT_EQ(counted.size(), static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) EXPECT_EQ(counted[i], -i);
  }
}

// -x, of two batches of which the second is reversed, negated.
std::vector<uint8_t> ReverseModel(const Shape& shape) {
  return cases::ModelOf(
             absl::StrCat("NEG x=[", absl::StrJoin(shape, ","),
                          "] -> t ; REVERSE_SEQUENCE t lengths=(0,2) seq_dim=1 "
                          "-> u ; NEG u"))
      .bytes;
}

// At the new shape a node cannot run on the GPU: REVERSE_SEQUENCE of five
// axes.
// TFLite keeps the delegate's kernel all the same (it asks the delegate once),
// and that runs the nodes on the CPU.
TEST_F(DelegateDynamicTest, AShapeThatTheGpuDoesNotTake) {
  const auto model = LoadOrDie(ReverseModel({2, 3, 4, 5}));
  const DelegatePtr delegate = AnyPartitions();
  auto interpreter = Applied(*model, delegate);
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 3);
  (void)interpreter->TakeLog();
  for (const Shape& shape :
       {Shape{2, 3, 2, 2, 5}, Shape{2, 2, 4, 5}, Shape{2, 2, 2, 3, 7}}) {
    SCOPED_TRACE(ShapeString(shape));
    Resize(interpreter.get(), shape);
    EXPECT_EQ(interpreter->output(0).dims(), shape);
    for (int round : {0, 1}) {
      ExpectClose(RunOnce(interpreter.get(), round),
                  CpuResult(*model, round, shape));
    }
    const auto says = Contains(
        AllOf(HasSubstr("cannot run on the GPU at the shapes"),
              HasSubstr("REVERSE_SEQUENCE"), HasSubstr("runs on the CPU")));
    if (shape.size() > 4) {
      EXPECT_THAT(interpreter->TakeLog(), says);
    } else {
      EXPECT_THAT(interpreter->TakeLog(), ::testing::Not(says));
    }
  }
}

// TFLite refuses a graph with an op that no one registered, unless a delegate
// takes it first.
TEST_F(DelegateDynamicTest, ACustomOpThatTheAppDidNotRegister) {
  const SingleOpModel op = cases::ModelOf(
      "Convolution2DTransposeBias x=[1,5,5,3] w=const:[4,3,3,3] b=const:[4] "
      "custom=i32(1,2,2)");
  ASSERT_TRUE(op.status.ok()) << op.status;
  const auto model = LoadOrDie(op.bytes);
  const DelegatePtr delegate = AnyPartitions();
  InterpreterOptions options;
  options.add_custom_ops = false;
  EXPECT_FALSE(Interpreter::Create(*model, options).ok());
  options.delegate = delegate.get();
  auto interpreter = Interpreter::Create(*model, options);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  EXPECT_EQ(ReportOf(delegate)["nodes_delegated"], 1);
  ExpectClose(RunOnce(interpreter->get()), CpuResult(*model));
}

// The heap does not grow over many Invokes and over many lives. A long run:
// the lives of several models with GLES_GROWTH_LIVES=2000
// (docs/reliability.md).

int64_t HeapBytes() { return static_cast<int64_t>(mallinfo2().uordblks); }

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// 0: the test is as long as CI wants it.
int WantedLives() {
  const char* text = std::getenv("GLES_GROWTH_LIVES");
  return text == nullptr ? 0 : std::atoi(text);
}

// Models of a few ops; in a long run real ones as well, if they are there.
std::vector<std::unique_ptr<Model>> ModelsToLive() {
  std::vector<std::unique_ptr<Model>> models;
  for (const char* letters : {"can", "mcc", "nan"}) {
    models.push_back(LoadOrDie(ChainModel(letters)));
  }
  if (WantedLives() == 0) return models;
  for (const char* name : {"mnist_lstm_int8", "mobilenet_v1_0.25_224_quant"}) {
    const std::string path =
        SharedFile("models/" + std::string(name) + ".tflite");
    if (path.empty()) {
      std::printf("NO MODEL %s, NOT TRIED\n", name);
      continue;
    }
    auto model = Model::FromFile(path);
    EXPECT_TRUE(model.ok()) << model.status();
    if (model.ok()) models.push_back(*std::move(model));
  }
  return models;
}

class DelegateGrowthTest : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    GLES_SKIP_WITHOUT_DEVICE();
    model_ = LoadOrDie(ChainModel("can"));
  }
  DelegatePtr Make() {
    return MakeDelegate(
        [](auto& options) { options.thread_mode = GetParam(); });
  }

  std::unique_ptr<Model> model_;
};

TEST_P(DelegateGrowthTest, TheHeapOverManyInvokes) {
  constexpr int kInvokes = 2000;
  // Less than a pointer an invoke.
  constexpr int64_t kMaxBytes = kInvokes * 4;
  const DelegatePtr delegate = Make();
  auto interpreter = Applied(*model_, delegate);
  const auto invoke = [&](int times) {
    for (int i = 0; i < times; ++i) {
      ASSERT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteOk);
    }
  };
  invoke(200);
  const int64_t before = HeapBytes();
  invoke(kInvokes);
  EXPECT_LE(HeapBytes() - before, kMaxBytes);
}

TEST_P(DelegateGrowthTest, HeapThreadsAndFilesOverManyLives) {
  constexpr int kLives = 60;
  // The memory that a driver keeps of a context or a program; an interpreter, a
  // graph or a plan that stayed would be several times that.
  constexpr int64_t kMaxBytes = kLives * 2048;
  const auto live = [&](int times) {
    for (int i = 0; i < times; ++i) {
      const DelegatePtr delegate = Make();
      auto interpreter = Applied(*model_, delegate);
      ASSERT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteOk);
    }
  };
  live(10);
  const int64_t heap = HeapBytes();
  const size_t threads = ThreadsOfProcess(), files = FilesOfProcess();
  live(kLives);
  EXPECT_LE(HeapBytes() - heap, kMaxBytes);
  EXPECT_TRUE(ThreadsSinkTo(threads)) << ThreadsOfProcess();
  EXPECT_EQ(FilesOfProcess(), files);
}

// Each life applies a delegate to an interpreter of each model in turn.
TEST_P(DelegateGrowthTest, NothingStaysOfLivesOfSeveralModels) {
  const auto models = ModelsToLive();
  const int lives = WantedLives() > 0 ? WantedLives() : 30;
  const int warm_up = std::max(3, lives / 10);
  const LiveObjects objects;
  int64_t heap = 0, resident = 0;
  size_t threads = 0, files = 0;
  if (WantedLives() > 0) {
    std::printf("lives,resident_kb,heap_kb,threads,files,gl_objects\n");
  }
  for (int done = 1; done <= lives; ++done) {
    for (const auto& model : models) {
      const DelegatePtr delegate = Make();
      auto interpreter = Applied(*model, delegate);
      ASSERT_EQ(TfLiteInterpreterInvoke(interpreter->get()), kTfLiteOk);
      ASSERT_GT(objects.left(), 0);
    }
    ASSERT_EQ(objects.left(), 0);
    if (done == warm_up) {
      heap = HeapBytes();
      resident = ResidentBytes();
      threads = ThreadsOfProcess();
      files = FilesOfProcess();
    }
    if (WantedLives() > 0 && done % std::max(1, lives / 10) == 0) {
      std::printf("%d,%jd,%jd,%zu,%zu,%d\n", done,
                  static_cast<intmax_t>(ResidentBytes() / 1024),
                  static_cast<intmax_t>(HeapBytes() / 1024), ThreadsOfProcess(),
                  FilesOfProcess(), objects.left());
      std::fflush(stdout);
    }
  }
  const auto later = static_cast<int64_t>(models.size()) * (lives - warm_up);
  EXPECT_LE(HeapBytes() - heap, later * 2048);
  // A quarter of a page a life, beside what the allocator keeps.
  EXPECT_LE(ResidentBytes() - resident, (8 << 20) + later * 1024);
  EXPECT_TRUE(ThreadsSinkTo(threads)) << ThreadsOfProcess();
  EXPECT_EQ(FilesOfProcess(), files);
}

INSTANTIATE_TEST_SUITE_P(ThreadModes, DelegateGrowthTest,
                         ::testing::Values(kTfLiteGlesThreadCaller,
                                           kTfLiteGlesThreadWorker),
                         [](const auto& info) {
                           return info.param == kTfLiteGlesThreadWorker
                                      ? "Worker"
                                      : "Caller";
                         });

}  // namespace

}  // namespace gles_delegate::testing
