// labels: op llvmpipe softpipe
// Functions of moved values as one node: rotary embeddings and caches against
// TFLite's CPU. fuse_movement.txt has the graphs.
#include <vector>

#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "tests/testing/device_test.h"
#include "tests/testing/movement_ops.h"
#include "tests/testing/op_model_maker.h"
#include "tests/testing/scoped_environment.h"
#include "tools/op_models/schema_names.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {
namespace {

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
