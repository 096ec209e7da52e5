// labels: op delegate llvmpipe softpipe sanitize
// Caches in a runtime's own buffers: their values stay on the GPU between
// inferences. A fake takes the runtime's part.
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/testing/counted_calls.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/edit_model.h"
#include "tests/testing/fake_runtime.h"
#include "tests/testing/matchers.h"
#include "tests/testing/scoped_environment.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

constexpr int kRows = 64, kColumns = 40;

// A cache of kRows rows, and a row that is written to it. `turned`: of kRows
// columns, as decoders have transposed values.
std::vector<uint8_t> Cached(int columns = kColumns, bool turned = false,
                            int updates = 1) {
  const auto dims = [turned](int rows, int columns) {
    return turned ? absl::StrCat("[1,", columns, ",", rows, "]")
                  : absl::StrCat("[1,", rows, ",", columns, "]");
  };
  std::string text =
      absl::StrCat("DYNAMIC_UPDATE_SLICE cache=", dims(kRows, columns),
                   " row=", dims(1, columns), " at=i32[3]");
  for (int i = 1; i < updates; ++i) {
    absl::StrAppend(&text, " -> t", i, " ; DYNAMIC_UPDATE_SLICE t", i,
                    " row at");
  }
  return cases::ModelOf(text).bytes;
}

class DelegateCachesTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped()) model_ = LoadOrDie(Cached());
  }
  void TearDown() override {
    interpreter_.reset();
    delegate_.reset();
    buffers_.clear();
  }

  void Apply(int mode, int64_t memory_limit = 0) {
    delegate_ = MakeDelegate([&](TfLiteGlesDelegateOptions& options) {
      options.thread_mode = mode;
      options.memory_limit_bytes = memory_limit;
      options.max_delegated_partitions = 0;
    });
    const GlesRuntimeBuffers functions = runtime_.functions();
    ASSERT_EQ(TensorBufferFunctions().use(delegate_.get(), &functions), 0);
    interpreter_ = InterpreterOrDie(*model_);
    ASSERT_TRUE(interpreter_->ApplyDelegate(delegate_.get()).ok());
    ASSERT_EQ(ReportOf(delegate_)["nodes_delegated"], 1);
  }
  TfLiteTensor* In() {
    return TfLiteInterpreterGetInputTensor(interpreter_->get(), 0);
  }
  TfLiteTensor* Out() {
    return const_cast<TfLiteTensor*>(
        TfLiteInterpreterGetOutputTensor(interpreter_->get(), 0));
  }
  FakeBuffer* Make(bool is_host = false) {
    buffers_.push_back(std::make_unique<FakeBuffer>(
        sizeof(float) * expected_.size(), is_host));
    return buffers_.back().get();
  }
  // Writes `row` at row `at` of the cache in `from`, into `to`.
  absl::Status Step(FakeBuffer* from, FakeBuffer* to, int at) {
    runtime_.buffers = {{In(), from}, {Out(), to}};
    std::vector<float> row(columns_);
    std::iota(row.begin(), row.end(), static_cast<float>(100 * at));
    std::copy(row.begin(), row.end(),
              interpreter_->input(1).data<float>().begin());
    const std::vector<int32_t> start = {0, is_turned_ ? 0 : at,
                                        is_turned_ ? at : 0};
    std::copy(start.begin(), start.end(),
              interpreter_->input(2).data<int32_t>().begin());
    for (int i = 0; i < columns_; ++i) {
      expected_[is_turned_ ? i * rows_ + at : at * columns_ + i] = row[i];
    }
    const absl::Status status = interpreter_->Invoke();
    EXPECT_EQ(runtime_.locked, 0);
    return status;
  }
  void ExpectValues(FakeBuffer* buffer) {
    EXPECT_EQ(buffer->Read(expected_.size()), expected_);
  }

  int rows_ = kRows, columns_ = kColumns;
  bool is_turned_ = false;
  FakeRuntime runtime_;
  std::unique_ptr<Model> model_;
  std::vector<std::unique_ptr<FakeBuffer>> buffers_;
  DelegatePtr delegate_;
  std::unique_ptr<Interpreter> interpreter_;
  std::vector<float> expected_ = std::vector<float>(kRows * kColumns, 0.5f);
};

