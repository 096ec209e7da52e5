// labels: op llvmpipe softpipe
// Ops with axes beside RESHAPEs that only change the rank, which are removed:
// each against TFLite's own kernel.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/device_test.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/schema_names.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {
namespace {

class ChangedRankTest : public DeviceTest {
 protected:
  static int Reshaped(OpVariant& v, int x, const Shape& shape) {
    const int to = v.IntConstant(absl::StrCat("to", x),
                                 {static_cast<int>(shape.size())}, shape);
    return v.Op(Op::RESHAPE, 1, {x, to}, schema::ReshapeOptionsT());
  }
  static int Ints(OpVariant& v, const std::string& name,
                  const std::vector<int>& values) {
    return v.IntConstant(name, {static_cast<int>(values.size())}, values);
  }
  // Whether the sums' order may differ.
  static Accuracy Sums(int terms) { return Accuracy{terms}; }

  struct Case {
    const char* name;
    Accuracy accuracy;
    // Of x [2,3,4] and [2,1,3,4]; `axis` is that of 3.
    std::function<int(OpVariant& v, int x, int axis)> op;
  };
  static std::vector<Case> Cases();
};

std::vector<ChangedRankTest::Case> ChangedRankTest::Cases() {
  const auto reduce = [](Op op) {
    return [op](OpVariant& v, int x, int axis) {
      schema::ReducerOptionsT options;
      options.keep_dims = true;
      return v.Op(op, 1, {x, Ints(v, "axes", {axis})}, options);
    };
  };
  return {
      {"MEAN", Sums(3), reduce(Op::MEAN)},
      {"REDUCE_MAX", Sums(0), reduce(Op::REDUCE_MAX)},
      {"SOFTMAX", Accuracy{4, 16},
       [](OpVariant& v, int x, int) {
         schema::SoftmaxOptionsT options;
         options.beta = 1;
         return v.Op(Op::SOFTMAX, 1, {x}, options);
       }},
      {"CONCATENATION", Sums(0),
       [](OpVariant& v, int x, int axis) {
         schema::ConcatenationOptionsT options;
         options.axis = axis;
         return v.Op(Op::CONCATENATION, 1, {x, v.Op(Op::NEG, 1, {x})}, options);
       }},
      {"REVERSE_V2", Sums(0),
       [](OpVariant& v, int x, int axis) {
         return v.Op(Op::REVERSE_V2, 1, {x, Ints(v, "axes", {axis})},
                     schema::ReverseV2OptionsT());
       }},
      {"GATHER", Sums(0),
       [](OpVariant& v, int x, int axis) {
         schema::GatherOptionsT options;
         options.axis = axis;
         return v.Op(Op::GATHER, 1, {x, Ints(v, "indices", {2, 0, 1, 2})},
                     options);
       }},
      {"TILE", Sums(0),
       [](OpVariant& v, int x, int axis) {
         std::vector<int> times(axis + 2, 1);
         times[axis] = 2;
         return v.Op(Op::TILE, 1, {x, Ints(v, "times", times)},
                     schema::TileOptionsT());
       }},
      {"SLICE", Sums(0),
       [](OpVariant& v, int x, int axis) {
         std::vector<int> begin(axis + 2, 0), size(axis + 2, -1);
         begin[axis] = 1;
         size[axis] = 2;
         return v.Op(Op::SLICE, 1,
                     {x, Ints(v, "begin", begin), Ints(v, "size", size)},
                     schema::SliceOptionsT());
       }},
      {"PAD", Sums(0),
       [](OpVariant& v, int x, int axis) {
         std::vector<int> by(2 * (axis + 2), 0);
         by[2 * axis] = 2;
         return v.Op(Op::PAD, 1, {x, v.IntConstant("by", {axis + 2, 2}, by)},
                     schema::PadOptionsT());
       }},
      {"CUMSUM", Sums(3),
       [](OpVariant& v, int x, int axis) {
         return v.Op(Op::CUMSUM, 1, {x, v.IntConstant("axis", {}, {axis})},
                     schema::CumsumOptionsT());
       }},
      {"BATCH_MATMUL", Sums(4),
       [](OpVariant& v, int x, int) {
         schema::BatchMatMulOptionsT options;
         options.adj_y = true;
         return v.Op(Op::BATCH_MATMUL, 1, {x, v.Op(Op::NEG, 1, {x})}, options);
       }},
      {"PACK", Sums(0),
       [](OpVariant& v, int x, int axis) {
         schema::PackOptionsT options;
         options.axis = axis;
         options.values_count = 2;
         return v.Op(Op::PACK, 1, {x, v.Op(Op::NEG, 1, {x})}, options);
       }},
  };
}

TEST_F(ChangedRankTest, MatchesTheCpu) {
  const std::vector<std::pair<Shape, Shape>> ranks = {
      {{2, 1, 3, 4}, {2, 3, 4}}, {{2, 3, 4}, {2, 1, 3, 4}}};
  for (const Case& c : Cases()) {
    for (const auto& [from, to] : ranks) {
      ExpectMatchesCpuOnce(MakeModel(
          absl::StrCat(c.name, " of rank ", to.size()), c.accuracy,
          /*with_magnitude=*/c.accuracy.terms > 0, [&](OpVariant& v) {
            const int x =
                v.Input("x", from, v.random().Gaussian(ElementCount(from)));
            const int negated = v.Op(Op::NEG, 1, {x});
            const int axis = static_cast<int>(to.size()) - 2;
            const int y = c.op(v, Reshaped(v, negated, to), axis);
            return v.Op(Op::NEG, 1, {y});
          }));
    }
  }
}

}  // namespace
}  // namespace gles_delegate::testing
