// labels: op llvmpipe softpipe
// Attention as models write it, against TFLite's CPU. fold_heads_test.cc
// tests the passes that make few dispatches of it.
#include <cmath>
#include <cstdlib>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/device_test.h"
#include "tests/testing/op_model_maker.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {
namespace {

int By(OpVariant* v, int x, const std::vector<int>& permutation) {
  static int count = 0;
  const int by =
      v->IntConstant(absl::StrCat("by", count++),
                     {static_cast<int>(permutation.size())}, permutation);
  return v->Op(Op::TRANSPOSE, 1, {x, by}, schema::TransposeOptionsT());
}

class AttentionModelTest : public DeviceTest {};

// How a model says the same attention.
struct Writing {
  int batch = 1;
  int rows = 12;
  int heads = 3;
  int channels = 8;  // of a head
  bool four_axes = true;
  bool transposes_keys = false;  // else adj_y
  bool slices_one_product = false;
  bool rank_two = false;  // rows between products
  int masks = 0;          // extent of the mask's batch; 0: none
  bool biases = false;    // a constant for each head, as of relative positions
};

class ModelWriter {
 public:
  ModelWriter(OpVariant& v, const Writing& w) : v_(v), w_(w) {}

  int Write() {
    const int x = v_.Input("x", {w_.batch, w_.rows, width()},
                           v_.random().Gaussian(w_.batch * w_.rows * width()));
    int q, k, v;
    if (w_.slices_one_product) {
      const int all = Rows(x, width(), 3 * width());
      q = Part(all, 0);
      k = Part(all, 1);
      v = Part(all, 2);
    } else {
      q = Rows(x, width(), width());
      k = Rows(x, width(), width());
      v = Rows(x, width(), width());
    }
    q = v_.Op(Op::MUL, 1, {q, v_.Constant("scale", {}, {0.25f})},
              schema::MulOptionsT());
    q = Matrices(Heads(q), w_.rows, w_.channels);
    v = Matrices(Heads(v), w_.rows, w_.channels);
    k = Heads(k);
    if (w_.transposes_keys) {
      k = Matrices(By(&v_, k, {0, 1, 3, 2}), w_.channels, w_.rows);
    } else {
      k = Matrices(k, w_.rows, w_.channels);
    }
    int p = Scores(Product(q, k, !w_.transposes_keys));
    p = Product(Matrices(p, w_.rows, w_.rows), v, false);
    if (!w_.four_axes) {
      p = Reshaped(p, {w_.batch, w_.heads, w_.rows, w_.channels});
    }
    p = By(&v_, p, {0, 2, 1, 3});
    p = w_.rank_two ? Reshaped(p, {w_.batch * w_.rows, width()})
                    : Reshaped(p, {w_.batch, w_.rows, width()});
    p = Rows(p, width(), width());
    p = Reshaped(p, {w_.batch, w_.rows, width()});
    return v_.Op(Op::ADD, 1, {p, x}, schema::AddOptionsT());
  }

 private:
  int width() const { return w_.heads * w_.channels; }

  int Reshaped(int x, const std::vector<int>& dims) {
    const int to = v_.IntConstant(absl::StrCat("to", count_++),
                                  {static_cast<int>(dims.size())}, dims);
    return v_.Op(Op::RESHAPE, 1, {x, to}, schema::ReshapeOptionsT());
  }
  int Rows(int x, int from, int to) {
    // Rows keep their size, or scores would be far beyond what a model has.
    std::vector<float> values = v_.random().Gaussian(to * from);
    for (float& value : values) value /= std::sqrt(static_cast<float>(from));
    const int weights =
        v_.Constant(absl::StrCat("w", count_++), {to, from}, values);
    const int bias = v_.Constant(absl::StrCat("b", count_++), {to},
                                 v_.random().Gaussian(to));
    schema::FullyConnectedOptionsT options;
    options.keep_num_dims = !w_.rank_two;
    const int y = v_.Op(Op::FULLY_CONNECTED, w_.rank_two ? 1 : 5,
                        {x, weights, bias}, options);
    return w_.rank_two ? Reshaped(y, {w_.batch, w_.rows, to}) : y;
  }
  int Part(int rows, int index) {
    const int begin = v_.IntConstant(absl::StrCat("begin", count_++), {3},
                                     {0, 0, index * width()});
    const int size = v_.IntConstant(absl::StrCat("size", count_++), {3},
                                    {w_.batch, w_.rows, width()});
    return v_.Op(Op::SLICE, 1, {rows, begin, size}, schema::SliceOptionsT());
  }
  int Heads(int x) {
    return By(&v_, Reshaped(x, {w_.batch, w_.rows, w_.heads, w_.channels}),
              {0, 2, 1, 3});
  }
  int Matrices(int x, int rows, int columns) {
    return w_.four_axes ? x : Reshaped(x, {w_.batch * w_.heads, rows, columns});
  }
  int Product(int x, int y, bool adj_y) {
    schema::BatchMatMulOptionsT options;
    options.adj_y = adj_y;
    return v_.Op(Op::BATCH_MATMUL, 1, {x, y}, options);
  }
  int Scores(int p) {
    p = w_.four_axes ? p : Reshaped(p, {w_.batch, w_.heads, w_.rows, w_.rows});
    if (w_.masks > 0) {
      const int mask = v_.Input("mask", {w_.masks, 1, 1, w_.rows},
                                v_.random().Gaussian(w_.masks * w_.rows));
      p = v_.Op(Op::ADD, 1, {p, mask}, schema::AddOptionsT());
    }
    if (w_.biases) {
      const int elements = w_.heads * w_.rows * w_.rows;
      const int bias = v_.Constant("bias", {1, w_.heads, w_.rows, w_.rows},
                                   v_.random().Gaussian(elements));
      p = v_.Op(Op::ADD, 1, {p, bias}, schema::AddOptionsT());
    }
    schema::SoftmaxOptionsT options;
    options.beta = 1;
    return v_.Op(Op::SOFTMAX, 1, {p}, options);
  }