TEST_F(DelegateCachesTest, ValuesStayOnTheGpu) {
  for (int mode :
       {kTfLiteGlesThreadWorker, kTfLiteGlesThreadCallerOwnContext}) {
    runtime_.required.clear();
    Apply(mode);
    EXPECT_EQ(runtime_.required.size(), 2u);
    expected_.assign(expected_.size(), 0.5f);
    FakeBuffer *from = Make(), *to = Make();
    from->Write(expected_);
    ASSERT_TRUE(Step(from, to, 2).ok());  // uploads the first values
    {
      const CountedCalls counted;
      for (int at : {3, 0, kRows - 1, 7}) {
        std::swap(from, to);
        ASSERT_TRUE(Step(from, to, at).ok());
      }
      EXPECT_LT(counted.host_bytes(), sizeof(float) * kRows * kColumns);
      ExpectValues(to);
      EXPECT_GE(counted.host_bytes(), sizeof(float) * kRows * kColumns);
    }
    std::swap(from, to);
    // Values that the host writes in between are read.
    expected_.assign(expected_.size(), -2.0f);
    from->Write(expected_);
    ASSERT_TRUE(Step(from, to, 5).ok());
    ExpectValues(to);
    TearDown();
  }
}

// A buffer that is never written has zeros; one buffer may be both.
TEST_F(DelegateCachesTest, OneBufferForBoth) {
  Apply(kTfLiteGlesThreadWorker);
  expected_.assign(expected_.size(), 0.0f);
  FakeBuffer* both = Make();
  for (int at : {3, 4}) ASSERT_TRUE(Step(both, both, at).ok());
  ExpectValues(both);
}

// Whatever memory tensors have. If that is a buffer, it is the output's, so
// that no dispatch copies the cache after the update, and none before it if the
// input is the same buffer.
TEST_F(DelegateCachesTest, BuffersOfTexelsAreTheTensorsMemory) {
  std::map<std::string, int> by_turns, in_place;
  for (int columns : {kColumns, kColumns + 2}) {
    columns_ = columns;
    model_ = LoadOrDie(Cached(columns));
    for (const char* storage : {"0", "1", "2", "3"}) {
      const std::string of =
          absl::StrCat("storage=", storage, ", ", columns, " columns");
      SCOPED_TRACE(of);
      const ScopedEnvironment tuning("GLES_DELEGATE_TUNING",
                                     absl::StrCat("storage=", storage));
      expected_.assign(kRows * columns, 0.25f);
      Apply(kTfLiteGlesThreadWorker);
      FakeBuffer *from = Make(), *to = Make();
      from->Write(expected_);
      ASSERT_TRUE(Step(from, to, 2).ok());
      const CountedCalls counted;
      ASSERT_TRUE(Step(to, from, 3).ok());
      by_turns[of] = counted.dispatches();
      ASSERT_TRUE(Step(from, from, kRows - 1).ok());
      in_place[of] = counted.dispatches() - by_turns[of];
      ExpectValues(from);
      TearDown();
    }
  }
  for (const char* of : {"storage=2", "storage=3"}) {
    const int updates = in_place[absl::StrCat(of, ", 40 columns")];
    EXPECT_EQ(by_turns[absl::StrCat(of, ", 40 columns")], updates + 1);
    // Padding in a program's texels need not be zero.
    EXPECT_EQ(by_turns[absl::StrCat(of, ", 42 columns")], updates + 2);
    EXPECT_EQ(in_place[absl::StrCat(of, ", 42 columns")], updates + 2);
  }
  const char* const texture = "storage=0, 40 columns";
  EXPECT_EQ(in_place[texture], by_turns[texture]);
}

