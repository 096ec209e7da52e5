// labels: unit sanitize
// All passes together, and their list.
#include "delegate/passes/passes.h"

#include <algorithm>
#include <any>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/image/resize.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/ops/reduction/rows.h"
#include "tests/testing/graph_builder.h"
#include "tests/testing/h200_profile.h"
#include "tests/testing/matchers.h"

namespace gles_delegate::testing {
namespace {

using Dims = std::vector<int>;

class Chain : public GraphBuilder {
 public:
  TensorId Transpose(TensorId x, const Dims& by) {
    Dims dims;
    for (int axis : by) dims.push_back(graph.tensor(x).dims[axis]);
    const TensorId permutation = Ints(by);
    const TensorId out = Node("TRANSPOSE", {x, permutation}, dims);
    NodeView view;
    view.inputs = {&graph.tensor(x), &graph.tensor(permutation)};
    view.outputs = {&graph.tensor(out)};
    graph.nodes.back().attributes = ParseTranspose(view)->attributes;
    return out;
  }
  TensorId Reshape(TensorId x, const Dims& dims) {
    return Node("RESHAPE", {x}, dims);
  }
};

using Link = TensorId (*)(Chain*, TensorId);

// A chain of `links`, planned for a device with room for operands.
void RunPassesOnChain(int links, const Link& link, Chain* b) {
  TensorId x = b->Input({1, 8, 4});
  for (int i = 0; i < links; ++i) x = link(b, x);
  b->graph.outputs = {x};
  const absl::Status passed = RunPasses(&b->graph, RoomyH200Profile());
  ASSERT_TRUE(passed.ok()) << passed;
}

// A pass that looked at all nodes for each node would take minutes here.
TEST(RunPassesTest, LongGraphs) {
  Chain b;
  RunPassesOnChain(
      20000,
      [](Chain* b, TensorId x) {
        return b->Reshape(b->Relu(x), b->graph.tensor(x).dims);
      },
      &b);
  EXPECT_EQ(b.graph.nodes.size(), 20000 / kMaxPostOps);
}

// Each link could join the node before it.
TEST(RunPassesTest, NoNodeGrowsWithItsChain) {
  const Link kLinks[] = {
      [](Chain* b, TensorId x) { return b->Relu(x); },
      [](Chain* b, TensorId x) {
        const Dims& d = b->graph.tensor(x).dims;
        return b->Relu(
            b->Reshape(x, d[1] == 8 ? Dims{8, 1, 4} : Dims{1, 8, 4}));
      },
      [](Chain* b, TensorId x) {
        return b->Transpose(b->Reshape(b->Relu(x), {1, 4, 8}), {0, 2, 1});
      },
      [](Chain* b, TensorId x) {
        return b->Transpose(b->Relu(b->Transpose(x, {0, 2, 1})), {0, 2, 1});
      },
      // Rows less their mean.
      [](Chain* b, TensorId x) {
        ReduceAttributes a;
        a.over[3] = true;
        for (int i = 0; i < 20; ++i) x = b->Relu(x);
        const TensorId mean = b->Node("MEAN", {x, b->Ints({2})}, {1, 8, 1}, a);
        return b->Add(x, mean);
      }};
  for (size_t i = 0; i < std::size(kLinks); ++i) {
    SCOPED_TRACE(i);
    Chain b;
    RunPassesOnChain(100, kLinks[i], &b);
    size_t functions = 0;
    for (const Node& node : b.graph.nodes) {
      functions = std::max(functions, node.post_ops.size());
      if (const auto* rows =
              std::any_cast<RowFunctionsAttributes>(&node.attributes)) {
        EXPECT_LE(rows->steps.size(), 64u);
      }
    }
    EXPECT_LE(functions, kMaxPostOps);
  }
}

// No convolution computes another one in another arithmetic, or storage.
TEST(ConvolutionPairsTest, NotOfQuantizedAndRealValues) {
  DeviceProfile profile = RoomyH200Profile();
  profile.choices.fused_depthwise_work = profile.choices.fused_plane_work =
      profile.choices.fused_next_texels = 1 << 20;
  profile.choices.read_through = 1;
  for (const char* pass :
       {"fuse_depthwise", "fuse_planes", "fuse_next", "fuse_inputs"}) {
    for (int changed = 0; changed < 5; ++changed) {
      SCOPED_TRACE(absl::StrCat(pass, " ", changed));
      GraphBuilder b;
      const TensorId x = b.Input({1, 8, 8, 4});
      const auto depthwise = [&b](TensorId of) {
        return b.Node("DEPTHWISE_CONV_2D",
                      {of, b.Constant({1, 1, 1, 4}), b.Constant({4})},
                      {1, 8, 8, 4}, DepthwiseConv2dAttributes());
      };
      const absl::string_view name = pass;
      const TensorId first = name == "fuse_depthwise" ? depthwise(x)
                             : name == "fuse_inputs"  ? b.Relu(x)
                                                      : b.Conv(x);
      b.graph.outputs = {name == "fuse_planes" ? depthwise(first)
                                               : b.Conv(first)};
      if (changed < 2) b.graph.nodes[changed].integer_path = true;
      const bool keeps_storage = name == "fuse_next" || name == "fuse_inputs";
      if (changed == 2 && keeps_storage) b.graph.nodes[0].always_float32 = true;
      if (changed == 3 && keeps_storage) b.graph.nodes[1].always_float32 = true;
      RunPass(pass, &b.graph, profile);
      const bool is_changed = changed < 2 || (changed < 4 && keeps_storage);
      EXPECT_EQ(b.graph.nodes.size(), is_changed ? 2u : 1u);
    }
  }
}

TEST(RemoveIdentityTest, ResizesOfQuantizedValuesStay) {
  GraphBuilder b;
  const TensorId y = b.Relu(b.Input({1, 2, 3, 8}));
  b.graph.outputs = {b.Relu(b.Node("RESIZE_BILINEAR", {y, b.Ints({2, 3})},
                                   {1, 2, 3, 8}, ResizeAttributes()))};
  for (auto& tensor : b.graph.tensors) {
    if (tensor.type == DataType::kFloat32) tensor.quantized = DataType::kInt8;
  }
  RunPass("remove_identity", &b.graph);
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "RESIZE_BILINEAR", "RELU"));
}

