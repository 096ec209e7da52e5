// labels: op llvmpipe softpipe
// Inputs and outputs that travel in pieces, and through buffers of the GPU:
// each layout in host memory, with pieces of one step, of several, and more of
// them than fit.
#include <algorithm>
#include <vector>

#include "delegate/ops/elementwise/elementwise.h"
#include "gmock/gmock.h"
#include "tests/testing/device_test.h"
#include "tests/testing/hidden_extension.h"
#include "tests/testing/run_graph.h"

namespace gles_delegate::testing {
namespace {

// The host packs and unpacks, where the device's storage allows it.
constexpr int kByHost = -1;

struct Case {
  std::vector<int> dims;
  int piece_bytes;
  int staged_bytes = 0;  // BusTransfers::staged_upload_bytes
  bool halves = false;   // 16-bit storage and transfers
  int share = 0;         // DeviceChoices::share_programs
  bool zero_copy = false;
};

void PrintTo(const Case& c, std::ostream* os) {
  *os << ::testing::PrintToString(c.dims) << " in pieces of " << c.piece_bytes
      << (c.staged_bytes > 0 ? ", staged" : "")
      << (c.halves ? ", as halves" : "")
      << (c.share > 0 ? ", by shared programs" : "")
      << (c.zero_copy ? ", without a copy" : "");
}

class TransferTest : public DeviceTestWithParam<Case> {};

void ExpectMovesEveryValue(const Case& c) {
  Graph graph;
  Node node;
  node.inputs = {AddTensor(&graph, c.dims)};
  node.outputs = {AddTensor(&graph, c.dims)};
  node.attributes =
      ElementwiseAttributes{0, graph.tensor(node.inputs[0]).shape, {}};
  node.post_ops = {{"neg"}};
  std::vector<float> in(graph.tensor(node.inputs[0]).shape.elements());
  // Whole numbers that 16 bits can hold.
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 2039);
  std::vector<float> want;
  for (float v : in) want.push_back(-v);
  const auto got =
      RunGraphOf("NEG", std::move(node), std::move(graph), {in},
                 [&c](DeviceProfile& profile) {
                   const int bytes = std::max(0, c.piece_bytes);
                   profile.choices.host_transfers = c.piece_bytes == kByHost;
                   profile.bus.upload_piece_bytes = bytes;
                   profile.bus.readback_piece_bytes = bytes;
                   profile.options.half = c.halves;
                   profile.choices.share_programs = c.share;
                   profile.choices.zero_copy = c.zero_copy;
                   profile.bus.half_transfers = c.halves;
                   profile.bus.staged_upload_bytes = c.staged_bytes;
                 });
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(*got, want);
}

TEST_P(TransferTest, MovesEveryValue) { ExpectMovesEveryValue(GetParam()); }

// If nothing stays mapped, every input and output is uploaded and read back
// by GL's own calls, whatever the profile asks for.
TEST_P(TransferTest, MovesEveryValueWithoutBufferStorage) {
  const HiddenExtension hidden("GL_EXT_buffer_storage");
  ExpectMovesEveryValue(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Pieces, TransferTest,
    ::testing::Values(Case{{1, 9, 7, 3}, 0}, Case{{1, 9, 7, 3}, 48},
                      Case{{2, 5, 7, 3}, 300}, Case{{1, 9, 7, 3}, 4},
                      Case{{3, 5, 7, 8}, 224}, Case{{3, 5, 7, 8}, 1000},
                      Case{{3, 5, 7, 8}, 1}, Case{{2, 9, 7, 5}, 16},
                      Case{{2, 9, 7, 5}, 100}, Case{{1, 1, 1, 1}, 1},
                      Case{{1, 3}, 1}, Case{{1, 1024, 1030, 1}, 1 << 19},
                      Case{{1, 1024, 1100, 3}, 1 << 20}));

INSTANTIATE_TEST_SUITE_P(
    ByHost, TransferTest,
    ::testing::Values(Case{{1, 9, 7, 3}, kByHost}, Case{{2, 5, 7, 5}, kByHost},
                      Case{{3, 5, 7, 8}, kByHost}, Case{{1, 3}, kByHost},
                      Case{{2, 4, 3, 22}, kByHost},
                      Case{{2, 4, 3, 22}, kByHost, 0, /*halves=*/true}));

// More than one piece of 512 KiB of each layout, and inputs below and above the
// bound.
INSTANTIATE_TEST_SUITE_P(
    Staged, TransferTest,
    ::testing::Values(Case{{1, 9, 7, 3}, 48, 1}, Case{{1, 9, 7, 3}, 48, 757},
                      Case{{3, 5, 7, 8}, 224, 1}, Case{{2, 9, 7, 5}, 16, 1},
                      Case{{1, 1, 1, 1}, 1, 1},
                      Case{{1, 353, 481, 3}, 1 << 18, 1 << 20},
                      Case{{1, 257, 257, 5}, 1 << 18, 1 << 20},
                      Case{{1, 200, 200, 8}, 1 << 18, 1 << 20}));

// Each layout, and pieces that end where a half does.
INSTANTIATE_TEST_SUITE_P(
    Halves, TransferTest,
    ::testing::Values(
        Case{{1, 9, 7, 3}, 0, 0, true}, Case{{1, 9, 7, 3}, 24, 0, true},
        Case{{2, 5, 7, 3}, 150, 1, true}, Case{{3, 5, 7, 8}, 112, 0, true},
        Case{{3, 5, 7, 8}, 112, 1, true}, Case{{2, 9, 7, 5}, 8, 0, true},
        Case{{2, 9, 7, 5}, 50, 1, true}, Case{{1, 1, 1, 1}, 1, 0, true},
        Case{{1, 257, 257, 5}, 1 << 18, 1 << 18, true},
        Case{{1, 353, 481, 3}, 1 << 18, 1 << 20, true}));

// Work groups that read past the last pixel, and rows of a folded grid.
INSTANTIATE_TEST_SUITE_P(
    ZeroCopy, TransferTest,
    ::testing::Values(Case{{1, 9, 7, 3}, 48, 0, false, 0, true},
                      Case{{1, 1, 1, 3}, 48, 0, false, 0, true},
                      Case{{2, 64, 64, 3}, 48, 0, false, 0, true},
                      Case{{1, 353, 481, 3}, 48, 0, false, 0, true},
                      Case{{1, 353, 481, 3}, 48, 0, false, 2, true},
                      Case{{3, 5, 7, 8}, 48, 0, false, 0, true},
                      Case{{2, 9, 7, 5}, 48, 0, false, 0, true}));

INSTANTIATE_TEST_SUITE_P(
    Shared, TransferTest,
    ::testing::Values(Case{{2, 5, 7, 3}, 300, 0, false, 2},
                      Case{{3, 5, 7, 8}, 224, 0, false, 2},
                      Case{{2, 9, 7, 5}, 100, 0, false, 2},
                      Case{{1, 1024, 1100, 3}, 1 << 20, 0, false, 2}));

}  // namespace
}  // namespace gles_delegate::testing
