// labels: op quant oldest_tflite
// 8-bit ops that move quantized values between tensors of two quantizations,
// CONCATENATION across scales, BATCH_MATMUL, and a chain of such ops: TFLite's
// codes, every one.
#include <vector>

#include "tests/testing/code_cases.h"
#include "tests/testing/device.h"
#include "tests/testing/oldest_tflite.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Dims = ModelBuilder::Shape;

constexpr bool kCondition[] = {true,  false, false, true, true, false,
                               false, false, true,  true, true, false};

// One node of `op` from x to y, on shapes that suit it. A case for each op, and
// therefore longer than other functions.
template <typename Code>
void AddMove(CodeCases<Code>* cases, Op op, const ModelQuantization& in,
             const ModelQuantization& out) {
  auto& b = cases->b;
  const int x = cases->Input({2, 4, 6, 8}, in);
  const auto y = [&](const Dims& dims) {
    return std::vector<int>{cases->Output(dims, out)};
  };
  const auto ints = [&](const std::vector<int32_t>& v) {
    return cases->Ints({static_cast<int>(v.size())}, v);
  };
  switch (op) {
    case Op::RESHAPE: {
      schema::ReshapeOptionsT options;
      options.new_shape = {8, 48};
      b.AddOp(op, 1, {x, ints({8, 48})}, y({8, 48}), options);
      break;
    }
    case Op::TRANSPOSE:
      b.AddOp(op, 2, {x, ints({0, 2, 3, 1})}, y({2, 6, 8, 4}),
              schema::TransposeOptionsT());
      break;
    case Op::SLICE:
      b.AddOp(op, 2, {x, ints({0, 1, 2, 0}), ints({2, 2, 3, 8})},
              y({2, 2, 3, 8}), schema::SliceOptionsT());
      break;
    case Op::PAD: {
      const int p = cases->Ints({4, 2}, {0, 0, 1, 2, 0, 1, 0, 0});
      b.AddOp(op, 2, {x, p}, y({2, 7, 7, 8}), schema::PadOptionsT());
      break;
    }
    case Op::PADV2: {
      const int p = cases->Ints({4, 2}, {0, 0, 1, 2, 0, 1, 2, 0});
      // TFLite asks for the output's quantization.
      const int value = cases->Constant({1}, out);
      b.AddOp(op, 2, {x, p, value}, y({2, 7, 7, 10}), schema::PadV2OptionsT());
      break;
    }
    case Op::SPACE_TO_BATCH_ND: {
      const int p = cases->Ints({2, 2}, {1, 1, 0, 2});
      b.AddOp(op, 2, {x, ints({2, 4}), p}, y({16, 3, 2, 8}),
              schema::SpaceToBatchNDOptionsT());
      break;
    }
    case Op::BATCH_TO_SPACE_ND: {
      const int crops = cases->Ints({2, 2}, {1, 0, 0, 2});
      b.AddOp(op, 2, {x, ints({1, 2}), crops}, y({1, 3, 10, 8}),
              schema::BatchToSpaceNDOptionsT());
      break;
    }
    case Op::RESIZE_NEAREST_NEIGHBOR:
      b.AddOp(op, 2, {x, ints({5, 9})}, y({2, 5, 9, 8}),
              schema::ResizeNearestNeighborOptionsT());
      break;
    case Op::DEPTH_TO_SPACE: {
      schema::DepthToSpaceOptionsT options;
      options.block_size = 2;
      b.AddOp(op, 2, {x}, y({2, 8, 12, 2}), options);
      break;
    }
    case Op::SPACE_TO_DEPTH: {
      schema::SpaceToDepthOptionsT options;
      options.block_size = 2;
      b.AddOp(op, 2, {x}, y({2, 2, 3, 32}), options);
      break;
    }
    case Op::TILE:
      b.AddOp(op, 2, {x, ints({1, 2, 1, 1})}, y({2, 8, 6, 8}),
              schema::TileOptionsT());
      break;
    default: {
      schema::GatherOptionsT options;
      options.axis = 1;
      b.AddOp(Op::GATHER, 2, {x, ints({3, 0, 1})}, y({2, 3, 6, 8}), options);
    }
  }
}

