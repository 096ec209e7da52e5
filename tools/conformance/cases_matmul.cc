// Ops of sequences and rows: running sums, normalizations, reversal, batches of
// space, fills and products of matrices.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/testing/op_builders.h"
#include "tools/conformance/cases.h"

namespace gles_delegate::conformance {
namespace {

using testing::MatMulParams;
using Ints = std::vector<int>;

void AddCumsums(CaseList* list) {
  for (const Shape& shape : {Shape{1, 1, 1, 17},
                             {1, 4, 9, 5},
                             {3, 5, 4, 3},
                             {1, 8, 8, 8},
                             {7},
                             {3, 17},
                             {2, 3, 5}}) {
    for (int axis = 0; axis < static_cast<int>(shape.size()); ++axis) {
      for (int mode = 0; mode < 4; ++mode) {
        const bool exclusive = mode % 2 != 0;
        const bool reverse = mode / 2 != 0;
        list->Add("CUMSUM",
                  absl::StrCat("axis", axis, exclusive ? "_exclusive" : "",
                               reverse ? "_reverse" : ""),
                  shape, [=] {
                    return testing::Cumsum(shape, axis, exclusive, reverse);
                  });
      }
    }
  }
}

void AddNormalizations(CaseList* list) {
  for (const Shape& shape : testing::StandardShapes()) {
    list->Add("L2_NORMALIZATION", "plain", shape,
              [=] { return testing::L2Normalization(shape); });
    list->Add("L2_NORMALIZATION", "tiny", shape,
              [=] { return testing::L2Normalization(shape, 1e-7f); })
        .float32_only = true;
    for (int radius : {1, 5}) {
      list->Add("LOCAL_RESPONSE_NORMALIZATION", absl::StrCat("radius", radius),
                shape, [=] {
                  return testing::LocalResponseNormalization(shape, radius, 1,
                                                             0.5f, 0.75f);
                });
    }
  }
}

void AddReversals(CaseList* list) {
  for (const Shape& shape : testing::StandardShapes()) {
    for (int axis = 0; axis < 4; ++axis) {
      list->Add("REVERSE_V2", absl::StrCat("axis", axis), shape,
                [=] { return testing::Reverse(shape, axis); });
      const int by = (axis + 3) % 4;
      for (bool runtime : {false, true}) {
        list->Add(
            "REVERSE_SEQUENCE",
            absl::StrCat("axis", axis, "_by", by, runtime ? "_runtime" : ""),
            shape,
            [=] { return testing::ReverseSequence(shape, axis, by, runtime); });
      }
    }
  }
}

void AddSpaceBatch(CaseList* list, bool to_batch, const Shape& shape,
                   const Ints& block, const Ints& edges) {
  list->Add(to_batch ? "SPACE_TO_BATCH_ND" : "BATCH_TO_SPACE_ND",
            absl::StrCat("block", absl::StrJoin(block, "x"), "_edges",
                         absl::StrJoin(edges, ".")),
            shape,
            [=] { return testing::SpaceBatch(to_batch, shape, block, edges); });
}

void AddSpaceBatches(CaseList* list) {
  for (int c : testing::StandardChannels()) {
    AddSpaceBatch(list, true, {1, 4, 6, c}, {2, 2}, {0, 0, 0, 0});
    AddSpaceBatch(list, true, {3, 5, 4, c}, {2, 3}, {1, 0, 0, 2});
    AddSpaceBatch(list, true, {2, 7, c}, {3}, {0, 2});
    AddSpaceBatch(list, false, {4, 3, 2, c}, {2, 2}, {0, 0, 0, 0});
    AddSpaceBatch(list, false, {18, 3, 2, c}, {2, 3}, {1, 0, 0, 2});
    AddSpaceBatch(list, false, {6, 4, c}, {3}, {1, 2});
  }
}

void AddFills(CaseList* list) {
  for (const Shape& shape : testing::StandardShapes()) {
    for (bool runtime : {false, true}) {
      list->Add("FILL", runtime ? "runtime_then_MUL" : "constant_then_MUL",
                shape, [=] { return testing::Fill(shape, runtime); });
    }
    list->Add("ZEROS_LIKE", "plain", shape,
              [=] { return testing::ZerosLike(shape); });
  }
}

void AddFloatProduct(CaseList* list, const std::string& attributes,
                     const MatMulParams& params) {
  list->Add(
      "BATCH_MATMUL",
      absl::StrCat(attributes, params.adj_x ? "_adj_x" : "",
                   params.adj_y ? "_adj_y" : "", "_by_", ShapeString(params.y)),
      params.x, [=] { return BatchMatMul(params); });
}

void AddFloatProducts(CaseList* list) {
  for (int adjoint = 0; adjoint < 4; ++adjoint) {
    MatMulParams params;
    params.adj_x = adjoint % 2 != 0;
    params.adj_y = adjoint / 2 != 0;
    for (int n : testing::StandardChannels()) {
      params.x = {3, 2, 5, n};
      params.y = {3, 2, n, 7};
      AddFloatProduct(list, "inner", params);
      params.x = {1, 1, 9, 3};
      params.y = {1, 1, 3, n};
      AddFloatProduct(list, "columns", params);
    }
    const std::vector<std::pair<Shape, Shape>> pairs = {
        {{5, 6}, {6, 7}},
        {{3, 5, 6}, {3, 6, 7}},
        {{3, 2, 5, 6}, {1, 2, 6, 7}},
        {{3, 1, 5, 6}, {1, 2, 6, 7}},
        {{3, 2, 5, 6}, {6, 7}},
        {{5, 6}, {3, 2, 6, 7}}};
    for (const auto& [x, y] : pairs) {
      params.x = x;
      params.y = y;
      AddFloatProduct(list, "broadcast", params);
    }
    for (testing::Weights weights :
         {testing::Weights::kFloat, testing::Weights::kHalf}) {
      params.x = {3, 5, 6};
      params.y = {3, 6, 9};
      params.y_weights = weights;
      AddFloatProduct(list,
                      weights == testing::Weights::kFloat ? "constant" : "half",
                      params);
      params.y_weights = testing::Weights::kRuntime;
    }
  }
}

}  // namespace

void AddSequenceCases(CaseList* list) {
  AddCumsums(list);
  AddNormalizations(list);
  AddReversals(list);
  AddSpaceBatches(list);
  AddFills(list);
  AddFloatProducts(list);
}

}  // namespace gles_delegate::conformance
