// How closely a case must agree, by its ops: single_op.h says what the numbers
// mean, and how the bound follows from them. An op that is not here moves
// values or computes exactly: it must agree exactly.
#include <algorithm>

#include "tools/cases/model.h"

namespace gles_delegate::cases {
namespace {

using testing::Accuracy;
using testing::Op;

// Integers and bools are exact, whatever the ops.
bool HasFloats(const CaseSpec& spec) {
  const auto is_float = [](const TensorSpec& tensor) {
    return !tensor.absent && !tensor.known &&
           (tensor.type == testing::TensorType::FLOAT32 ||
            tensor.type == testing::TensorType::FLOAT64);
  };
  return std::any_of(
      spec.nodes.begin(), spec.nodes.end(), [&](const NodeSpec& node) {
        return std::any_of(node.inputs.begin(), node.inputs.end(), is_float);
      });
}

// How many terms one element of the op's result has.
int TermsOf(Op op) { return op == Op::ADD ? 2 : op == Op::MUL ? 1 : 0; }

}  // namespace

Accuracy AccuracyOf(const CaseSpec& spec) {
  Accuracy accuracy;
  accuracy.terms = 0;
  if (!HasFloats(spec)) return accuracy;
  for (const NodeSpec& node : spec.nodes) {
    accuracy.terms = std::max(accuracy.terms, TermsOf(node.op));
  }
  return accuracy;
}

bool HasMagnitude(const CaseSpec& spec) {
  return HasFloats(spec) &&
         std::any_of(spec.nodes.begin(), spec.nodes.end(),
                     [](const NodeSpec& node) { return node.op == Op::ADD; });
}

}  // namespace gles_delegate::cases
