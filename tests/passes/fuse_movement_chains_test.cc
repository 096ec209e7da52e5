// labels: op llvmpipe softpipe
// Random chains of movements and exact functions, of which fuse_movement makes
// what it can, against TFLite's CPU.
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/testing/device_test.h"
#include "tests/testing/movement_ops.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/schema_names.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {
namespace {

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

}  // namespace
}  // namespace gles_delegate::testing
