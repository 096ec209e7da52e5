// labels: op llvmpipe softpipe
// Functions of moved values as one node: rotary embeddings and caches against
// TFLite's CPU. fuse_movement.txt has the graphs.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
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

// Random chains of movements and exact functions, of which fuse_movement makes
// what it can, against TFLite's CPU.

class FuseMovementChainsTest : public DeviceTest {};

// A random shape of as many elements, of rank 2 to 5, whose last dimension is
// often one that texels divide.
Shape RandomShape(int elements, Random& random) {
  const int rank = random.NextInt(2, 5);
  Shape shape(rank, 1);
  for (int i = rank - 1; i > 0; --i) {
    std::vector<int> divisors;
    for (int d = 1; d <= elements; ++d) {
      const bool fits = i < rank - 1 || d % 4 == 0 || d == 1;
      if (elements % d == 0 && (fits || random.NextInt(0, 9) == 0)) {
        divisors.push_back(d);
      }
    }
    if (divisors.empty()) divisors = {elements};
    const int last = static_cast<int>(divisors.size()) - 1;
    shape[i] = divisors[random.NextInt(0, last)];
    elements /= shape[i];
  }
  shape[0] = elements;
  return shape;
}

// Movements and exact functions, at random. The values do not depend on what
// OpVariant is: all draws come from its stream.
class Chain {
 public:
  Chain(OpVariant& v, int x, Shape shape)
      : v_(v), x_(x), shape_(std::move(shape)) {}

  int Result(int ops) {
    for (int i = 0; i < ops; ++i) Step();
    return x_;
  }

 private:
  Random& random() { return v_.random(); }

  void Step() {
    switch (random().NextInt(0, 7)) {
      case 7:
        return ChangeRank();
      case 0:
        return Reshape();
      case 1:
        return Transpose();
      case 2:
        return Slice();
      case 3:
        return Maximum();
      case 4:
        return Swap();
      case 5:
        x_ = v_.Op(Op::NEG, 1, {x_});
        return;
      default:
        return Residual();
    }
  }
  void Reshape() {
    shape_ = RandomShape(ElementCount(shape_), random());
    x_ = Reshaped(v_, x_, shape_);
  }
  // A reshape that the GPU does not see: the leading axes are one there.
  void ChangeRank() {
    if (shape_.size() == 5 || (shape_.size() > 2 && shape_[0] % 2 != 0)) {
      shape_[1] *= shape_[0];
      shape_.erase(shape_.begin());
    } else {
      const int outer = shape_[0] % 2 == 0 ? 2 : 1;
      shape_[0] /= outer;
      shape_.insert(shape_.begin(), outer);
    }
    x_ = Reshaped(v_, x_, shape_);
  }
  void Transpose() {
    std::vector<int> by(shape_.size());
    for (size_t i = 0; i < by.size(); ++i) by[i] = static_cast<int>(i);
    for (size_t i = by.size() - 1; i > 0; --i) {
      std::swap(by[i], by[random().NextInt(0, static_cast<int>(i))]);
    }
    Shape to;
    for (int axis : by) to.push_back(shape_[axis]);
    x_ = v_.Op(Op::TRANSPOSE, 1, {x_, IntsOf(v_, by)},
               schema::TransposeOptionsT());
    shape_ = to;
  }
  void Slice() {
    const int axis = random().NextInt(0, static_cast<int>(shape_.size()) - 1);
    const int unit = axis + 1 == static_cast<int>(shape_.size()) ? 4 : 1;
    const int count = shape_[axis] / unit;
    if (ElementCount(shape_) < 64 || count < 2) return;
    Shape begin(shape_.size(), 0), size = shape_;
    const int kept = random().NextInt(count / 2, count - 1);
    begin[axis] = unit * random().NextInt(0, count - kept);
    size[axis] = unit * kept;
    x_ = Sliced(v_, x_, begin, size);
    shape_ = size;
  }
  // Of a constant, repeated along some axes.
  void Maximum() {
    Shape own = shape_;
    for (int& extent : own) {
      if (random().NextInt(0, 1) == 0) extent = 1;
    }
    const int constant = v_.Constant(absl::StrCat("constant", x_), own,
                                     random().Gaussian(ElementCount(own)));
    x_ =
        v_.Op(Op::MAXIMUM, 1, {x_, constant}, schema::MaximumMinimumOptionsT());
  }
  // The halves of the channels, of which one is negated, in the other order.
  void Swap() {
    if (shape_.back() % 8 != 0) return;
    Shape begin(shape_.size(), 0), half = shape_;
    half.back() /= 2;
    const int first = Sliced(v_, x_, begin, half);
    begin.back() = half.back();
    const int second = Sliced(v_, x_, begin, half);
    x_ = Joined(v_, v_.Op(Op::NEG, 1, {second}),
                v_.Op(Op::MINIMUM, 1, {first, second},
                      schema::MaximumMinimumOptionsT()),
                static_cast<int>(shape_.size()) - 1);
  }
  // The minimum of two values on different ways to the same place.
  void Residual() {
    const int before = x_;
    const Shape shape = shape_;
    Reshape();
    x_ = v_.Op(Op::NEG, 1, {x_});
    x_ = v_.Op(Op::MINIMUM, 1, {Reshaped(v_, x_, shape), before},
               schema::MaximumMinimumOptionsT());
    shape_ = shape;
  }

