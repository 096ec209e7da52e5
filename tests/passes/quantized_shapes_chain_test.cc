// labels: op quant softpipe
// Chains of 8-bit ops that look at more than one place or move quantized
// values: reductions, rows, resizes, pooling, and moves to tensors of other
// scales, twenty nodes and more. Every node computes on the integer path, and
// every code of every tensor on the way is TFLite's.
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "tests/testing/code_chain.h"
#include "tests/testing/device.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

// Each function ends in a tensor of the shape that it began with.
template <typename Code>
class Chain : public CodeChain<Code> {
 public:
  static constexpr int kSide = 8, kChannels = 9;
  explicit Chain(int seed)
      : CodeChain<Code>(seed, {1, kSide, kSide, kChannels}) {}

  // Plus a constant of every code, in a scale of `gain` times as much: what was
  // squashed or moved to one end is spread again.
  void Spread(float gain) {
    const int c = Constant({1, kSide, kSide, kChannels}, Q(0.5f * scale()));
    Next(Q(gain * scale()), [&](int x, int y) {
      b_.AddOp(Op::ADD, 2, {x, c}, {y}, schema::AddOptionsT());
    });
  }

  // --- Reductions: what is reduced, less the result ---
  void MeanOfPlane() {
    Reduce(Op::MEAN, {1, 2}, {1, 1, 1, kChannels}, Q(0.3f * scale()));
  }
  void MeanOfChannels() {
    Reduce(Op::MEAN, {3}, {1, kSide, kSide, 1}, Q(0.5f * scale()));
  }
  void MeanOfOneScale() { Reduce(Op::MEAN, {3}, {1, kSide, kSide, 1}, q()); }
  void SumOfChannels() {
    Reduce(Op::SUM, {3}, {1, kSide, kSide, 1}, Q(3.5f * scale()));
  }
  void MaximumOfRows() {
    Reduce(Op::REDUCE_MAX, {1}, {1, 1, kSide, kChannels}, q());
  }
  void MinimumOfColumns() {
    Reduce(Op::REDUCE_MIN, {2}, {1, kSide, 1, kChannels}, q());
  }

  // --- Rows ---
  void Softmax() {
    schema::SoftmaxOptionsT options;
    options.beta = 1.0f;
    Next(Fixed(1.0f / 256, 0),
         [&](int x, int y) { b_.AddOp(Op::SOFTMAX, 2, {x}, {y}, options); });
    Spread(0.4f);
  }
  void LogSoftmax() {
    Next(Fixed(16.0f / 256, 255), [&](int x, int y) {
      b_.AddOp(Op::LOG_SOFTMAX, 2, {x}, {y}, schema::LogSoftmaxOptionsT());
    });
    Spread(0.5f);
  }
  void L2Normalization() {
    Next(Fixed(1.0f / 128, 128), [&](int x, int y) {
      b_.AddOp(Op::L2_NORMALIZATION, 2, {x}, {y}, schema::L2NormOptionsT());
    });
    Spread(0.8f);
  }
  void Logistic() {
    Next(Fixed(1.0f / 256, 0),
         [&](int x, int y) { b_.AddOp(Op::LOGISTIC, 2, {x}, {y}); });
    Spread(0.4f);
  }

  // --- Windows and sizes ---
  void Pooling() {
    schema::Pool2DOptionsT options;
    options.filter_width = options.filter_height = 3;
    options.stride_w = options.stride_h = 1;
    for (Op op : {Op::AVERAGE_POOL_2D, Op::MAX_POOL_2D}) {
      Next(q(), [&](int x, int y) { b_.AddOp(op, 2, {x}, {y}, options); });
    }
    Spread(1.0f);
  }
  void Bilinear() {
    schema::ResizeBilinearOptionsT options;
    options.half_pixel_centers = true;
    Shaped(Op::RESIZE_BILINEAR, 3, q(), {1, 15, 13, kChannels},
           {Ints({15, 13})}, options);
    options.half_pixel_centers = false;
    options.align_corners = true;
    Shaped(Op::RESIZE_BILINEAR, 3, q(), {1, kSide, kSide, kChannels},
           {Ints({kSide, kSide})}, options);
    Spread(1.0f);
  }
  void Nearest() {
    const schema::ResizeNearestNeighborOptionsT options;
    Shaped(Op::RESIZE_NEAREST_NEIGHBOR, 3, Q(scale()), {1, 11, 16, kChannels},
           {Ints({11, 16})}, options);
    Shaped(Op::RESIZE_NEAREST_NEIGHBOR, 3, Q(scale()),
           {1, kSide, kSide, kChannels}, {Ints({kSide, kSide})}, options);
    Spread(1.0f);
  }

