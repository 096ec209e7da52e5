// The integer kernels by op.
#include <algorithm>
#include <iterator>

#include "absl/strings/string_view.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/int16_helpers.h"
#include "delegate/passes/integer_path/kernel.h"

namespace gles_delegate::integer_path {
namespace {

struct Kernels {
  absl::string_view op;
  Rewrite* int8 = nullptr;
  Int16Rewrite* int16 = nullptr;
};

constexpr Kernels kKernels[] = {
#define ROW(name, code, v, vq, signature, types, parse, plan, traits, \
            function, int8, int16, note)                              \
  {name, &int8, &int16},
#include "delegate/ops/op_list.inc"
};

// Both are No8 and No16 for ops that passes make.
Kernels KernelsOf(const Node& node) {
  const auto* found =
      std::find_if(std::begin(kKernels), std::end(kKernels),
                   [&](const Kernels& k) { return k.op == node.op->name; });
  return found == std::end(kKernels) ? Kernels{"", &No8, &No16} : *found;
}

// Of nodes that need not end in a simulator, such as comparisons.
bool ChecksItsOutput(Rewrite* rewrite) {
  for (Rewrite* own :
       {&ArgExtremeInIntegers, &ComparisonInIntegers, &FillInIntegers,
        &FullyConnectedInIntegers, &PadV2InIntegers, &SelectInIntegers}) {
    if (rewrite == own) return true;
  }
  return false;
}

}  // namespace

std::optional<Node> No8(const Node&, const KernelContext&) {
  return std::nullopt;
}
std::vector<Node> No16(const Node&, const KernelContext&) { return {}; }

std::optional<Node> InIntegers(const Node& node, const KernelContext& context) {
  Rewrite* const rewrite = KernelsOf(node).int8;
  if (!ChecksItsOutput(rewrite) &&
      (!EndsInSimulator(node) ||
       !HoldsQuantized(*context.graph, node.outputs[0]))) {
    return std::nullopt;
  }
  return rewrite(node, context);
}

std::vector<Node> InInt16(const Node& node, const KernelContext& context) {
  if (!EndsInSimulator(node) ||
      !IsInt16(context.graph->tensor(node.outputs[0]))) {
    return {};
  }
  return KernelsOf(node).int16(node, context);
}

}  // namespace gles_delegate::integer_path
