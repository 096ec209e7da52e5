// labels: op delegate llvmpipe abi
// Hosts whose TfLiteContext and TfLiteDelegate are shorter or longer than those
// of this build's headers. A host stands between TFLite and the delegate, and
// hands copies of the structs on: shorter ones end where memory ends, longer
// ones go on with poison.
#include <cstddef>
#include <cstring>
#include <string>

#include "gmock/gmock.h"
#include "tensorflow/lite/c/common.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/guarded_page.h"

namespace gles_delegate::testing {
namespace {

constexpr size_t kPoisoned = 256;  // bytes behind a longer struct

// How much of a struct the host knows.
struct Age {
  const char* name;
  size_t context;   // bytes
  size_t delegate;  // bytes
  bool has_tail;    // of poison
};

class Host : public TfLiteDelegate {
 public:
  Host(const Age& age, TfLiteDelegate* delegate)
      : TfLiteDelegate{},
        tail_(age.has_tail ? kPoisoned : 0),
        context_size_(age.context),
        context_(age.context + tail_),
        delegate_(age.delegate + tail_) {
    data_ = this;
    Prepare = [](TfLiteContext* context, TfLiteDelegate* self) {
      return static_cast<Host*>(self->data_)->Pass(context);
    };
    flags = delegate->flags;
    std::memset(delegate_.data(), 0xa5, age.delegate + tail_);
    std::memcpy(delegate_.data(), delegate, age.delegate);
  }
  int passed() const { return passed_; }

 private:
  // The context's functions go by its member impl_, which the copy has, too.
  TfLiteStatus Pass(TfLiteContext* context) {
    ++passed_;
    std::memset(context_.data(), 0xa5, context_size_ + tail_);
    std::memcpy(context_.data(), context, context_size_);
    auto* delegate = reinterpret_cast<TfLiteDelegate*>(delegate_.data());
    return delegate->Prepare(reinterpret_cast<TfLiteContext*>(context_.data()),
                             delegate);
  }

  const size_t tail_;
  const size_t context_size_;
  GuardedPage context_;
  GuardedPage delegate_;  // which the interpreter's nodes point at
  int passed_ = 0;
};

class HostStructsTest : public DeviceTestWithParam<Age> {};

TEST_P(HostStructsTest, TheDelegateReadsWhatThereIs) {
  const auto model = LoadOrDie(ChainModel("canrn"));
  for (const int mode : {kTfLiteGlesThreadCaller, kTfLiteGlesThreadWorker}) {
    const DelegatePtr delegate = MakeDelegate([&](auto& options) {
      options.thread_mode = mode;
      options.max_delegated_partitions = 0;
    });
    Host host(GetParam(), delegate.get());
    auto interpreter = InterpreterOrDie(*model);
    const absl::Status applied = interpreter->ApplyDelegate(&host);
    ASSERT_TRUE(applied.ok()) << applied;
    EXPECT_EQ(host.passed(), 1);
    const auto report = ReportOf(delegate);
    EXPECT_EQ(report["nodes_total"], 5) << report;
    EXPECT_EQ(report["nodes_delegated"], 4);
    EXPECT_EQ(report["partitions"], 2);
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
    const Shape larger = {1, 9, 5, 5};
    ASSERT_TRUE(interpreter->ResizeInput(0, larger).ok());
    ASSERT_TRUE(interpreter->AllocateTensors().ok());
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model, 0, larger));
    interpreter.reset();
  }
}

constexpr size_t kDelegateOf29 = sizeof(TfLiteDelegate);
constexpr size_t kContextOf29 = sizeof(TfLiteContext);
// The last member that the delegate needs is the last one that is there.
constexpr size_t kShorterContext =
    offsetof(TfLiteContext, PreviewDelegatePartitioning) +
    sizeof(TfLiteContext::PreviewDelegatePartitioning);

INSTANTIATE_TEST_SUITE_P(
    Hosts, HostStructsTest,
    ::testing::Values(Age{"older", kShorterContext, kDelegateOf29, false},
                      Age{"same", kContextOf29, kDelegateOf29, false},
                      Age{"newer", kContextOf29, kDelegateOf29, true}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(HostStructsAgesTest, TheOlderContextIsShorter) {
  EXPECT_LT(kShorterContext, kContextOf29);
}

}  // namespace
}  // namespace gles_delegate::testing