// An update writes some channels of texels, and the others stay.
TEST_F(DelegateCachesTest, ATransposedCacheIsTheTensorsMemoryToo) {
  for (const char* storage : {"storage=2", "storage=3"}) {
    const ScopedEnvironment tuning("GLES_DELEGATE_TUNING", storage);
    int dispatches[] = {0, 0};  // of rows, of columns
    for (bool is_turned : {false, true}) {
      SCOPED_TRACE(absl::StrCat(storage, ", turned: ", is_turned));
      is_turned_ = is_turned;
      model_ = LoadOrDie(Cached(kColumns, is_turned));
      expected_.assign(expected_.size(), 0.25f);
      Apply(kTfLiteGlesThreadWorker);
      FakeBuffer *from = Make(), *to = Make();
      from->Write(expected_);
      ASSERT_TRUE(Step(from, to, 2).ok());
      ASSERT_TRUE(Step(to, from, 7).ok());
      const CountedCalls counted;
      ASSERT_TRUE(Step(from, from, kRows - 1).ok());
      dispatches[is_turned ? 1 : 0] = counted.dispatches();
      ExpectValues(from);
      TearDown();
    }
    EXPECT_EQ(dispatches[0], dispatches[1]);
  }
}

TEST_F(DelegateCachesTest, HostBuffersWork) {
  Apply(kTfLiteGlesThreadWorker);
  FakeBuffer *host = Make(true), *own = Make(), *other = Make(true);
  host->Write(expected_);
  ASSERT_TRUE(Step(host, own, 3).ok());
  ASSERT_TRUE(Step(own, other, 4).ok());
  ASSERT_TRUE(Step(other, host, 5).ok());
  ExpectValues(host);
}

TEST_F(DelegateCachesTest, ARuntimeThatRefusesGivesHostMemory) {
  runtime_.refuses = true;
  Apply(kTfLiteGlesThreadWorker);
  auto input = interpreter_->input(0).data<float>();
  std::copy(expected_.begin(), expected_.end(), input.begin());
  FakeBuffer* unused = Make();
  ASSERT_TRUE(Step(unused, unused, 3).ok());
  EXPECT_EQ(interpreter_->output(0).AsFloats(), expected_);
}

// LiteRT gives such a tensor no memory, and nodes on the CPU need it.
TEST_F(DelegateCachesTest, CachesOfOtherNodesAreTheRuntimes) {
  model_ = LoadOrDie(Cached(kColumns, /*turned=*/false, /*updates=*/2));
  const ScopedEnvironment first("GLES_DELEGATE_OPTIONS", "exclude_nodes:1");
  Apply(kTfLiteGlesThreadWorker);
  EXPECT_EQ(runtime_.required.size(), 1u);
  EXPECT_EQ(runtime_.required.count(In()), 1u);
  EXPECT_TRUE(
      ReportOf(delegate_)["partition"][0]["tensors_kept_on_gpu"].empty());
  FakeBuffer* from = Make();
  from->Write(expected_);
  ASSERT_TRUE(Step(from, from, 3).ok());
  EXPECT_EQ(interpreter_->output(0).AsFloats(), expected_);
}

TEST_F(DelegateCachesTest, WithoutABufferInvokeSaysWhy) {
  Apply(kTfLiteGlesThreadWorker);
  FakeBuffer* buffer = Make();
  runtime_.buffers = {{In(), buffer}};
  Out()->data.raw = nullptr;  // LiteRT gives it no memory
  EXPECT_FALSE(interpreter_->Invoke().ok());
  EXPECT_THAT(interpreter_->log(),
              ::testing::Contains(HasSubstr("has no buffer of tensor")));
}

// Buffers of the old size say so, and larger ones hold either shape.
TEST_F(DelegateCachesTest, AfterAResize) {
  Apply(kTfLiteGlesThreadWorker);
  FakeBuffer* small = Make();
  ASSERT_TRUE(Step(small, small, 3).ok());
  expected_.assign(2 * expected_.size(), 0.25f);
  Resize(interpreter_.get(), {1, 2 * kRows, kColumns});
  FakeBuffer *from = Make(), *to = Make();
  from->Write(expected_);
  EXPECT_FALSE(Step(small, to, 3).ok());
  EXPECT_THAT(interpreter_->log(),
              ::testing::Contains(HasSubstr("make new buffers")));
  ASSERT_TRUE(Step(from, to, kRows + 3).ok());
  ASSERT_TRUE(Step(to, to, 5).ok());
  EXPECT_EQ(to->Read(expected_.size())[(kRows + 3) * kColumns],
            100.0f * (kRows + 3));
  EXPECT_EQ(to->Read(expected_.size())[5 * kColumns], 500.0f);
}