template <typename Code>
void ExpectMoves(int seed) {
  CodeCases<Code> cases(seed);
  for (Op op : {Op::RESHAPE, Op::TRANSPOSE, Op::SLICE, Op::PAD, Op::PADV2,
                Op::SPACE_TO_BATCH_ND, Op::BATCH_TO_SPACE_ND,
                Op::RESIZE_NEAREST_NEIGHBOR, Op::DEPTH_TO_SPACE,
                Op::SPACE_TO_DEPTH, Op::TILE, Op::GATHER}) {
    for (int i = 0; i < 3; ++i) {
      const ModelQuantization in = cases.Draw(cases.Power(-3, 0));
      // Other scale and zero point, other scale alone, the same.
      ModelQuantization out = i == 0 ? cases.Draw(in.scale[0]) : in;
      if (i == 1) out.scale[0] *= 1.5f;
      const bool by_blocks =
          op == Op::SPACE_TO_BATCH_ND || op == Op::BATCH_TO_SPACE_ND;
      if (by_blocks && i < 2 && !OnOldestTflite()) {
        continue;  // refused by newer kernels
      }
      // PADV2 of one quantization keeps its float view, which is exact.
      if (op == Op::PADV2 && i == 2) continue;
      AddMove(&cases, op, in, out);
    }
  }
  cases.ExpectQuantized(absl::StrCat("moves, seed ", seed));
}

// TFLite's kernels move quantized values as they are, whatever their tensors
// say.
TEST(MovedQuantizedTest, AreTflites) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int seed = 1; seed <= 8; ++seed) {
    ExpectMoves<int8_t>(seed);
    ExpectMoves<uint8_t>(seed);
  }
}

// SELECT takes its inputs' quantized values for the output's, whatever they
// stand for.
template <typename Code>
void ExpectSelections(int seed) {
  CodeCases<Code> cases(seed);
  const int condition = cases.b.template AddConstant<bool>(
      "c", {12}, absl::MakeConstSpan(kCondition));
  for (int i = 0; i < 52; ++i) {
    const Dims dims = {3, 5, 12};
    const ModelQuantization out = cases.Draw(cases.Power(-3, 0));
    const auto other = [&] { return i % 4 == 0 ? out : cases.Draw(0.1f); };
    const int x = cases.Input(dims, other());
    const int z = i % 3 == 0 ? cases.Constant({12}, other())
                             : cases.Input({5, 12}, other());
    cases.b.AddOp(Op::SELECT_V2, 1, {condition, x, z},
                  {cases.Output(dims, out)}, schema::SelectV2OptionsT());
  }
  cases.ExpectQuantized(absl::StrCat("SELECT_V2 seed ", seed));
}

TEST(SelectedQuantizedTest, AreTflites) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int seed = 1; seed <= 4; ++seed) {
    ExpectSelections<int8_t>(seed);
    ExpectSelections<uint8_t>(seed);
  }
}

template <typename Code>
void ExpectConcatenations(int seed) {
  CodeCases<Code> cases(seed);
  constexpr bool kRescales = CodeCases<Code>::kLow == 0;
  for (int i = 0; i < 52; ++i) {
    const ModelQuantization out = cases.Draw(cases.Power(-3, 0));
    const int channels = i % 2 == 0 ? 8 : 5;
    std::vector<int> inputs;
    for (int part = 0; part < 3; ++part) {
      const float ratios[] = {0.3f, 1.0f, 2.0f};
      const bool same = !kRescales || part == i % 4;
      const ModelQuantization in =
          same ? out : cases.Draw(out.scale[0] * ratios[cases.Int(0, 2)]);
      const Dims dims = {1, 3, 12, channels};
      inputs.push_back(part == 2 && same ? cases.Constant(dims, out)
                                         : cases.Input(dims, in));
    }
    schema::ConcatenationOptionsT options;
    options.axis = i % 3 == 0 ? 1 : 3;
    const Dims dims =
        i % 3 == 0 ? Dims{1, 9, 12, channels} : Dims{1, 3, 12, 3 * channels};
    cases.b.AddOp(Op::CONCATENATION, 2, inputs, {cases.Output(dims, out)},
                  options);
  }
  cases.ExpectQuantized(absl::StrCat("CONCATENATION seed ", seed));
}

TEST(ConcatenatedQuantizedTest, AreTflites) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int seed = 1; seed <= 4; ++seed) {
    ExpectConcatenations<int8_t>(seed);
    ExpectConcatenations<uint8_t>(seed);
  }
}

TEST(BatchMatMulQuantizedTest, AreTflites) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int seed = 1; seed <= 4; ++seed) {
    CodeCases<int8_t> cases(seed);
    for (int i = 0; i < 52; ++i) {
      const ModelQuantization a = cases.Draw(0.05f), b = cases.Draw(0.02f);
      schema::BatchMatMulOptionsT options;
      options.adj_y = i % 2 == 1;
      const int k = i % 4 < 2 ? 17 : 64;
      const int x = cases.Input({2, 7, k}, a);
      const int y =
          cases.Input(options.adj_y ? Dims{2, 9, k} : Dims{2, k, 9}, b);
      const int z = cases.Output({2, 7, 9}, cases.Draw(0.05f * k * 0.01f));
      cases.b.AddOp(Op::BATCH_MATMUL, 2, {x, y}, {z}, options);
    }
    cases.ExpectQuantized(absl::StrCat("BATCH_MATMUL seed ", seed));
  }
}

}  // namespace
}  // namespace gles_delegate::testing
