// labels: op llvmpipe softpipe
// Transposes that undo or follow one another: whole models against TFLite's
// CPU. fold_transposes.txt has the graphs.
#include "absl/strings/str_cat.h"
#include "tests/testing/device_test.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

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
