// Pooling, with every channel tail, window and stride, and with activations.
#include "absl/strings/str_cat.h"
#include "tools/conformance/cases.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::conformance {
namespace {

using testing::Padding;
using testing::PoolParams;

void AddFloatPool(CaseList* list, const std::string& attributes,
                  const PoolParams& params) {
  list->Add(params.max ? "MAX_POOL_2D" : "AVERAGE_POOL_2D", attributes,
            params.input, [=] { return Pool2d(params); });
}

void AddFloatPools(CaseList* list) {
  for (bool max : {false, true}) {
    for (const Shape& shape : testing::StandardShapes()) {
      PoolParams params;
      params.max = max;
      params.input = shape;
      AddFloatPool(list, "f2x2_s2_SAME", params);
      // The window is the whole image.
      params.filter_h = shape[1];
      params.filter_w = shape[2];
      params.stride_h = params.stride_w = 1;
      params.padding = Padding::kValid;
      AddFloatPool(list, "global", params);
    }
    for (const auto& [filter, stride] : std::vector<std::pair<int, int>>{
             {1, 1}, {2, 1}, {3, 1}, {3, 2}, {3, 3}, {5, 2}, {2, 3}}) {
      for (Padding padding : {Padding::kSame, Padding::kValid}) {
        PoolParams params;
        params.max = max;
        params.input = {2, 9, 11, 5};
        params.filter_h = filter;
        params.filter_w = filter + 1;
        params.stride_h = params.stride_w = stride;
        params.padding = padding;
        AddFloatPool(
            list,
            absl::StrCat("f", filter, "x", filter + 1, "_s", stride, "_",
                         padding == Padding::kSame ? "SAME" : "VALID"),
            params);
      }
    }
    for (testing::Activation activation : testing::kActivations) {
      PoolParams params;
      params.max = max;
      params.activation = activation;
      AddFloatPool(list, ActivationName(activation), params);
    }
  }
}

}  // namespace

void AddPoolingCases(CaseList* list) { AddFloatPools(list); }

}  // namespace gles_delegate::conformance