  // --- Codes as they are, to a tensor of another quantization ---
  void Transpose() {
    Shaped(Op::TRANSPOSE, 2, Q(scale()), {1, kChannels, kSide, kSide},
           {Ints({0, 3, 2, 1})}, schema::TransposeOptionsT());
    Shaped(Op::TRANSPOSE, 2, Q(scale()), {1, kSide, kSide, kChannels},
           {Ints({0, 3, 2, 1})}, schema::TransposeOptionsT());
    Spread(1.0f);
  }
  void Blocks() {
    schema::SpaceToDepthOptionsT to_depth;
    to_depth.block_size = 2;
    Shaped(Op::SPACE_TO_DEPTH, 2, Q(scale()), {1, 4, 4, 4 * kChannels}, {},
           to_depth);
    schema::DepthToSpaceOptionsT to_space;
    to_space.block_size = 2;
    Shaped(Op::DEPTH_TO_SPACE, 2, q(), {1, kSide, kSide, kChannels}, {},
           to_space);
    Spread(1.0f);
  }
  void SliceAndPad() {
    Shaped(Op::SLICE, 2, Q(scale()), {1, 6, 5, kChannels},
           {Ints({0, 1, 3, 0}), Ints({1, 6, 5, kChannels})},
           schema::SliceOptionsT());
    Shaped(Op::PAD, 2, Q(scale()), {1, kSide, kSide, kChannels},
           {Ints({0, 0, 1, 1, 2, 1, 0, 0}, {4, 2})}, schema::PadOptionsT());
    Spread(1.0f);
  }
  void Reshape() {
    schema::ReshapeOptionsT options;
    options.new_shape = {kSide, kChannels * kSide};
    Shaped(Op::RESHAPE, 1, Q(scale()), {kSide, kChannels * kSide},
           {Ints({kSide, kChannels * kSide})}, options);
    options.new_shape = {1, kSide, kSide, kChannels};
    Shaped(Op::RESHAPE, 1, q(), {1, kSide, kSide, kChannels},
           {Ints({1, kSide, kSide, kChannels})}, options);
    Spread(1.0f);
  }
  // Channels beside a constant, some of both taken. uint8 quantized values are
  // rescaled, int8 ones must be of one quantization.
  void Concatenation() {
    const ModelQuantization to = std::is_signed<Code>::value ? q() : Q(scale());
    const int c = Constant({1, kSide, kSide, 4}, to);
    Next(to, {1, kSide, kSide, kChannels + 4}, [&](int x, int y) {
      schema::ConcatenationOptionsT options;
      options.axis = 3;
      b_.AddOp(Op::CONCATENATION, 2, {x, c}, {y}, options);
    });
    schema::GatherOptionsT options;
    options.axis = 3;
    Shaped(Op::GATHER, 2, q(), {1, kSide, kSide, kChannels},
           {Ints({12, 0, 3, 1, 9, 8, 2, 5, 4})}, options);
    Spread(1.0f);
  }

  static void Expect(int seed, bool all_outputs, TfLiteGlesStorage storage) {
    const ChainOps<Chain> ops = {
        &Chain::MeanOfPlane,   &Chain::MeanOfChannels, &Chain::MeanOfOneScale,
        &Chain::SumOfChannels, &Chain::MaximumOfRows,  &Chain::MinimumOfColumns,
        &Chain::Softmax,       &Chain::LogSoftmax,     &Chain::L2Normalization,
        &Chain::Logistic,      &Chain::Pooling,        &Chain::Bilinear,
        &Chain::Nearest,       &Chain::Transpose,      &Chain::Blocks,
        &Chain::SliceAndPad,   &Chain::Reshape,        &Chain::Concatenation};
    ExpectChain(seed, ops, /*fixed=*/0, /*depth=*/50, all_outputs, storage);
  }

 private:
  using Base = CodeChain<Code>;
  using Dims = typename Base::Dims;
  using Base::b_;
  using Base::Constant;
  using Base::Ints;
  using Base::kLow;
  using Base::Next;
  using Base::Q;
  using Base::q;
  using Base::scale;
  using Base::Shaped;
  using Base::x;

  // The input that ops of fixed outputs need; `zero` counts from the minimum
  // value.
  static ModelQuantization Fixed(float scale, int zero) {
    return ModelQuantization::PerTensor(scale, kLow + zero);
  }
  // `dims`: of the result.
  void Reduce(Op op, const std::vector<int32_t>& axes, const Dims& dims,
              const ModelQuantization& to) {
    const int whole = x();
    const float whole_scale = scale();
    schema::ReducerOptionsT options;
    options.keep_dims = true;
    Shaped(op, 2, to, dims, {Ints(axes)}, options);
    const float wider = 1.3f * std::max(whole_scale, scale());
    Next(Q(wider), {1, kSide, kSide, kChannels}, [&](int x, int y) {
      b_.AddOp(Op::SUB, 2, {whole, x}, {y}, schema::SubOptionsT());
    });
    Spread(1.0f);
  }
};

TEST(QuantizedShapesChainTest, EveryTensorOnTheWay) {
  GLES_SKIP_WITHOUT_DEVICE();
  ExpectEveryTensorOnTheWay<Chain>();
}

TEST(QuantizedShapesChainTest, FusedChains) {
  GLES_SKIP_WITHOUT_DEVICE();
  ExpectFusedChains<Chain>();
}

}  // namespace
}  // namespace gles_delegate::testing