// The table whose head is "| pass |" lists the passes that run, in order.
TEST(PassesListTest, TheDocumentationHasAllPasses) {
  std::ifstream file(GLES_DELEGATE_SOURCE_DIR "/docs/architecture.md");
  std::string line;
  while (line.rfind("| pass |", 0) != 0) {
    ASSERT_TRUE(std::getline(file, line));
  }
  std::getline(file, line);  // |---|---|
  for (const Pass& pass : Passes()) {
    ASSERT_TRUE(std::getline(file, line));
    EXPECT_EQ(line.rfind(absl::StrCat("| `", pass.name, "` | "), 0), 0) << line;
  }
  std::getline(file, line);
  EXPECT_EQ(line, "");
}

TEST(PassesListTest, StagesFollowOneAnother) {
  PassStage last = PassStage::kRead;
  for (const Pass& pass : Passes()) {
    EXPECT_GE(pass.stage, last) << pass.name;
    last = pass.stage;
  }
}

TEST(PassesListTest, TheObserverIsToldOfEachPassOfTheStage) {
  for (const PassStage stage :
       {PassStage::kRead, PassStage::kFold, PassStage::kFuse}) {
    std::vector<std::string> wanted, told;
    for (const Pass& pass : Passes()) {
      if (pass.stage == stage) wanted.emplace_back(pass.name);
    }
    const DeviceProfile profile;
    Graph graph;
    const absl::Status passed =
        RunPasses(stage, {profile}, &graph,
                  [&told](absl::string_view pass, const Graph&) {
                    told.emplace_back(pass);
                  });
    EXPECT_TRUE(passed.ok()) << passed;
    EXPECT_EQ(told, wanted);
  }
}

}  // namespace
}  // namespace gles_delegate::testing