TEST_F(DelegateCachesTest, ATransposedCacheAfterAResize) {
  is_turned_ = true;
  model_ = LoadOrDie(Cached(kColumns, is_turned_));
  Apply(kTfLiteGlesThreadWorker);
  FakeBuffer* small = Make();
  small->Write(expected_);
  ASSERT_TRUE(Step(small, small, kRows - 1).ok());
  ExpectValues(small);
  rows_ = 2 * kRows;
  expected_.assign(2 * expected_.size(), 0.25f);
  Resize(interpreter_.get(), {1, kColumns, rows_});
  FakeBuffer *from = Make(), *to = Make();
  from->Write(expected_);
  ASSERT_TRUE(Step(from, to, rows_ - 2).ok());
  ASSERT_TRUE(Step(to, to, 5).ok());
  ExpectValues(to);
}

// Beyond memory_limit_bytes the nodes run on the CPU, with the same buffers.
TEST_F(DelegateCachesTest, OnTheCpuToo) {
  Apply(kTfLiteGlesThreadWorker);
  const int64_t needed = ReportOf(delegate_)["gpu_bytes"]["total"];
  interpreter_.reset();
  // Also enough for the cache and for staging buffers, which the check counts.
  Apply(kTfLiteGlesThreadWorker,
        4 * (needed + sizeof(float) * kRows * kColumns));
  expected_.resize(16 * expected_.size(), 0.25f);
  Resize(interpreter_.get(), {1, 16 * kRows, kColumns});
  FakeBuffer *from = Make(), *to = Make(), *host = Make(true);
  from->Write(expected_);
  ASSERT_TRUE(Step(from, to, 3).ok());
  ASSERT_TRUE(Step(to, host, 2 * kRows).ok());
  ASSERT_TRUE(Step(host, from, 5).ok());
  ExpectValues(from);
  EXPECT_THAT(ReportOf(delegate_).dump(), HasSubstr("memory_limit_bytes"));
}

// The values outlive the interpreter, the delegate, and its context.
TEST_F(DelegateCachesTest, BuffersOutliveTheDelegate) {
  Apply(kTfLiteGlesThreadWorker);
  FakeBuffer *from = Make(), *to = Make();
  from->Write(expected_);
  ASSERT_TRUE(Step(from, to, 3).ok());
  interpreter_.reset();
  delegate_.reset();
  ExpectValues(to);
  Apply(kTfLiteGlesThreadCallerOwnContext);
  ASSERT_TRUE(Step(to, from, 4).ok());
  ExpectValues(from);
}

// --- Kept between a plain interpreter's calls (state_pairs) ------------------

// The cache as in Cached(), and its negative, which shows its values.
std::vector<uint8_t> ShownCache(int rows = kRows) {
  ModelBuilder b = cases::BuilderOf(absl::StrReplaceAll(
      "DYNAMIC_UPDATE_SLICE cache=[1,{r},{c}] row=[1,1,{c}] at=i32[3] -> "
      "updated:f32[1,{r},{c}] ; NEG updated -> shown:f32[1,{r},{c}]",
      {{"{r}", absl::StrCat(rows)}, {"{c}", absl::StrCat(kColumns)}}));
  b.SetOutputs(Named(b, "updated shown"));
  return b.Finish();
}

class StatePairsTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped()) model_ = LoadOrDie(ShownCache());
  }
  std::unique_ptr<Interpreter> Make(
      const char* pairs = "auto", int mode = kTfLiteGlesThreadWorker,
      const std::function<void(TfLiteGlesDelegateOptions&)>& change = {}) {
    if (delegate_ == nullptr) {
      delegate_ = MakeDelegate([&](TfLiteGlesDelegateOptions& options) {
        options.thread_mode = mode;
        options.state_pairs = pairs;
        options.max_delegated_partitions = 0;
        if (change) change(options);
      });
    }
    return Applied(*model_, delegate_);
  }
  static void Write(Interpreter* on, float value) {
    auto cache = on->input(0).data<float>();
    std::fill(cache.begin(), cache.end(), value);
  }
  // As an app does, the output's bytes into an input.
  static void Pass(Interpreter* from, Interpreter* to) {
    const auto bytes = from->output(0).bytes();
    std::copy(bytes.begin(), bytes.end(), to->input(0).bytes().begin());
  }
  // Writes `value` to row `at`.
  static absl::Status Step(Interpreter* on, int at, float value) {
    auto row = on->input(1).data<float>();
    std::fill(row.begin(), row.end(), value);
    on->input(2).data<int32_t>()[1] = at;
    return on->Invoke();
  }
  // The first column, as the GPU has it.
  static std::vector<float> Shown(Interpreter* on) {
    const std::vector<float> all = on->output(1).AsFloats();
    std::vector<float> column;
    for (size_t i = 0; i < all.size(); i += kColumns) column.push_back(-all[i]);
    return column;
  }
  static std::vector<float> Rows(float rest, std::map<int, float> rows,
                                 int count = kRows) {
    std::vector<float> column(count, rest);
    for (const auto& [row, value] : rows) column[row] = value;
    return column;
  }

  std::unique_ptr<Model> model_;
  DelegatePtr delegate_;
};

TEST_F(StatePairsTest, WithoutTheOptionValuesAreTheApps) {
  for (const char* pairs : {"", static_cast<const char*>(nullptr)}) {
    delegate_.reset();
    const auto on = Make(pairs);
    Write(on.get(), 0.5f);
    ASSERT_TRUE(Step(on.get(), 3, 1).ok());
    ASSERT_TRUE(Step(on.get(), 4, 2).ok());
    EXPECT_EQ(Shown(on.get()), Rows(0.5f, {{4, 2}}));
    EXPECT_EQ(on->output(0).AsFloats()[4 * kColumns], 2);
  }
}

// Passed on or left alone, the cache continues; no call copies it.
TEST_F(StatePairsTest, CachesStayOnTheGpu) {
  for (int mode :
       {kTfLiteGlesThreadWorker, kTfLiteGlesThreadCallerOwnContext}) {
    delegate_.reset();
    const auto on = Make("auto", mode);
    EXPECT_EQ(ReportOf(delegate_)["partition"][0]["tensors_kept_on_gpu"].size(),
              2u);
    Write(on.get(), 0.5f);
    ASSERT_TRUE(Step(on.get(), 3, 1).ok());
    EXPECT_EQ(Shown(on.get()), Rows(0.5f, {{3, 1}}));
    const CountedCalls counted;
    ASSERT_TRUE(Step(on.get(), 4, 2).ok());
    Pass(on.get(), on.get());
    ASSERT_TRUE(Step(on.get(), kRows - 1, 3).ok());
    EXPECT_EQ(Shown(on.get()), Rows(0.5f, {{3, 1}, {4, 2}, {kRows - 1, 3}}));
    // The two that are shown, and the other inputs.
    EXPECT_LT(counted.host_bytes(), 3 * sizeof(float) * kRows * kColumns);
    Write(on.get(), -1);
    ASSERT_TRUE(Step(on.get(), 0, 7).ok());
    EXPECT_EQ(Shown(on.get()), Rows(-1, {{0, 7}}));
  }
}

// As from a signature prefill to decode: what one call returned continues in
// another partition.
TEST_F(StatePairsTest, APassedCacheContinuesElsewhere) {
  const auto first = Make(), second = Make();
  Write(first.get(), 0.5f);
  ASSERT_TRUE(Step(first.get(), 3, 1).ok());
  Pass(first.get(), second.get());
  ASSERT_TRUE(Step(second.get(), 4, 2).ok());
  EXPECT_EQ(Shown(second.get()), Rows(0.5f, {{3, 1}, {4, 2}}));
  // The first one's was updated since.
  EXPECT_FALSE(Step(first.get(), 5, 3).ok());
  EXPECT_THAT(first->log(),
              ::testing::Contains(HasSubstr("a later call has updated")));
  ASSERT_TRUE(Step(second.get(), 5, 3).ok());
  EXPECT_EQ(Shown(second.get()), Rows(0.5f, {{3, 1}, {4, 2}, {5, 3}}));
  Write(first.get(), 0);
  ASSERT_TRUE(Step(first.get(), 5, 3).ok());
  EXPECT_EQ(Shown(first.get()), Rows(0, {{5, 3}}));
  // Values took the first one's buffer, which the second one had.
  EXPECT_FALSE(Step(second.get(), 6, 4).ok());
}

