// Ops that TFLite 2.9 does not know, compared with the functions themselves.
#include <algorithm>
#include <cmath>

#include "tools/conformance/cases.h"
#include "tools/conformance/special_values.h"
#include "tools/op_models/random.h"

namespace gles_delegate::conformance {
namespace {

using testing::Random;

struct YoungerOp {
  const char* name;
  size_t inputs;
  double (*exact)(const std::vector<float>& x);
  testing::Accuracy accuracy;
};

const std::vector<YoungerOp>& YoungerOps() {
  testing::Accuracy atan2;
  // The quotient errs by 2.5 ULP, the polynomial rounds twice, and the octant,
  // the quadrant and pi itself round once each: 6 ULP at most, 12 units.
  atan2.ulps = 12;
  static const auto& ops = *new std::vector<YoungerOp>{
      {"ATAN2", 2,
       [](const std::vector<float>& x) {
         return std::atan2(double{x[0]}, double{x[1]});
       },
       atan2},
      {"RELU_0_TO_1", 1,
       [](const std::vector<float>& x) {
         return std::isnan(x[0]) ? double{x[0]}
                                 : std::min(1.0, std::max(0.0, double{x[0]}));
       },
       testing::Accuracy{/*terms=*/0}},
      {"SIGN", 1,
       [](const std::vector<float>& x) {
         return std::isnan(x[0]) ? double{x[0]}
                                 : static_cast<double>((x[0] > 0) - (x[0] < 0));
       },
       testing::Accuracy{/*terms=*/0}},
  };
  return ops;
}

}  // namespace

void AddYoungerCases(CaseList* list) {
  for (const YoungerOp& op : YoungerOps()) {
    for (const Shape& shape : testing::StandardShapes()) {
      list->AddNode(op.name, "plain", shape, [op, shape] {
        NodeCase node{op.name, shape, {}, op.exact, op.accuracy};
        Random random(op.name);
        for (size_t i = 0; i < op.inputs; ++i) {
          node.inputs.push_back(
              random.WithCorners(testing::ElementCount(shape)));
        }
        return node;
      });
    }
    const std::vector<float>& values = FunctionValues();
    const Shape shape = {PairCount(values)};
    list->AddNode(op.name, "pairs_of_special_values", shape,
                  [op, shape, &values] {
                    NodeCase node{op.name, shape, {}, op.exact, op.accuracy};
                    node.accuracy.range_ends = true;
                    for (size_t i = 0; i < op.inputs; ++i) {
                      std::vector<float> input;
                      for (int k = 0; k < shape[0]; ++k) {
                        const int count = static_cast<int>(values.size());
                        input.push_back(values[i == 0 ? k / count : k % count]);
                      }
                      node.inputs.push_back(std::move(input));
                    }
                    return node;
                  });
  }
}

}  // namespace gles_delegate::conformance
