// Products of matrices: FULLY_CONNECTED and BATCH_MATMUL.
#include "absl/strings/str_cat.h"
#include "tools/conformance/cases.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::conformance {
namespace {

using testing::Activation;
using testing::FullyConnectedParams;
using testing::MatMulParams;
using testing::Weights;

void AddDense(CaseList* list, const std::string& attributes,
              const FullyConnectedParams& params) {
  list->Add("FULLY_CONNECTED",
            absl::StrCat(attributes, "_out", params.out_features), params.input,
            [=] { return FullyConnected(params); });
}

void AddFullyConnected(CaseList* list) {
  for (const Shape& shape : testing::StandardShapes()) {
    FullyConnectedParams params;
    params.input = shape;
    AddDense(list, "plain", params);
  }
  for (int in : {1, 3, 4, 17, 130}) {
    for (int out : {1, 3, 4, 8, 17, 1001}) {
      for (int batch : {1, 3}) {
        FullyConnectedParams params;
        params.input = {batch, in};
        params.out_features = out;
        AddDense(list, "features", params);
      }
    }
  }
  for (Activation activation : testing::kActivations) {
    for (Weights weights : kEveryWeights) {
      FullyConnectedParams params;
      params.input = {3, 17};
      params.activation = activation;
      params.weights = weights;
      params.bias = weights != Weights::kHalf;
      AddDense(
          list,
          absl::StrCat(ActivationName(activation), "_", WeightsName(weights)),
          params);
    }
  }
  // Which stay in 8 bits on the GPU: few rows and many.
  for (int in : {1, 5, 36, 130}) {
    for (int out : {1, 5, 67}) {
      for (int batch : {1, 3, 20}) {
        FullyConnectedParams params;
        params.input = {batch, in};
        params.out_features = out;
        params.weights = Weights::kInt8;
        AddDense(list, absl::StrCat("features_", WeightsName(params.weights)),
                 params);
      }
    }
  }
  for (const Shape& shape : {Shape{2, 3, 4}, {1, 2, 2, 5}, {2, 6, 10}}) {
    FullyConnectedParams params;
    params.input = shape;
    params.keep_num_dims = true;
    AddDense(list, "keep_num_dims", params);
  }
  FullyConnectedParams flattened;
  flattened.input = {2, 3, 4};
  flattened.in_features = 12;
  AddDense(list, "flattened", flattened);
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
    // Enough rows and terms for tiles, also with products in 16 bits.
    params.x = {3, 2, 9, 66};
    params.y = {1, 2, 66, 21};
    AddFloatProduct(list, "deep", params);
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
    for (Weights weights : {Weights::kFloat, Weights::kHalf}) {
      params.x = {3, 5, 6};
      params.y = {3, 6, 9};
      params.y_weights = weights;
      AddFloatProduct(list, weights == Weights::kFloat ? "constant" : "half",
                      params);
      params.y_weights = Weights::kRuntime;
    }
  }
}

}  // namespace

std::string WeightsName(testing::Weights weights) {
  switch (weights) {
    case testing::Weights::kFloat:
      return "float_weights";
    case testing::Weights::kHalf:
      return "half_weights";
    case testing::Weights::kInt8:
      return "int8_weights";
    case testing::Weights::kSparse:
      return "sparse_weights";
    case testing::Weights::kSparseHalf:
      return "sparse_half_weights";
    case testing::Weights::kRuntime:
      return "runtime_weights";
  }
  return "?";
}

void AddMatmulCases(CaseList* list) {
  AddFullyConnected(list);
  AddFloatProducts(list);
}

}  // namespace gles_delegate::conformance
