// labels: op quant
// int16 values (16x8 models): means and softmax. TFLite's codes, every one; 208
// cases an op.
#include <vector>

#include "tests/testing/code_cases.h"
#include "tests/testing/device_test.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

using Cases = CodeCases<int16_t>;
using Dims = ModelBuilder::Shape;

constexpr float kFraction = 1.0f / 32768;

// A scale of every size, a power of two among four.
ModelQuantization DrawScale(Cases* cases) {
  const float power = std::exp2(static_cast<float>(cases->Int(-16, -3)));
  return cases->Int(0, 3) == 0 ? ModelQuantization::PerTensor(power, 0)
                               : cases->Draw(2 * power);
}

// --- Rows --------------------------------------------------------------------

TEST(Int16RowsTest, SoftmaxIsTflites) {
  GLES_SKIP_WITHOUT_DEVICE();
  for (int channels : {1, 2, 3, 10, 64, 257, 1001, 2000}) {
    Cases cases(channels);
    for (int i = 0; i < 26; ++i) {
      const Dims dims = {1, 1, 3, channels};
      const ModelQuantization in = DrawScale(&cases);
      schema::SoftmaxOptionsT options;
      const float betas[] = {1.0f, 0.5f, 2.7f, 0.0f};
      options.beta = betas[i % 4];
      const int x = cases.Input(dims, in);
      const int y =
          cases.Output(dims, ModelQuantization::PerTensor(kFraction, 0));
      cases.b.AddOp(Op::SOFTMAX, 3, {x}, {y}, options);
    }
    cases.ExpectQuantized(absl::StrCat("SOFTMAX of ", channels));
  }
}

// --- Windows -----------------------------------------------------------------

class Int16WindowsTest : public DeviceTest {};

struct MeanShape {
  Dims dims, out;
  std::vector<int32_t> axes;
  bool keep;
};

TEST_F(Int16WindowsTest, MeanIsTflites) {
  const std::vector<MeanShape> shapes = {
      {{2, 7, 5, 9}, {2, 1, 1, 9}, {1, 2}, true},
      {{1, 4, 4, 17}, {1, 1, 1, 17}, {2, 1}, true},
      {{2, 7, 5, 9}, {2, 9}, {1, 2}, false},
      {{1, 90, 70, 3}, {1, 3}, {1, 2}, false},
      {{2, 3, 5, 33}, {2, 3, 5}, {3}, false},
      {{2, 3, 5, 33}, {2, 3, 5, 1}, {-1}, true},
      {{9, 5, 8}, {9, 1, 8}, {1}, true},
      {{2, 5, 6, 7}, {}, {0, 1, 2, 3}, false}};
  int seed = 0;
  for (const MeanShape& shape : shapes) {
    Cases cases(++seed);
    for (int i = 0; i < 26; ++i) {
      const ModelQuantization in = DrawScale(&cases);
      const int x = cases.Input(shape.dims, in);
      const int axes =
          cases.Ints({static_cast<int>(shape.axes.size())}, shape.axes);
      schema::ReducerOptionsT options;
      options.keep_dims = shape.keep;
      // Means of noise are small: outputs finer than the input tell them apart.
      const ModelQuantization out =
          i % 4 == 0 ? in : cases.Draw(in.scale[0] * (i % 4 == 1 ? 2 : 0.1f));
      cases.b.AddOp(Op::MEAN, 2, {x, axes}, {cases.Output(shape.out, out)},
                    options);
    }
    cases.ExpectQuantized(absl::StrCat("MEAN shape ", seed));
  }
}

}  // namespace
}  // namespace gles_delegate::testing
