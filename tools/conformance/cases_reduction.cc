// Reductions, softmax, running sums and normalizations.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/conformance/cases.h"
#include "tools/conformance/special_values.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::conformance {
namespace {

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

void AddIntegerReductions(CaseList* list) {
  for (Op op :
       {Op::MEAN, Op::SUM, Op::REDUCE_MAX, Op::REDUCE_MIN, Op::REDUCE_PROD}) {
    for (const std::vector<int>& axes :
         {std::vector<int>{0}, {1, 2}, {-1}, {0, 1, 2, 3}}) {
      for (int c : {1, 4, 5, 17}) {
        list->Add(schema::EnumNameBuiltinOperator(op),
                  absl::StrCat("int32_axes_", absl::StrJoin(axes, ".")),
                  {2, 3, 4, c}, [=] {
                    return testing::ReduceInts(op, {2, 3, 4, c}, axes, false);
                  });
      }
    }
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

void AddSpectra(CaseList* list) {
  for (Op part : {Op::COMPLEX_ABS, Op::REAL, Op::IMAG}) {
    for (int length : {2, 8, 64, 512, 2048}) {
      const Shape shape = {3, 1, length};
      list->Add(schema::EnumNameBuiltinOperator(part), "of_RFFT2D", shape,
                [=] { return testing::Spectrum(shape, length, part); });
    }
  }
  for (const Shape& shape : {Shape{1, 100}, Shape{2, 3, 1, 100}}) {
    list->Add("RFFT2D", "filled_up_to_128", shape,
              [=] { return testing::Spectrum(shape, 128); });
  }
}

}  // namespace

void AddReductionCases(CaseList* list) {
  AddFloatReductions(list);
  AddIntegerReductions(list);
  AddSoftmaxes(list);
  AddCumsums(list);
  AddNormalizations(list);
  AddSpectra(list);
}

}  // namespace gles_delegate::conformance
