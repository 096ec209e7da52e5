// Functions of one tensor, with every shape, low ranks and the ends of float's
// range.
#include "absl/strings/str_cat.h"
#include "tools/conformance/cases.h"
#include "tools/conformance/special_values.h"
#include "tools/op_models/op_builders.h"

namespace gles_delegate::conformance {
namespace {

using testing::UnaryOp;

const std::vector<Shape>& LowRanks() {
  static const auto& shapes =
      *new std::vector<Shape>{{}, {5}, {3, 5}, {2, 3, 5}};
  return shapes;
}

// TFLite's kernels do not agree on NaN: RELU6 gives 0 where RELU keeps it. Ours
// keep it; where TFLite's do not, there is nothing to agree with.
bool KeepsNan(UnaryOp op) { return op != UnaryOp::kRelu6; }

void AddEndsOfRange(CaseList* list, UnaryOp op) {
  const std::vector<float> values =
      KeepsNan(op) ? FunctionValues() : Numbers(FunctionValues());
  for (int channels : {4, 3}) {
    const Shape shape = {1, 1, 12, channels};
    list->Add(testing::UnaryOpName(op), "ends_of_range", shape,
              [=] { return WithValues(testing::Unary(op, shape), values); });
  }
}

}  // namespace

void AddElementwiseUnaryCases(CaseList* list) {
  for (UnaryOp op : testing::kUnaryOps) {
    const std::string name = testing::UnaryOpName(op);
    for (const Shape& shape : testing::StandardShapes()) {
      list->Add(name, "plain", shape,
                [=] { return testing::Unary(op, shape); });
    }
    for (const Shape& shape : LowRanks()) {
      list->Add(name, "low_rank", shape,
                [=] { return testing::Unary(op, shape); });
    }
    AddEndsOfRange(list, op);
  }
  for (float alpha : {0.0f, 2.0f, -0.5f}) {
    for (const Shape& shape : testing::FewShapes()) {
      list->Add("LEAKY_RELU", absl::StrCat("alpha", alpha), shape, [=] {
        return testing::Unary(UnaryOp::kLeakyRelu, shape, alpha);
      });
    }
  }
  for (const Shape& shape : testing::StandardShapes()) {
    for (bool approximate : {false, true}) {
      list->Add("GELU", approximate ? "tanh" : "exact", shape,
                [=] { return testing::Gelu(shape, approximate); });
    }
  }
  for (const Shape& shape : testing::StandardShapes()) {
    list->Add("PRELU", "alpha_per_channel", shape, [=] {
      return testing::Prelu(shape, {1, 1, shape.back()});
    });
  }
  for (const Shape& alpha :
       {Shape{}, {1}, {5}, {1, 1, 5}, {2, 3, 5}, {2, 1, 1}, {1, 2, 3, 5}}) {
    for (testing::Weights weights :
         {testing::Weights::kFloat, testing::Weights::kHalf,
          testing::Weights::kRuntime}) {
      const Shape shape = {3, 2, 3, 5};
      list->Add("PRELU",
                absl::StrCat("alpha_", ShapeString(alpha), "_",
                             weights == testing::Weights::kFloat  ? "constant"
                             : weights == testing::Weights::kHalf ? "half"
                                                                  : "runtime"),
                shape, [=] { return testing::Prelu(shape, alpha, weights); });
    }
  }
}

}  // namespace gles_delegate::conformance