  OpVariant& v_;
  const Writing w_;
  int count_ = 0;
};

// Sums of `width` terms, thrice, whose factors are sums themselves.
SingleOpModel AttentionModel(const std::string& name, const Writing& w) {
  Accuracy accuracy{12 * w.heads * w.channels};
  accuracy.half_roundings = 24;
  // Softmax of scores that are off by their own error.
  accuracy.absolute = 2e-4f;
  return MakeModel(name, accuracy,
                   [&](OpVariant& v) { return ModelWriter(v, w).Write(); });
}

TEST_F(AttentionModelTest, HoweverItIsWritten) {
  for (const int batch : {1, 2}) {
    for (const int channels : {8, 6}) {
      for (const bool four_axes : {false, true}) {
        for (const bool transposes_keys : {false, true}) {
          Writing w;
          w.batch = batch;
          w.channels = channels;
          w.four_axes = four_axes;
          w.transposes_keys = transposes_keys;
          const SingleOpModel model = AttentionModel("attention", w);
          EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model))
              << batch << " " << channels << " " << four_axes << " "
              << transposes_keys;
        }
      }
    }
  }
}

TEST_F(AttentionModelTest, OfSlicesRankTwoAndMasks) {
  for (const int batch : {1, 2}) {
    for (const bool slices : {false, true}) {
      for (const bool rank_two : {false, true}) {
        for (const int masks : {0, 1, batch}) {
          Writing w;
          w.batch = batch;
          w.slices_one_product = slices;
          w.rank_two = rank_two;
          w.masks = masks;
          w.four_axes = !rank_two;
          const SingleOpModel model = AttentionModel("attention", w);
          EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model))
              << batch << " " << slices << " " << rank_two << " " << masks;
        }
      }
    }
  }
}

// Two towers of a recommendation: products of vectors, with an axis added on
// either side.
TEST_F(AttentionModelTest, DotProductsOfABatch) {
  for (const int batch : {1, 2, 5}) {
    for (const bool adj_y : {false, true}) {
      const SingleOpModel model = MakeModel(
          "dot products", Accuracy{24}, /*with_magnitude=*/true,
          [&](OpVariant& v) {
            const auto vectors = [&](const char* name, int axis) {
              const int x =
                  v.Input(name, {batch, 8}, v.random().Gaussian(8 * batch));
              const int w = v.Constant(absl::StrCat(name, " w"), {8, 8},
                                       v.random().Gaussian(64));
              const int rows = v.Op(Op::FULLY_CONNECTED, 1, {x, w, -1},
                                    schema::FullyConnectedOptionsT());
              const int at =
                  v.IntConstant(absl::StrCat(name, " axis"), {1}, {axis});
              return v.Op(Op::EXPAND_DIMS, 1, {rows, at},
                          schema::ExpandDimsOptionsT());
            };
            const int x = vectors("x", 1), y = vectors("y", adj_y ? 1 : 2);
            schema::BatchMatMulOptionsT options;
            options.adj_y = adj_y;
            return v.Op(Op::BATCH_MATMUL, 1, {x, y}, options);
          });
      EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model))
          << batch << " " << adj_y;
    }
  }
}

TEST_F(AttentionModelTest, BiasesOfHeads) {
  for (const int batch : {1, 3}) {
    for (const bool four_axes : {false, true}) {
      Writing w;
      w.batch = batch;
      w.four_axes = four_axes;
      w.biases = true;
      const SingleOpModel model = AttentionModel("attention", w);
      EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model))
          << batch << " " << four_axes;
    }
  }
}

TEST_F(AttentionModelTest, InTiles) {
  for (const char* tuning : {"split_k_target=1", "split_k_target=1000000"}) {
    setenv("GLES_DELEGATE_TUNING", tuning, /*overwrite=*/1);
    Writing w;
    w.slices_one_product = true;
    const SingleOpModel model = AttentionModel("attention", w);
    EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model)) << tuning;
    unsetenv("GLES_DELEGATE_TUNING");
  }
}

TEST_F(AttentionModelTest, StoragesAndPrecisions) {
  Writing w;
  w.masks = 1;
  SingleOpModel model = AttentionModel("attention", w);
  // With 16 bits, eight tensors on the way are rounded, each to 2^-11 of values
  // up to 4. The sum that is the result may be far smaller.
  model.accuracy.absolute = 8 * 4 * 0x1p-11f;
  ExpectMatchesCpu(model);
}

}  // namespace
}  // namespace gles_delegate::testing