  OpVariant& v_;
  int x_;
  Shape shape_;
};

TEST_F(FuseMovementChainsTest, MatchTheCpu) {
  constexpr int kChains = 40;
  int fused = 0;
  for (int i = 0; i < kChains; ++i) {
    const SingleOpModel model = MakeModel(
        absl::StrCat("chain ", i), Accuracy{/*terms=*/0},
        /*with_magnitude=*/false, [&](OpVariant& v) {
          const int elements = 16 * v.random().NextInt(1, 24);
          const Shape shape = RandomShape(elements, v.random());
          const int x = v.Input("x", shape, v.random().Gaussian(elements));
          const int start = v.Op(Op::NEG, 1, {x});
          return Chain(v, start, shape).Result(v.random().NextInt(3, 9));
        });
    const RunResult result = RunOnDelegate(model);
    EXPECT_THAT(result, MatchesCpu(model)) << "chain " << i;
    fused += absl::StrContains(result.report, "moved_functions") ? 1 : 0;
  }
  EXPECT_GT(fused, kChains / 2);
}

// Updates written into their input's memory: whole models against TFLite's CPU
// in every storage. update_in_place.txt has the graphs.

class UpdatedModelTest : public DeviceTest {
 protected:
  // Channels of updates, and where the second one's begin.
  struct Part {
    int channels = 0;
    int first = 0;
  };

  // Two updates of a cache, with readers between. `is_input`: of an input of
  // the model. `ends`: the cache is an output, else what reads it.
  static SingleOpModel Model(int channels, Part part, bool is_input,
                             bool ends) {
    return MakeModel("two updates", Accuracy{/*terms=*/0}, [&](OpVariant& v) {
      const auto gaussian = [&](const std::string& name, int rows, int c) {
        return v.Input(name, {2, rows, 3, c},
                       v.random().Gaussian(2 * rows * 3 * c));
      };
      const auto update = [&](int cache, const std::string& name, float row,
                              int first) {
        const int at = v.OfInts(
            v.Input(name + " at", {4}, {0, row, 0, static_cast<float>(first)}));
        return v.Op(Op::DYNAMIC_UPDATE_SLICE, 1,
                    {cache, gaussian(name, 2, part.channels), at});
      };
      int cache = gaussian("cache", 9, channels);
      if (!is_input) cache = v.Op(Op::NEG, 1, {cache});
      const int old = v.Op(Op::ABS, 1, {cache});
      cache = update(cache, "first", 3, 0);
      const int between = v.Op(Op::NEG, 1, {cache});
      cache = update(cache, "second", 8, part.first);  // clamped to 7
      if (ends) return cache;
      const int sum = v.Op(Op::MAXIMUM, 1, {old, between});
      return v.Op(Op::MAXIMUM, 1, {sum, cache});
    });
  }
};

TEST_F(UpdatedModelTest, MatchesTheCpu) {
  for (bool is_input : {false, true}) {
    for (bool ends : {false, true}) {
      for (int channels : {3, 4, 5}) {
        ExpectMatchesCpuOnce(Model(channels, {channels}, is_input, ends));
      }
      ExpectMatchesCpu(Model(8, {8}, is_input, ends));
    }
  }
}

