// labels: op llvmpipe softpipe
// Each state of a HostTransfer: which profile, tensor and driver lead to it,
// and that values arrive in it as they are.
#include "delegate/runtime/host_transfer.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/op.h"
#include "delegate/graph/texels.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/op_list.h"
#include "delegate/plan/dispatch.h"
#include "delegate/plan/planner.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/schedule.h"
#include "gmock/gmock.h"
#include "quant/half.h"
#include "tests/testing/device.h"
#include "tests/testing/device_test.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/hidden_extension.h"
#include "tests/testing/run_graph.h"

namespace gles_delegate::testing {
namespace {

using Direction = HostTransfer::Direction;
using Way = HostTransfer::Way;
using Element = HostTransfer::Element;

struct State {
  Way way;
  Element element;
  bool in_pieces;
};

std::string Name(const State& state) {
  static const char* const kWays[] = {"PackedByHost", "Mapped", "Staged",
                                      "Unmapped"};
  static const char* const kElements[] = {"Words", "Halves", "Codes"};
  return std::string(kWays[static_cast<int>(state.way)]) +
         kElements[static_cast<int>(state.element)] +
         (state.in_pieces ? "InPieces" : "Whole");
}

void PrintTo(const State& state, std::ostream* os) { *os << Name(state); }

// A tensor whose input takes 16 steps of an upload's grid, and its output 48 of
// a readback's: the tail of its channels is one short of a texel.
const std::vector<int>& Dims() {
  static const auto* dims = new std::vector<int>{1, 9, 7, 3};
  return *dims;
}

Tensor TensorFor(Element element) {
  Tensor tensor;
  tensor.dims = Dims();
  tensor.shape = gles_delegate::Shape::FromDims(tensor.dims);
  if (element == Element::kCode) {
    tensor.quantized = DataType::kUint8;
    tensor.holds_quantized = true;
    tensor.quantization = {{0.5f}, {128}};
  }
  return tensor;
}

// An option that makes the delegate choose `state` for the tensor of its
// element.
DeviceProfile ProfileFor(const State& state, DeviceProfile profile) {
  profile.choices.storage = gl_shaders::Storage::kBuffer;
  profile.choices.host_transfers = state.way == Way::kPackedByHost;
  profile.bus.staged_upload_bytes = state.way == Way::kStaged ? 1 : 0;
  profile.options.half = state.element == Element::kHalf;
  profile.bus.half_transfers = state.element == Element::kHalf;
  // Others than words are packed by the host in the self-check alone.
  profile.options.self_check =
      state.way == Way::kPackedByHost && state.element != Element::kWord
          ? SelfCheckRun::kNodes
          : SelfCheckRun::kNone;
  profile.bus.upload_piece_bytes = state.in_pieces ? 48 : 0;
  profile.bus.readback_piece_bytes = state.in_pieces ? 48 : 0;
  return profile;
}

bool CanBe(const State& state) {
  return state.element != Element::kHalf || HalvesAreFast();
}

class StateTest : public ::testing::TestWithParam<State> {};

TEST_P(StateTest, FollowsFromProfileTensorAndDriver) {
  const State& state = GetParam();
  if (!CanBe(state)) GTEST_SKIP() << "this processor converts no halves";
  const DeviceProfile profile = ProfileFor(state, DeviceProfile());
  const bool can_map = state.way != Way::kUnmapped;
  const Tensor tensor = TensorFor(state.element);
  const HostTransfer upload(Direction::kUpload, 0, tensor, profile, can_map);
  EXPECT_EQ(upload.way(), state.way);
  EXPECT_EQ(upload.element(), state.element);
  EXPECT_EQ(upload.Pieces(16) > 1, state.in_pieces);
  // Steps that do not follow each other cannot be shared out.
  EXPECT_EQ(upload.Pieces(0), 1);
  const HostTransfer readback(Direction::kReadback, 0, tensor, profile,
                              can_map);
  EXPECT_EQ(readback.way(),
            state.way == Way::kStaged ? Way::kMapped : state.way);
  EXPECT_EQ(readback.element(), state.element);
  EXPECT_EQ(readback.Pieces(16) > 1, state.in_pieces);
}

// A graph that copies one tensor of the state's element.
Graph CopyOf(Element element) {
  Graph graph;
  Node node;
  node.inputs = {graph.AddTensor(TensorFor(element))};
  node.outputs = {graph.AddTensor(TensorFor(element))};
  node.attributes =
      ElementwiseAttributes{0, graph.tensor(node.inputs[0]).shape, {}};
  node.integer_path = element == Element::kCode;
  node.op = FindOpNamed("NEG");
  graph.inputs = node.inputs;
  graph.outputs = node.outputs;
  graph.nodes.push_back(std::move(node));
  return graph;
}

// Values that each element can hold, and neighbours of which differ.
std::vector<uint8_t> Values(Element element) {
  const int64_t count = gles_delegate::Shape::FromDims(Dims()).elements();
  std::vector<uint8_t> bytes(count);
  for (int64_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(i * 7);
  if (element == Element::kCode) return bytes;
  const std::vector<float> floats(bytes.begin(), bytes.end());
  const auto span = AsBytes<float>(floats);
  return {span.begin(), span.end()};
}

TEST_P(StateTest, MovesEveryValue) {
  GLES_SKIP_WITHOUT_DEVICE();
  const State& state = GetParam();
  if (!CanBe(state)) GTEST_SKIP() << "this processor converts no halves";
  std::optional<HiddenExtension> hidden;
  if (state.way == Way::kUnmapped) hidden.emplace("GL_EXT_buffer_storage");
  const DeviceProfile profile =
      ProfileFor(state, gles_delegate::ProfileFor(TestContext()->device(), {}));
  const absl::Status status = TestContext()->Run([&]() -> absl::Status {
    if (!hidden && !egl::Buffer::CanBeMapped()) {
      return absl::UnimplementedError("no GL_EXT_buffer_storage");
    }
    Graph graph = CopyOf(state.element);
    ASSIGN_OR_RETURN(auto dispatches, PlanGraph(&graph, profile));
    ProgramCache programs;
    ASSIGN_OR_RETURN(auto executor,
                     Executor::Create(*TestContext(), &programs, graph,
                                      std::move(dispatches), profile));
    EXPECT_EQ(executor->inputs()[0].way(), state.way);
    EXPECT_EQ(executor->inputs()[0].element(), state.element);
    EXPECT_EQ(executor->outputs()[0].element(), state.element);
    const int dispatch_count = executor->stats().dispatches;
    if (state.in_pieces) {
      EXPECT_GE(dispatch_count, 2 + 1 + 2);
    } else {
      EXPECT_EQ(dispatch_count, state.way == Way::kPackedByHost ? 1 : 3);
    }
    const std::vector<uint8_t> in = Values(state.element);
    std::vector<uint8_t> out(in.size());
    const absl::Span<const uint8_t> input = in;
    const absl::Span<uint8_t> output = absl::MakeSpan(out);
    absl::Status invoked = executor->Invoke({&input, 1}, {&output, 1});
    EXPECT_EQ(out, in);
    return invoked;
  });
  if (absl::IsUnimplemented(status)) GTEST_SKIP() << status;
  EXPECT_TRUE(status.ok()) << status;
}

// With zero_copy, other buffers than the executor's may have the values: what
// the spans give is neither read nor written, in one Invoke and not in the
// next.
class ZeroCopyTest : public StateTest {};

TEST_P(ZeroCopyTest, LeavesValuesInBuffersOfOthers) {
  GLES_SKIP_WITHOUT_DEVICE();
  const State& state = GetParam();
  DeviceProfile profile =
      ProfileFor(state, gles_delegate::ProfileFor(TestContext()->device(), {}));
  profile.choices.zero_copy = 1;
  const absl::Status status = TestContext()->Run([&]() -> absl::Status {
    Graph graph = CopyOf(state.element);
    ASSIGN_OR_RETURN(auto dispatches, PlanGraph(&graph, profile));
    ProgramCache programs;
    ASSIGN_OR_RETURN(auto made,
                     Executor::Create(*TestContext(), &programs, graph,
                                      std::move(dispatches), profile));
    Executor& executor = *made;
    const std::vector<uint8_t> in = Values(state.element);
    const std::vector<uint8_t> poison(in.size(), 0x55);
    std::vector<egl::Buffer> buffers;
    for (int i = 0; i < 2; ++i) {
      ASSIGN_OR_RETURN(auto buffer, egl::Buffer::CreateMapped(
                                        HostTransfer::PaddedBytes(in.size()),
                                        GL_MAP_READ_BIT | GL_MAP_WRITE_BIT));
      buffers.push_back(std::move(buffer));
      std::copy(in.begin(), in.end(), buffers[i].mapped());
    }
    std::fill_n(buffers[1].mapped(), in.size(), 0x55);
    std::vector<uint8_t> out = poison;
    absl::Span<const uint8_t> input = poison;
    const absl::Span<uint8_t> output = absl::MakeSpan(out);
    executor.UseMemory({buffers[0].id()}, {buffers[1].id()});
    RETURN_IF_ERROR(executor.Invoke({&input, 1}, {&output, 1}));
    EXPECT_EQ(out, poison);
    EXPECT_EQ(std::vector<uint8_t>(buffers[1].mapped(),
                                   buffers[1].mapped() + in.size()),
              in);
    input = in;
    executor.UseMemory({0}, {0});
    absl::Status invoked = executor.Invoke({&input, 1}, {&output, 1});
    EXPECT_EQ(out, in);
    return invoked;
  });
  if (absl::IsUnimplemented(status)) GTEST_SKIP() << status;
  EXPECT_TRUE(status.ok()) << status;
}

INSTANTIATE_TEST_SUITE_P(
    All, ZeroCopyTest,
    ::testing::Values(State{Way::kMapped, Element::kWord, false},
                      State{Way::kMapped, Element::kWord, true},
                      State{Way::kMapped, Element::kCode, true},
                      State{Way::kStaged, Element::kWord, false},
                      State{Way::kStaged, Element::kCode, false}),
    [](const auto& info) { return Name(info.param); });

// Of uploads; a readback of a staged state is mapped, and goes as a whole here.
INSTANTIATE_TEST_SUITE_P(
    All, StateTest,
    ::testing::Values(State{Way::kPackedByHost, Element::kWord, false},
                      State{Way::kPackedByHost, Element::kHalf, false},
                      State{Way::kPackedByHost, Element::kCode, false},
                      State{Way::kMapped, Element::kWord, false},
                      State{Way::kMapped, Element::kWord, true},
                      State{Way::kMapped, Element::kHalf, false},
                      State{Way::kMapped, Element::kHalf, true},
                      State{Way::kMapped, Element::kCode, false},
                      State{Way::kMapped, Element::kCode, true},
                      State{Way::kStaged, Element::kWord, false},
                      State{Way::kStaged, Element::kHalf, false},
                      State{Way::kStaged, Element::kCode, false},
                      State{Way::kUnmapped, Element::kWord, false},
                      State{Way::kUnmapped, Element::kWord, true},
                      State{Way::kUnmapped, Element::kCode, false},
                      State{Way::kUnmapped, Element::kCode, true}),
    [](const auto& info) { return Name(info.param); });

HostTransfer Chosen(const Tensor& tensor, const DeviceProfile& profile,
                    Direction direction = Direction::kUpload) {
  return HostTransfer(direction, 0, tensor, profile, /*can_map=*/true);
}

// The host packs memory that is the tensor's alone, of four bytes an element,
// in a buffer.
TEST(HostTransferTest, LeavesToTheGpuWhatTheHostCannotPack) {
  const DeviceProfile profile =
      ProfileFor({Way::kPackedByHost, Element::kWord, false}, DeviceProfile());
  const Tensor plain = TensorFor(Element::kWord);
  EXPECT_EQ(Chosen(plain, profile).way(), Way::kPackedByHost);
  EXPECT_EQ(Chosen(TensorFor(Element::kCode), profile).way(), Way::kMapped);
  Tensor variable = plain;
  variable.is_variable = true;
  EXPECT_EQ(Chosen(variable, profile).way(), Way::kMapped);
  Tensor view = plain;
  view.view.of = 1;
  EXPECT_EQ(Chosen(view, profile).way(), Way::kMapped);
  DeviceProfile halves = profile;
  halves.options.half = true;
  EXPECT_EQ(Chosen(plain, halves).way(), Way::kMapped);
  DeviceProfile textures = profile;
  textures.choices.storage = gl_shaders::Storage::kTextureArray;
  EXPECT_EQ(Chosen(plain, textures).way(), Way::kMapped);
}

// A program is checked between a host that packs or unpacks the other side.
TEST(HostTransferTest, TheHostTakesTheOtherSideOfWhatIsChecked) {
  DeviceProfile profile =
      ProfileFor({Way::kMapped, Element::kWord, false}, DeviceProfile());
  for (const Element element : {Element::kWord, Element::kCode}) {
    const Tensor tensor = TensorFor(element);
    profile.options.self_check = SelfCheckRun::kUploads;
    EXPECT_EQ(Chosen(tensor, profile).way(), Way::kMapped);
    EXPECT_EQ(Chosen(tensor, profile, Direction::kReadback).way(),
              Way::kPackedByHost);
    profile.options.self_check = SelfCheckRun::kReadbacks;
    EXPECT_EQ(Chosen(tensor, profile).way(), Way::kPackedByHost);
    EXPECT_EQ(Chosen(tensor, profile, Direction::kReadback).way(),
              Way::kMapped);
  }
}

// 189 floats are 756 bytes.
TEST(HostTransferTest, StagesFromTheProfilesBoundOn) {
  DeviceProfile profile =
      ProfileFor({Way::kStaged, Element::kWord, false}, DeviceProfile());
  const Tensor tensor = TensorFor(Element::kWord);
  profile.bus.staged_upload_bytes = 756;
  EXPECT_EQ(Chosen(tensor, profile).way(), Way::kStaged);
  profile.bus.staged_upload_bytes = 757;
  EXPECT_EQ(Chosen(tensor, profile).way(), Way::kMapped);
}

// The host's conversion saturates.
TEST(HostTransferTest, SendsNoHalvesIfTheStoreOverflowsToInfinity) {
  DeviceProfile profile =
      ProfileFor({Way::kMapped, Element::kHalf, false}, DeviceProfile());
  profile.options.saturate_halves = false;
  EXPECT_EQ(Chosen(TensorFor(Element::kWord), profile).element(),
            Element::kWord);
}

TEST(HostTransferTest, CountsPiecesByTheHostsBytes) {
  const Tensor tensor = TensorFor(Element::kWord);
  DeviceProfile profile =
      ProfileFor({Way::kMapped, Element::kWord, true}, DeviceProfile());
  profile.bus.upload_piece_bytes = 300;
  profile.bus.readback_piece_bytes = 200;
  EXPECT_EQ(Chosen(tensor, profile).Pieces(100), 2);
  EXPECT_EQ(Chosen(tensor, profile, Direction::kReadback).Pieces(100), 3);
  profile.options.half = true;
  profile.bus.half_transfers = true;
  EXPECT_EQ(Chosen(tensor, profile).Pieces(100), 2);
  // No more than 16, and no more than there are steps.
  profile.bus.upload_piece_bytes = 1;
  EXPECT_EQ(Chosen(tensor, profile).Pieces(100), 16);
  EXPECT_EQ(Chosen(tensor, profile).Pieces(5), 5);
}

// Outputs of a partition that one program reads back, whatever their channels
// are (share_programs 2).

// Images of these channels, and a copy of each of them.
Graph Images(bool quantized, const std::vector<int>& channels) {
  GraphBuilder b;
  for (int c : channels) {
    const std::vector<int> dims = {2, 5, 70, c};
    const TensorId x = b.Input(dims);
    b.graph.outputs.push_back(b.Node("NEG", {x}, dims, b.Plain(x, 0)));
    b.graph.nodes.back().integer_path = quantized;
  }
  if (!quantized) return std::move(b.graph);
  for (Tensor& tensor : b.graph.tensors) {
    tensor.quantized = DataType::kUint8;
    tensor.holds_quantized = true;
    tensor.quantization = {{0.5f}, {128}};
  }
  return std::move(b.graph);
}

DeviceProfile Sharing(int share, DeviceProfile profile) {
  profile.choices.storage = gl_shaders::Storage::kBuffer;
  profile.choices.host_transfers = 0;
  profile.bus.upload_piece_bytes = 1000;
  profile.bus.readback_piece_bytes = 1000;
  profile.choices.share_programs = share;
  return profile;
}

// Of uploads, or of readbacks.
size_t Programs(const char* shader, const Graph& graph, int share) {
  const DeviceProfile profile = Sharing(share, DeviceProfile());
  const TransferPlan plan = PlanTransfers(graph, {}, profile, /*can_map=*/true);
  std::set<std::string> texts;
  for (const Dispatch& d : plan.schedule.dispatches) {
    if (d.shader != shader) continue;
    const auto text = gl_shaders::AssembleShader(SpecOf(graph, d, profile));
    EXPECT_TRUE(text.ok()) << text.status();
    texts.insert(text.value_or(""));
  }
  return texts.size();
}

TEST(SharedTransfersTest, OutputsOfAnyChannels) {
  const Graph graph = Images(/*quantized values=*/false, {5, 8});
  EXPECT_GE(Programs("readback", graph, 1), 2u);
  EXPECT_EQ(Programs("readback", graph, 2), 1u);
}

TEST(SharedTransfersTest, PiecesHaveOneWorkGroup) {
  EXPECT_EQ(Programs("upload", Images(/*quantized values=*/false, {3}), 2), 1u);
}

TEST(SharedTransfersTest, BringEveryCode) {
  GLES_SKIP_WITHOUT_DEVICE();
  const DeviceProfile profile =
      Sharing(2, gles_delegate::ProfileFor(TestContext()->device(), {}));
  const absl::Status status = TestContext()->Run([&]() -> absl::Status {
    Graph graph = Images(/*quantized values=*/true, {3, 8});
    ASSIGN_OR_RETURN(auto dispatches, PlanGraph(&graph, profile));
    ProgramCache programs;
    ASSIGN_OR_RETURN(auto executor,
                     Executor::Create(*TestContext(), &programs, graph,
                                      std::move(dispatches), profile));
    std::vector<std::vector<uint8_t>> in, out;
    std::vector<absl::Span<const uint8_t>> inputs;
    std::vector<absl::Span<uint8_t>> outputs;
    for (int channels : {3, 8}) {
      in.emplace_back(2 * 5 * 70 * channels);
      for (size_t i = 0; i < in.back().size(); ++i) {
        in.back()[i] = static_cast<uint8_t>(i * 7);
      }
      out.emplace_back(in.back().size());
    }
    for (size_t i = 0; i < in.size(); ++i) {
      inputs.emplace_back(in[i]);
      outputs.push_back(absl::MakeSpan(out[i]));
    }
    RETURN_IF_ERROR(executor->Invoke(inputs, outputs));
    EXPECT_EQ(out, in);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
}

// Inputs and outputs that travel in pieces, and through buffers of the GPU:
// each layout in host memory, with pieces of one step, of several, and more of
// them than fit.

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