TEST_F(StatePairsTest, AnotherDelegatesCacheIsRefused) {
  const auto first = Make();
  Write(first.get(), 0.5f);
  ASSERT_TRUE(Step(first.get(), 3, 1).ok());
  const DelegatePtr other = std::exchange(delegate_, nullptr);
  const auto second = Make();
  Pass(first.get(), second.get());
  EXPECT_FALSE(Step(second.get(), 4, 2).ok());
  EXPECT_THAT(second->log(),
              ::testing::Contains(HasSubstr("a cache of another delegate")));
}

TEST_F(StatePairsTest, OtherSizesAreOtherCaches) {
  const auto on = Make();
  Write(on.get(), 0.5f);
  ASSERT_TRUE(Step(on.get(), 3, 1).ok());
  const std::unique_ptr<Model> model = std::move(model_);  // of `on`
  model_ = LoadOrDie(ShownCache(2 * kRows));
  const auto larger = Make();
  Pass(on.get(), larger.get());
  EXPECT_FALSE(Step(larger.get(), 4, 2).ok());
  EXPECT_THAT(larger->log(), ::testing::Contains(HasSubstr("is passed to an "
                                                           "input of 20480")));
  Resize(on.get(), {1, 2 * kRows, kColumns});
  Write(on.get(), 0.25f);
  ASSERT_TRUE(Step(on.get(), kRows, 1).ok());
  ASSERT_TRUE(Step(on.get(), 5, 2).ok());
  EXPECT_EQ(Shown(on.get()), Rows(0.25f, {{kRows, 1}, {5, 2}}, 2 * kRows));
}

// A node on the CPU reads the cache, or an app's object takes it: then its
// memory has values.
TEST_F(StatePairsTest, CachesThatOthersReadAreNotKept) {
  const auto on = Make("auto", kTfLiteGlesThreadWorker,
                       [](auto& options) { options.exclude_nodes = "1"; });
  Write(on.get(), 0.5f);
  ASSERT_EQ(Step(on.get(), 3, 1), absl::OkStatus());
  EXPECT_EQ(Shown(on.get()), Rows(0.5f, {{3, 1}}));
  EXPECT_EQ(on->output(0).AsFloats()[3 * kColumns], 1);
}

// After a resize past memory_limit_bytes.
TEST_F(StatePairsTest, OnTheCpuTheyAreValues) {
  const auto small = Make();
  const int64_t needed = ReportOf(delegate_)["gpu_bytes"]["total"];
  delegate_.reset();
  const auto on = Make("auto", kTfLiteGlesThreadWorker, [&](auto& options) {
    options.memory_limit_bytes = 4 * needed;
  });
  Write(on.get(), 0.5f);
  ASSERT_TRUE(Step(on.get(), 3, 1).ok());
  Resize(on.get(), {1, 16 * kRows, kColumns});
  Write(on.get(), 0.25f);
  ASSERT_TRUE(Step(on.get(), 3, 1).ok());
  Pass(on.get(), on.get());
  ASSERT_TRUE(Step(on.get(), 5, 2).ok());
  EXPECT_EQ(Shown(on.get()), Rows(0.25f, {{3, 1}, {5, 2}}, 16 * kRows));
  EXPECT_THAT(ReportOf(delegate_).dump(), HasSubstr("memory_limit_bytes"));
}

TEST_F(StatePairsTest, OtherTextsAreRefused) {
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  options.state_pairs = "cache=updated";
  EXPECT_EQ(TfLiteGlesDelegateCreate(&options), nullptr);
  EXPECT_THAT(TfLiteGlesDelegateLastError(),
              HasSubstr("'cache=updated' is neither 'auto' nor empty"));
}

}  // namespace
}  // namespace gles_delegate::testing
