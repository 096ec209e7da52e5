// labels: op llvmpipe softpipe
// Attention as one dispatch, by each of its shaders, against TFLite's CPU.
#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/device_test.h"
#include "tests/testing/scoped_environment.h"
#include "tests/testing/single_op.h"
#include "tools/cases/model.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {
namespace {

// As on a GPU: the pass does not fire on processors.
class FewRowsOfAttentionTest : public DeviceTest {
  const ScopedEnvironment tuning_{"GLES_DELEGATE_TUNING",
                                  "simd_lanes=1,work_group_size=64"};
};

struct Case {
  int heads, rows, keys, terms, channels;
  bool transposed;  // values
  bool mask;
  bool in_one_row;
  // In place of {1, heads}.
  Shape leading = {};
  // In place of a mask of {1, 1, 1, keys}: a value for each score.
  bool masks_scores = false;
  // Before SOFTMAX, {1, heads, rows, keys} by an ADD of a mask of four axes, as
  // text encoders have it. Its heads: 1 or all. With leading = {heads}.
  int heads_of_mask = 0;
  bool is_mask_constant = false;
};

SingleOpModel ModelOf(const Case& c) {
  // Probabilities of scores of `terms`, times values of `keys`.
  Accuracy accuracy{c.terms + c.keys};
  accuracy.ulps = 16;
  accuracy.half_roundings = 4;
  // Scores in 16 bits, whose error the exponential multiplies.
  accuracy.absolute = 2e-3f;
  const std::string leading = absl::StrCat(
      "[",
      absl::StrJoin(c.leading.empty() ? Shape{1, c.heads} : c.leading, ","),
      ",");
  const auto matrices = [&](int rows, int columns) {
    return absl::StrCat(leading, rows, ",", columns, "]~n(0,0.5)");
  };
  const std::string of_heads =
      absl::StrCat("[1,", c.heads_of_mask, ",", c.rows, ",", c.keys, "]");
  std::string text = absl::StrCat("BATCH_MATMUL q=", matrices(c.rows, c.terms),
                                  " k=", matrices(c.keys, c.terms),
                                  " adj_y=true -> scores ; ");
  std::string scores = "scores", probabilities = "probabilities";
  if (c.mask) {
    scores = "masked";
    absl::StrAppend(&text, "ADD scores mask=",
                    c.masks_scores ? matrices(c.rows, c.keys)
                                   : absl::StrCat("[1,", c.keys, "]~n(0,0.5)"),
                    " -> masked ; ");
  }
  if (c.heads_of_mask > 0) {
    absl::StrAppend(&text, "ADD ", scores,
                    " heads=", c.is_mask_constant ? "const:" : "", of_heads,
                    c.is_mask_constant ? "~n(0,1)" : "~n(0,0.5)",
                    " -> summed ; ");
    scores = "summed";
  }
  absl::StrAppend(&text, "SOFTMAX ", scores, " beta=0.5 -> probabilities ; ");
  if (c.heads_of_mask > 0) {
    absl::StrAppend(&text, "RESHAPE probabilities to=(", c.heads, ",", c.rows,
                    ",", c.keys, ") -> shaped ; ");
    probabilities = "shaped";
  }
  absl::StrAppend(&text, "BATCH_MATMUL ", probabilities, " v=",
                  c.transposed ? matrices(c.channels, c.keys)
                               : matrices(c.keys, c.channels),
                  c.transposed ? " adj_y=true -> y" : " adj_y=false -> y",
                  c.in_one_row ? " ; RESHAPE y row=(1,-1)" : "");
  SingleOpModel model = cases::ModelOf(text);
  model.magnitude_bytes.clear();
  model.accuracy = accuracy;
  return model;
}

void ExpectFusedAndRight(absl::Span<const Case> cases, const char* shader) {
  for (const Case& c : cases) {
    SCOPED_TRACE(absl::StrCat(c.rows, " rows, ", c.keys, " keys"));
    const SingleOpModel model = ModelOf(c);
    for (Precision precision : {Precision::kFloat32, Precision::kFloat16,
                                Precision::kFloat16Arithmetic}) {
      RunOptions options;
      options.precision = precision;
      const RunResult result = RunOnDelegate(model, options);
      EXPECT_THAT(result, MatchesCpu(model, precision));
      EXPECT_THAT(result.report,
                  ::testing::HasSubstr(absl::StrCat("\"", shader, "\"")));
    }
  }
}

TEST_F(FewRowsOfAttentionTest, MatchesTheCpu) {
  const Case cases[] = {
      {3, 1, 64, 32, 16, false, true, true},
      {3, 4, 64, 16, 32, true, true, false},
      {1, 8, 77, 8, 64, false, false, false},
      {2, 3, 130, 6, 4, true, true, true},
      {5, 1, 301, 64, 128, true, false, true},
      {1, 2, 1024, 16, 8, false, true, false},
      // The fewest scores; more than a work group has invocations, and slices
      // than it has; more results.
      {2, 1, 8, 4, 4, true, false, false},
      {1, 2, 1500, 12, 20, true, true, true},
      {1, 1, 4500, 4, 12, false, false, false},
      {1, 1, 40, 8, 300, true, true, true},
      {1, 1, 40, 8, 300, false, true, false},
      // Heads along other axes, masks of each score.
      {3, 2, 64, 16, 12, false, true, false, {3}},
      {6, 3, 40, 8, 8, true, true, false, {2, 3}, true},
      {6, 2, 40, 8, 8, false, true, false, {3, 1, 2}, true},
      {6, 2, 40, 8, 8, false, false, false, {6}, false, 1},
      {6, 2, 40, 8, 8, false, false, false, {6}, false, 6},
      {6, 2, 40, 8, 8, false, false, false, {6}, false, 6, true}};
  ExpectFusedAndRight(cases, "attention");
}

// On a device with processors enough for parts of a row.
class PartsOfAttentionTest : public DeviceTest {
  const ScopedEnvironment tuning_{
      "GLES_DELEGATE_TUNING",
      "simd_lanes=1,work_group_size=64,split_k_target=49152"};
};

TEST_F(PartsOfAttentionTest, MatchesTheCpu) {
  const Case cases[] = {{1, 1, 1024, 128, 128, true, true, true},
                        // The last part is short, and the last slice of scores.
                        {1, 2, 1333, 64, 200, true, true, false},
                        {1, 1, 5503, 40, 12, false, false, true},
                        // Heads along other axes, masks of each score.
                        {4, 1, 516, 128, 384, true, true, false, {2, 2}, true},
                        {1, 1, 12000, 16, 8, false, true, false}};
  ExpectFusedAndRight(cases, "attention_join");
}

// Parts without a score that counts.
TEST_F(PartsOfAttentionTest, MaskedParts) {
  for (const float masked : {-1e4f, -std::numeric_limits<float>::infinity()}) {
    SCOPED_TRACE(masked);
    SingleOpModel model = ModelOf({2, 1, 1024, 128, 128, true, true, true});
    std::vector<float>& mask = model.inputs[2];
    ASSERT_EQ(mask.size(), 1024u);
    std::fill(mask.begin() + 3, mask.end(), masked);
    const RunResult result = RunOnDelegate(model);
    EXPECT_THAT(result, MatchesCpu(model, Precision::kFloat32));
    EXPECT_THAT(result.report, ::testing::HasSubstr("attention_join"));
  }
}

// Heads along other axes, masks of each score.
const Case kManyRowsOfHeads[] = {
    {3, 40, 50, 16, 12, true, true, false, {3}},
    {6, 33, 40, 8, 8, true, true, false, {2, 3}, true},
    {6, 35, 42, 8, 8, false, true, false, {3, 1, 2}, true},
    {6, 35, 42, 8, 8, false, false, false, {6}, false, 1},
    {6, 35, 42, 8, 8, true, false, false, {6}, false, 6},
    {6, 35, 42, 8, 8, false, false, false, {6}, false, 6, true}};

// With the tiles of a device that runs one work group at once.
class TilesOfAttentionTest : public DeviceTest {
  const ScopedEnvironment tuning_{
      "GLES_DELEGATE_TUNING",
      "simd_lanes=1,work_group_size=64,split_k_target=384"};
};

TEST_F(TilesOfAttentionTest, MatchesTheCpu) {
  // Rows, keys, terms and channels that fill tiles, chunks and texels, and do
  // not.
  const Case cases[] = {{2, 64, 64, 64, 64, false, true, false},
                        {3, 33, 61, 6, 4, true, true, false},
                        {1, 197, 97, 64, 64, false, false, false},
                        {1, 130, 35, 5, 24, true, false, false},
                        {2, 9, 2, 8, 8, false, true, false},
                        {1, 20, 300, 80, 80, true, true, false},
                        {1, 10, 300, 16, 16, true, false, false},
                        {2, 17, 130, 40, 40, false, false, false},
                        {1, 12, 70, 96, 256, true, false, true},
                        {1, 10, 70, 32, 132, false, true, true}};
  ExpectFusedAndRight(cases, "attention_tiles");
  ExpectFusedAndRight(kManyRowsOfHeads, "attention_tiles");
}

class RowsOfAttentionTest : public DeviceTest {
  const ScopedEnvironment tuning_{"GLES_DELEGATE_TUNING", "simd_lanes=8"};
};

TEST_F(RowsOfAttentionTest, MatchesTheCpu) {
  // Rows, keys and terms that fill tiles, vectors and texels, and do not.
  const Case cases[] = {{2, 64, 64, 32, 16, false, true, false},
                        {3, 33, 61, 6, 4, true, true, false},
                        {1, 197, 97, 64, 64, false, false, false},
                        {1, 130, 35, 5, 24, true, false, false},
                        {2, 40, 2, 8, 8, false, true, false}};
  ExpectFusedAndRight(cases, "attention_rows");
  ExpectFusedAndRight(kManyRowsOfHeads, "attention_rows");
}

// A mask that hides all keys but one.
SingleOpModel HiddenKeys(int rows, int keys = 32, float masked = -1e30f) {
  const std::string of_keys = absl::StrCat("[1,1,", keys, ",4]~n(0,1)");
  SingleOpModel model = cases::ModelOf(absl::StrCat(
      "BATCH_MATMUL q=[1,1,", rows, ",4]~n(0,1) k=", of_keys,
      " adj_y=true -> scores ; ADD scores mask=[1,1,1,", keys,
      "] -> masked ; SOFTMAX masked beta=1 -> probabilities ; BATCH_MATMUL "
      "probabilities v=",
      of_keys));
  model.magnitude_bytes.clear();
  model.accuracy = Accuracy{32};
  std::fill(model.inputs[2].begin(), model.inputs[2].end(), masked);
  model.inputs[2][5] = 0;
  return model;
}

TEST_F(FewRowsOfAttentionTest, HiddenKeys) {
  const SingleOpModel model = HiddenKeys(1);
  EXPECT_THAT(RunOnDelegate(model), MatchesCpu(model));
}

TEST_F(TilesOfAttentionTest, HiddenKeys) {
  const SingleOpModel model = HiddenKeys(40);
  const RunResult result = RunOnDelegate(model);
  EXPECT_THAT(result, MatchesCpu(model));
  EXPECT_THAT(result.report, ::testing::HasSubstr("\"attention_tiles\""));
}

// Some lanes see no key that counts.
TEST_F(TilesOfAttentionTest, HiddenTiles) {
  for (const float masked : {-1e30f, -std::numeric_limits<float>::infinity()}) {
    for (const int keys : {64, 150}) {
      const SingleOpModel model = HiddenKeys(40, keys, masked);
      const RunResult result = RunOnDelegate(model);
      EXPECT_THAT(result, MatchesCpu(model)) << keys << " keys, " << masked;
      EXPECT_THAT(result.report, ::testing::HasSubstr("\"attention_tiles\""));
    }
  }
}

TEST_F(RowsOfAttentionTest, HiddenKeys) {
  const SingleOpModel model = HiddenKeys(40);
  const RunResult result = RunOnDelegate(model);
  EXPECT_THAT(result, MatchesCpu(model));
  EXPECT_THAT(result.report, ::testing::HasSubstr("\"attention_rows\""));
}

}  // namespace
}  // namespace gles_delegate::testing
