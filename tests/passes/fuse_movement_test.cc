// labels: op llvmpipe softpipe
// Functions of moved values as one node: the pass on graphs, when it must not
// fire, and models against TFLite's CPU: rotary embeddings and caches.
#include <vector>

#include "absl/strings/match.h"
#include "delegate/ops/movement/concatenation.h"
#include "delegate/ops/movement/moved_functions.h"
#include "delegate/passes/passes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/attention_graph.h"
#include "tests/testing/device_test.h"
#include "tests/testing/matchers.h"
#include "tests/testing/movement_ops.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/scoped_environment.h"
#include "tools/op_models/schema_names.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {
namespace {

// The rotary embedding of [B,S,H,C] heads as litert-torch writes it.
class Rotary : public Attention {
 public:
  TensorId Halves(TensorId a, TensorId b) {
    Dims dims = graph.tensor(a).dims;
    dims.back() *= 2;
    return Node("CONCATENATION", {a, b}, dims, ConcatenationAttributes());
  }
  TensorId Of(TensorId x, TensorId cos, TensorId sin) {
    Dims half = graph.tensor(x).dims;
    half.back() /= 2;
    Dims begin(half.size(), 0);
    const TensorId first = Slice(x, begin, half);
    begin.back() = half.back();
    const TensorId second = Slice(x, begin, half);
    return Halves(Binary("SUB", "sub", Mul(first, cos), Mul(second, sin)),
                  Add(Mul(second, cos), Mul(first, sin)));
  }
};

TEST(FuseMovementTest, ARotaryEmbeddingIsOneNode) {
  Rotary b;
  const TensorId x = b.Input({1, 16, 96});
  const TensorId cos = b.Input({1, 1, 16, 16}), sin = b.Input({1, 1, 16, 16});
  b.graph.outputs = {b.Of(b.Heads(x, 3), cos, sin)};
  RunPass("fuse_movement", &b.graph, RoomyH200Profile());
  ASSERT_THAT(b.Ops(), ElementsAre("MOVED_FUNCTIONS"));
  EXPECT_THAT(b.graph.nodes[0].inputs,
              ::testing::UnorderedElementsAre(x, cos, sin));
}

// With few bindings, part of it.
TEST(FuseMovementTest, NotPastTheBindings) {
  Rotary b;
  const TensorId x = b.Input({1, 16, 96});
  const TensorId cos = b.Input({1, 1, 16, 16}), sin = b.Input({1, 1, 16, 16});
  b.graph.outputs = {b.Of(b.Heads(x, 3), cos, sin)};
  DeviceProfile profile = RoomyH200Profile();
  profile.limits.max_buffers = 3;
  RunPass("fuse_movement", &b.graph, profile);
  EXPECT_GT(b.graph.nodes.size(), 1u);
  for (const Node& node : b.graph.nodes) {
    if (node.op != &MovedFunctions()) continue;
    EXPECT_LE(node.inputs.size(), 2u);
  }
}

// A function that is read elsewhere stays; a movement is followed anyway.
TEST(FuseMovementTest, WhatOthersReadStays) {
  Attention b;
  const TensorId x = b.Input({1, 16, 96});
  const TensorId heads = b.Heads(b.Relu(x), 3);
  const TensorId y = b.Relu(heads);
  const TensorId z = b.Reshape(y, {1, 48, 32});
  b.graph.outputs = {z, y, heads};
  RunPass("fuse_movement", &b.graph, RoomyH200Profile());
  EXPECT_THAT(b.Ops(), ElementsAre("MOVED_FUNCTIONS", "RELU", "RESHAPE"));
  EXPECT_EQ(b.graph.nodes[1].inputs[0], heads);
}

// Functions of few values are not computed once for each copy.
TEST(FuseMovementTest, NotFunctionsOfWhatIsRepeated) {
  Attention b;
  const TensorId x = b.Input({1, 16, 96});
  const TensorId few = b.Relu(b.Input({1, 1, 32}));
  b.graph.outputs = {b.Add(b.Reshape(x, {1, 48, 32}), few)};
  RunPass("fuse_movement", &b.graph, RoomyH200Profile());
  EXPECT_THAT(b.Ops(), ElementsAre("RELU", "MOVED_FUNCTIONS"));
}

// A concatenation of tensors as they are is left to concat_in_place.
TEST(FuseMovementTest, NotAConcatenationOfWholeTensors) {
  Rotary b;
  const TensorId x = b.Input({1, 16, 32});
  const TensorId a = b.Rows(x, {1, 16, 32}), c = b.Rows(x, {1, 16, 32});
  b.graph.outputs = {b.Reshape(b.Halves(a, c), {1, 1, 16, 64})};
  RunPass("fuse_movement", &b.graph, RoomyH200Profile());
  EXPECT_THAT(b.Ops(), ElementsAre("FULLY_CONNECTED", "FULLY_CONNECTED",
                                   "CONCATENATION", "RESHAPE"));
}

// Pixels of six channels have no whole texels.
TEST(FuseMovementTest, NotPartsOfTexels) {
  Attention b;
  const TensorId x = b.Input({1, 16, 18});
  b.graph.outputs = {b.Heads(b.Rows(x, {1, 16, 18}), 3)};
  RunPass("fuse_movement", &b.graph, RoomyH200Profile());
  EXPECT_THAT(b.Ops(), ElementsAre("FULLY_CONNECTED", "RESHAPE", "TRANSPOSE"));
}

// --- Whole models ------------------------------------------------------------

class FuseMovementModelTest : public DeviceTest {};

// Heads of queries and keys as in a decoder, rotated and scaled, for one and
// for several positions.
TEST_F(FuseMovementModelTest, RotaryEmbeddings) {
  for (const int rows : {1, 5, 16}) {
    Accuracy accuracy{/*terms=*/4};
    accuracy.half_roundings = 6;
    const SingleOpModel model =
        MakeModel("rotary", accuracy, /*with_magnitude=*/true, [&](auto& v) {
          const int x =
              v.Input("x", {1, rows, 96}, v.random().Gaussian(rows * 96));
          const int cos =
              v.Input("cos", {1, 1, rows, 16}, v.random().Gaussian(rows * 16));
          const int sin =
              v.Input("sin", {1, 1, rows, 16}, v.random().Gaussian(rows * 16));
          const auto mul = [&](int a, int b) {
            return v.Op(Op::MUL, 1, {a, b}, schema::MulOptionsT());
          };
          const int heads =
              Reshaped(v, v.Op(Op::NEG, 1, {x}), {1, rows, 3, 32});
          const int moved =
              v.Op(Op::TRANSPOSE, 1, {heads, IntsOf(v, {0, 2, 1, 3})},
                   schema::TransposeOptionsT());
          const Shape half = {1, 3, rows, 16};
          const int a = Sliced(v, moved, {0, 0, 0, 0}, half);
          const int b = Sliced(v, moved, {0, 0, 0, 16}, half);
          const int rotated =
              Joined(v,
                     v.Op(v.absolute() ? Op::ADD : Op::SUB, 1,
                          {mul(a, cos), mul(b, sin)}),
                     v.Op(Op::ADD, 1, {mul(b, cos), mul(a, sin)},
                          schema::AddOptionsT()),
                     3);
          const int scale = v.Constant("scale", {}, {0.125f});
          return Reshaped(v, mul(rotated, scale), {3, 1, rows, 32});
        });
    for (Precision precision : kPrecisions) {
      RunOptions options;
      options.precision = precision;
      const RunResult result = RunOnDelegate(model, options);
      EXPECT_THAT(result, MatchesCpu(model, precision)) << rows << " rows";
      EXPECT_THAT(result.report, ::testing::HasSubstr("moved_functions"));
    }
  }
}

// Rows of heads that are moved into caches, keys as rows and values as columns,
// at a place within texels, and past the end, where TFLite clamps it.
TEST_F(FuseMovementModelTest, UpdatesOfCaches) {
  // As on a GPU: on processors columns are moved before.
  const ScopedEnvironment tuning("GLES_DELEGATE_TUNING", "simd_lanes=1");
  for (const int rows : {1, 5}) {
    for (const float at : {0.f, 13.f, 63.f}) {
      for (const bool columns : {false, true}) {
        const Shape cache = columns ? Shape{1, 3, 32, 64} : Shape{1, 3, 64, 32};
        const SingleOpModel model = MakeModel(
            "cache", Accuracy{/*terms=*/0}, /*with_magnitude=*/false,
            [&](OpVariant& v) {
              const int x =
                  v.Input("x", {1, rows, 96}, v.random().Gaussian(rows * 96));
              const int before = v.Input(
                  "cache", cache, v.random().Gaussian(ElementCount(cache)));
              std::vector<float> place(4, 0.f);
              place[columns ? 3 : 2] = at;
              const int start = v.OfInts(v.Input("start", {4}, place));
              const int heads =
                  Reshaped(v, v.Op(Op::NEG, 1, {x}), {1, rows, 3, 32});
              const int moved = v.Op(
                  Op::TRANSPOSE, 1,
                  {heads, IntsOf(v, columns ? std::vector<int>{0, 2, 3, 1}
                                            : std::vector<int>{0, 2, 1, 3})},
                  schema::TransposeOptionsT());
              return v.Op(Op::DYNAMIC_UPDATE_SLICE, 1, {before, moved, start});
            });
        const RunResult result = RunOnDelegate(model);
        EXPECT_THAT(result, MatchesCpu(model))
            << rows << " rows at " << at << (columns ? ", columns" : "");
        // Five columns are no whole texels.
        if (rows > 1 && columns) continue;
        for (const char* shader : {"moved_functions", "remap", "reshape"}) {
          EXPECT_FALSE(absl::StrContains(result.report, shader)) << shader;
        }
      }
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing
