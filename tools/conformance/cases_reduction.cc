// Pooling, resampling, reductions, softmax.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/testing/op_builders.h"
#include "tools/conformance/cases.h"
#include "tools/conformance/special_values.h"

namespace gles_delegate::conformance {
namespace {

using testing::Activation;
using testing::Padding;
using testing::PoolParams;
using testing::ResizeParams;

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
    for (Activation activation : testing::kActivations) {
      PoolParams params;
      params.max = max;
      params.activation = activation;
      AddFloatPool(list, ActivationName(activation), params);
    }
  }
}

void AddFloatResize(CaseList* list, const ResizeParams& params) {
  list->Add(params.nearest ? "RESIZE_NEAREST_NEIGHBOR" : "RESIZE_BILINEAR",
            absl::StrCat("to_", params.out_h, "x", params.out_w,
                         params.align_corners ? "_align_corners" : "",
                         params.half_pixel_centers ? "_half_pixel" : ""),
            params.input, [=] { return Resize(params); });
}

void AddResizes(CaseList* list) {
  // The image grows and shrinks, by whole factors and others, and to one row.
  const std::pair<int, int> sizes[] = {{8, 10}, {7, 13}, {3, 2},
                                       {1, 1},  {4, 5},  {20, 3}};
  for (bool nearest : {false, true}) {
    for (int mode : {0, 1, 2}) {
      ResizeParams params;
      params.nearest = nearest;
      params.align_corners = mode == 1;
      params.half_pixel_centers = mode == 2;
      for (const auto& [h, w] : sizes) {
        params.out_h = h;
        params.out_w = w;
        for (const Shape& shape : {Shape{1, 4, 5, 3}, {3, 6, 7, 5}}) {
          params.input = shape;
          AddFloatResize(list, params);
        }
      }
      params.out_h = 5;
      params.out_w = 6;
      for (int c : testing::StandardChannels()) {
        params.input = {1, 3, 4, c};
        AddFloatResize(list, params);
      }
    }
  }
}

void AddReduce(CaseList* list, Op op, const Shape& shape,
               const std::vector<int>& axes, bool keep_dims) {
  const bool bools = op == Op::REDUCE_ANY || op == Op::REDUCE_ALL;
  list->Add(
      schema::EnumNameBuiltinOperator(op),
      absl::StrCat("axes_", absl::StrJoin(axes, "."), keep_dims ? "_kept" : ""),
      shape, [=] {
        return bools ? testing::ReduceBools(op, shape, axes, keep_dims)
                     : testing::Reduce(op, shape, axes, keep_dims);
      });
}

void AddFloatReductions(CaseList* list) {
  for (Op op : {Op::MEAN, Op::SUM, Op::REDUCE_MAX, Op::REDUCE_MIN,
                Op::REDUCE_PROD, Op::REDUCE_ANY, Op::REDUCE_ALL}) {
    for (int set = 1; set < 16; ++set) {
      std::vector<int> axes;
      for (int axis = 0; axis < 4; ++axis) {
        if (set >> axis & 1) axes.push_back(axis);
      }
      AddReduce(list, op, {2, 3, 4, 5}, axes, set % 2 != 0);
    }
    for (int c : testing::StandardChannels()) {
      AddReduce(list, op, {2, 3, 4, c}, {1, 2}, true);
      AddReduce(list, op, {2, 3, 4, c}, {-1}, false);
    }
    AddReduce(list, op, {17}, {0}, true);
    AddReduce(list, op, {3, 17}, {0}, false);
    AddReduce(list, op, {3, 17}, {1}, false);
    AddReduce(list, op, {3, 4, 5}, {1}, false);
    AddReduce(list, op, {1, 33, 41, 3}, {1, 2}, false);
    AddReduce(list, op, {1, 2, 3, 257}, {3}, true);
  }
  for (Op op : {Op::REDUCE_MAX, Op::REDUCE_MIN}) {
    list->Add(schema::EnumNameBuiltinOperator(op), "special_values",
              {2, 3, 4, 5}, [=] {
                return WithValues(
                    testing::Reduce(op, {2, 3, 4, 5}, {1, 2}, true),
                    Numbers(MovedValues()));
              });
  }
}

void AddSoftmaxes(CaseList* list) {
  for (const Shape& shape : testing::StandardShapes()) {
    list->Add("SOFTMAX", "beta1", shape,
              [=] { return testing::Softmax(shape); });
    list->Add("LOG_SOFTMAX", "plain", shape,
              [=] { return testing::LogSoftmax(shape); });
  }
  for (const Shape& shape : {Shape{17}, {3, 5}, {2, 3, 7}, {1, 1001}}) {
    for (float beta : {1.0f, 0.25f, 3.0f}) {
      list->Add("SOFTMAX", absl::StrCat("beta", beta, "_low_rank"), shape,
                [=] { return testing::Softmax(shape, beta); });
    }
    list->Add("LOG_SOFTMAX", "low_rank", shape,
              [=] { return testing::LogSoftmax(shape); });
  }
  // exp(x) alone would overflow, or underflow in every term. Around 10,000
  // halves are further apart than the values are, which then differ at float32
  // alone.
  for (int offset : {-500, 90, 10000}) {
    for (bool log : {false, true}) {
      const Shape shape = {1, 2, 2, 5};
      list->Add(log ? "LOG_SOFTMAX" : "SOFTMAX", absl::StrCat("offset", offset),
                shape, [=] {
                  SingleOpModel model = log ? testing::LogSoftmax(shape)
                                            : testing::Softmax(shape);
                  for (float& value : model.inputs[0]) value += offset;
                  return model;
                });
    }
  }
}

}  // namespace

void AddWindowCases(CaseList* list) {
  AddFloatPools(list);
  AddResizes(list);
  AddFloatReductions(list);
  AddSoftmaxes(list);
}

}  // namespace gles_delegate::conformance
