// labels: op llvmpipe softpipe
// Concatenations written in place: whole models against TFLite's CPU in every
// storage. concat_in_place.txt has the graphs.
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/device_test.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

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

}  // namespace
}  // namespace gles_delegate::testing
