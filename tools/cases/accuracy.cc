// How closely a case must agree, by its ops: single_op.h says what the numbers
// mean, and how the bound follows from them. An op that is not here moves
// values or computes exactly: it must agree exactly.
#include <algorithm>

#include "tools/cases/model.h"

namespace gles_delegate::cases {

testing::Accuracy AccuracyOf(const CaseSpec& spec) {
  testing::Accuracy accuracy;
  accuracy.terms = 0;
  for (const NodeSpec& node : spec.nodes) {
    if (node.op == testing::Op::ADD) accuracy.terms = 2;
  }
  return accuracy;
}

bool HasMagnitude(const CaseSpec& spec) {
  return std::any_of(
      spec.nodes.begin(), spec.nodes.end(),
      [](const NodeSpec& node) { return node.op == testing::Op::ADD; });
}

}  // namespace gles_delegate::cases
