// labels: op llvmpipe softpipe
// Each state of a HostTransfer: which profile, tensor and driver lead to it,
// and that values arrive in it as they are.
#include "delegate/runtime/host_transfer.h"

#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/op.h"
#include "delegate/graph/texels.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/op_list.h"
#include "delegate/runtime/executor.h"
#include "gmock/gmock.h"
#include "quant/half.h"
#include "tests/testing/device.h"
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

}  // namespace
}  // namespace gles_delegate::testing