// Texels of which some channels stay as they are.
TEST_F(UpdatedModelTest, OfSomeChannelsMatchesTheCpu) {
  for (bool is_input : {false, true}) {
    for (bool ends : {false, true}) {
      for (int channels = 1; channels < 8; ++channels) {
        for (int first = 0; first <= 13; first += is_input ? 1 : 5) {
          ExpectMatchesCpuOnce(Model(13, {channels, first}, is_input, ends));
        }
      }
      ExpectMatchesCpu(Model(8, {3, 2}, is_input, ends));
    }
  }
}

// Concatenations written in place: whole models against TFLite's CPU in every
// storage. concat_in_place.txt has the graphs.

class ConcatInPlaceModelTest : public DeviceTest {};

// Two poolings and an ABS of one input, joined on `axis` and negated.
SingleOpModel Joined(const Shape& shape, int axis, bool negated) {
  return MakeModel(
      absl::StrCat("joined on ", axis, " of ", ShapeString(shape)),
      Accuracy{/*terms=*/9}, [&](OpVariant& v) {
        const int x =
            v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
        schema::Pool2DOptionsT pool;
        pool.padding = schema::Padding::SAME;
        pool.filter_width = pool.filter_height = 3;
        pool.stride_w = pool.stride_h = 1;
        const int a = v.Op(Op::AVERAGE_POOL_2D, 1, {x}, pool);
        const int b = v.Op(Op::MAX_POOL_2D, 1, {x}, pool);
        const int c = v.Op(Op::ABS, 1, {x});
        schema::ConcatenationOptionsT options;
        options.axis = axis;
        const int all = v.Op(Op::CONCATENATION, 1, {a, x, b, c}, options);
        // Each part is read on its own too.
        const int max =
            v.Op(Op::MAXIMUM, 1, {a, b}, schema::MaximumMinimumOptionsT());
        const int both = v.Op(Op::CONCATENATION, 1, {all, max}, options);
        return negated ? v.Op(Op::NEG, 1, {both}) : both;
      });
}

// Two maps of 3 x `channels` channels, laid as columns or rows of `channels`,
// joined, squeezed where they are columns, and LOGISTIC of all.
SingleOpModel JoinedHeads(int channels, bool columns) {
  return MakeModel(
      absl::StrCat("heads of ", channels, columns ? " as columns" : " as rows"),
      Accuracy{/*terms=*/1, /*ulps=*/8}, [&](OpVariant& v) {
        std::vector<int> parts;
        for (int size : {5, 3}) {
          const Shape shape = {1, size, size, 3 * channels};
          const int x =
              v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
          const int negated = v.Op(Op::NEG, 1, {x});
          const int n = size * size * 3;
          schema::ReshapeOptionsT to;
          to.new_shape =
              columns ? Shape{1, n, 1, channels} : Shape{1, n, channels};
          const int dims = v.IntConstant(
              "dims", {static_cast<int>(to.new_shape.size())}, to.new_shape);
          parts.push_back(v.Op(Op::RESHAPE, 1, {negated, dims}, to));
        }
        schema::ConcatenationOptionsT options;
        options.axis = 1;
        int all = v.Op(Op::CONCATENATION, 1, parts, options);
        if (columns) {
          schema::SqueezeOptionsT squeeze;
          squeeze.squeeze_dims = {2};
          all = v.Op(Op::SQUEEZE, 1, {all}, squeeze);
        }
        return v.Op(Op::LOGISTIC, 1, {all});
      });
}

TEST_F(ConcatInPlaceModelTest, TheHeadsOfADetector) {
  for (bool columns : {false, true}) {
    for (int channels : {4, 7}) {
      ExpectMatchesCpu(JoinedHeads(channels, columns));
    }
  }
}

TEST_F(ConcatInPlaceModelTest, EveryAxis) {
  for (int axis : {0, 1, 2, 3}) {
    for (bool negated : {false, true}) {
      ExpectMatchesCpu(Joined({2, 5, 6, 8}, axis, negated));
    }
  }
  ExpectMatchesCpu(Joined({1, 7, 9, 3}, 1, true));
  ExpectMatchesCpu(Joined({3, 4, 5, 17}, 2, true));
}

// Transposes that undo or follow one another: whole models against TFLite's
// CPU. fold_transposes.txt has the graphs.

