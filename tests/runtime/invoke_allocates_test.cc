// labels: op delegate llvmpipe
// Invoke takes nothing from the heap: operator new is counted, in this program
// and in all that it links. (The driver's own malloc is not.)
#include <atomic>
#include <cstdlib>
#include <new>

#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/runtime/executor.h"
#include "egl/context.h"
#include "tests/testing/delegate_case.h"
#include "tests/testing/device_test.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/hidden_extension.h"
#include "tests/testing/scoped_environment.h"

namespace {
std::atomic<bool> g_counts{false};
std::atomic<int> g_allocations{0};

void* Allocate(std::size_t bytes) {
  if (g_counts.load(std::memory_order_relaxed)) ++g_allocations;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  std::abort();
}
}  // namespace

void* operator new(std::size_t bytes) { return Allocate(bytes); }
void* operator new[](std::size_t bytes) { return Allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace gles_delegate::testing {
namespace {

template <typename Fn>
int AllocationsOf(const Fn& fn) {
  g_allocations = 0;
  g_counts = true;
  fn();
  g_counts = false;
  return g_allocations;
}

class InvokeAllocatesTest : public DeviceTest {
 protected:
  // Validation keeps lists.
  void ExpectNone() {
    const auto model = LoadOrDie(ChainModel("can", {1, 24, 24, 8}));
    const DelegatePtr delegate = MakeDelegate();
    auto interpreter = Applied(*model, delegate);
    ASSERT_EQ(ReportOf(delegate)["nodes_delegated"], 3);
    ExpectClose(RunOnce(interpreter.get()), CpuResult(*model));
    TfLiteStatus status = kTfLiteError;
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(AllocationsOf([&] {
                  status = TfLiteInterpreterInvoke(interpreter->get());
                }),
                0);
      EXPECT_EQ(status, kTfLiteOk);
    }
  }

  ScopedNoDebug no_validation_;
};

TEST_F(InvokeAllocatesTest, TheCounterCounts) {
  EXPECT_EQ(AllocationsOf([] { delete new int(1); }), 1);
}

TEST_F(InvokeAllocatesTest, NothingInAContextOfItsOwn) { ExpectNone(); }

TEST_F(InvokeAllocatesTest, NothingInABorrowedContext) {
  const absl::Status status = TestContext()->Run([&] {
    ExpectNone();
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(InvokeAllocatesTest, NothingWithoutBufferStorage) {
  const HiddenExtension hidden("GL_EXT_buffer_storage");
  ExpectNone();
}

// The executor by itself, with transfers of each kind.
TEST_F(InvokeAllocatesTest, NothingByAnyWayOfTransfer) {
  struct Way {
    int host_transfers;
    int piece_bytes;
    int staged_bytes;
  };
  for (const Way& way :
       {Way{1, 0, 0}, Way{0, 0, 0}, Way{0, 4096, 0}, Way{0, 4096, 1}}) {
    GraphBuilder b;
    const TensorId x = b.Input({1, 64, 64, 4});
    b.graph.outputs = {b.Relu(b.Conv(x))};
    DeviceProfile profile = ProfileFor(TestContext()->device(), {});
    profile.choices.host_transfers = way.host_transfers;
    profile.bus.upload_piece_bytes = profile.bus.readback_piece_bytes =
        way.piece_bytes;
    profile.bus.staged_upload_bytes = way.staged_bytes;
    std::vector<uint8_t> in(64 * 64 * 16), out(in.size());
    const std::vector<absl::Span<const uint8_t>> inputs = {in};
    const std::vector<absl::Span<uint8_t>> outputs = {absl::MakeSpan(out)};
    const absl::Status status = TestContext()->Run([&]() -> absl::Status {
      ASSIGN_OR_RETURN(auto planned, PlanPartition(b.graph, profile, nullptr));
      ProgramCache programs;
      ASSIGN_OR_RETURN(
          auto executor,
          Executor::Create(*TestContext(), &programs, planned.graph,
                           planned.dispatches, profile));
      absl::Status s = executor->Invoke(inputs, outputs);
      for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(AllocationsOf([&] { s = executor->Invoke(inputs, outputs); }),
                  0)
            << way.host_transfers << " " << way.piece_bytes << " "
            << way.staged_bytes;
      }
      return s;
    });
    EXPECT_TRUE(status.ok()) << status;
  }
}

}  // namespace
}  // namespace gles_delegate::testing
