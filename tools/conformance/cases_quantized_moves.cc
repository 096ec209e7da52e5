// 8- and 16-bit ops that move quantized values, between tensors of one
// quantization and of two: quantized values are moved as they are, whatever
// they stand for in the output, and none may differ. Longer than 300 lines: it
// is one list of moves.
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tools/conformance/cases.h"
#include "tools/conformance/quantized_series.h"

namespace gles_delegate::conformance {
namespace {

// The parts of a move's node.
struct Ends {
  QuantizedBuilder& b;
  int x;
  std::vector<int> y;
  ModelQuantization out;  // of y

  int Ints(const Shape& shape, const std::vector<int32_t>& values) const {
    return b.builder().AddConstant<int32_t>("ints", shape, values);
  }
  int Ints(const std::vector<int32_t>& values) const {
    return Ints({static_cast<int>(values.size())}, values);
  }
  // The op with x, these inputs and no options.
  void Add(Op op, int version, std::vector<int> inputs) const {
    inputs.insert(inputs.begin(), x);
    b.builder().AddOp(op, version, std::move(inputs), y);
  }
  template <typename Options>
  void Add(Op op, int version, std::vector<int> inputs, Options options) const {
    inputs.insert(inputs.begin(), x);
    b.builder().AddOp(op, version, std::move(inputs), y, std::move(options));
  }
};

// The types that TFLite 2.9's kernels take.
enum class Widths { kEight, kBoth, kUint8AndSixteen };
// TFLite refuses other scales of UNPACK and PACK, the delegate of SPLIT.
enum class Scales { kAny, kOne };

struct Move {
  Op op;
  Shape in;
  std::vector<Shape> out;
  std::function<void(const Ends& ends)> add;
  Widths widths = Widths::kBoth;
  Scales scales = Scales::kAny;
};

SingleOpModel MoveModel(QuantizedBuilder& b, const Move& move, bool same) {
  const ModelQuantization in = WithZeroPoint(b, DrawScale(b));
  Ends ends{
      b, b.InputOfQuantized("x", move.in, in, AllQuantized(b, 37)), {}, in};
  if (!same) {
    // No two scales that are drawn differ by this factor.
    ends.out = WithZeroPoint(b, 1.37f * DrawScale(b));
  }
  for (const Shape& shape : move.out) {
    ends.y.push_back(b.Output("y", shape, ends.out));
  }
  move.add(ends);
  return b.Finish(ends.y);
}

// Slices, pads and other ops that copy a part. The function is long because it
// is a table with an entry for each op.
std::vector<Move> Parts() {
  return {
      {Op::SLICE,
       {2, 6, 5, 9},
       {{2, 3, 5, 7}},
       [](const Ends& e) {
         e.Add(Op::SLICE, 2, {e.Ints({0, 2, 0, 1}), e.Ints({2, 3, 5, 7})});
       }},
      {Op::STRIDED_SLICE,
       {2, 6, 5, 9},
       {{2, 3, 5, 3}},
       [](const Ends& e) {
         e.Add(Op::STRIDED_SLICE, 4,
               {e.Ints({0, 1, 0, 8}), e.Ints({2, 6, 5, -10}),
                e.Ints({1, 2, 1, -3})},
               schema::StridedSliceOptionsT());
       }},
      {Op::GATHER,
       {2, 6, 5, 9},
       {{2, 4, 5, 9}},
       [](const Ends& e) {
         schema::GatherOptionsT options;
         options.axis = 1;
         e.Add(Op::GATHER, 4, {e.Ints({5, 0, 2, 2})}, options);
       }},
      {Op::GATHER_ND,
       {2, 6, 5, 9},
       {{3, 5, 9}},
       [](const Ends& e) {
         e.Add(Op::GATHER_ND, 3, {e.Ints({3, 2}, {1, 2, 0, 5, 1, 0})});
       }},
      {Op::PAD,
       {2, 6, 5, 9},
       {{2, 9, 6, 10}},
       [](const Ends& e) {
         e.Add(Op::PAD, 2, {e.Ints({4, 2}, {0, 0, 1, 2, 0, 1, 1, 0})});
       }},
      {Op::PADV2,
       {2, 6, 5, 9},
       {{2, 9, 6, 10}},
       [](const Ends& e) {
         // TFLite asks that the value has the output's quantization.
         const int value = e.b.Constant(
             "value", {1}, e.out, {e.b.random().NextInt(e.b.min(), e.b.max())});
         e.Add(Op::PADV2, 2, {e.Ints({4, 2}, {0, 0, 1, 2, 0, 1, 1, 0}), value});
       }},
      {Op::PADV2,
       {2, 5, 6, 9},
       {{2, 8, 7, 10}},
       [](const Ends& e) {
         const int code = e.b.random().NextInt(e.b.min(), e.b.max());
         const int value = e.b.InputOfQuantized("value", {1}, e.out, {code});
         e.Add(Op::PADV2, 2, {e.Ints({4, 2}, {0, 0, 1, 2, 0, 1, 1, 0}), value});
       }},
      {Op::MIRROR_PAD,
       {2, 6, 5, 9},
       {{2, 9, 7, 11}},
       [](const Ends& e) {
         e.Add(Op::MIRROR_PAD, 2, {e.Ints({4, 2}, {0, 0, 1, 2, 2, 0, 1, 1})},
               schema::MirrorPadOptionsT());
       },
       Widths::kEight},
      {Op::TILE,
       {1, 3, 5, 5},
       {{1, 6, 5, 10}},
       [](const Ends& e) {
         e.Add(Op::TILE, 2, {e.Ints({1, 2, 1, 2})});
       },
       Widths::kEight},
      {Op::BROADCAST_TO,
       {2, 1, 5, 9},
       {{2, 6, 5, 9}},
       [](const Ends& e) {
         e.Add(Op::BROADCAST_TO, 2, {e.Ints({2, 6, 5, 9})});
       }},
  };
}

// Ops that give all elements another order or another shape. The function is a
// table, too.
std::vector<Move> Orders() {
  return {
      {Op::TRANSPOSE,
       {2, 6, 5, 9},
       {{2, 9, 6, 5}},
       [](const Ends& e) {
         e.Add(Op::TRANSPOSE, 2, {e.Ints({0, 3, 1, 2})});
       }},
      {Op::REVERSE_V2,
       {2, 6, 5, 9},
       {{2, 6, 5, 9}},
       [](const Ends& e) { e.Add(Op::REVERSE_V2, 2, {e.Ints({3})}); }},
      {Op::REVERSE_SEQUENCE,
       {2, 6, 5, 9},
       {{2, 6, 5, 9}},
       [](const Ends& e) {
         schema::ReverseSequenceOptionsT options;
         options.seq_dim = 1;
         e.Add(Op::REVERSE_SEQUENCE, 1, {e.Ints({4, 6})}, options);
       },
       Widths::kUint8AndSixteen},
      {Op::RESHAPE,
       {2, 6, 5, 9},
       {{2, 30, 9}},
       [](const Ends& e) {
         e.Add(Op::RESHAPE, 1, {e.Ints({2, 30, 9})});
       }},
      {Op::EXPAND_DIMS,
       {6, 5, 9},
       {{6, 1, 5, 9}},
       [](const Ends& e) { e.Add(Op::EXPAND_DIMS, 1, {e.Ints({1})}); }},
      {Op::SQUEEZE,
       {6, 1, 5, 9},
       {{6, 5, 9}},
       [](const Ends& e) {
         schema::SqueezeOptionsT options;
         options.squeeze_dims = {1};
         e.Add(Op::SQUEEZE, 1, {}, options);
       }},
      {Op::SPACE_TO_BATCH_ND,
       {2, 6, 5, 9},
       {{12, 4, 2, 9}},
       [](const Ends& e) {
         e.Add(Op::SPACE_TO_BATCH_ND, 2,
               {e.Ints({2, 3}), e.Ints({2, 2}, {1, 1, 0, 1})});
       },
       Widths::kEight},
      {Op::BATCH_TO_SPACE_ND,
       {6, 4, 2, 9},
       {{1, 7, 4, 9}},
       [](const Ends& e) {
         e.Add(Op::BATCH_TO_SPACE_ND, 2,
               {e.Ints({2, 3}), e.Ints({2, 2}, {1, 0, 0, 2})});
       },
       Widths::kEight},
      {Op::DEPTH_TO_SPACE,
       {2, 3, 5, 20},
       {{2, 6, 10, 5}},
       [](const Ends& e) {
         schema::DepthToSpaceOptionsT options;
         options.block_size = 2;
         e.Add(Op::DEPTH_TO_SPACE, 2, {}, options);
       },
       Widths::kEight},
      {Op::SPACE_TO_DEPTH,
       {2, 6, 4, 5},
       {{2, 3, 2, 20}},
       [](const Ends& e) {
         schema::SpaceToDepthOptionsT options;
         options.block_size = 2;
         e.Add(Op::SPACE_TO_DEPTH, 2, {}, options);
       },
       Widths::kEight},
  };
}

// Ops that make several tensors of one, or one of several.
std::vector<Move> SplitsAndPacks() {
  const auto add_split = [](const Ends& e) {
    schema::SplitOptionsT options;
    options.num_splits = 3;
    // The axis is the first input.
    e.b.builder().AddOp(Op::SPLIT, 3, {e.Ints({}, {3}), e.x}, e.y, options);
  };
  const auto add_split_v = [](const Ends& e) {
    schema::SplitVOptionsT options;
    options.num_splits = 3;
    e.Add(Op::SPLIT_V, 2, {e.Ints({2, 3, 4}), e.Ints({}, {3})}, options);
  };
  const auto add_unpack = [](const Ends& e) {
    schema::UnpackOptionsT options;
    options.num = 3;
    options.axis = 1;
    e.Add(Op::UNPACK, 2, {}, options);
  };
  const auto add_pack = [](const Ends& e) {
    schema::PackOptionsT options;
    options.values_count = 2;
    options.axis = 1;
    e.Add(Op::PACK, 2,
          {e.b.InputOfQuantized("z", {6, 5, 9}, e.out, AllQuantized(e.b, 91))},
          options);
  };
  return {
      {Op::SPLIT,
       {2, 3, 5, 9},
       {{2, 3, 5, 3}, {2, 3, 5, 3}, {2, 3, 5, 3}},
       add_split,
       Widths::kBoth,
       Scales::kOne},
      {Op::SPLIT_V,
       {2, 3, 5, 9},
       {{2, 3, 5, 2}, {2, 3, 5, 3}, {2, 3, 5, 4}},
       add_split_v,
       Widths::kBoth,
       Scales::kOne},
      {Op::UNPACK,
       {2, 3, 5, 9},
       {{2, 5, 9}, {2, 5, 9}, {2, 5, 9}},
       add_unpack,
       Widths::kBoth,
       Scales::kOne},
      {Op::PACK,
       {6, 5, 9},
       {{6, 2, 5, 9}},
       add_pack,
       Widths::kBoth,
       Scales::kOne},
  };
}

}  // namespace

void AddQuantizedMoveCases(CaseList* list) {
  for (const std::vector<Move>& moves : {Parts(), Orders(), SplitsAndPacks()}) {
    for (const Move& move : moves) {
      const bool one = move.scales == Scales::kOne;
      AddSeries(
          list, move.op, "quantized", move.in,
          [=](QuantizedBuilder& b, int number) {
            return MoveModel(b, move, /*same=*/one || number % 3 == 0);
          },
          move.widths == Widths::kUint8AndSixteen ? SeriesTypes::kUint8
                                                  : SeriesTypes::kBoth);
      if (move.widths == Widths::kEight) continue;
      const auto add_int16 = [&](const char* what, bool same, int families) {
        AddInt16Series(
            list, move.op, what, move.in,
            [=](QuantizedBuilder& b, int) { return MoveModel(b, move, same); },
            families, /*integer_path=*/!same);
      };
      if (!one) add_int16("quantized", /*same=*/false, 2 * kFamilies);
      add_int16("same_scale", /*same=*/true, one ? 2 * kFamilies : 4);
    }
  }
}

}  // namespace gles_delegate::conformance