class FoldTransposesModelTest : public DeviceTest {};

int By(OpVariant* v, int x, const std::vector<int>& permutation) {
  const int by =
      v->IntConstant(absl::StrCat("by", x),
                     {static_cast<int>(permutation.size())}, permutation);
  return v->Op(Op::TRANSPOSE, 1, {x, by}, schema::TransposeOptionsT());
}

TEST_F(FoldTransposesModelTest, BetweenLayouts) {
  ExpectMatchesCpu(
      MakeModel("NHWC to NCHW and back", Accuracy{0}, [](OpVariant& v) {
        const Shape shape = {2, 3, 4, 5};
        int x = v.Input("x", shape, v.random().Gaussian(120));
        x = By(&v, v.Op(Op::ABS, 1, {x}), {0, 3, 1, 2});
        x = v.Op(Op::NEG, 1, {x});
        return By(&v, x, {0, 2, 3, 1});
      }));
  ExpectMatchesCpu(MakeModel("three in a row", Accuracy{0}, [](OpVariant& v) {
    int x = v.Input("x", {2, 3, 4, 5}, v.random().Gaussian(120));
    x = By(&v, x, {0, 3, 1, 2});
    x = v.Op(Op::NEG, 1, {x});
    return By(&v, By(&v, x, {3, 1, 0, 2}), {1, 0, 2, 3});
  }));
}

// A RESHAPE that only changes the rank is removed before, so that a TRANSPOSE
// meets tensors of other ranks than its permutation's.
TEST_F(FoldTransposesModelTest, BesideReshapesThatOnlyChangeTheRank) {
  struct Case {
    Shape from, to;
    std::vector<int> by;
    Shape next;  // a RESHAPE of the result, and another TRANSPOSE; or empty
    std::vector<int> then;
  };
  for (const Case& c : std::vector<Case>{
           {{3, 4}, {3, 1, 4}, {1, 0, 2}, {}, {}},
           {{1, 4}, {1, 1, 4}, {2, 0, 1}, {}, {}},
           {{2, 1, 3, 4}, {2, 3, 4}, {0, 2, 1}, {}, {}},
           {{2, 3, 4}, {2, 1, 3, 4}, {0, 1, 3, 2}, {}, {}},
           {{2, 3, 4}, {2, 1, 3, 4}, {0, 2, 1, 3}, {2, 3, 4}, {0, 2, 1}},
           {{2, 3, 4}, {2, 3, 4}, {0, 2, 1}, {2, 1, 4, 3}, {0, 3, 1, 2}},
           {{2, 3, 4}, {2, 3, 4}, {2, 0, 1}, {4, 1, 2, 3}, {3, 1, 0, 2}}}) {
    const auto reshaped = [](OpVariant& v, int x, const Shape& shape) {
      const int to = v.IntConstant(absl::StrCat("to", x),
                                   {static_cast<int>(shape.size())}, shape);
      return v.Op(Op::RESHAPE, 1, {x, to}, schema::ReshapeOptionsT());
    };
    ExpectMatchesCpu(MakeModel(
        absl::StrCat("rank ", c.from.size(), ", ", c.to.size(), ", ",
                     c.next.size()),
        Accuracy{0}, [&](OpVariant& v) {
          int x =
              v.Input("x", c.from, v.random().Gaussian(ElementCount(c.from)));
          x = By(&v, reshaped(v, v.Op(Op::NEG, 1, {x}), c.to), c.by);
          if (!c.next.empty()) x = By(&v, reshaped(v, x, c.next), c.then);
          return v.Op(Op::NEG, 1, {x});
        }));
  }
}

// A constant that is transposed is a constant.
TEST_F(FoldTransposesModelTest, OfConstants) {
  ExpectMatchesCpu(
      MakeModel("transposed weights", Accuracy{12}, [](OpVariant& v) {
        const int x = v.Input("x", {3, 12}, v.random().Gaussian(36));
        const int w = v.Constant("w", {12, 5}, v.random().Gaussian(60));
        const int bias = v.Constant("b", {5}, v.random().Gaussian(5));
        return v.Op(Op::FULLY_CONNECTED, 1, {x, By(&v, w, {1, 0}), bias},
                    schema::FullyConnectedOptionsT());
      }));
}

}  // namespace

}  // namespace gles_delegate::testing
