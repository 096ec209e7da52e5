// labels: op llvmpipe softpipe
// Functions of moved values as one node, against TFLite's CPU: rotary
// embeddings, and random chains of movements and exact functions, of which
// fuse_movement makes what it can. fuse_movement.txt has the graphs,
// tools/cases/fusions.txt other models.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/device_test.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"
#include "tools/op_models/random.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {
namespace {

class FuseMovementModelTest : public DeviceTest {};

// Heads of queries and keys as in a decoder, rotated and scaled, for one and
// for several positions.
TEST_F(FuseMovementModelTest, RotaryEmbeddings) {
  for (const int rows : {1, 5, 16}) {
    SingleOpModel model = cases::ModelOf(absl::StrReplaceAll(
        "NEG x=[1,{r},96] -> n ; RESHAPE n s=(1,{r},3,32) -> h ; "
        "TRANSPOSE h p=(0,2,1,3) -> t ; "
        "SLICE t b1=(0,0,0,0) z1=(1,3,{r},16) -> a ; "
        "SLICE t b2=(0,0,0,16) z2=(1,3,{r},16) -> b ; "
        "MUL a cos=[1,1,{r},16] -> ac ; MUL b sin=[1,1,{r},16] -> bs ; "
        "SUB ac bs -> u ; MUL b cos -> bc ; MUL a sin -> as ; "
        "ADD bc as -> v ; CONCATENATION u v axis=3 -> w ; "
        "MUL w k=[](0.125) -> y ; RESHAPE y q=(3,1,{r},32)",
        {{"{r}", absl::StrCat(rows)}}));
    model.accuracy = Accuracy{/*terms=*/4};
    model.accuracy.half_roundings = 6;
    for (Precision precision : kPrecisions) {
      const RunResult result = RunOnDelegate(model, precision);
      EXPECT_THAT(result, MatchesCpu(model, precision)) << rows << " rows";
      EXPECT_THAT(result.report, ::testing::HasSubstr("moved_functions"));
    }
  }
}

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

// The text of a case: movements and exact functions, at random.
class Chain {
 public:
  explicit Chain(const std::string& seed) : random_(seed) {
    const int elements = 16 * random_.NextInt(1, 24);
    shape_ = RandomShape(elements, random_);
    text_ = absl::StrCat("NEG x=", Text(shape_, "[]"), " -> t0");
    x_ = "t0";
    for (int left = random_.NextInt(3, 9); left > 0; --left) Step();
  }
  const std::string& text() const { return text_; }

 private:
  // "(1,2)" or "[1,2]".
  static std::string Text(const Shape& shape, const char* brackets) {
    return absl::StrCat(std::string(1, brackets[0]), absl::StrJoin(shape, ","),
                        std::string(1, brackets[1]));
  }
  // A constant vector.
  std::string Ints(const Shape& values) {
    return absl::StrCat("i", ++count_, "=", Text(values, "()"));
  }
  // Adds a node, returns its output.
  std::string Add(const std::string& node) {
    const std::string y = absl::StrCat("t", ++count_);
    absl::StrAppend(&text_, " ; ", node, " -> ", y);
    return y;
  }
  std::string Reshaped(const std::string& x, const Shape& to) {
    return Add(absl::StrCat("RESHAPE ", x, " ", Ints(to)));
  }
  std::string Sliced(const Shape& begin, const Shape& size) {
    const std::string from = Ints(begin);
    return Add(absl::StrCat("SLICE ", x_, " ", from, " ", Ints(size)));
  }

  void Step() {
    switch (random_.NextInt(0, 7)) {
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
        x_ = Add("NEG " + x_);
        return;
      default:
        return Residual();
    }
  }
  void Reshape() {
    shape_ = RandomShape(ElementCount(shape_), random_);
    x_ = Reshaped(x_, shape_);
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
    x_ = Reshaped(x_, shape_);
  }
  void Transpose() {
    Shape by(shape_.size());
    for (size_t i = 0; i < by.size(); ++i) by[i] = static_cast<int>(i);
    for (size_t i = by.size() - 1; i > 0; --i) {
      std::swap(by[i], by[random_.NextInt(0, static_cast<int>(i))]);
    }
    Shape to;
    for (int axis : by) to.push_back(shape_[axis]);
    x_ = Add(absl::StrCat("TRANSPOSE ", x_, " ", Ints(by)));
    shape_ = to;
  }
  void Slice() {
    const int axis = random_.NextInt(0, static_cast<int>(shape_.size()) - 1);
    const int unit = axis + 1 == static_cast<int>(shape_.size()) ? 4 : 1;
    const int count = shape_[axis] / unit;
    if (ElementCount(shape_) < 64 || count < 2) return;
    Shape begin(shape_.size(), 0), size = shape_;
    const int kept = random_.NextInt(count / 2, count - 1);
    begin[axis] = unit * random_.NextInt(0, count - kept);
    size[axis] = unit * kept;
    x_ = Sliced(begin, size);
    shape_ = size;
  }
  // Of a constant, repeated along some axes.
  void Maximum() {
    Shape own = shape_;
    for (int& extent : own) {
      if (random_.NextInt(0, 1) == 0) extent = 1;
    }
    x_ = Add(absl::StrCat("MAXIMUM ", x_, " c", ++count_,
                          "=const:", Text(own, "[]")));
  }
  // The halves of the channels, of which one is negated, in the other order.
  void Swap() {
    if (shape_.back() % 8 != 0) return;
    Shape begin(shape_.size(), 0), half = shape_;
    half.back() /= 2;
    const std::string first = Sliced(begin, half);
    begin.back() = half.back();
    const std::string second = Sliced(begin, half);
    const std::string negated = Add("NEG " + second);
    const std::string least = Add(absl::StrCat("MINIMUM ", first, " ", second));
    x_ = Add(absl::StrCat("CONCATENATION ", negated, " ", least,
                          " axis=", shape_.size() - 1));
  }
  // The minimum of two values on different ways to the same place.
  void Residual() {
    const std::string before = x_;
    const Shape shape = shape_;
    Reshape();
    x_ = Add("NEG " + x_);
    x_ = Add(absl::StrCat("MINIMUM ", Reshaped(x_, shape), " ", before));
    shape_ = shape;
  }

  Random random_;
  std::string text_, x_;
  Shape shape_;
  int count_ = 0;
};

TEST_F(FuseMovementModelTest, ChainsMatchTheCpu) {
  constexpr int kChains = 40;
  int fused = 0;
  for (int i = 0; i < kChains; ++i) {
    const SingleOpModel model =
        cases::ModelOf(Chain(absl::StrCat("chain ", i)).text());
    const RunResult result = RunOnDelegate(model);
    EXPECT_THAT(result, MatchesCpu(model)) << model.description;
    fused += absl::StrContains(result.report, "moved_functions") ? 1 : 0;
  }
  EXPECT_GT(fused, kChains / 2);
}

}  // namespace
}  // namespace gles_delegate::testing
