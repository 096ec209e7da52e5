// labels: op llvmpipe softpipe
// Attention as models write it, against TFLite's CPU. attention.txt has the
// graphs of the passes that make few dispatches of it.
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/testing/device_test.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"

namespace gles_delegate::testing {
namespace {

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

// Writes the text of a case, node by node; functions return a node's output.
class ModelWriter {
 public:
  explicit ModelWriter(const Writing& w) : w_(w) {}

  std::string Write() {
    const int batch = w_.batch, rows = w_.rows, c = w_.channels;
    const std::string x = absl::StrCat(
        "x=[", absl::StrJoin({batch, rows, width()}, ","), "]~n(0,1)");
    std::string q, k, v;
    if (w_.slices_one_product) {
      const std::string all = Rows(x, width(), 3 * width());
      q = Part(all, 0);
      k = Part(all, 1);
      v = Part(all, 2);
    } else {
      q = Rows(x, width(), width());
      k = Rows("x", width(), width());
      v = Rows("x", width(), width());
    }
    q = Matrices(Heads(Add("MUL", q, " scale=[](0.25)")), rows, c);
    v = Matrices(Heads(v), rows, c);
    k = Heads(k);
    k = w_.transposes_keys ? Matrices(By(k, "(0,1,3,2)"), c, rows)
                           : Matrices(k, rows, c);
    std::string p = Scores(Product(q, k, !w_.transposes_keys));
    p = Product(Matrices(p, rows, rows), v, false);
    if (!w_.four_axes) p = Reshaped(p, {batch, w_.heads, rows, c});
    p = By(p, "(0,2,1,3)");
    p = w_.rank_two ? Reshaped(p, {batch * rows, width()})
                    : Reshaped(p, {batch, rows, width()});
    p = Reshaped(Rows(p, width(), width()), {batch, rows, width()});
    Add("ADD", p, " x");
    return text_;
  }

 private:
  int width() const { return w_.heads * w_.channels; }

  std::string Add(const char* op, const std::string& x,
                  const std::string& others) {
    const std::string y = absl::StrCat("t", count_++);
    absl::StrAppend(&text_, text_.empty() ? "" : " ; ", op, " ", x, others,
                    " -> ", y);
    return y;
  }
  std::string Name(const char* name) { return absl::StrCat(name, count_); }
  std::string Reshaped(const std::string& x, const std::vector<int>& dims) {
    return Add(
        "RESHAPE", x,
        absl::StrCat(" ", Name("to"), "=(", absl::StrJoin(dims, ","), ")"));
  }
  std::string By(const std::string& x, const char* permutation) {
    return Add("TRANSPOSE", x, absl::StrCat(" ", Name("by"), "=", permutation));
  }
  std::string Rows(const std::string& x, int from, int to) {
    // Rows keep their size, or scores would be far beyond what a model has.
    const std::string y =
        Add(w_.rank_two ? "FULLY_CONNECTED" : "FULLY_CONNECTED@5", x,
            absl::StrCat(" ", Name("w"), "=const:[", to, ",", from, "]~n(0,",
                         1 / std::sqrt(static_cast<float>(from)), ") ",
                         Name("b"), "=const:[", to, "]~n(0,1) keep_num_dims=",
                         w_.rank_two ? "false" : "true"));
    return w_.rank_two ? Reshaped(y, {w_.batch, w_.rows, to}) : y;
  }
  std::string Part(const std::string& rows, int index) {
    return Add("SLICE", rows,
               absl::StrCat(" ", Name("begin"), "=(0,0,", index * width(), ") ",
                            Name("size"), "=(", w_.batch, ",", w_.rows, ",",
                            width(), ")"));
  }
  std::string Heads(const std::string& x) {
    return By(Reshaped(x, {w_.batch, w_.rows, w_.heads, w_.channels}),
              "(0,2,1,3)");
  }
  std::string Matrices(const std::string& x, int rows, int columns) {
    return w_.four_axes ? x : Reshaped(x, {w_.batch * w_.heads, rows, columns});
  }
  std::string Product(const std::string& x, const std::string& y, bool adj_y) {
    return Add("BATCH_MATMUL", x,
               absl::StrCat(" ", y, " adj_y=", adj_y ? "true" : "false"));
  }
  std::string Scores(std::string p) {
    const int rows = w_.rows;
    if (!w_.four_axes) p = Reshaped(p, {w_.batch, w_.heads, rows, rows});
    if (w_.masks > 0) {
      p = Add("ADD", p,
              absl::StrCat(" mask=[", w_.masks, ",1,1,", rows, "]~n(0,1)"));
    }
    if (w_.biases) {
      p = Add("ADD", p,
              absl::StrCat(" bias=const:[1,", w_.heads, ",", rows, ",", rows,
                           "]~n(0,1)"));
    }
    return Add("SOFTMAX", p, " beta=1");
  }

  const Writing w_;
  std::string text_;
  int count_ = 0;
};

// Sums of `width` terms, thrice, whose factors are sums themselves.
SingleOpModel AttentionModel(const Writing& w) {
  SingleOpModel model = cases::ModelOf(ModelWriter(w).Write());
  model.magnitude_bytes.clear();
  model.accuracy = Accuracy{12 * w.heads * w.channels};
  model.accuracy.half_roundings = 24;
  // Softmax of scores that are off by their own error.
  model.accuracy.absolute = 2e-4f;
  return model;
}

void ExpectAttention(const Writing& w) {
  const SingleOpModel model = AttentionModel(w);
  EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model)) << model.description;
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
          ExpectAttention(w);
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
          ExpectAttention(w);
        }
      }
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
      ExpectAttention(w);
    }
  }
}

TEST_F(AttentionModelTest, InTiles) {
  for (const char* tuning : {"split_k_target=1", "split_k_target=1000000"}) {
    const ScopedEnvironment tiles("GLES_DELEGATE_TUNING", tuning);
    Writing w;
    w.slices_one_product = true;
    ExpectAttention(w);
  }
}

TEST_F(AttentionModelTest, StoragesAndPrecisions) {
  Writing w;
  w.masks = 1;
  SingleOpModel model = AttentionModel(w);
  // With 16 bits, eight tensors on the way are rounded, each to 2^-11 of values
  // up to 4. The sum that is the result may be far smaller.
  model.accuracy.absolute = 8 * 4 * 0x1p-11f;
  ExpectMatchesCpu(model);
}

}  // namespace
}  // namespace gles_delegate::testing
